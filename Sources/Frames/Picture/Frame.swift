import System

/// One captured picture, in the format and the memory in which its source delivered it.
///
/// Copying a frame copies no pixels. Its memory goes back to the source when the last copy is gone.
///
/// `@unchecked Sendable` because of the pointers in `planes`, whose memory does not change until `lease` ends.
public struct Frame: @unchecked Sendable, Equatable {
    /// One plane of samples, in memory that the frame's lease keeps alive.
    package struct Plane: Equatable {
        /// The address of the top row.
        package var base: UnsafeRawPointer
        /// The bytes from a row to the row below, negative if the bottom row comes first. For a JPEG, all its bytes.
        package var bytesPerRow: Int

        package init(base: UnsafeRawPointer, bytesPerRow: Int) {
            self.base = base
            self.bytesPerRow = bytesPerRow
        }
    }

    /// The one to three planes of a frame. An array would cost an allocation per frame.
    package struct Planes: Equatable {
        package var first: Plane
        package var second: Plane?
        package var third: Plane?

        package init(_ first: Plane, _ second: Plane? = nil, _ third: Plane? = nil) {
            self.first = first
            self.second = second
            self.third = third
        }

        package init(_ planes: some Collection<Plane>) {
            self.init(planes[planes.startIndex], planes.dropFirst().first, planes.dropFirst(2).first)
        }

        package var all: [Plane] { [first, second, third].compactMap(\.self) }
    }

    /// The frame's number in its source, its wall-clock time, and the seconds since the first frame.
    public package(set) var stamp: FrameStamp
    /// The monotonic time of capture, for measuring latency. For clips: when the frame was due or, with `.asap`, read.
    public package(set) var captured: ContinuousClock.Instant
    /// The size as stored, before `orientation` is applied.
    public package(set) var size: FrameSize
    /// The layout of the pixels in memory.
    public package(set) var format: PixelFormat
    /// The colour matrix and range of YUV samples; ignored for RGB.
    public package(set) var encoding: YUVEncoding
    /// The turn that makes the picture upright.
    public package(set) var orientation: Orientation
    package var planes: Planes
    /// Whether the fourth byte of each pixel is its opacity. Even then, the colours are stored blended over white, so
    /// that code which ignores the opacity does not show the hidden colours of transparent pixels.
    package var hasOpacity = false
    /// What the file states about its colours besides `encoding`, copied to files made from it; nil if not stated.
    package var colors: ColorStatement?
    /// The number of frames directly before this one that the source skipped because nothing happened in them.
    package var skipped = 0
    /// The object that keeps the memory of `planes` alive. Its release returns the memory to the source.
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

    /// The size of the upright picture. All published coordinates refer to the upright picture.
    public var uprightSize: FrameSize { orientation.uprightSize(of: size) }

    private final class NoLease: Sendable {}

    /// Makes a frame over pixels that the caller must keep alive as long as the frame is used.
    package init(borrowing plane: Plane, size: FrameSize, format: PixelFormat, mediaTime: Double) {
        self.init(size: size, format: format, planes: Planes(plane), lease: NoLease())
        stamp.mediaTime = mediaTime
    }

    /// Whether both frames have the same memory, stamp, capture time, size and layout. The pixels are not compared.
    public static func == (one: Frame, other: Frame) -> Bool {
        one.stamp == other.stamp && one.captured == other.captured && one.size == other.size
            && one.format == other.format && one.encoding == other.encoding && one.orientation == other.orientation
            && one.planes == other.planes
    }
}

extension Timestamp {
    /// Reads the wall clock. Only sources and senders of messages may do so.
    public static func wallClock() -> Timestamp { Timestamp(nanoseconds: System.nanoseconds(of: CLOCK_REALTIME)) }
}
