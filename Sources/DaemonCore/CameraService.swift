import FaceMetadata
import Foundation
import Frames
public import Logging
public import ServiceLifecycle

/// Runs the camera and the pipeline while detection is on, until the source ends or the daemon does.
///
/// Both block in system calls and in the models, so each has a thread of its own.
public final class CameraService: Service {
    private struct Control {
        var settings: Settings
        var isOn: Bool
        var isEnding = false
        var isReloading = false
        var source: (any FrameSource)?
    }

    private let publisher: Publisher
    private let status: StatusBoard
    private let meter: PipelineMeter
    private let ledger: any Ledger
    private let logger: Logger
    private let control: Monitor<Control>

    /// Makes a service that begins with detection as the settings say.
    public init(
        settings: Settings,
        publisher: Publisher,
        status: StatusBoard,
        meter: PipelineMeter,
        ledger: any Ledger,
        logger: Logger
    ) {
        self.publisher = publisher
        self.status = status
        self.meter = meter
        self.ledger = ledger
        self.logger = logger
        control = Monitor(Control(settings: settings, isOn: settings.detection.enabled))
    }

    /// Switches detection: off closes the camera, on opens it. Safe to call from any thread.
    public func setDetection(_ isOn: Bool) {
        let (changed, source) = control.update { control in
            defer { control.isOn = isOn }
            return (control.isOn != isOn, isOn ? nil : control.source)
        }
        guard changed else { return }
        source?.stop()
        if isOn { status.detection(isOn: true) }
    }

    /// Goes on with other settings: the camera is opened anew, and the faces leave.
    public func apply(_ settings: Settings) {
        let source = control.update { control in
            control.settings = settings
            control.isReloading = true
            return control.source
        }
        source?.stop()
    }

    /// Returns when a clip has ended or the daemon is to end.
    ///
    /// - Throws: `SourceFailure` if the source cannot go on, `InferenceError` if the models cannot be used.
    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await onThread(named: "pipeline") { try self.runPipeline() }
        } onGracefulShutdown: {
            self.end()
        }
    }

    /// Makes `run` return soon, with a leave for each face.
    public func end() {
        let source = control.update { control in
            control.isEnding = true
            return control.source
        }
        source?.stop()
    }

    private func runPipeline() throws {
        defer { status.stopped() }
        status.announce()
        publisher.publishDetectState(control.update { $0.isOn })
        publisher.publishLeavesOfLastRun()
        var proven: Settings?
        if !control.update(\.isOn) { status.ready() }
        while mayGoOn() {
            let (settings, pipeline) = try makePipeline(fallingBackTo: proven)
            if proven == nil { status.ready() }
            proven = settings
            switch try runSource(settings, through: pipeline) {
            case .finished:
                pipeline.endFaces(reason: .shutdown)
                return
            case .failed(let failure):
                pipeline.endFaces(reason: .cameraLost)
                throw failure
            case .stopped:
                endStopped(pipeline)
            }
        }
    }

    /// The models are loaded anew each time: a reload may name others, and while detection is off they cost memory.
    private func makePipeline(fallingBackTo proven: Settings?) throws -> (Settings, Pipeline) {
        let settings = control.update { control in
            control.isReloading = false
            return control.settings
        }
        do {
            return (settings, try makePipeline(settings))
        } catch {
            guard let proven, proven != settings else { throw error }
            logger.error("the new settings do not work, the old ones stay", metadata: ["reason": "\(error)"])
            control.update { $0.settings = proven }
            return (proven, try makePipeline(proven))
        }
    }

    private func makePipeline(_ settings: Settings) throws -> Pipeline {
        try Pipeline(
            settings: settings,
            publisher: publisher,
            status: status,
            meter: meter,
            nextFaceID: ledger.nextFaceID()
        )
    }

    /// The source was stopped by us: to end, to begin anew, or because detection is off.
    private func endStopped(_ pipeline: Pipeline) {
        let (isEnding, isReloading) = control.update { ($0.isEnding, $0.isReloading) }
        guard !isEnding, !isReloading else {
            pipeline.endFaces(reason: isEnding ? .shutdown : .restart)
            return
        }
        pipeline.endFaces(reason: .disabled)
        status.detection(isOn: false)
    }

    /// Waits while detection is off; false when the daemon is to end.
    private func mayGoOn() -> Bool {
        control.wait { control in
            if control.isEnding { return false }
            return control.isOn ? true : nil
        }
    }

    private func runSource(_ settings: Settings, through pipeline: Pipeline) throws -> SourceEnd {
        let source = try settings.makeSource(logger: logger)
        let isWanted = control.update { control in
            control.source = source
            return control.isOn && !control.isEnding && !control.isReloading
        }
        defer { control.update { $0.source = nil } }
        guard isWanted else { return .stopped }
        let mailbox = FrameMailbox(policy: settings.mailboxPolicy)
        meter.follow(mailbox)
        defer { meter.follow(nil) }
        let capture = JoinableThread(named: "capture") { source.run(into: mailbox) }
        // The device must be closed before anybody opens it again; and a source that waits for a place must not hang.
        defer {
            source.stop()
            mailbox.close()
            capture.join()
        }
        return try pipeline.run(mailbox)
    }
}

/// Runs `body` on a new thread and waits for its result without blocking a shared one.
func onThread<Result: Sendable>(
    named name: String,
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
        thread.name = name
        thread.start()
    }
}

/// A thread whose end can be waited for.
final class JoinableThread: Sendable {
    private let isDone = Monitor(false)

    init(named name: String, _ body: @escaping @Sendable () -> Void) {
        let isDone = isDone
        let thread = Thread {
            body()
            isDone.update { $0 = true }
        }
        thread.name = name
        thread.start()
    }

    /// Blocks until the thread's body has returned.
    func join() {
        isDone.wait { $0 ? () : nil }
    }
}
