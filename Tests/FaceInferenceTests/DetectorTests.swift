import FaceMetadata
import Frames
import Testing

@testable import FaceInference

@Suite("Detector")
struct DetectorTests {
    @Test("has the priors of the short-range model")
    func shortRangeAnchors() {
        let priors = DetectorKind.shortRange.priors()
        #expect(priors.count == 896)
        #expect(priors[0] == .init(x: 0.5 / 16, y: 0.5 / 16) && priors[1] == priors[0])
        #expect(priors[2] == .init(x: 1.5 / 16, y: 0.5 / 16))
        #expect(priors[32] == .init(x: 0.5 / 16, y: 1.5 / 16))
        #expect(priors[512] == .init(x: 0.5 / 8, y: 0.5 / 8))
        #expect(priors[895] == .init(x: 7.5 / 8, y: 7.5 / 8))
    }

    @Test("has the priors of the full-range model")
    func fullRangeAnchors() {
        let priors = DetectorKind.fullRange.priors()
        #expect(priors.count == 2304)
        #expect(priors[49] == .init(x: 1.5 / 48, y: 1.5 / 48))
    }

    @Test("decodes boxes relative to their priors, in pixels of the searched square")
    func decoding() throws {
        let kind = DetectorKind.shortRange
        let priors = kind.priors()
        var boxes = [Float](repeating: 0, count: 16 * priors.count)
        var logits = [Float](repeating: -5, count: priors.count)
        // The last anchor, at (0.9375, 0.9375) of the square.
        logits[895] = 2
        boxes.replaceSubrange(
            16 * 895..<16 * 896,
            with: [-12.8, 6.4, 25.6, 38.4, -6.4, 0, 6.4, 0, 0, 3.2, 0, 6.4, -12.8, 0, 12.8, 0]
        )
        // A certain one with a negative width is none.
        logits[0] = 100
        boxes[2] = -1
        let region = CropRegion(
            letterboxing: .init(x: 0, y: 0, width: 1, height: 1),
            of: .init(width: 640, height: 480)
        )
        let found = kind.decode(boxes: boxes, logits: logits, priors: priors, in: region)
        let face = try #require(found.first)
        #expect(found.count == 1)
        #expect(abs(face.score - 0.8808) < 1e-4)
        // The square is 640 wide, and its top is 80 pixels above the picture.
        #expect(abs(face.center.x - (0.9375 - 0.1) * 640) < 0.01)
        #expect(abs(face.center.y - ((0.9375 + 0.05) * 640 - 80)) < 0.01)
        #expect(abs(face.size.x - 128) < 0.01 && abs(face.size.y - 192) < 0.01)
        #expect(abs(face.leftEye.x - (0.9375 - 0.05) * 640) < 0.01)
        #expect(abs(face.rightEye.y - (0.9375 * 640 - 80)) < 0.01)
    }

    @Test("ignores scores under the threshold, and does not overflow on huge ones")
    func thresholds() {
        let kind = DetectorKind.fullRange
        let priors = kind.priors()
        var boxes = [Float](repeating: 0, count: 16 * priors.count)
        var logits = [Float](repeating: 0.40, count: priors.count)  // sigmoid 0.599
        for index in priors.indices { (boxes[16 * index + 2], boxes[16 * index + 3]) = (10, 10) }
        logits[7] = 1e30
        logits[8] = .nan
        let region = CropRegion(center: .init(96, 96), side: 192, rotation: 0)
        let found = kind.decode(boxes: boxes, logits: logits, priors: priors, in: region)
        #expect(found.map(\.score) == [1])
    }

    private func detection(_ x: Float, _ score: Float, width: Float = 10) -> FaceDetection {
        FaceDetection(
            score: score,
            center: .init(x, 0),
            size: .init(width, 10),
            keypoints: (0..<6).map { .init(x: x + Float($0), y: 0) }
        )
    }

    @Test("merges overlapping detections into their weighted mean with the best score")
    func merging() {
        let merged = FaceDetection.merging([detection(2, 0.5), detection(0, 1), detection(50, 0.7)])
        #expect(merged.map(\.score) == [1, 0.7])
        #expect(abs(merged[0].center.x - 2.0 / 3) < 1e-5)
        #expect(abs(merged[0].keypoints[5].x - (5 + 2.0 / 3)) < 1e-5)
        #expect(merged[1].center.x == 50)
    }

    @Test("keeps apart what overlaps by less than a third, and ends on boxes without area")
    func apart() {
        // 10 wide, 6 apart: 4 / 16 of the union.
        #expect(FaceDetection.merging([detection(0, 0.9), detection(6, 0.8)]).count == 2)
        #expect(FaceDetection.merging([detection(0, 0.9, width: 0), detection(0, 0.8, width: 0)]).count == 2)
        #expect(FaceDetection.merging([]).isEmpty)
    }

    @Test("believes sure and large short-range detections, and asks about the others")
    func second() {
        #expect(FaceFinder.isSure(detection(0, 0.8), side: 100))
        #expect(FaceFinder.isSure(detection(0, 0.55, width: 40), side: 100))
        #expect(!FaceFinder.isSure(detection(0, 0.7), side: 100))
        let both = FaceFinder.combined([detection(0, 0.8)], [detection(1, 0.9), detection(30, 0.85)])
        #expect(both.map(\.center.x) == [30, 0])
    }

    @Test("confirms a new face that is found in two squares at least and is sure in one of them")
    func confirmation() {
        // Recorded: a hand with a bracelet, leaves; a skull on a sweater, which is found in one square only.
        for scores in [[0.594, 0.653], [0.623, 0.694], [0.786]] as [[Float]] { #expect(!FaceFinder.areEnough(scores)) }
        // The least sure one of 11708 faces but one; two portraits that are found in two squares of three.
        for scores in [[0.61, 0.721], [0.749, 0.556], [0.769, 0.728]] as [[Float]] {
            #expect(FaceFinder.areEnough(scores))
        }
    }

    @Test("takes the score of the same face, not of another one nearby")
    func scoreOfFace() {
        let found = [detection(30, 0.9), detection(1, 0.6), detection(0, 0.7)]
        #expect(FaceFinder.score(of: detection(0, 0.58), among: found) == 0.7)
        #expect(FaceFinder.score(of: detection(0, 0.58), among: [detection(30, 0.9)]) == nil)
    }
}
