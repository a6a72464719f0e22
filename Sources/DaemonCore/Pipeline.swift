import FaceMessages
package import FacetKit
package import Logging
import System

/// The way from a session's updates to messages.
///
/// ```
/// session ─► update ─┬► state ─► status
///                    ├► enter, smile, … ─────────┬► publisher ─► broker, print
///                    └► faces ─► gate ─► metadata ┘
/// ```
/// One thread calls it: that of the session.
package final class Pipeline {
    private let status: StatusReporter
    private let meter: SessionMeter
    private let logger: Logger
    private let limiter = LogLimiter()
    private var settings: Settings
    private var gate: ChangeGate
    private var preview: JPEGEncoder?
    private var state: StreamState?
    private var configuration: ConfigurationStatus?
    private var publishedCount = 0
    private var publishedZones: [ZonesMessage.Zone] = []
    /// Frames after a camera has begun until memory is released: by then everything that goes on running has run.
    private static let framesUntilRelease = 60
    private var framesSinceChange = 0

    private var publisher: Publisher { status.publisher }

    /// Publishes to where the status goes.
    package init(settings: Settings, status: StatusReporter, meter: SessionMeter, logger: Logger) throws {
        (self.status, self.meter, self.logger) = (status, meter, logger)
        self.settings = settings
        gate = ChangeGate(options: settings.metadata.changes)
        preview = try Self.encoder(settings.preview)
    }

    /// Publishes what is new in an update.
    ///
    /// A leave comes before the status that explains it, and the empty set after it: subscribers know by the status whether the
    /// set means that there is no face or that nothing is being looked at.
    package func publish(_ update: FaceUpdate) {
        meter.measure(.publish) {
            let frame = update.stamp.flatMap { stamp in update.captured.map { (stamp, $0) } }
            if !update.events.isEmpty { publisher.publish(update.events, frame: frame) }
            if update.state != state { change(to: update.state) }
            status.faces(held: update.faces.count(where: \.isHeld), update.attention)
            if let stamp = update.stamp {
                let faces = update.faces.map { $0.keeping(settings.metadata.fields) }
                if gate.admits(faces, at: stamp.mediaTime) {
                    publisher.publish(.metadata) { $0.metadata(faces, at: stamp) }
                }
            }
            let count = update.faces.count
            if count != publishedCount { publisher.publish(.count) { $0.count(count) } }
            publishedCount = count
            publishZones(update.faces)
        }
        if let frame = update.frame { publishPreview(of: frame) }
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

    private func publishZones(_ faces: [FaceObject]) {
        let zones = settings.tracking.zones
        guard !zones.isEmpty || !publishedZones.isEmpty else { return }
        let now = zones.map { zone in zone.counted(faces.count { $0.zones?.contains(zone.name) == true }) }
        if now != publishedZones { publisher.publishZones(now) }
        publishedZones = now
    }

    private func publishPreview(of frame: Frame) {
        do {
            guard let picture = try preview?.encode(frame) else { return }
            publisher.publish(.previewJPEG) { [stamp = frame.stamp] in $0.preview(picture, of: stamp) }
        } catch {
            publisher.countFailedPreview()
            logger.warning(
                "cannot encode a frame for the preview, subscribers miss it",
                limiter: limiter,
                metadata: ["frame": "\(frame.stamp.frame)", "reason": "\(error)"]
            )
        }
    }

    private func change(to new: StreamState) {
        // The first state may already follow a command: the status was made before it.
        let isSwitched = status.isDetecting ? new == .paused : new == .starting
        let isFirst = state == nil
        state = new
        framesSinceChange = 0
        if isSwitched { status.detection(isOn: new != .paused) } else { status.camera(new) }
        if case .lost = new { releaseUnusedMemory() }
        if isFirst, !isSwitched { publisher.publish(.detectState, waits: false) { $0.detectState(new != .paused) } }
    }

    /// What encodes the pictures that subscribers may see; nil if the owner did not switch that on.
    private static func encoder(_ settings: Settings.Preview) throws -> JPEGEncoder? {
        settings.enabled ? try JPEGEncoder(quality: settings.quality, maximumWidth: settings.width) : nil
    }

    /// Goes on with the deadbands, the zones and the preview of other settings.
    func use(_ settings: Settings) {
        self.settings = settings
        gate.options = settings.metadata.changes
        do {
            preview = try Self.encoder(settings.preview)
        } catch {
            logger.error("cannot make previews", metadata: ["reason": "\(error)"])
        }
    }
}

extension Zone {
    /// The zone as messages have it.
    func counted(_ faces: Int) -> ZonesMessage.Zone { ZonesMessage.Zone(name: name, faces: faces, area: area.corners) }
}
