public import FaceInference
public import FaceMetadata
public import FaceTracking
import Frames
import Glibc
import MediaFiles
import System
import V4L2Capture

/// A running look at faces: a camera, a clip or a stream, what is found in it, and how the source is.
///
/// ```swift
/// let session = try FaceSession(source: .camera(.automatic))
/// for try await update in session.updates {
///     for event in update.events where event.kind == .smile { lamp.toggle() }
/// }
/// ```
/// A camera that is unplugged is waited for. The same frames always give the same events, live and offline.
/// All methods may be called from any thread.
public final class FaceSession: Sendable {
    /// What to look for, and what updates are to carry.
    public struct Options: Hashable, Sendable {
        /// How faces are found.
        public var detection = FaceAnalyzer.Options()
        /// How faces are followed, and how long they may go unseen.
        public var tracking = FaceTracker.Parameters()
        /// Whether updates carry the 478 landmarks of each face.
        public var landmarks = false
        /// Whether updates carry their frame, and how.
        public var frames = FrameDelivery.none
        /// How many frames a second updates carry at most; nil for every one.
        public var maximumFrameRate: Double?

        /// Makes the default options.
        public init() {}
    }

    /// Which frames updates carry. A frame that is kept keeps memory of the source, so keep only a few.
    public enum FrameDelivery: Hashable, Sendable {
        /// None.
        case none
        /// As they are analysed: a JPEG may have been decoded at a half, a quarter or an eighth of its size.
        case analysed
        /// At full size, which costs more decoding if the camera delivers JPEG.
        case full
    }

    private struct Control {
        var state: RunState
        var running: (source: any FrameSource, mailbox: FrameMailbox)?
        /// What `init` opened, for the first run with it.
        var opened: (any FrameSource)?
        /// Who waits for the session to pause or to go on.
        var waiting: [(goal: @Sendable (RunState) -> Bool, reached: CheckedContinuation<Void, Never>)] = []
    }

    /// Counts frames and measures the work on them, over all runs of this session.
    package let meter = SessionMeter()

    private let control: Monitor<Control>
    private let follower: FaceFollower
    private let memory = CameraMemory()
    private let firstSource: Source
    /// Loads the models before the first run; the run waits for it.
    private let loading: JoinableThread?

    /// Makes a session; a camera is not touched, and no model is loaded for one, before it runs.
    ///
    /// - Parameters:
    ///   - source: Where frames come from.
    ///   - options: What to look for.
    ///   - firstFaceID: The identity of the first face; a program that restarts continues with the next free one.
    /// - Throws: `FaceSessionError` if a clip cannot be opened or the models are not installed.
    public init(
        source: Source,
        options: Options = Options(),
        firstFaceID: FaceID = FaceID(rawValue: 1)
    ) throws(FaceSessionError) {
        do {
            if options.detection.modelDirectory == nil { _ = try ModelDirectory.find() }
        } catch {
            throw .inference(error)
        }
        var initial = Control(state: RunState(RunState.Configuration(source: source, options: options)))
        let follower = FaceFollower(options, firstFaceID: firstFaceID, meter: meter)
        if !source.isCamera {
            loading = Self.load(options, by: follower)
            do throws(FaceSessionError) {
                initial.opened = try source.open(memory)
            } catch {
                loading?.join()
                throw error
            }
        } else {
            loading = nil
        }
        control = Monitor(initial)
        firstSource = source
        self.follower = follower
    }

    deinit { loading?.join() }

    /// Loads the models on a thread of their own, while FFmpeg is loaded on this one.
    ///
    /// The dynamic linker loads one library at a time. LiteRT is compared with its digest while FFmpeg's codecs are loaded,
    /// then loaded, and the models are compiled while the rest of FFmpeg is loaded. What fails here fails again, with an
    /// error, when the session runs.
    private static func load(_ options: Options, by follower: FaceFollower) -> JoinableThread? {
        let isLibraryLoaded = Monitor(false)
        let loading = try? JoinableThread(named: "models") {
            try? follower.load(options) { isLibraryLoaded.update { $0 = true } }
            isLibraryLoaded.update { $0 = true }
        }
        ClipSource.loadCodecs()
        if loading != nil { isLibraryLoaded.wait { $0 ? () : nil } }
        return loading
    }

