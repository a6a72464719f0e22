import CV4L2
import System
import SystemPackage

/// Delivers a stream's frames until the source is stopped or the camera is lost. Of all ready buffers, only the newest
/// good one is delivered. If the driver would have fewer than `fewestQueued` buffers to fill, the frame is copied.
struct CaptureLoop {
    /// The number of queued buffers that the driver needs, so that it skips no frame while another frame is handled.
    static let fewestQueued = 2
    /// The time of suspension between two rounds of the loop, in nanoseconds, above which a frame is dropped as late.
    private static let shortestSuspend: Int64 = 200_000_000
    /// The minimum time, in milliseconds, to wait for a camera's first frame, because cameras first measure the light.
    static let startTimeout = 5000

    let stream: CaptureStream
    let source: CameraSource
    let mailbox: FrameMailbox
    /// Gives the frames their numbers and times, which continue from one stream to the next.
    var timeline: FrameTimeline
    /// Whether a frame was delivered; until then, the camera does not count as streaming.
    private(set) var hasDelivered = false
    var copies = PixelMemoryPool()
    lazy var depth = stream.layout.wide?.depth
    private var calls: any V4L2Calls { stream.device.calls }

    /// Delivers frames until the capture is stopped or the mailbox is closed. Throws when the camera is lost.
    mutating func run() throws(V4L2Error) {
        timeline.beginStream()
        var now = calls.now()
        var lastGood = now.monotonic
        var suspended = now.suspended
        let stallTimeout = max(1, Int(source.options.stallTimeout / .milliseconds(1)))
        while true {
            let limit = hasDelivered ? stallTimeout : max(stallTimeout, Self.startTimeout)
            let elapsed = Int((now.monotonic - lastGood) / 1_000_000)
            guard elapsed < limit else { throw .stalled(device: stream.device.path, milliseconds: limit) }
            let device = stream.device
            let ready = try failing(as: { V4L2Error(.wait, device: device.path, $0) }) { () throws(Errno) in
                try calls.wait(device.descriptor, stop: source.stopWaker.descriptor, milliseconds: limit - elapsed)
            }
            if ready.contains(.stopped) { return }
            let drained = ready.isEmpty ? (newest: nil, isEmpty: true, failure: nil) : drain()
            // Read once per round, because this is the slowest step on boards without a fast clock.
            now = calls.now()
            let wasSuspended = now.suspended - suspended > Self.shortestSuspend
            suspended = now.suspended
            if let newest = drained.newest {
                lastGood = now.monotonic
                // A frame from before the machine slept is of no use.
                guard !wasSuspended else {
                    mailbox.count(.late)
                    stream.queue.queue(Int(newest.buffer.index))
                    continue
                }
                guard deliver(newest, now) else { return }
            }
            if let failure = drained.failure { throw failure }
            // Without a reason, the error would be reported again at once, endlessly.
            if ready.contains(.failed), drained.isEmpty {
                throw .failed(.wait, device: stream.device.path, .ioError)
            }
        }
    }

    private typealias Filled = (buffer: v4l2_buffer, number: Int)

    /// Takes all ready buffers. Returns the newest good one, counts the others as late or corrupt and gives them back.
    private mutating func drain() -> (newest: Filled?, isEmpty: Bool, failure: V4L2Error?) {
        var newest: Filled?
        var isEmpty = true
        do throws(V4L2Error) {
            // Each buffer at most once: those that are filled meanwhile belong to the next round.
            for _ in stream.buffers.indices {
                guard let buffer = try stream.queue.dequeue() else { break }
                isEmpty = false
                let isGood = isGood(buffer)
                // An empty buffer comes from a camera that is being unplugged; its number is meaningless.
                let gap = timeline.advance(to: isGood || buffer.sequence > 0 ? buffer.sequence : nil)
                mailbox.count(.sequenceGap, frames: gap)
                guard isGood else {
                    mailbox.count(.corrupt)
                    stream.queue.queue(Int(buffer.index))
                    continue
                }
                if let older = exchange(&newest, with: (buffer, timeline.number)) {
                    mailbox.count(.late)
                    stream.queue.queue(Int(older.buffer.index))
                }
            }
        } catch {
            return (newest, isEmpty, error)
        }
        return (newest, isEmpty, nil)
    }

    private func isGood(_ buffer: v4l2_buffer) -> Bool {
        let memory = stream.buffers[Int(buffer.index)]
        return Int(buffer.flags) & Int(V4L2_BUF_FLAG_ERROR) == 0
            && Int(buffer.bytesused) <= memory.length
            && stream.layout.isWhole(memory.base, byteCount: Int(buffer.bytesused))
    }

    /// Delivers a buffer as a frame; returns false if the mailbox is closed.
    private mutating func deliver(_ filled: Filled, _ now: ClockReading) -> Bool {
        if !hasDelivered {
            hasDelivered = true
            guard mailbox.put(.streaming(stream.description)) else { return false }
        }
        let buffer = filled.buffer
        let moment = timeline.moment(of: filled.number, driver: buffer.monotonicStamp, now: now)
        let layout = stream.layout
        let (base, lease) = pixels(of: buffer)
        let planes = layout.planes(at: base, byteCount: Int(buffer.bytesused))
        var frame = Frame(stamp: moment.stamp, size: layout.size, format: layout.format, planes: planes, lease: lease)
        frame.captured = .now - .nanoseconds(now.monotonic - moment.instant)
        frame.encoding = layout.encoding
        frame.orientation = stream.description.orientation
        return mailbox.put(.frame(frame))
    }

    /// Returns the pixels of a buffer and the owner of their memory: the buffer itself or, if it must go back, a copy.
    private mutating func pixels(of buffer: v4l2_buffer) -> (UnsafeRawPointer, any AnyObject & Sendable) {
        let mapped = stream.buffers[Int(buffer.index)]
        let lease = BufferLease(mapped)
        let wide = stream.layout.wide
        let size = stream.layout.size
        guard wide != nil || stream.copiesAlways || stream.queue.queuedCount < Self.fewestQueued else {
            return (UnsafeRawPointer(mapped.base), lease)
        }
        // The buffer goes back once it is copied.
        return withExtendedLifetime(lease) {
            let memory = copies.lend(byteCount: wide == nil ? mapped.length : size.width * size.height)
            if let wide {
                depth?.narrow(mapped.base, bytesPerRow: wide.bytesPerRow, size, into: memory.base)
            } else {
                memory.base.copyMemory(from: mapped.base, byteCount: Int(buffer.bytesused))
            }
            return (UnsafeRawPointer(memory.base), memory)
        }
    }
}

extension v4l2_buffer {
    /// The driver's timestamp in nanoseconds of the monotonic clock; nil if it is invalid or of another clock.
    fileprivate var monotonicStamp: Int64? {
        guard Int(flags) & Int(V4L2_BUF_FLAG_TIMESTAMP_MASK) == Int(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC) else {
            return nil
        }
        // A value that does not fit is no reading of a clock.
        let (seconds, isTooLong) = timestamp.tv_sec.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong, 0..<1_000_000 ~= timestamp.tv_usec else { return nil }
        return Int64(seconds &+ timestamp.tv_usec * 1000)
    }
}
