import FaceMetadata
import Frames
import Testing

@testable import FaceInference

@Suite("Still face")
struct UnchangedFaceTests {
    private let face = UnchangedFace()
    private let workspace = UnchangedFace.Workspace()
    private let landmarks = FaceLandmarks()
    private let picture: Frame

    init() throws {
        picture = try Portrait.astronaut.frame()
        for (index, point) in try Portrait.astronaut.reference().enumerated() { landmarks[index] = point }
    }

    /// The portrait seen through a transform, with every pixel changed, as the frame of that number at 30 a second.
    private func frame(
        _ number: Int,
        _ transform: Frames.AffineTransform = .init(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0),
        change: (_ x: Int, _ y: Int, _ value: Float) -> Float = { _, _, value in value }
    ) throws -> Frame {
        let side = 512
        let sampler = CropSampler(size: side, border: .replicate, range: 0...255)
        var values = [Float](repeating: 0, count: sampler.count)
        try #require(sampler.sample(picture, through: transform, into: &values))
        for pixel in 0..<side * side {
            for channel in 0..<3 {
                values[3 * pixel + channel] = change(pixel % side, pixel / side, values[3 * pixel + channel])
            }
        }
        let pixels = PixelMemory(values.map { UInt8(max(0, min(255, $0.rounded()))) })
        var frame = picture
        frame.format = .rgb24
        frame.size = FrameSize(width: side, height: side)
        frame.planes = Frame.Planes(Frame.Plane(base: UnsafeRawPointer(pixels.base), bytesPerRow: 3 * side))
        frame.lease = pixels
        frame.stamp.frame = number
        frame.stamp.mediaTime = Double(number) / 30
        return frame
    }

    @Test("reuses the landmarks of a face that has only noise and another light")
    func noise() throws {
        face.computed(landmarks, in: try frame(0), workspace)
        var generator = NoiseGenerator(seed: 1)
        let noisy = try frame(1) { _, _, value in 1.06 * value + 6 * generator.next() }
        let motion = try #require(face.motion(in: noisy, workspace))
        let nose = landmarks[1]
        let moved = motion(nose.x, nose.y)
        #expect(abs(moved.x - nose.x) < 0.2)
        #expect(abs(moved.y - nose.y) < 0.2)
    }

    @Test("a landmark that is no number has no place in the grid, and ends nothing")
    func noNumber() throws {
        for point in [FaceMeshIndices.leftEye.leftCorner, FaceMeshIndices.upperLipInner] {
            let landmark = landmarks[point]
            landmarks[point].x = .nan
            face.computed(landmarks, in: try frame(0), workspace)
            _ = face.motion(in: try frame(1), workspace)
            landmarks[point] = landmark
        }
    }

    @Test("moves the landmarks along with a face that shifts and turns a little")
    func motion() throws {
        face.computed(landmarks, in: try frame(0), workspace)
        // The picture moves right by 0.8 and up by 0.6 pixels, and turns by half a degree about the nose.
        let (cosine, sine): (Float, Float) = (0.99996, 0.00873)
        let nose = landmarks[1]
        let (x, y) = (nose.x + 0.8, nose.y - 0.6)
        let back = AffineTransform(
            a: cosine,
            b: sine,
            c: -sine,
            d: cosine,
            tx: nose.x - cosine * x - sine * y,
            ty: nose.y + sine * x - cosine * y
        )
        let motion = try #require(face.motion(in: try frame(1, back), workspace))
        for index in [1, 10, 152, 234, 454, 33, 291] {
            let point = landmarks[index]
            let moved = motion(landmarks[index].x, landmarks[index].y)
            // The transform leads from the new picture to the old one.
            let origin = back(moved.x, moved.y)
            #expect(abs(origin.x - point.x) < 0.35, "point \(index)")
            #expect(abs(origin.y - point.y) < 0.35, "point \(index)")
        }
    }