    /// How many frames there were so far, and what became of them.
    public var counts: FrameCounts { meter.counts }

    // MARK: - Control

    /// Closes the camera and unloads the models until `resume`; faces leave. A paused clip begins anew.
    ///
    /// The session remembers which camera it had, and finds it again under another number. Returns at once.
    public func pause() { ask { $0.pause() } }

    /// Does the same, and returns once the camera is closed, or was resumed meanwhile.
    public func pause() async {
        ask { $0.pause() }
        await reach { $0.isAtRest || !$0.isInterrupted }
    }

    /// Opens the camera again. Returns at once.
    public func resume() { ask { $0.resume() } }

    /// Does the same, and returns once the camera is about to be opened, or was paused again.
    public func resume() async {
        ask { $0.resume() }
        await reach { !$0.isAtRest || $0.isInterrupted }
    }

    /// Ends the run in progress soon, with a leave for each face; without one, nothing happens.
    ///
    /// May be called by the run's own handler, and by the loop over the updates.
    public func stop() { ask { $0.stop() } }

    /// Ends one run soon, or at once when it begins; other runs are not affected.
    package func cancel(_ ticket: RunTicket) {
        ticket.cancel()
        ask { $0.stop(only: ticket) }
    }

    /// Continues with another source or other options; only what differs is made anew.
    ///
    /// With other options alone the camera stays open and faces keep their identity. With another source faces leave. If the
    /// new ones do not work, the session continues with those that did: updates say so in `configuration`.
    ///
    /// - Returns: The number that `FaceUpdate.configuration` has from now on, for a program that goes by its outcome.
    @discardableResult
    public func apply(source: Source, options: Options) -> Int { ask { $0.apply(source, options) } }

    /// Continues with other options; the camera stays open and faces keep their identity.
    ///
    /// - Returns: The number that `FaceUpdate.configuration` has from now on.
    @discardableResult
    public func apply(_ options: Options) -> Int { ask { $0.apply(nil, options) } }

    /// - Returns: The number of the newest configuration.
    @discardableResult
    private func ask(_ change: (inout RunState) -> Void) -> Int {
        let control = control.update { control in
            change(&control.state)
            return control
        }
        if control.state.isLeaving { control.running?.source.stop() }
        if control.state.newOptions != nil { control.running?.mailbox.wake() }
        if control.state.isInterrupted { control.state.ticket?.release() }
        tellWaiting()
        return control.state.status.number
    }

    /// Returns once the session has come to a state.
    private func reach(_ goal: @escaping @Sendable (RunState) -> Bool) async {
        await withCheckedContinuation { continuation in
            control.update { $0.waiting.append((goal, continuation)) }
            tellWaiting()
        }
    }

    private func tellWaiting() {
        let reached = control.update { control in
            let state = control.state
            let end = control.waiting.partition { $0.goal(state) }
            defer { control.waiting.removeSubrange(end...) }
            return control.waiting[end...]
        }
        for waiting in reached { waiting.reached.resume() }
    }

    // MARK: - Running

    /// Runs on the calling thread, which it blocks, until a clip has ended or `stop` was called.
    ///
    /// - Parameter handler: Gets each update, on this thread. While it works, a live source drops frames and counts them as late.
    /// - Throws: `FaceSessionError` if the source or the models cannot be used, after an update with a leave for each face.
    public func run(_ handler: (FaceUpdate) -> Void) throws(FaceSessionError) {
        try run(nil, handler)
    }

