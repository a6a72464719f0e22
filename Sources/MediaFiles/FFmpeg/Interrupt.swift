import CFFmpeg

/// Lets another thread interrupt what blocks a source's thread: reads by FFmpeg, and waits between frames.
final class Interrupt: Sendable {
    let stop = StopSignal(false)
    /// The end of the time limit, in nanoseconds of the monotonic clock; `.max` for no limit.
    private let deadline = Atomic<Int64>(.max)
    /// The address of the `AVIOContext` whose bytes are counted, 0 for none, and the byte count at which reading ends.
    private let input = Atomic<UInt>(0)
    private let lastByte = Atomic<Int64>(.max)
    /// The maximum number of bytes read for one packet. It is far above the largest allowed picture: more is not video.
    static let bytesPerPacket: Int64 = 64 << 20

    /// Limits the time, counted from now, that FFmpeg may take for what it does next; nil removes the limit.
    func limit(_ duration: Duration?) {
        let end = duration.map { nanoseconds(of: CLOCK_MONOTONIC) + Int64($0 / .nanoseconds(1)) }
        deadline.store(end ?? .max, ordering: .relaxed)
    }

    var isOverdue: Bool { nanoseconds(of: CLOCK_MONOTONIC) > deadline.load(ordering: .relaxed) }

    /// Limits the number of bytes that FFmpeg may read from an input before the next packet; nil removes the limit.
    /// - Parameter input: must stay valid until another input or nil is set.
    func limitBytes(of input: UnsafePointer<AVIOContext>?) {
        lastByte.store((input?.pointee.bytes_read ?? 0) + Self.bytesPerPacket, ordering: .relaxed)
        self.input.store(UInt(bitPattern: input), ordering: .relaxed)
    }

    /// Whether more bytes were read than `limitBytes` allows.
    var isOverfull: Bool {
        guard let input = UnsafePointer<AVIOContext>(bitPattern: input.load(ordering: .relaxed)) else { return false }
        return input.pointee.bytes_read > lastByte.load(ordering: .relaxed)
    }

    /// The reason for FFmpeg's error number, in words: the limit that was exceeded, or else FFmpeg's own description.
    func reason(of code: Int32, _ missing: String, for limit: Duration, setBy setting: String? = nil) -> String {
        if isOverfull { return "\(Self.bytesPerPacket >> 20) MiB came without a picture" }
        guard isOverdue else { return FFmpeg.text(code) }
        return "\(missing) for \(Seconds.text(limit))" + (setting.map { ", which \($0) sets" } ?? "")
    }

    /// Whether the current operation must be aborted.
    var mustEnd: Bool { stop.isSet || isOverdue || isOverfull }

    /// The callback that FFmpeg polls while it waits. The caller keeps this object alive as long as FFmpeg may call it.
    var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                let interrupt = Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue()
                return interrupt.mustEnd ? 1 : 0
            },
            opaque: Unmanaged.passUnretained(self).toOpaque()
        )
    }
}
