import FaceMetadata
import Frames
import OverlayRendering

/// Turns the daemon's preview pictures into pictures to draw over.
final class PreviewDecoder {
    /// The newest picture.
    let picture = Picture()

    private let decoder: JPEGDecoder

    /// Makes a decoder that holds no picture yet.
    init() throws {
        do {
            decoder = try JPEGDecoder()
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// Decodes a JPEG into `picture`.
    ///
    /// - Parameters:
    ///   - jpeg: the file's bytes.
    ///   - target: how large the picture will be drawn; nil if all its pixels are wanted.
    /// - Throws: `JPEGError` or `CanvasError` if it is damaged; the picture before stays then.
    func decode(_ jpeg: [UInt8], target: FrameSize? = nil) throws {
        guard let size = JPEGHeader.size(of: jpeg) else { throw CommandFailure("it is no whole JPEG") }
        let bytes = JPEGBytes(jpeg)
        let frame = Frame(
            stamp: FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0),
            captured: .now,
            size: size,
            format: .jpeg,
            planes: (Frame.Plane(base: UnsafeRawPointer(bytes.base), bytesPerRow: jpeg.count), nil, nil),
            lease: bytes
        )
        try picture.update(from: try decoder.decode(frame), target: target)
    }
}

/// Memory for one JPEG, which a frame can hold on to.
///
/// `@unchecked Sendable` because nobody writes to it after `init`.
private final class JPEGBytes: @unchecked Sendable {
    let base: UnsafeMutableRawPointer

    init(_ bytes: [UInt8]) {
        base = .allocate(byteCount: max(1, bytes.count), alignment: 16)
        bytes.withUnsafeBytes { base.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(base), byteCount: $0.count) }
    }

    deinit {
        base.deallocate()
    }
}
