import Frames
import System

extension ClipSource {
    /// For how long a stream must have been open to be opened again without a wait that grows.
    private static let steadyTime = Duration.seconds(5)

    /// Plays a stream, and reaches for it again whenever it is lost.
    func follow(with playback: inout Playback) -> SourceEnd {
        var backoff = Backoff(0.5...30)
        var reported: SourceFailure?
        while !interrupt.isStopped {
            let begin = ContinuousClock.now
            switch attempt(with: &playback) {
            case .ended(let end): return end
            case .finishedRound: playback.beginRound()
            case .lost(let failure, let hadFrames):
                if hadFrames { reported = nil }
                // What breaks off as soon as it begins is no better than what does not begin.
                if hadFrames, begin.duration(to: .now) > Self.steadyTime { backoff.reset() }
                // Once until it changes: a camera that is off for a night is one line in the log.
                if failure != reported, !playback.mailbox.put(.lost(failure)) { return .stopped }
                reported = failure
                // Not in step with others that read the same camera.
                _ = interrupt.wait(for: .seconds(backoff.next(times: .random(in: 0.75...1.25))))
            }
        }
        return .stopped
    }

    private enum Attempt {
        case ended(SourceEnd)
        case finishedRound
        case lost(SourceFailure, hadFrames: Bool)
    }

    /// Connects, and plays as long as the connection lasts.
    private func attempt(with playback: inout Playback) -> Attempt {
        let reader: ClipReader
        do throws(SourceFailure) {
            reader = try ClipReader(location, interrupt: interrupt, options: options)
        } catch {
            return interrupt.isStopped ? .ended(.stopped) : .lost(error, hadFrames: false)
        }
        playback.begin(with: reader.input)
        playback.beginConnection()
        let end = reader.input.isStill ? playback.hold(reader) : playback.play(reader)
        if case .stopped? = end { return .ended(.stopped) }
        if reader.input.isLive || reader.completeness.readError != nil {
            return .lost(loss(reader), hadFrames: reader.completeness.decoded > 0)
        }
        if let end { return .ended(end) }
        return options.loops ? .finishedRound : .ended(.finished)
    }

    private func loss(_ reader: ClipReader) -> SourceFailure {
        let state = reader.completeness
        guard state.isUndecodable || (state.decoded == 0 && state.damaged > 0) else {
            let sent = state.readError ?? "the sender ended the stream"
            let (reason, way) = reader.input.command.map { ($0.reason(sent), "command") } ?? (sent, "network")
            let remedy = "trying again, check the camera and the \(way)"
            return .init(.streamLost, "lost the stream \(name): \(reason); \(remedy).")
        }
        // Without counts: the next try fails with the same text, which is logged once.
        let reason = state.isUndecodable ? state.readError ?? "" : "none of its pictures could be decoded"
        let remedy = "trying again, check the camera's format, its size and the network"
        return .init(.undecodable, "cannot decode the stream \(name): \(reason); \(remedy).")
    }
}
