import CFFmpeg
import Synchronization
import System

/// Lets another thread interrupt what blocks a source's thread: FFmpeg's reads and the waits between frames.
final class Interrupt: Sendable {
    let stop = StopSignal(false)
    /// The end of the time limit, in nanoseconds of the monotonic clock; `.max` without a limit.
    private let deadline = Atomic<Int64>(.max)
    /// The address of the `AVIOContext` whose bytes are counted, 0 for none, and the count at which reading ends.
    private let input = Atomic<UInt>(0)
    private let lastByte = Atomic<Int64>(.max)
    /// The most bytes before a packet: what has more is not video, as the largest picture allowed is far smaller.
    static let bytesPerPacket: Int64 = 64 << 20

    /// Limits how long FFmpeg may take, from now on, for what it does next; nil takes the limit away.
    func limit(_ duration: Duration?) {
        let end = duration.map { nanoseconds(of: CLOCK_MONOTONIC) + Int64($0 / .nanoseconds(1)) }
        deadline.store(end ?? .max, ordering: .relaxed)
    }

    /// Whether the time given by `limit` is over.
    var isOverdue: Bool { nanoseconds(of: CLOCK_MONOTONIC) > deadline.load(ordering: .relaxed) }

    /// Limits how many bytes of an input FFmpeg may read until the next packet; nil takes the limit away.
    /// - Parameter input: must stay valid until another one is set.
    func limitBytes(of input: UnsafePointer<AVIOContext>?) {
        lastByte.store((input?.pointee.bytes_read ?? 0) + Self.bytesPerPacket, ordering: .relaxed)
        self.input.store(UInt(bitPattern: input), ordering: .relaxed)
    }

    /// Whether more bytes came than `limitBytes` allows.
    var isOverfull: Bool {
        guard let input = UnsafePointer<AVIOContext>(bitPattern: input.load(ordering: .relaxed)) else { return false }
        return input.pointee.bytes_read > lastByte.load(ordering: .relaxed)
    }

    /// Reason why FFmpeg ended with this error number. If that was as of this object, FFmpeg's own text does not help.
    func reason(of code: Int32, _ missing: String, for limit: Duration, setBy setting: String? = nil) -> String {
        if isOverfull { return "\(Self.bytesPerPacket >> 20) MiB came without a picture" }
        guard isOverdue else { return FFmpeg.text(code) }
        return "\(missing) for \(Seconds.text(limit))" + (setting.map { ", which \($0) sets" } ?? "")
    }

    /// Whether the present operation must be given up.
    var mustEnd: Bool { stop.isSet || isOverdue || isOverfull }

    /// The callback that FFmpeg calls while it waits. The caller keeps this object alive as long as FFmpeg may call.
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
