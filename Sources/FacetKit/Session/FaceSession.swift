import MediaFiles

/// Reads a camera, a file, a stream or a program's own frames, and reports faces and the state of the source.
///
/// ```swift
/// let session = try FaceSession(source: .camera())  // in an async function: try await
/// for try await update in session.updates {
///     for event in update.events where event.kind == .smile { lamp.toggle() }
/// }
/// ```
/// The session waits for a camera that is unplugged. Unless `detection.cpuBudget` is set, the same frames always give
/// the same events, live and offline. All methods may be called from any thread.
public final class FaceSession: Sendable {
    /// The options for finding and following faces, and for the content of updates.
    public struct Options: Hashable, Sendable {
        /// The options for finding faces.
        public var detection = FaceAnalyzer.Options()
        /// The options for following faces, such as how long a face may be unseen.
        public var tracking = FaceTracker.Options()
        /// Whether updates carry the 478 landmarks of each face.
        public var landmarks = false
        /// Whether updates contain their frame, and at what size.
        public var frames = FrameDelivery.none
        /// The maximum number of frames per second that updates contain; nil for all frames.
        public var maximumFrameRate: Double?

        /// Makes the default options.
        public init() {}
    }

    /// Whether and how updates contain their frames. Keep few frames, because each occupies a buffer of the source.
    public enum FrameDelivery: Hashable, Sendable {
        /// No frames.
        case none
        /// The frames as analysed: a JPEG may have been decoded at a half, a quarter or an eighth of its size.
        case analysed
        /// The frames at full size, which costs more decoding if the camera delivers JPEG.
        case full
    }

    struct Control: Sendable {
        var state: RunState
        var running: (source: any FrameSource, mailbox: FrameMailbox)?
        /// The source that `init` has opened, until the first run takes it.
        var opened: (source: Source, frames: any FrameSource)?
    }

    let parts: Parts
    /// The meter that counts frames and measures the work on them, over all runs of this session.
    package var meter: SessionMeter { parts.meter }
    var control: Monitor<Control> { parts.control }
    var processor: FrameProcessor { parts.processor }

    /// Makes a session. For a file, a stream or a pipeline, this opens or checks the source and starts to load the
    /// models. A camera or a program's own source is not touched before the session runs, nor are models loaded for it.
    /// - Parameters:
    ///   - source: The source of the frames.
    ///   - options: The options for finding and following faces, and for updates.
    ///   - firstFaceID: The identity of the first face. A program that restarts passes the lowest unused one.
    /// - Throws: `FaceSessionError` if a file or a number cannot be used, or the models are not installed.
    public init(
        source: Source,
        options: Options = Options(),
        firstFaceID: FaceID = FaceID(rawValue: 1)
    ) throws(FaceSessionError) {
        parts = try Parts(source, options, firstFaceID)
    }

    /// Makes a session without blocking the task's thread, since opening a file takes up to some tenths of a second.
    public init(
        source: Source,
        options: Options = Options(),
        firstFaceID: FaceID = FaceID(rawValue: 1)
    ) async throws(FaceSessionError) {
        parts = try await onThread(named: "session", orThrow: FaceSessionError.thread) {
            () throws(FaceSessionError) in try Parts(source, options, firstFaceID)
        }
    }

    struct Parts: Sendable {
        let control: Monitor<Control>
        let processor: FrameProcessor
        /// The thread that loads the models, for which the first run waits; nil if the run loads them itself.
        let loading: JoinableThread?
        let memory = CameraMemory()
        let meter = SessionMeter()

        init(_ source: Source, _ options: Options, _ firstFaceID: FaceID) throws(FaceSessionError) {
            try source.check()
            try options.check()
            try require(firstFaceID.rawValue, "firstFaceID", "1 to 2^53") { 1...(1 << 53) ~= $0 }
            do { _ = try ModelDirectory.find(options.detection.modelDirectory) } catch { throw .inference(error) }
            processor = FrameProcessor(options, firstFaceID: firstFaceID, meter: meter)
            var control = Control(state: RunState(source, options))
            loading = source.opensAtOnce ? FaceSession.load(options, by: processor) : nil
            do throws(FaceSessionError) {
                if source.opensAtOnce { control.opened = (source, try source.open(memory)) }
            } catch {
                loading?.join()
                throw error
            }
            self.control = Monitor(control)
        }
    }