    /// Runs as above; the run can be cancelled by its ticket, before it begins too.
    package func run(_ ticket: RunTicket?, _ handler: (FaceUpdate) -> Void) throws(FaceSessionError) {
        guard control.wait(until: { $0.state.begin(ticket, on: pthread_self()) }) else { throw .alreadyRunning }
        loading?.join()
        defer {
            control.update { $0.state.end() }
            tellWaiting()
        }
        func report(_ update: FaceUpdate) {
            var update = update
            update.configuration = control.update { $0.state.status }
            handler(update)
        }
        do throws(FaceSessionError) {
            while true {
                let step = control.wait { $0.state.next() }
                tellWaiting()
                switch step {
                case .end: return report(follower.interrupt(.ended, reason: .shutdown))
                case .report: report(follower.update())
                case .pause:
                    report(follower.interrupt(.paused, reason: .disabled))
                    follower.unload()
                case .open(let configuration, let reason):
                    report(follower.interrupt(.starting, reason: reason))
                    do throws(FaceSessionError) {
                        try stream(configuration, report)
                        control.update { $0.state.sourceEnded() }
                    } catch {
                        guard control.update({ $0.state.sourceFailed(error) }) else { throw error }
                        report(follower.update())
                    }
                }
            }
        } catch {
            report(follower.interrupt(.ended, reason: error.endsCamera ? .cameraLost : .shutdown))
            throw error
        }
    }

    /// Runs a source until it ends or is stopped.
    private func stream(
        _ configuration: RunState.Configuration,
        _ report: (FaceUpdate) -> Void
    ) throws(FaceSessionError) {
        let opened = control.update { control in
            defer { control.opened = nil }
            return control.opened
        }
        let source =
            if let opened, configuration.source == firstSource { opened } else {
                try configuration.source.open(memory)
            }
        let mailbox = FrameMailbox(policy: configuration.source.mailboxPolicy)
        let isWanted = control.update { control in
            control.running = (source, mailbox)
            return !control.state.isLeaving
        }
        defer { control.update { $0.running = nil } }
        guard isWanted else { return }
        meter.follow(mailbox)
        defer { meter.follow(nil) }
        // A camera takes its time to open, in which the models are compiled. A clip would lose its first frames.
        if !configuration.source.isCamera { try follower.load(configuration.options) }
        let capture: JoinableThread
        do {
            capture = try JoinableThread(named: "capture") { source.run(into: mailbox) }
        } catch {
            throw .thread(error)
        }
        // The device must be closed before it is opened again; and a source that waits for a place must not hang.
        defer {
            source.stop()
            mailbox.close()
            capture.join()
        }
        try follower.load(configuration.options)
        try follow(mailbox, configuration.source, report)
    }

    private func follow(
        _ mailbox: FrameMailbox,
        _ source: Source,
        _ report: (FaceUpdate) -> Void
    ) throws(FaceSessionError) {
        var isLive = source.isCamera
        while let next = mailbox.take() {
            let (isLeaving, options) = control.update { ($0.state.isLeaving, $0.state.newOptions) }
            guard !isLeaving else { return }
            if let options { load(options, report) }
            switch next {
            case nil:
                // The options may be in use although no frame shows it.
                if case .lost = follower.state { control.update { $0.state.sourceWorks(hasFrame: false) } }
                report(follower.update())
            case .streaming(let stream)?:
                isLive = stream.isLive
                // A network stream is only known to be live once it was opened.
                if isLive { mailbox.change(to: .newest) }
                report(follower.begin(stream, stallTimeout: source.stallTimeout))
            case .frame(let frame)?:
                // What waited through a suspend of the machine is of no use.
                if isLive, frame.isStale {
                    meter.countStale()
                    continue
                }
                let update = try follower.advance(to: frame)
                control.update { $0.state.sourceWorks(hasFrame: true) }
                report(update)
            case .lost(let failure)?:
                control.update { $0.state.sourceWorks(hasFrame: false) }
                report(follower.interrupt(.lost(failure), reason: .cameraLost))
            case .ended(.failed(let failure))?: throw .source(failure)
            case .ended?: return
            }
        }
    }

    /// Takes other options while the source runs; if they do not work, those before stay.
    private func load(_ options: Options, _ report: (FaceUpdate) -> Void) {
        do throws(FaceSessionError) {
            try follower.load(options)
            control.update { $0.state.optionsWereLoaded(options) }
        } catch {
            control.update { $0.state.optionsWereLoaded(options, error) }
            report(follower.update())
        }
    }
}

extension FaceSessionError {
    fileprivate var endsCamera: Bool {
        if case .source = self { true } else { false }
    }
}

extension Frame {
    /// Older than any pipeline that keeps up lets a frame become, in a mailbox that holds only the newest.
    fileprivate var isStale: Bool { .now - captured > .seconds(1) }
}
