import FaceInference
import FaceMessages
import FaceMetadata
import FaceTracking
import FacetKit
import Frames
import OverlayRendering

/// One file with faces, and the file with the overlay that is made of it.
struct OverlaidFile {
    private typealias Ahead = LookAhead<Frame>

    /// What the frames that wait may take in all; a frame of 1280×720 takes 1.4 MB.
    private static let maximumBytes = 256 << 20
    /// How often a picture is analysed: until a face has entered and its expression is known.
    private static let analyses = 8

    private let input: String
    private let output: String
    private let drawing: OverlayPicture
    private let options: FaceSession.Options
    private let isStrict: Bool
    private var summary: OverlaySummary
    private var scene = Scene()
    private let picture = Picture()
    private let messages = UpdateMessages(camera: UpdateMessages.fileCamera)

    init(input: String, output: String, drawing: OverlayPicture, options: FaceSession.Options, isStrict: Bool) {
        (self.input, self.output, self.drawing, self.options) = (input, output, drawing, options)
        self.isStrict = isStrict
        summary = OverlaySummary(hidesFaces: drawing.hidesFaces, maximumFaces: options.detection.maximumFaces)
    }

    /// Makes a clip of a clip.
    ///
    /// - Returns: Whether there was a warning.
    mutating func drawClip() async throws -> Bool {
        let interruption = Interruption()
        defer { interruption.cancel() }
        var rate = 30.0
        var (ahead, recorder): (Ahead?, OverlayRecorder?)
        try await FaceSession.analyse(input, options, until: interruption) { update in
            if case .streaming(let stream) = update.state { rate = stream.rate ?? rate }
            guard let arrival = take(update) else { return true }
            if ahead == nil { ahead = lookAhead(at: arrival.picture.size) }
            if recorder == nil {
                recorder = OverlayRecorder(output: output, drawing: drawing, rate: rate, soundSource: input)
            }
            for settled in ahead?.add(arrival) ?? [] { try draw(settled, &recorder) }
            return true
        }
        for settled in ahead?.finish() ?? [] { try draw(settled, &recorder) }
        let warnings = try checkedWarnings()
        guard var recorder else { throw CommandFailure("there is no picture in \(input); \(output) was not written") }
        try recorder.finish(isWhole: !interruption.isRaised)
        return report(warnings)
    }

    /// Makes a picture of a picture, or of a clip's first frame.
    ///
    /// - Returns: Whether there was a warning.
    mutating func drawPicture() async throws -> Bool {
        let file = try PictureFile(output)
        var ahead: Ahead?
        try await FaceSession.analyse(input, options) { update in
            if let arrival = take(update) {
                if ahead == nil { ahead = lookAhead(at: arrival.picture.size) }
                _ = ahead?.add(arrival)
            }
            return summary.frames < Self.analyses
        }
        let settled = ahead?.finish() ?? []
        // What the detector alone believes in is in the first frame; expressions are known in the last.
        let isStill = OutputPath.isPicture(input) && !drawing.hidesFaces
        guard let shown = isStill ? settled.last : settled.first else {
            throw CommandFailure("there is no picture in \(input); \(output) was not written")
        }
        summary.showsPicture(with: shown.faces)
        let warnings = try checkedWarnings()
        try show(shown)
        try file.write(try drawing.draw(picture, scene: scene, at: shown.stamp.mediaTime))
        StandardOutput.note("wrote \(output)")
        return report(warnings)
    }

    private func lookAhead(at size: FrameSize) -> Ahead {
        Ahead(
            patience: options.tracking.patience,
            coversAll: drawing.hidesFaces,
            maximumFrames: Self.maximumBytes / max(1, size.width * size.height * 3 / 2)
        )
    }

    private mutating func take(_ update: FaceUpdate) -> Ahead.Arrival? {
        summary.take(update)
        guard let frame = update.frame else { return nil }
        return Ahead.Arrival(
            picture: frame,
            stamp: frame.stamp,
            isCut: update.isCut,
            sightings: update.sightings,
            events: update.events
        )
    }

    private mutating func draw(_ settled: Ahead.Settled, _ recorder: inout OverlayRecorder?) throws {
        try show(settled)
        try recorder?.add(picture, scene: scene, mediaTime: settled.stamp.mediaTime)
    }

    private mutating func show(_ settled: Ahead.Settled) throws {
        let time = settled.stamp.mediaTime
        scene.apply(messages.metadata(settled.stamp, settled.faces), at: time)
        for event in settled.events { scene.apply(messages.event(event), at: time) }
        scene.advance(to: time)
        try picture.update(from: settled.picture)
    }

    /// What is to be warned of.
    ///
    /// - Throws: `CommandFailure` if there is something and that is not allowed.
    private func checkedWarnings() throws -> [String] {
        let warnings = summary.warnings
        guard isStrict, !warnings.isEmpty else { return warnings }
        throw CommandFailure(
            lines: warnings.map { "\(input): \($0)" } + ["\(output) was not written, because of --strict"]
        )
    }

    private func report(_ warnings: [String]) -> Bool {
        for warning in warnings { StandardOutput.note("\(input): \(warning)") }
        StandardOutput.note(summary.sentence)
        return !warnings.isEmpty
    }
}
