import CFFmpeg

/// The video packets of a live stream. A separate thread reads them, so that each gets its true arrival time, and the
/// sender need not wait while a picture waits to be shown.
final class PacketQueue {
    private struct State {
        var packets: [ArrivedPacket] = []
        var bytes = 0
        /// The reason why no more packets come; nil while more may come.
        var end: String?
        var isOver = false
        /// The longest time between two packets so far.
        var longestPause = Duration.zero
    }

    /// The limits at which reading pauses: bytes queued, and seconds by which a packet's wait exceeds `longestDelay`.
    private static let mostBytes = 64 << 20
    private static let slack = 1.0

    private let state: Monitor<State>
    private let interrupt: Interrupt
    private let thread: JoinableThread

    /// Begins to read from an input, which must not be read elsewhere from then on.
    /// - Throws: `SystemError` if the system has no thread left.
    init(_ input: MediaInput, interrupt: Interrupt) throws(SystemError) {
        let state = Monitor(State())
        self.state = state
        self.interrupt = interrupt
        // Only the thread reads packets. What others ask of the input does not change once it is open.
        nonisolated(unsafe) let input = input
        thread = try JoinableThread(named: "packets") { Self.read(input, into: state) }
    }

    deinit {
        state.update { $0.isOver = true }
        // This ends a read, and the limit stays until the next opening.
        interrupt.limit(.zero)
        thread.join()
    }

    private static func read(_ input: MediaInput, into state: Monitor<State>) {
        let index = input.stream.pointee.index
        var probed = ProbedPackets(began: input.probingBegan)
        var newest: ContinuousClock.Instant?
        let longestWait = Duration.seconds(input.longestDelay + slack)
        while true {
            var next = ArrivedPacket()
            let result = input.read(into: next.pointer)
            guard result >= 0 else {
                let reason = result == facet_error_eof ? "the sender ended the stream" : input.reason(of: result)
                return state.update { $0.end = reason }
            }
            guard next.pointer.pointee.stream_index == index else { continue }
            next.arrival = probed.arrival(of: input.stream.pointee.seconds(next.pointer.pointee.decoding))
            let pause = newest.map { $0.duration(to: next.arrival) } ?? .zero
            newest = next.arrival
            let isWanted = state.wait { state -> Bool? in
                guard !state.isOver else { return false }
                let wait = state.packets.first?.arrival.duration(to: next.arrival) ?? .zero
                guard state.packets.isEmpty || state.bytes < mostBytes && wait < longestWait else { return nil }
                state.bytes += Int(next.pointer.pointee.size)
                state.longestPause = max(state.longestPause, pause)
                state.packets.append(next)
                return true
            }
            guard isWanted else { return }
        }
    }

    var isEmpty: Bool { state.read(\.packets.isEmpty) }

    enum Step {
        case packet(ArrivedPacket)
        case ended(String)
    }

    /// Waits for the next packet, for at most `patience` or, if longer, twice the longest pause so far (up to `most`).
    func next(patience: Duration, most: Duration) -> Step {
        let longest = state.read { max(patience, min($0.longestPause * 2, most)) }
        let step = state.wait(for: longest) { state -> Step? in
            guard !state.packets.isEmpty else { return state.end.map { .ended($0) } }
            let next = state.packets.removeFirst()
            state.bytes -= Int(next.pointer.pointee.size)
            return .packet(next)
        }
        let setting = longest > patience ? "" : ", which camera.stallTimeout sets"
        return step ?? .ended("no data for \(Seconds.text(longest))\(setting)")
    }
}

/// A packet of a video track, and its arrival time.
struct ArrivedPacket {
    let packet = FFmpegOwned<AVPacket>.packet()
    var arrival = ContinuousClock.now
    var pointer: UnsafeMutablePointer<AVPacket> { packet.pointer }
}

/// Estimates the arrival times of packets that FFmpeg read while it probed the stream, from the packets' own times.
private struct ProbedPackets {
    let began: ContinuousClock.Instant
    let ended = ContinuousClock.now
    var first: Double?
    var isOver = false

    mutating func arrival(of time: Double?) -> ContinuousClock.Instant {
        guard !isOver, let time else { return .now }
        let begin = first ?? time
        first = begin
        let arrival = began + .seconds(min(max(0, time - begin), 60))
        isOver = arrival >= ended
        return isOver ? .now : arrival
    }
}
