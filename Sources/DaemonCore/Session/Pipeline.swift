/// Turns a session's updates into published messages.
///
/// ```
/// session ─► update ─┬► state ─► status
///                    ├► enter, smile, … ─────────┬► publisher ─► broker, print
///                    └► faces ─► gate ─► metadata ┘
/// ```
/// Called on the session's thread only.
package final class Pipeline {
    private let status: StatusReporter
    private let meter: SessionMeter
    private let logger: Logger
    private let limiter = LogLimiter()
    private var preview: JPEGEncoder?
    private var state: StreamState?
    private var configuration: ConfigurationStatus?
    /// The number of frames, after a change of the camera's state, until unused memory is given back to the system.
    private static let framesUntilRelease = 60
    private var framesSinceChange = 0

    private var publisher: Publisher { status.publisher }

    /// Makes a pipeline that publishes through the status reporter's publisher.
    package init(settings: Settings, status: StatusReporter, meter: SessionMeter, logger: Logger) throws {
        (self.status, self.meter, self.logger) = (status, meter, logger)
        preview = try Self.encoder(settings.preview)
        status.use(settings)
    }

    /// Publishes what is new in an update: first its events, so that a `leave` precedes the status that explains it.
    package func publish(_ update: FaceUpdate) {
        meter.measure(.publish) {
            publisher.publish(update.events, of: update)
            status.publish(update)
        }
        if let frame = update.frame { publishPreview(of: frame) }
        if update.state != state {
            framesSinceChange = 0
            if case .lost = update.state { releaseUnusedMemory() }
        }
        state = update.state
        framesSinceChange += 1
        if framesSinceChange == Self.framesUntilRelease { releaseUnusedMemory() }
        if let problem = update.problem {
            logger.error("faces are held without a person's outline", metadata: ["reason": "\(problem)"])
        }
        if update.configuration != configuration, case .rejected(let reason) = update.configuration.outcome {
            logger.error("the new settings do not work, the old ones stay", metadata: ["reason": "\(reason)"])
        }
        configuration = update.configuration
    }

    private func publishPreview(of frame: Frame) {
        do {
            guard let picture = try preview?.encode(frame) else { return }
            publisher.publish(preview: picture, of: frame.stamp)
        } catch {
            publisher.countFailedPreview()
            logger.warning(
                "cannot encode a frame for the preview, subscribers miss it",
                limiter: limiter,
                metadata: ["frame": "\(frame.stamp.frame)", "reason": "\(error)"]
            )
        }
    }

    private static func encoder(_ settings: Settings.Preview) throws -> JPEGEncoder? {
        settings.enabled ? try JPEGEncoder(quality: settings.quality, maximumWidth: settings.width) : nil
    }

    /// Applies the message and preview settings of `settings` from now on.
    func use(_ settings: Settings) {
        status.use(settings)
        do {
            preview = try Self.encoder(settings.preview)
        } catch {
            logger.error("cannot make previews", metadata: ["reason": "\(error)"])
        }
    }
}
