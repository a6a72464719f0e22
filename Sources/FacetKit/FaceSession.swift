import MediaFiles
import System

/// Reads a camera, a file, a stream or a program's own frames, and reports faces and the state of the source.
///
/// ```swift
/// let session = try FaceSession(source: .camera())  // in an async function: try await
/// for try await update in session.updates {
///     for event in update.events where event.kind == .smile { lamp.toggle() }
/// }
/// ```
/// A camera that is unplugged is waited for. The same frames always give the same events, live and offline.
/// All methods may be called from any thread.
public final class FaceSession: Sendable {
    /// The options: how faces are found and followed, and what updates contain.
    public struct Options: Hashable, Sendable {
        /// The options for finding faces.
        public var detection = FaceAnalyzer.Options()
        /// The options for following faces, such as how long they may be unseen.
        public var tracking = FaceTracker.Options()
        /// Whether updates carry the 478 landmarks of each face.
        public var landmarks = false
        /// Whether updates contain their frame, and in which size.
        public var frames = FrameDelivery.none
        /// The most frames a second that updates contain; nil for every one.
        public var maximumFrameRate: Double?

        /// Makes the default options.
        public init() {}
    }

    /// The frames that updates contain. A frame that is kept keeps memory of the source, so keep only a few.
    public enum FrameDelivery: Hashable, Sendable {
        /// No frames.
        case none
        /// The frames as they are analysed: a JPEG may have been decoded at a half, a quarter or an eighth of its size.
        case analysed
        /// The frames at full size, which costs more decoding if the camera delivers JPEG.
        case full
    }

    struct Control: Sendable {
        var state: RunState
        var running: (source: any FrameSource, mailbox: FrameMailbox)?
        /// The source that `init` opened, for the first run with it.
        var opened: (source: Source, frames: any FrameSource)?
    }

    let parts: Parts
    /// Counts frames and measures the work on them, over all runs of this session.
    package var meter: SessionMeter { parts.meter }
    var control: Monitor<Control> { parts.control }
    var processor: FrameProcessor { parts.processor }

    /// Makes a session; a camera is not touched, and no model is loaded for one, before it runs.
    /// - Parameters:
    ///   - source: Where frames come from.
    ///   - options: What to look for.
    ///   - firstFaceID: The identity of the first face; a program that restarts continues with the next free one.
    /// - Throws: `FaceSessionError` if a file or a number cannot be used, or the models are not installed.
    public init(
        source: Source,
        options: Options = Options(),
        firstFaceID: FaceID = FaceID(rawValue: 1)
    ) throws(FaceSessionError) {
        parts = try Parts(source, options, firstFaceID)
    }

    /// Makes a session without blocking the task's thread: opening a file takes up to some tenths of a second.
    public init(
        source: Source,
        options: Options = Options(),
        firstFaceID: FaceID = FaceID(rawValue: 1)
    ) async throws(FaceSessionError) {
        parts = try await onThread(named: "session", orThrow: FaceSessionError.thread) {
            () throws(FaceSessionError) in try Parts(source, options, firstFaceID)
        }
    }

    /// The parts that a session is made of.
    struct Parts: Sendable {
        let control: Monitor<Control>
        let processor: FrameProcessor
        /// The thread that loads the models before the first run; the run waits for it.
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

    /// Loads the models on a thread of their own, while FFmpeg is loaded on this one.
    ///
    /// The dynamic linker loads one library at a time. LiteRT is compared with its digest while FFmpeg's codecs are
    /// loaded, then loaded, and the models are compiled while the rest of FFmpeg is loaded. What fails here fails
    /// again, with an error, when the session runs.
    private static func load(_ options: Options, by processor: FrameProcessor) -> JoinableThread? {
        let isLibraryLoaded = Monitor(false)
        let loading = try? JoinableThread(named: "models") {
            // The analyzer finds it loaded as long as it is held here.
            let library = try? LiteRT.shared(in: ModelDirectory.find(options.detection.modelDirectory))
            isLibraryLoaded.update { $0 = true }
            withExtendedLifetime(library) { try? processor.load(options) }
        }
        ClipSource.loadCodecs()
        if loading != nil { isLibraryLoaded.wait { $0 ? () : nil } }
        return loading
    }

    /// The number of frames so far, and of those analysed and dropped.
    public var counts: FrameCounts { meter.counts }

    // MARK: - Control

    /// Closes the camera and unloads the models until `resume`; faces leave. A paused clip begins anew.
    ///
    /// Finds the same camera again under another number. Returns at once; see `settled`.
    public func pause() { ask { $0.pause() } }

    /// Opens the camera again. Returns at once; see `settled`.
    public func resume() { ask { $0.resume() } }

    /// Waits until the session is in the state asked for last: after `pause` the camera is closed, after `resume` it is
    /// about to be opened, after `stop` the run has ended. Returns at once if the system has no thread to wait on.
    public func settled() async {
        try? await onThread(named: "settled") { [control] in control.wait { $0.state.isSettled ? () : nil } }
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

    /// Continues with another source or other options; only the parts that differ are made anew.
    ///
    /// With other options alone the camera stays open and faces keep their identity. With another source faces leave.
    /// If the new ones do not work, the session continues with those that did: updates say so in `configuration`.
    /// - Returns: The number that `FaceUpdate.configuration` has from now on, for a program that goes by its outcome.
    @discardableResult
    public func apply(source: Source, options: Options) -> Int { ask { $0.apply(source, options) } }

    /// Continues with other options; the camera stays open and faces keep their identity.
    /// - Returns: The number that `FaceUpdate.configuration` has from now on.
    @discardableResult
    public func apply(_ options: Options) -> Int { ask { $0.apply(nil, options) } }

    /// Changes the state of the run, and wakes the run.
    /// - Returns: The number of the newest configuration.
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
