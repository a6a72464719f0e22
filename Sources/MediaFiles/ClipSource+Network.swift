import Frames

extension ClipSource {
    /// Plays a stream, and reaches for it again whenever it is lost.
    func follow(with playback: inout Playback) -> SourceEnd {
        var backoff = Backoff()
        var generator = SystemRandomNumberGenerator()
        var told: SourceFailure?
        while !interrupt.isStopped {
            switch attempt(with: &playback) {
            case .ended(let end): return end
            case .finishedRound: playback.beginRound()
            case .lost(let failure, let hadFrames):
                if hadFrames {
                    backoff.reset()
                    told = nil
                }
                // Once until it changes: a camera that is off for a night is one line in the log.
                if failure != told, !playback.mailbox.put(.lost(failure)) { return .stopped }
                told = failure
                _ = interrupt.wait(for: .seconds(backoff.next(using: &generator)))
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
        do throws(MediaError) {
            reader = try ClipReader(location, interrupt: interrupt, settings: options)
        } catch {
            return interrupt.isStopped ? .ended(.stopped) : .lost(SourceFailure(error), hadFrames: false)
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
        let reason =
            interrupt.isOverdue
            ? "no data for \(options.readTimeout) s" : reader.completeness.readError ?? "the sender ended the stream"
        return SourceFailure(
            reason: "stream_lost",
            description: "lost the stream \(name): \(reason); trying again, check the camera and the network."
        )
    }
}
