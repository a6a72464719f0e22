/// One face as the detector sees it, in pixels of the upright picture.
struct FaceDetection: Hashable, Sendable {
    struct Point: Hashable, Sendable {
        var x: Float
        var y: Float
    }

    /// 0…1.
    var score: Float
    var centerX: Float
    var centerY: Float
    var width: Float
    var height: Float
    /// Six points: the eyes at the picture's left and right, the nose's tip, the mouth, the ears at the left and right.
    var keypoints: [Point]

    var leftEye: Point { keypoints[0] }
    var rightEye: Point { keypoints[1] }

    /// The overlap of two boxes as a share of their union.
    func intersectionOverUnion(_ other: FaceDetection) -> Float {
        let overlapWidth =
            min(centerX + width / 2, other.centerX + other.width / 2)
            - max(centerX - width / 2, other.centerX - other.width / 2)
        let overlapHeight =
            min(centerY + height / 2, other.centerY + other.height / 2)
            - max(centerY - height / 2, other.centerY - other.height / 2)
        guard overlapWidth > 0, overlapHeight > 0 else { return 0 }
        let overlap = overlapWidth * overlapHeight
        let union = width * height + other.width * other.height - overlap
        return union > 0 ? overlap / union : 0
    }
}

extension FaceDetection {
    /// Merges detections of the same face, best first: each best one takes in all that overlap it, weighted by score.
    ///
    /// The mean of many is steadier than the best alone, which is why it is not simply picked.
    static func merging(_ candidates: [FaceDetection], overlap threshold: Float = 0.3) -> [FaceDetection] {
        var remaining = candidates.sorted { $0.score > $1.score }
        var merged: [FaceDetection] = []
        while let best = remaining.first {
            let same = remaining.filter { $0.intersectionOverUnion(best) > threshold }
            // A box without area overlaps nothing, not even itself.
            merged.append(same.isEmpty ? best : mean(of: same, score: best.score))
            remaining = remaining.dropFirst().filter { $0.intersectionOverUnion(best) <= threshold }
        }
        return merged
    }

    private static func mean(of detections: [FaceDetection], score: Float) -> FaceDetection {
        let total = detections.reduce(0) { $0 + $1.score }
        func mean(_ value: (FaceDetection) -> Float) -> Float {
            detections.reduce(0) { $0 + value($1) * $1.score } / total
        }
        return FaceDetection(
            score: score,
            centerX: mean(\.centerX),
            centerY: mean(\.centerY),
            width: mean(\.width),
            height: mean(\.height),
            keypoints: (0..<6).map { index in
                Point(x: mean { $0.keypoints[index].x }, y: mean { $0.keypoints[index].y })
            }
        )
    }
}