    deinit { parts.loading?.join() }

    /// Loads the models on a thread of their own, while this thread loads FFmpeg. Errors are ignored here, because they
    /// occur again when the session runs.
    ///
    /// The dynamic linker loads one library at a time. So LiteRT's digest is checked while FFmpeg's codecs are loaded,
    /// then LiteRT is loaded, and the models are compiled while the rest of FFmpeg is loaded.
    private static func load(_ options: Options, by processor: FrameProcessor) -> JoinableThread? {
        let isLibraryLoaded = Monitor(false)
        let loading = try? JoinableThread(named: "models") {
            // Keeps the library loaded until the analyzer uses it.
            let library = try? LiteRT.shared(in: ModelDirectory.find(options.detection.modelDirectory))
            isLibraryLoaded.update { $0 = true }
            withExtendedLifetime(library) { try? processor.load(options) }
        }
        ClipSource.loadCodecs()
        if loading != nil { isLibraryLoaded.wait { $0 ? () : nil } }
        return loading
    }

    /// The numbers of frames so far, over all runs: captured, analysed and dropped.
    public var counts: FrameCounts { meter.counts }

    // MARK: - Control

    /// Lets all faces leave, closes the camera and unloads the models until `resume`. Returns at once; see `settled`.
    ///
    /// After `resume`, the same camera is found even under another device number, and a clip begins again.
    public func pause() { ask { $0.pause() } }

    /// Ends a pause and opens the camera again. Returns at once; see `settled`.
    public func resume() { ask { $0.resume() } }

    /// Waits until the session has done what it was last asked to. After `pause` the camera is closed, after `resume`
    /// it is about to be opened, after `stop` the run has ended. Returns at once if the system has no thread left.
    public func settled() async {
        try? await onThread(named: "settled") { [control] in control.wait { $0.state.isSettled ? () : nil } }
    }

    /// Asks the run in progress to end, after a `leave` event for each face. Does nothing without a run. May be called
    /// by the run's own handler and by the loop over the updates.
    public func stop() { ask { $0.stop() } }

    /// Asks the run of a ticket to end, at once if it has not begun yet. Other runs are not affected.
    package func cancel(_ ticket: RunTicket) {
        ticket.cancel()
        ask { $0.stop(only: ticket) }
    }

    /// Continues with another source or other options, and renews only the parts that differ.
    ///
    /// With the same source, the camera stays open and faces keep their identity. With another source, all faces leave.
    /// If the new configuration does not work, the session continues with the last one that did.
    /// - Returns: The number of the configuration, by which a program finds its outcome in `FaceUpdate.configuration`.
    @discardableResult
    public func apply(source: Source, options: Options) -> Int { ask { $0.apply(source, options) } }

    /// Continues with other options. The camera stays open and faces keep their identity.
    /// - Returns: The number of the configuration, by which a program finds its outcome in `FaceUpdate.configuration`.
    @discardableResult
    public func apply(_ options: Options) -> Int { ask { $0.apply(nil, options) } }

    /// Changes the state of the run, wakes the run, and returns the number of the newest configuration.
    @discardableResult
    private func ask(_ change: (inout RunState) -> Void) -> Int {
        let control = control.update { control in
            change(&control.state)
            return control
        }
        if control.state.isLeaving, let (source, mailbox) = control.running {
            source.stop()
            mailbox.wake()
        }
        if control.state.newOptions != nil { control.running?.mailbox.wake() }
        if control.state.isInterrupted { control.state.ticket?.release() }
        return control.state.status.number
    }
}
