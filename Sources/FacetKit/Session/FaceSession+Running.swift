import System

extension FaceSession {
    /// Runs the session on the calling thread, which is blocked until the source ends or `stop` is called.
    /// - Parameter handler: Receives each update, on this thread. A live source drops frames while the handler runs.
    /// - Throws: `FaceSessionError`, after the `leave` event of each face, if the source or the models cannot be used.
    public func run(_ handler: (FaceUpdate) -> Void) throws(FaceSessionError) { try run(nil, handler) }

    /// Runs the session like `run(_:)`. The ticket can cancel this run, even before it begins.
    package func run(_ ticket: RunTicket?, _ handler: (FaceUpdate) -> Void) throws(FaceSessionError) {
        guard control.wait(until: { $0.state.begin(ticket, on: pthread_self()) }) else { throw .alreadyRunning }
        parts.loading?.join()
        defer { control.update { $0.state.end() } }
        func report(_ update: FaceUpdate) {
            var update = update
            update.configuration = control.update { $0.state.status }
            handler(update)
        }
        do throws(FaceSessionError) {
            while true {
                switch control.wait(until: { $0.state.next() }) {
                case .end: return report(processor.interrupt(.ended, reason: .shutdown))
                case .report: report(processor.update())
                case .pause:
                    report(processor.interrupt(.paused, reason: .disabled))
                    processor.unload()
                case .open(let configuration, let reason):
                    report(processor.interrupt(.starting, reason: reason))
                    do throws(FaceSessionError) {
                        try stream(configuration, report)
                        control.update { $0.state.sourceEnded() }
                    } catch {
                        guard control.update({ $0.state.sourceFailed(error) }) else { throw error }
                        report(processor.update())
                    }
                }
            }
        } catch {
            let isSource = if case .source = error { true } else { false }
            report(processor.interrupt(.ended, reason: isSource ? .cameraLost : .shutdown))
            throw error
        }
    }

    private typealias Report = (FaceUpdate) -> Void

    private func stream(_ configuration: RunState.Configuration, _ report: Report) throws(FaceSessionError) {
        let wanted = configuration.source
        let opened = control.update { exchange(&$0.opened, with: nil) }
        let source = if let opened, wanted == opened.source { opened.frames } else { try wanted.open(parts.memory) }
        let mailbox = FrameMailbox(policy: .asStreamed(capacity: 2), dropsUnlit: wanted.mayHaveLamp) { [meter] in
            meter.recordDecoding($0)
        }
        let isWanted = control.update { control in
            control.running = (source, mailbox)
            return !control.state.isLeaving
        }
        defer { control.update { $0.running = nil } }
        guard isWanted else { return }
        meter.follow(mailbox)
        // For a camera, the models are compiled while it opens. A clip would lose its first frames meanwhile.
        if !wanted.isCamera { try processor.load(configuration.options) }
        let isStopped = StopSignal(false)
        let isOver = StopSignal(false)
        let capture = try failing(as: FaceSessionError.thread) { () throws(SystemError) in
            try JoinableThread(named: "capture") {
                SourceRunner(into: mailbox, until: isStopped).run { () throws(SourceFailure) in
                    try source.run(into: mailbox)
                    // A source that returns without putting `.ended` has come to its end.
                    return .finished
                }
                isOver.set()
            }
        }
        // The device must be closed before it is opened again. The closed mailbox wakes a source that waits for room.
        defer {
            isStopped.set()
            mailbox.close()
            // A source may have ignored a `stop` that came before its `run`.
            repeat { source.stop() } while isOver.wait(for: .milliseconds(50))
            capture.join()
        }
        try processor.load(configuration.options)
        processor.decoder?.maximumPixels = wanted.maximumPixels
        try follow(mailbox, wanted, report)
    }

    /// The age above which a live frame is dropped as late: the analysis is too slow, or the machine was suspended.
    private static let staleAge = Duration.seconds(1)

    private func follow(_ mailbox: FrameMailbox, _ source: Source, _ report: Report) throws(FaceSessionError) {
        var isLive = source.isCamera
        while let arrival = mailbox.nextOrWoken() {
            let (isLeaving, options) = control.update { ($0.state.isLeaving, $0.state.newOptions) }
            guard !isLeaving else { return }
            if let options { load(options, report) }
            switch arrival {
            case .woken:
                // The options count as in use although no frame shows it.
                if case .lost = processor.state { control.update { $0.state.sourceWorks(hasFrame: false) } }
                report(processor.update())
            case .event(.streaming(let stream)):
                isLive = stream.isLive
                report(processor.begin(stream, source.boundedOptions))
            case .event(.frame(let frame)):
                // A frame that waited while the machine was suspended is useless.
                if isLive, .now - frame.captured > Self.staleAge, !mailbox.isCatchingUp.load(ordering: .relaxed) {
                    meter.count(.late)
                    continue
                }
                try processor.advance(to: frame) { update in
                    mailbox.isQuiet.store(processor.isQuiet, ordering: .relaxed)
                    control.update { $0.state.sourceWorks(hasFrame: true) }
                    report(update)
                }
            case .event(.lost(let failure)):
                control.update { $0.state.sourceWorks(hasFrame: false) }
                report(processor.interrupt(.lost(failure), reason: .cameraLost))
            case .event(.ended(.failed(let failure))): throw .source(failure)
            case .event(.ended): return
            }
        }
    }

    /// Loads other options while the source runs. If they do not work, the former options stay in use.
    private func load(_ options: Options, _ report: Report) {
        do throws(FaceSessionError) {
            try processor.load(options)
            control.update { $0.state.optionsWereLoaded(options) }
        } catch {
            control.update { $0.state.optionsWereLoaded(options, error) }
            report(processor.update())
        }
    }
}
