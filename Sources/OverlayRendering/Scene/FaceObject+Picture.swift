extension FaceObject {
    /// The quality, 0…1, of a picture of this face: high if large, turned to the camera, whole, eyes open, not yawning.
    package var viewQuality: Double { isSeen ? viewOfEyes * ((mouthOpen ?? 0) < 0.3 ? 1 : 0.5) : 0 }

    /// The quality, 0…1, of a picture of this face's smile: high if the face is well visible and smiles broadly.
    package var smileQuality: Double {
        isSeen ? viewOfEyes * min(max(smile.flatMap { $0.isFinite ? $0 : nil } ?? 0, 0), 1) : 0
    }

    /// The closed eyes as text, such as `left eye closed`; nil if no eye is closed.
    package var closedEyes: String? {
        switch (leftEyeClosed, rightEyeClosed) {
        case (true, true): "eyes closed"
        case (true, _): "left eye closed"
        case (_, true): "right eye closed"
        default: nil
        }
    }

    private var viewOfEyes: Double {
        let turn = pose.map { abs($0.yaw ?? 20) + abs($0.pitch ?? 20) } ?? 45
        let isWhole = bounds.x >= 0 && bounds.y >= 0 && bounds.x + bounds.width <= 1 && bounds.y + bounds.height <= 1
        let quality = bounds.area.squareRoot() * max(0.1, 1 - turn / 90) * (isWhole ? 1 : 0.3) * openness
        return quality.isFinite ? min(quality, 1) : 0
    }

    /// The rating of the eyes, 0.1…1: 1 if both are at least 0.7 open, as in a wide smile, and 0.1 if one is closed.
    private var openness: Double {
        guard leftEyeClosed != true, rightEyeClosed != true else { return 0.1 }
        return min(max((min(leftEyeOpen ?? 1, rightEyeOpen ?? 1) - 0.3) / 0.4, 0.1), 1)
    }
}

extension Sequence {
    /// Returns up to 8 elements whose smiles are nearly as good as the best, best first, to choose the sharpest from.
    package func bestSmiles(_ face: (Element) -> FaceObject?) -> [Element] {
        let rated = map { (element: $0, quality: face($0)?.smileQuality ?? 0) }.sorted { $0.quality > $1.quality }
        return rated.prefix(8).filter { $0.quality >= 0.9 * rated[0].quality }.map(\.element)
    }
}
