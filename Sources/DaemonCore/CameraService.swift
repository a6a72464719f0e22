import FaceMetadata
import Foundation
import Frames
package import Logging
import ServiceLifecycle

/// Runs the camera and the pipeline while detection is on, until the source ends or the daemon does.
///
/// Both block in system calls and in the models, so each has a thread of its own.
package final class CameraService: Service {
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
    private let onEnd: @Sendable () -> Void
    private let logger: Logger
    private let control: Monitor<Control>

    /// Makes a service that begins with detection as the settings say.
    ///
    /// - Parameters:
    ///   - settings: What to begin with.
    ///   - publisher: Takes what happens.
    ///   - status: Takes how the camera and the detection are.
    ///   - meter: Counts frames and measures the work on them.
    ///   - ledger: Knows the next face's identity.
    ///   - onEnd: Called when the daemon is to end, before the last messages; frees whoever waits in the pipeline.
    ///   - logger: Gets one line for each change.
    package init(
        settings: Settings,
        publisher: Publisher,
        status: StatusBoard,
        meter: PipelineMeter,
        ledger: any Ledger,
        onEnd: @escaping @Sendable () -> Void = {},
        logger: Logger
    ) {
        self.publisher = publisher
        self.status = status
        self.meter = meter
        self.ledger = ledger
        self.onEnd = onEnd
        self.logger = logger
        control = Monitor(Control(settings: settings, isOn: settings.detection.enabled))
    }

    /// Switches detection: off closes the camera, on opens it. Safe to call from any thread.
    ///
    /// Subscribers are told by the pipeline's thread once it is so: two switches in quick succession cannot leave them
    /// with the one that does not hold.
    package func setDetection(_ isOn: Bool) {
        let source = control.update { control in
            control.isOn = isOn
            return isOn ? nil : control.source
        }
        source?.stop()
    }

    /// Goes on with other settings: the camera is opened anew, and the faces leave.
    package func apply(_ settings: Settings) {
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
    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await onThread(named: "pipeline") { try self.runPipeline() }
        } onGracefulShutdown: {
            self.end()
        }
    }

    /// Makes `run` return soon, with a leave for each face.
    package func end() {
        let source = control.update { control in
            control.isEnding = true
            return control.source
        }
        onEnd()
        source?.stop()
    }

    private func runPipeline() throws {
        defer { status.stopped() }
        status.announce()
        var told = control.update(\.isOn)
        publisher.publishDetectState(told)
        if !told { status.ready() }
        var proven: Settings?
        while mayGoOn(told: &told) {
            let settings = control.update { control in
                control.isReloading = false
                return control.settings
            }
            do {
                guard try run(settings, proven: &proven) else { return }
            } catch {
                guard let proven, proven != settings else { throw error }
                logger.error("the new settings do not work, the old ones stay", metadata: ["reason": "\(error)"])
                // Unless others have come in the meantime.
                control.update { if $0.settings == settings { $0.settings = proven } }
            }
        }
    }

    /// Runs the source until it is stopped, when it returns true, or ends, when it returns false.
    ///
    /// The models are loaded anew each time: a reload may name others, and while detection is off they cost memory.
    /// `proven` becomes the settings once a frame was seen with them: until then a file that is valid, but asks for what
    /// this camera can't do, is no reason to end a daemon that worked before.
    private func run(_ settings: Settings, proven: inout Settings?) throws -> Bool {
        let pipeline = try Pipeline(
            settings: settings,
            publisher: publisher,
            status: status,
            meter: meter,
            nextFaceID: ledger.nextFaceID()
        )
        if proven == nil { status.ready() }
        defer { if pipeline.hasSeenFrame { proven = settings } }
        let end: SourceEnd
        do {
            end = try runSource(settings, through: pipeline)
        } catch {
            pipeline.endFaces(reason: .shutdown)
            throw error
        }
        switch end {
        case .finished:
            pipeline.endFaces(reason: .shutdown)
            return false
        case .failed(let failure):
            pipeline.endFaces(reason: .cameraLost)
            throw failure
        case .stopped:
            pipeline.endFaces(reason: reasonOfStop())
            return true
        }
    }

    /// Why we stopped the source: to end, to begin anew, or because detection is off.
    private func reasonOfStop() -> FaceEvent.LeaveReason {
        control.update { $0.isEnding ? .shutdown : $0.isReloading ? .restart : .disabled }
    }

    /// Waits while detection is off, and tells when it was switched; false when the daemon is to end.
    private func mayGoOn(told: inout Bool) -> Bool {
        while true {
            let known = told
            let (isEnding, isOn): (Bool, Bool) = control.wait { control in
                let isNews = control.isEnding || control.isOn || control.isOn != known
                return isNews ? (control.isEnding, control.isOn) : nil
            }
            if isEnding { return false }
            if isOn != told {
                told = isOn
                status.detection(isOn: isOn)
            }
            if isOn { return true }
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
        let capture = try JoinableThread(named: "capture") { source.run(into: mailbox) }
        // The device must be closed before anybody opens it again; and a source that waits for a place must not hang.
        defer {
            source.stop()
            mailbox.close()
            capture.join()
        }
        return try pipeline.run(mailbox)
    }
}
