import FaceInference
import FaceMessages
package import FaceMetadata
import FaceTracking
package import Frames

/// The way from a frame to messages.
///
/// ```
/// source ─thread─► mailbox ─► analyzer ─► tracker ─► gate ─► metadata ─┐
///                                            └► enter, smile, … ───────┴► publisher ─► print, broker
/// ```
/// One thread owns it all: the structs in it decide, the publisher only hands on. Times come with the frames.
package final class Pipeline {
    private let analyzer: FaceAnalyzer
    private let decoder: JPEGDecoder
    private let publisher: Publisher
    private let status: StatusBoard
    private let meter: PipelineMeter
    private let preview: Preview?
    private var tracker: FaceTracker
    private var gate: ChangeGate
    private var attention = AttentionFilter()
    private var publishedCount = 0
    private var lastStamp: FrameStamp?

    package init(
        settings: Settings,
        publisher: Publisher,
        status: StatusBoard,
        meter: PipelineMeter,
        nextFaceID: FaceID
    ) throws {
        analyzer = try FaceAnalyzer(FaceAnalyzer.Options(settings.detection))
        decoder = try JPEGDecoder()
        preview = try Preview(settings.preview)
        tracker = FaceTracker(parameters: FaceTracker.Parameters(settings.tracking), nextFaceID: nextFaceID)
        gate = ChangeGate(parameters: ChangeGate.Parameters(settings.metadata))
        self.publisher = publisher
        self.status = status
        self.meter = meter
    }

    /// Works off what a source tells until its end.
    ///
    /// - Throws: `InferenceError` if a model fails, which does not pass by itself.
    package func run(_ mailbox: FrameMailbox) throws -> SourceEnd {
        defer { mailbox.close() }
        while let event = mailbox.next() {
            switch event {
            case .streaming(let stream):
                // The status begins with nothing too: what held for the stream before is to be found anew.
                attention = AttentionFilter()
                status.cameraStreams(stream)
            case .frame(let frame): try advance(to: frame)
            case .lost(let failure):
                endFaces(reason: .cameraLost)
                status.cameraLost(failure)
            case .ended(let end): return end
            }
        }
        return .stopped
    }

    /// Whether a frame has come this far: the source and the models work with these settings.
    private(set) var hasSeenFrame = false

    /// Ends all faces, and tells.
    func endFaces(reason: FaceEvent.LeaveReason) {
        analyzer.reset()
        guard let lastStamp else { return }
        publish(tracker.endAll(reason: reason, at: lastStamp), captured: nil)
        publishFaces([], at: lastStamp)
    }

    private func advance(to frame: Frame) throws {
        meter.beginFrame()
        defer { meter.endFrame() }
        let picture: Frame?
        let analysis: FaceAnalysis
        do {
            (analysis, picture) = try glance(at: frame).map { ($0, nil) } ?? analyze(frame)
        } catch is JPEGError {
            meter.countUndecodable()
            publish(tracker.skip(to: frame.stamp), of: frame)
            return
        }
        hasSeenFrame = true
        meter.countAnalysed()
        meter.record(.landmarks, analysis.landmarkTime)
        if analysis.ranDetector { meter.record(.detect, analysis.detectionTime) }
        let update = meter.measure(.track) { tracker.advance(to: frame.stamp, with: analysis.observations) }
        publish(update, of: frame)
        if let picture = picture.flatMap({ preview?.picture(of: $0) }) {
            publisher.publishPreview(picture, of: frame.stamp)
        }
        let reasons = update.conditions.reasons(luminance: analysis.luminance)
        if let settled = attention.advance(reasons, at: frame.stamp.mediaTime) { status.attention(settled) }
    }

    /// The analysis of a JPEG in which nothing has changed, decoded only as far as it takes to see that; nil for any other
    /// frame, and for one that the preview needs.
    private func glance(at frame: Frame) throws -> FaceAnalysis? {
        guard frame.format == .jpeg, preview?.isDue(at: frame.stamp.mediaTime) != true,
            let scale = analyzer.glanceScale(for: frame.size)
        else { return nil }
        let small = try meter.measure(.decode) { try decoder.decode(frame, decimation: scale, isGray: true) }
        return analyzer.glance(at: small)
    }

    private func analyze(_ frame: Frame) throws -> (FaceAnalysis, Frame?) {
        var picture = frame
        if frame.format == .jpeg {
            let scale = analyzer.usefulScale(for: frame.size)
            picture = try meter.measure(.decode) { try decoder.decode(frame, decimation: scale) }
        }
        return (try analyzer.analyze(picture), picture)
    }

    private func publish(_ update: FaceTracker.Update, of frame: Frame) {
        lastStamp = frame.stamp
        meter.measure(.publish) {
            publish(update.events, captured: frame.captured)
            publishFaces(update.faces, at: frame.stamp)
        }
    }

    private func publish(_ events: [FaceEvent], captured: ContinuousClock.Instant?) {
        guard !events.isEmpty else { return }
        publisher.publish(events, captured: captured)
    }

    private func publishFaces(_ faces: [FaceObject], at stamp: FrameStamp) {
        if gate.admits(faces, at: stamp.mediaTime) { publisher.publishMetadata(faces, at: stamp) }
        guard faces.count != publishedCount else { return }
        publishedCount = faces.count
        publisher.publishCount(faces.count)
    }
}

extension FaceTracker.Conditions {
    /// Mean brightness below which a picture is too dark, 0…1: noise then outweighs an eyelid's contrast.
    private static let darkest = 0.08

    /// The conditions as the status tells them.
    fileprivate func reasons(luminance: Double?) -> [DaemonStatus.Attention] {
        var reasons: [DaemonStatus.Attention] = []
        if let luminance, luminance < Self.darkest { reasons.append(.tooDark) }
        if isTooSmall { reasons.append(.tooSmall) }
        if isTurnedAway { reasons.append(.turnedAway) }
        if isRateLow { reasons.append(.lowFrameRate) }
        return reasons
    }
}
