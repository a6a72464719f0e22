import FaceMetadata
import Frames
import Glibc
import MediaFiles
import Testing

@testable import FaceInference

@Suite("Agreement with MediaPipe")
struct MeshParityTests {
    /// The part of a portrait that MediaPipe's own detector gives to its landmark model.
    private static func region(in portrait: Portrait) -> CropRegion {
        switch portrait {
        case .astronaut: CropRegion(center: SIMD2(225.23744, 130.5433), side: 143.01637, rotation: 0.094389044)
        case .graceHopper: CropRegion(center: SIMD2(268.66025, 244.15588), side: 292.3109, rotation: -0.11339715)
        }
    }

    @Test("finds MediaPipe's points on the portraits where MediaPipe looks", arguments: Portrait.allCases)
    func parity(portrait: Portrait) throws {
        let model = try LandmarkModel(LiteRT.shared(in: ModelDirectory.find()))
        let landmarks = FaceLandmarks()
        #expect(try model.find(landmarks, in: portrait.frame(), region: Self.region(in: portrait)) > 0.95)
        let found = landmarks.all
        let reference = try portrait.reference()
        let distances = zip(found, reference).map { hypotf($0.x - $1.x, $0.y - $1.y) }
        #expect(distances.count == 478)
        #expect(distances.reduce(0, +) / 478 <= 0.15)
        #expect((distances.max() ?? .infinity) <= 0.5)
        let depths = zip(found, reference).map { abs($0.z - $1.z) }
        #expect(depths.reduce(0, +) / 478 <= 0.15)
    }

    @Test("finds the same points in a picture turned by 20°", arguments: Portrait.allCases)
    func turned(portrait: Portrait) throws {
        let frame = try portrait.frame()
        let angle = Float(20) * .pi / 180
        // Turned about the picture's middle, onto a square that holds the face at the same scale.
        let region = CropRegion(
            center: .init(Float(frame.size.width) / 2, Float(frame.size.height) / 2),
            side: 512,
            rotation: -angle
        )
        let transform = region.uprightFromCrop(size: 512)
        let analyzer = try FaceAnalyzer()
        let straight = try #require(try analyzer.analyze(frame).observations.first)
        analyzer.reset()
        let face = try #require(
            try analyzer.analyze(try frame.resampled(side: 512, through: transform)).observations.first
        )
        let found = try #require(analyzer.landmarks(of: face.lineage)).all
        let back = found.map { transform($0.x, $0.y) }
        let distances = zip(back, try portrait.reference()).map { hypotf($0.x - $1.x, $0.y - $1.y) }
        // Two crops of two detections: the model's own scatter, which is 2 % of the eyes' distance.
        #expect(distances.reduce(0, +) / 478 <= 0.02 * Float(straight.eyeDistance))
        // Turning the picture clockwise as seen makes the roll grow.
        #expect(abs(face.pose.roll - straight.pose.roll - 20) < 2)
    }

    @Test("mirroring the picture mirrors yaw and roll, not pitch")
    func mirrored() throws {
        let frame = try PictureFile.load(Portrait.astronaut.path)
        var mirrored = frame
        mirrored.orientation = .upMirrored
        let analyzer = try FaceAnalyzer()
        let face = try #require(try analyzer.analyze(frame).observations.first)
        analyzer.reset()
        let other = try #require(try analyzer.analyze(mirrored).observations.first)
        #expect(abs(face.pose.roll + other.pose.roll) < 2)
        #expect(abs((face.pose.yaw ?? .nan) + (other.pose.yaw ?? .nan)) < 3)
        #expect(abs((face.pose.pitch ?? .nan) - (other.pose.pitch ?? .nan)) < 2)
        #expect(abs(face.bounds.center.x + other.bounds.center.x - 1) < 0.01)
        #expect(abs(face.leftEye.x + other.rightEye.x - 1) < 0.01)
    }

    @Test("the pitch is that of the head, not of the jaw", arguments: Portrait.allCases)
    func pitch(portrait: Portrait) throws {
        let points = FaceLandmarks()
        func pose(tilted degrees: Float = 0, chinDown: Float = 0) throws -> HeadPose {
            for (index, point) in try portrait.reference().enumerated() {
                let (sine, cosine) = (sinf(degrees * .pi / 180), cosf(degrees * .pi / 180))
                let y = point.y + (index == FaceMeshIndices.chin ? chinDown : 0)
                points[index] = PixelLandmark(point.x, y * cosine + point.z * sine, point.z * cosine - y * sine)
            }
            return FaceGeometry(points).axes.pose(of: points)
        }
        let before = try pose()
        #expect(abs((before.yaw ?? .nan)) < 20 && abs((before.pitch ?? .nan)) < 15)
        // About the picture's horizontal axis, by which a turned head also rolls.
        for degrees in [-15, -5, 5, 15] as [Float] {
            let after = try pose(tilted: degrees)
            #expect(abs((after.pitch ?? .nan) - (before.pitch ?? .nan) - Double(degrees)) < 1.5, "\(degrees)")
            #expect(abs((after.yaw ?? .nan) - (before.yaw ?? .nan)) < 4)
        }
        let open = try pose(chinDown: 30)
        #expect(abs((open.pitch ?? .nan) - (before.pitch ?? .nan)) < 0.2)
        #expect(abs((open.yaw ?? .nan) - (before.yaw ?? .nan)) < 1 && abs(open.roll - before.roll) < 1)
    }

    @Test("a stored picture turned by its orientation is the upright one", arguments: Orientation.allCases)
    func orientation(orientation: Orientation) throws {
        let frame = try Portrait.astronaut.frame()
        // Store it so that `orientation` makes it upright again.
        let toStored = orientation.storedFromUpright(stored: frame.size)
        var stored = try frame.resampled(side: 512, through: toStored.inverse)
        stored.orientation = orientation
        let analyzer = try FaceAnalyzer()
        let face = try #require(try analyzer.analyze(stored).observations.first)
        let found = try #require(analyzer.landmarks(of: face.lineage)).all
        let distances = zip(found, try Portrait.astronaut.reference()).map { hypotf($0.x - $1.x, $0.y - $1.y) }
        // From our detector's region: the model's own scatter, which is 2 % of the eyes' distance.
        #expect(distances.reduce(0, +) / 478 <= 0.02 * Float(face.eyeDistance))
    }
}
