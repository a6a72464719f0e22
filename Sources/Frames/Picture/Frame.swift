import System

/// One captured picture, in the format and the memory that its source delivered it in.
///
/// Copying a frame copies no pixels. Its memory goes back to the source when the last copy is gone.
///
/// `@unchecked Sendable` because of the pointers in `planes`: their memory is not written to between the making of the
/// frame and the end of `lease`, which is itself Sendable.
public struct Frame: @unchecked Sendable, Equatable {
    /// One plane of samples; the memory belongs to the frame's lease.
    package struct Plane: Equatable {
        /// The first byte of the top row.
        package var base: UnsafeRawPointer
        /// The bytes from a row to the one below; negative if rows lie bottom-up. For a JPEG: its length in bytes.
        package var bytesPerRow: Int

        package init(base: UnsafeRawPointer, bytesPerRow: Int) {
            self.base = base
            self.bytesPerRow = bytesPerRow
        }
    }

    /// One to three planes, by the format. The fixed size spares an allocation per frame.
    package struct Planes: Equatable {
        package var first: Plane
        package var second: Plane?
        package var third: Plane?

        package init(_ first: Plane, _ second: Plane? = nil, _ third: Plane? = nil) {
            self.first = first
            self.second = second
            self.third = third
        }

        /// - Parameter planes: One at least.
        package init(_ planes: some Collection<Plane>) {
            self.init(planes[planes.startIndex], planes.dropFirst().first, planes.dropFirst(2).first)
        }

        package var all: [Plane] { [first, second, third].compactMap(\.self) }
    }

    /// The frame's number in its source, and its times.
    public package(set) var stamp: FrameStamp
    /// The time of capture, or of decoding from a clip, on the machine's monotonic clock: for measuring latency.
    public package(set) var captured: ContinuousClock.Instant
    /// The size as stored, before `orientation` is applied.
    public package(set) var size: FrameSize
    /// The layout of the pixels in memory.
    public package(set) var format: PixelFormat
    /// The meaning of YUV samples; without meaning for RGB.
    public package(set) var encoding: YUVEncoding
    /// The turn that makes the picture upright.
    public package(set) var orientation: Orientation
    package var planes: Planes
    /// Whether the fourth byte of each pixel is its opacity. The colours are those over white all the same, so that
    /// code that does not ask shows nothing that was erased.
    package var hasOpacity = false
    /// The statements of the file about its colours besides `encoding`, to be passed on.
    package var colors: ColorStatement?
    /// The number of frames before this one that were left out because nothing happened in them.
    package var skipped = 0
    /// Keeps the memory of `planes` alive; its end gives the memory back to the source.
    package var lease: any AnyObject & Sendable

    /// Makes a frame over memory that `lease` keeps alive and unchanged.
    package init(
        stamp: FrameStamp = .unset,
        captured: ContinuousClock.Instant = .now,
        size: FrameSize,
        format: PixelFormat,
        encoding: YUVEncoding = .video,
        orientation: Orientation = .up,
        planes: Planes,
        lease: any AnyObject & Sendable
    ) {
        (self.stamp, self.captured, self.size, self.format) = (stamp, captured, size, format)
        (self.encoding, self.orientation, self.planes, self.lease) = (encoding, orientation, planes, lease)
    }

    /// The size of the upright picture, which all published coordinates refer to.
    public var uprightSize: FrameSize { orientation.uprightSize(of: size) }

    private final class NoLease: Sendable {}

    /// Makes a frame over pixels that the caller keeps alive while it is used.
    package init(borrowing plane: Plane, size: FrameSize, format: PixelFormat, mediaTime: Double) {
        self.init(size: size, format: format, planes: Planes(plane), lease: NoLease())
        stamp.mediaTime = mediaTime
    }

    /// Whether both are the same picture: the same memory with the same meaning. Pixels are not compared.
    public static func == (one: Frame, other: Frame) -> Bool {
        one.stamp == other.stamp && one.captured == other.captured && one.size == other.size
            && one.format == other.format && one.encoding == other.encoding && one.orientation == other.orientation
            && one.planes == other.planes
    }
}

extension Timestamp {
    /// The time of the wall clock. Only sources and senders of messages ask for it.
    public static func wallClock() -> Timestamp { Timestamp(nanoseconds: System.nanoseconds(of: CLOCK_REALTIME)) }
}
