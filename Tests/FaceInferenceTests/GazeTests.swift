import FaceMetadata
import Frames
import Glibc
import Testing

@testable import FaceInference

@Suite("Gaze")
struct GazeTests {
    /// A head whose outer eye corners are 100 pixels apart, turned by a yaw, with irises moved by pixels; its other
    /// points are at its middle, which is the origin.
    private func geometry(yaw: Float = 0, irises: SIMD2<Float> = .zero) -> FaceGeometry {
        let landmarks = FaceLandmarks()
        let (sine, cosine) = (sinf(yaw * .pi / 180), cosf(yaw * .pi / 180))
        func put(_ index: Int, _ x: Float, _ y: Float, _ z: Float = 0) {
            landmarks[index] = PixelLandmark(x * cosine - z * sine, y, z * cosine + x * sine)
        }
        for (index, x) in [(33, -50), (133, -16), (362, 16), (263, 50)] as [(Int, Float)] { put(index, x, 0) }
        for (index, x) in [(234, -70), (454, 70)] as [(Int, Float)] { put(index, x, 10, 40) }
        put(10, 0, -80)
        put(152, 0, 90)
        for (iris, x) in [(FaceMeshIndices.leftEye.iris, -33), (FaceMeshIndices.rightEye.iris, 33)] as [([Int], Float)]
        {
            for (index, place) in zip(iris, [(0, 0), (6.5, 0), (0, -6.5), (-6.5, 0), (0, 6.5)] as [(Float, Float)]) {
                put(index, x + place.0 + irises.x, place.1 + irises.y - 2)
            }
        }
        return FaceGeometry(landmarks)
    }

    private func gaze(yaw: Float = 0, irises: SIMD2<Float> = .zero) throws -> Gaze {
        let geometry = geometry(yaw: yaw, irises: irises)
        return try #require(geometry.gaze(with: geometry.axes.pose(of: geometry.landmarks)))
    }

    @Test("follows the irises, to the picture's right and up, and is the mirror image of the mirrored face")
    func irises() throws {
        let straight = try gaze()
        #expect(abs(straight.yaw) < 0.01)
        let right = try gaze(irises: SIMD2(2, 0))
        #expect(abs(right.yaw - 9.44) < 0.01 && abs(right.pitch - straight.pitch) < 0.01)
        let up = try gaze(irises: SIMD2(0, -2))
        #expect(abs(up.pitch - straight.pitch - 9.44) < 0.01 && abs(up.yaw) < 0.01)
        let one = try gaze(yaw: 15, irises: SIMD2(3, 1))
        let other = try gaze(yaw: -15, irises: SIMD2(-3, 1))
        #expect(abs(one.yaw + other.yaw) < 0.01 && abs(one.pitch - other.pitch) < 0.01)
    }

    @Test("is that of the head alone where that is turned so far that an eye is hidden")
    func turned() throws {
        for yaw in [40, -60] as [Float] {
            let geometry = geometry(yaw: yaw, irises: SIMD2(3, 3))
            let pose = geometry.axes.pose(of: geometry.landmarks)
            let turned = try #require(pose.yaw)
            #expect(abs(abs(turned) - Double(abs(yaw))) < 0.01)
            #expect(abs(try gaze(yaw: yaw, irises: SIMD2(3, 3)).yaw - turned) < 0.01)
        }
    }

    @Test("measures the irises as a share of the picture's diagonal")
    func diameter() {
        let observation = geometry().observation(in: FrameSize(width: 640, height: 480))
        #expect(abs((observation.irisDiameter ?? 0) - 13.0 / 800) < 0.00001)
    }
}
