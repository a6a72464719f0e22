import FaceMetadata
import Foundation
import Frames
import MediaFiles
import Testing

@testable import FaceInference

/// The portraits that `deploy/setup` installs, and what MediaPipe found in them.
enum Portrait: String, CaseIterable, Sendable {
    case astronaut
    case graceHopper = "grace_hopper"

    /// The directory in which the portraits are installed.
    static let directory = "/usr/local/share/facet/"

    var path: String {
        switch self {
        case .astronaut: Self.directory + "astronaut.png"
        case .graceHopper: Self.directory + "grace_hopper.jpg"
        }
    }

    /// The picture as RGB or YUV, as it comes out of its file.
    func frame(at mediaTime: Double = 0) throws -> Frame {
        var frame = try PictureFile.load(path)
        frame.stamp.mediaTime = mediaTime
        return frame
    }

    /// MediaPipe's 478 points in pixels; the file says how they were made.
    func reference() throws -> [PixelLandmark] {
        struct Reference: Decodable { var points: [[Float]] }
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "References/\(rawValue).json")
        let points = try JSONDecoder().decode(Reference.self, from: Data(contentsOf: url)).points
        return points.map { PixelLandmark(x: $0[0], y: $0[1], z: $0[2]) }
    }
}

extension Frame {
    /// A part of the frame as an RGB frame of `side`², sampled through a transform from its pixels to this frame's.
    func resampled(side: Int, through transform: Frames.AffineTransform) throws -> Frame {
        let sampler = CropSampler(size: side, border: .replicate, range: 0...255)
        var values = [Float](repeating: 0, count: sampler.count)
        try #require(sampler.sample(self, through: transform, into: &values))
        let pixels = PixelMemory(values.map { UInt8(max(0, min(255, $0.rounded()))) })
        return Frame(
            stamp: stamp,
            captured: captured,
            size: FrameSize(width: side, height: side),
            format: .rgb24,
            planes: Planes(Plane(base: UnsafeRawPointer(pixels.base), bytesPerRow: 3 * side)),
            lease: pixels
        )
    }
}

/// The bytes of a frame; they do not change after `init`.
final class PixelMemory: @unchecked Sendable {
    let base: UnsafeMutablePointer<UInt8>

    init(_ bytes: [UInt8]) {
        base = .allocate(capacity: bytes.count)
        base.initialize(from: bytes, count: bytes.count)
    }

    deinit { base.deallocate() }
}
