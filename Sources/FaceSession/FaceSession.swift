public import FaceInference
public import FaceMetadata
public import FaceTracking
import Frames
import MediaFiles
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
        var configuration: Configuration
        var isPaused = false
        var isStopped = false
        var isRunning = false
        /// Whose run it is, if it can be cancelled by itself.
        var ticket: RunTicket?
        /// Whether the running source was stopped because another one is to be used.
        var isReplacing = false
        var running: (any FrameSource)?
        /// What `init` opened, for the first run.
        var opened: (any FrameSource)?
    }

    /// What a run works with.
    private struct Configuration: Equatable {
        var source: Source
        var options: Options
    }

    /// Counts frames and measures the work on them, over all runs of this session.
    package let meter = SessionMeter()

    private let control: Monitor<Control>
    private let follower: FaceFollower
    private let memory = CameraMemory()
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
        var initial = Control(configuration: Configuration(source: source, options: options))
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

    /// Whether frames wait for nobody.
    var isLive: Bool { control.update { $0.configuration.source.isLive } }

    /// How many frames there were so far, and what became of them.
    public var counts: FrameCounts { meter.counts }

    // MARK: - Control

    /// Closes the camera and unloads the models until `resume`; faces leave. A paused clip begins anew.
    ///
    /// The session remembers which camera it had, and finds it again under another number.
    public func pause() {
        stopSource { $0.isPaused = true }
    }

    /// Opens the camera again.
    public func resume() {
        control.update { $0.isPaused = false }
    }

    /// Ends the run soon, with a leave for each face; without one, the next run ends at once.
    public func stop() {
        stopSource { $0.isStopped = true }
    }

    /// Ends one run soon, or at once when it begins; other runs are not affected.
    func cancel(_ ticket: RunTicket) {
        ticket.cancel()
        stopSource { control in
            guard control.ticket === ticket else { return false }
            control.isStopped = true
            return true
        }
    }

    /// Continues with another source or other options; only what differs is made anew.
    ///
    /// With other options alone the camera stays open and faces keep their identity. With another source faces leave. If the
    /// new ones do not work, the session continues with those that did, and an update has the reason in `rejected`.
    public func apply(source: Source, options: Options) {
        stopSource { control in
            let isNewSource = source != control.configuration.source
            control.configuration = Configuration(source: source, options: options)
            if isNewSource {
                control.isReplacing = true
                control.opened = nil
            }
            return isNewSource
        }
    }

    /// Continues with other options; the camera stays open and faces keep their identity.
    public func apply(_ options: Options) {
        control.update { $0.configuration.options = options }
    }

    private func stopSource(after change: (inout Control) -> Void) {
        stopSource { control in
            change(&control)
            return true
        }
    }

    private func stopSource(if change: (inout Control) -> Bool) {
        let source = control.update { control in change(&control) ? control.running : nil }
        source?.stop()
    }

    // MARK: - Running

    /// Runs on the calling thread, which it blocks, until a clip has ended or `stop` was called.
    ///
    /// - Parameter handler: Gets each update, on this thread. While it works, a live source drops frames and counts them as late.
    /// - Throws: `FaceSessionError` if the source or the models cannot be used, after an update with a leave for each face.
    public func run(_ handler: (FaceUpdate) -> Void) throws(FaceSessionError) {
        try run(nil, handler)
    }

    /// Runs as above; the run can be cancelled by its ticket.
    func run(_ ticket: RunTicket?, _ handler: (FaceUpdate) -> Void) throws(FaceSessionError) {
        try beginRun(ticket)
        loading?.join()
        defer {
            control.update { control in
                control.isRunning = false
                control.ticket = nil
                control.isStopped = false
            }
        }
        var proven: Configuration?
        do throws(FaceSessionError) {
            while let configuration = waitForWork(handler) {
                do throws(FaceSessionError) {
                    guard case .stopped = try stream(configuration, &proven, handler) else { break }
                } catch {
                    guard let proven, proven != configuration else { throw error }
                    handler(follower.report(rejected: error))
                    // Unless others have come in the meantime.
                    control.update { if $0.configuration == configuration { $0.configuration = proven } }
                }
            }
        } catch {
            handler(follower.interrupt(.ended, reason: error.endsCamera ? .cameraLost : .shutdown))
            throw error
        }
        handler(follower.interrupt(.ended, reason: .shutdown))
    }

    /// Waits for a run that is about to stop; two at the same time are an error.
    private func beginRun(_ ticket: RunTicket?) throws(FaceSessionError) {
        let isFree = control.wait { control in
            guard !control.isRunning else { return control.isStopped ? nil : false }
            control.isRunning = true
            control.ticket = ticket
            // Cancelled while the run before it was still stopping.
            if ticket?.isCancelled == true { control.isStopped = true }
            return true
        }
        guard isFree else { throw .alreadyRunning }
    }

    /// Waits while the session is paused; nil when it is to stop.
    private func waitForWork(_ handler: (FaceUpdate) -> Void) -> Configuration? {
        enum Work { case stop, pause, run(Configuration, isReplacing: Bool) }
        while true {
            let isPaused = follower.state == .paused
            let work: Work = control.wait { control in
                if control.isStopped { return .stop }
                if control.isPaused { return isPaused ? nil : .pause }
                defer { control.isReplacing = false }
                return .run(control.configuration, isReplacing: control.isReplacing)
            }
            switch work {
            case .stop: return nil
            case .pause:
                handler(follower.interrupt(.paused, reason: .disabled))
                follower.unload()
            case .run(let configuration, let isReplacing):
                handler(follower.interrupt(.starting, reason: isReplacing ? .restart : .disabled))
                return configuration
            }
        }
    }

    /// Runs a source until it ends or is stopped.
    ///
    /// `proven` becomes the configuration once a frame was analysed with it: until then one that is valid, but asks for what
    /// this camera can't do, is no reason to end a session that worked before.
    private func stream(
        _ configuration: Configuration,
        _ proven: inout Configuration?,
        _ handler: (FaceUpdate) -> Void
    ) throws(FaceSessionError) -> SourceEnd {
        let opened = control.update { control in
            defer { control.opened = nil }
            return control.opened
        }
        let source = if let opened { opened } else { try configuration.source.open(memory) }
        let isWanted = control.update { control in
            control.running = source
            return !control.isPaused && !control.isStopped && !control.isReplacing
        }
        defer { control.update { $0.running = nil } }
        guard isWanted else { return .stopped }
        let mailbox = FrameMailbox(policy: configuration.source.mailboxPolicy)
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
        // The device must be closed before anybody opens it again; and a source that waits for a place must not hang.
        defer {
            source.stop()
            mailbox.close()
            capture.join()
        }
        try follower.load(configuration.options)
        return try follow(mailbox, configuration, &proven, handler)
    }

    private func follow(
        _ mailbox: FrameMailbox,
        _ configuration: Configuration,
        _ proven: inout Configuration?,
        _ handler: (FaceUpdate) -> Void
    ) throws(FaceSessionError) -> SourceEnd {
        var current = configuration
        var isProven = false
        while let event = mailbox.next() {
            switch event {
            case .streaming(let stream):
                handler(follower.begin(stream, stallTimeout: configuration.source.stallTimeout))
            case .frame(let frame):
                // Nobody is served by what waited through a suspend of the machine.
                if configuration.source.isLive, frame.isStale {
                    meter.countStale()
                    continue
                }
                let options = control.update { $0.configuration.options }
                if options != current.options, try change(&current.options, to: options, handler) { isProven = false }
                handler(try follower.advance(to: frame))
                if !isProven { proven = current }
                isProven = true
            case .lost(let failure): handler(follower.interrupt(.lost(failure), reason: .cameraLost))
            case .ended(.failed(let failure)): throw .source(failure)
            case .ended(let end): return end
            }
        }
        return .stopped
    }

    /// Takes other options while the source runs; if they do not work, those before stay.
    private func change(
        _ current: inout Options,
        to options: Options,
        _ handler: (FaceUpdate) -> Void
    ) throws(FaceSessionError) -> Bool {
        do throws(FaceSessionError) {
            try follower.load(options)
            current = options
            return true
        } catch {
            let former = current
            control.update { if $0.configuration.options == options { $0.configuration.options = former } }
            handler(follower.report(rejected: error))
            return false
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