    @Test("follows a face that moves in a frame stored in any orientation", arguments: Orientation.allCases)
    func orientations(_ orientation: Orientation) throws {
        // Square, so that the upright picture has the size of the stored one.
        let stored = orientation.storedFromUpright(stored: FrameSize(width: 512, height: 512))
        func turned(_ number: Int, _ transform: Frames.AffineTransform) throws -> Frame {
            var frame = try frame(number, stored.inverse.then(transform))
            frame.orientation = orientation
            return frame
        }
        face.computed(landmarks, in: try turned(0, .identity), workspace)
        let moved = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: -1, ty: 0.5)
        let motion = try #require(face.motion(in: try turned(1, moved), workspace))
        let nose = landmarks[1]
        let place = motion(nose.x, nose.y)
        #expect(abs(place.x - nose.x - 1) < 0.3)
        #expect(abs(place.y - nose.y + 0.5) < 0.3)
        // An eye that closes is seen wherever it lies in the stored picture.
        let eye = landmarks[159]
        let closed = try frame(1, .identity) { x, y, value in
            abs(Float(x) - eye.x) < 12 && abs(Float(y) - eye.y) < 4 ? 175 : value
        }
        var stretched = try closed.resampled(side: 512, through: stored.inverse)
        stretched.orientation = orientation
        stretched.stamp = closed.stamp
        #expect(face.motion(in: stretched, workspace) == nil)
    }

    /// The next frame with a part of the face covered.
    private func covered(around index: Int, _ halfWidth: Float, _ halfHeight: Float) throws -> Frame {
        let middle = landmarks[index]
        return try frame(1) { x, y, value in
            abs(Float(x) - middle.x) < halfWidth && abs(Float(y) - middle.y) < halfHeight ? 175 : value
        }
    }

    @Test("computes the landmarks again when the face moves on, an eye closes or a smiling mouth changes")
    func changes() throws {
        let first = try frame(0)
        let away = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 4, ty: 0)
        face.computed(landmarks, in: first, workspace)
        #expect(face.motion(in: try frame(1, away), workspace) == nil)
        for (index, halfWidth, halfHeight) in [(159, 12, 4), (386, 12, 4), (13, 14, 5)] as [(Int, Float, Float)] {
            face.computed(landmarks, in: first, workspace)
            let covered = try covered(around: index, halfWidth, halfHeight)
            #expect(face.motion(in: covered, workspace) == nil, "around point \(index)")
        }
    }

    @Test("computes the landmarks a frame later when a mouth changes that does not smile")
    func lag() throws {
        for corner in [FaceMeshIndices.leftMouthCorner, FaceMeshIndices.rightMouthCorner] {
            landmarks[corner].x += 0.2 * (landmarks[13].x - landmarks[corner].x)
            landmarks[corner].y += 16
        }
        let first = try frame(0)
        for (index, halfWidth, halfHeight, canWait) in [(159, 12, 4, false), (386, 12, 4, false), (13, 14, 5, true)]
            as [(Int, Float, Float, Bool)]
        {
            face.computed(landmarks, in: first, workspace)
            var covered = try covered(around: index, halfWidth, halfHeight)
            #expect((face.motion(in: covered, workspace) != nil) == canWait, "around point \(index)")
            covered.stamp.mediaTime = 2.0 / 30
            #expect(face.motion(in: covered, workspace) == nil, "around point \(index), two frames later")
        }
    }

    @Test("computes every tenth frame, and after half a second, of a face that never changes")
    func longest() throws {
        let first = try frame(0)
        face.computed(landmarks, in: first, workspace)
        var reused = 0
        for number in 1...12 {
            var same = first
            same.stamp.mediaTime = Double(number) / 30
            reused += face.motion(in: same, workspace) == nil ? 0 : 1
        }
        #expect(reused == 9)
        face.computed(landmarks, in: first, workspace)
        var late = first
        late.stamp.mediaTime = 0.6
        #expect(face.motion(in: late, workspace) == nil)
        late.stamp.mediaTime = -0.1
        #expect(face.motion(in: late, workspace) == nil)
    }

    @Test("computes the landmarks when the picture has another size, or before they were ever computed")
    func unknown() throws {
        let first = try frame(0)
        #expect(face.motion(in: first, workspace) == nil)
        face.computed(landmarks, in: first, workspace)
        #expect(face.motion(in: first, workspace) != nil)
        let half = AffineTransform(a: 2, b: 0, c: 0, d: 2, tx: 0.5, ty: 0.5)
        #expect(face.motion(in: try picture.resampled(side: 256, through: half), workspace) == nil)
    }

    @Test("finds quantiles to a thirtieth of their value")
    func quantiles() {
        var generator = NoiseGenerator(seed: 9)
        let numbers = (0..<1000).map { _ in generator.next() * generator.next() * 40 }.map(\.magnitude)
        for share in [0.1, 0.4, 0.5, 0.9] {
            let exact = numbers.sorted()[Int(share * 1000)]
            let found = quantile(share, of: numbers)
            #expect(abs(found / exact - 1) < 0.034)
        }
        let nothing = quantile(0.5, of: [Float](repeating: 0, count: 8))
        #expect(nothing < 0.001)
    }
}
