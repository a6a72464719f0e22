import FacetKit
import MediaFiles
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
    private let command: Apply
    private let options: FaceSession.Options
    private var drawing: OverlayPicture
    private let interruption: Interruption
    private var summary: OverlaySummary
    private var ahead: Ahead?
    private var scene = Scene()
    private let picture = Picture()
    private let messages = UpdateMessages(camera: UpdateMessages.fileCamera)

    /// Checks where it is to be written.
    ///
    /// - Throws: `CommandFailure` if it cannot be written there, or is the input.
    init(
        _ input: String,
        to output: String,
        _ command: Apply,
        _ drawing: OverlayPicture,
        _ interruption: Interruption
    ) throws {
        (self.input, self.output, self.command) = (input, output, command)
        (self.drawing, self.interruption) = (drawing, interruption)
        options = command.session(hidesFaces: drawing.hidesFaces)
        summary = OverlaySummary(hidesFaces: drawing.hidesFaces, maximumFaces: command.maximumFaces)
        try OutputPath.checkIsNot(output, input)
        let what = OutputPath.isPicture(output) ? "a picture" : "a clip"
        try OutputPath.check(output, endings: PictureWriter.knownEndings + ClipWriter.knownEndings, what: what)
    }

    /// Makes a picture or a clip, as the output is named.
    ///
    /// - Returns: Whether there was a warning.
    mutating func draw() async throws -> Bool {
        OutputPath.isPicture(output) ? try await drawPicture() : try await drawClip()
    }

    private mutating func drawClip() async throws -> Bool {
        var rate = 30.0
        var recorder: OverlayRecorder?
        let isWhole = try await FaceSession.analyse(input, options, until: interruption) { update in
            if case .streaming(let stream) = update.state { rate = stream.rate ?? rate }
            guard update.frame != nil else { return true }
            if recorder == nil {
                recorder = OverlayRecorder(output: output, drawing: drawing, rate: rate, soundSource: input)
            }
            for settled in take(update) { try draw(settled, &recorder) }
            return true
        }
        for settled in ahead?.finish() ?? [] { try draw(settled, &recorder) }
        let warnings = try checkedWarnings()
        guard var recorder else { return try withoutPicture() }
        try recorder.finish(isWhole: isWhole)
        return report(warnings)
    }

    /// Makes a picture of a picture, or of a clip's first frame.
    private mutating func drawPicture() async throws -> Bool {
        try await FaceSession.analyse(input, options, until: interruption) { update in
            _ = take(update)
            return summary.frames < Self.analyses
        }
        let settled = ahead?.finish() ?? []
        // What the detector alone believes in is in the first frame; expressions are known in the last.
        let isStill = OutputPath.isPicture(input) && !drawing.hidesFaces
        guard let shown = isStill ? settled.last : settled.first else { return try withoutPicture() }
        summary.showsPicture(with: shown.faces)
        let warnings = try checkedWarnings()
        try show(shown)
        try drawing.draw(picture, scene: scene, at: shown.stamp.mediaTime).write(to: output)
        StandardOutput.note("wrote \(output)")
        return report(warnings)
    }

    /// Ends the work where no picture came, without a warning if it was interrupted before.
    private func withoutPicture() throws -> Bool {
        guard interruption.isRaised else {
            throw CommandFailure("there is no picture in \(input); \(output) was not written")
        }
        return false
    }

    /// - Returns: The frames that can be drawn now.
    private mutating func take(_ update: FaceUpdate) -> [Ahead.Moment] {
        summary.take(update)
        guard let frame = update.frame else { return [] }
        if ahead == nil {
            ahead = Ahead(
                patience: options.tracking.patience,
                coversAll: drawing.hidesFaces,
                maximumFrames: Self.maximumBytes / max(1, frame.size.width * frame.size.height * 3 / 2)
            )
        }
        let moment = Ahead.Moment(
            picture: frame,
            stamp: frame.stamp,
            isCut: update.isCut,
            sightings: update.sightings,
            events: update.events
        )
        return ahead?.add(moment) ?? []
    }

    private mutating func draw(_ settled: Ahead.Moment, _ recorder: inout OverlayRecorder?) throws {
        try show(settled)
        try recorder?.add(picture, scene: scene, mediaTime: settled.stamp.mediaTime)
    }

    private mutating func show(_ settled: Ahead.Moment) throws {
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
        guard command.strict, !warnings.isEmpty else { return warnings }
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

/// What `apply` found in a file, and of what it warns.
struct OverlaySummary {
    /// How many lost faces the warnings name.
    private static let named = 5

    private let hidesFaces: Bool
    private let maximumFaces: Int
    private(set) var frames = 0
    private var faces = 0
    private var smiles = 0
    private var lost: [(face: FaceID, time: Double)] = []
    private var damaged = 0
    private var isOverLimit = false

    init(hidesFaces: Bool, maximumFaces: Int) {
        (self.hidesFaces, self.maximumFaces) = (hidesFaces, maximumFaces)
    }

    mutating func take(_ update: FaceUpdate) {
        if update.frame != nil { frames += 1 }
        damaged = update.counts.dropped[.corrupt, default: 0]
        isOverLimit = isOverLimit || update.isOverLimit
        for event in update.events {
            switch event.kind {
            case .enter: faces += 1
            case .smile: smiles += 1
            case .leave(_, let lastSeen, .left) where !update.isCut && event.face.bounds.isInside:
                let unseen = Double(event.stamp.time.nanoseconds - lastSeen.nanoseconds) * 1e-9
                lost.append((event.face.faceID, max(0, event.stamp.mediaTime - unseen)))
            default: break
            }
        }
    }

    mutating func showsPicture(with faces: [FaceObject]) {
        (frames, self.faces, smiles) = (1, faces.count, faces.count { $0.smiling == true })
    }

    var sentence: String {
        let found = "\(faces.counted("face")), \(smiles.counted("smile")), \(frames.counted("frame"))"
        return hidesFaces ? "\(found); hid \(faces - lost.count) of \(faces)" : found
    }

    /// What may be in the output although it should not, or is missing.
    var warnings: [String] {
        var warnings: [String] = []
        if damaged > 0 {
            warnings.append("damaged: at least \(damaged.counted("picture")) could not be decoded and will be missing")
        }
        if isOverLimit {
            let rest = hidesFaces ? "hidden only where the detector saw them" : "not drawn over"
            warnings.append(
                "more than \(maximumFaces) faces at the same time; the others were \(rest): raise --maximum-faces"
            )
        }
        if hidesFaces, !lost.isEmpty {
            let times = lost.prefix(Self.named).map { "face \($0.face.rawValue) at \(($0.time * 10).rounded() / 10) s" }
            let more = lost.count > Self.named ? " and \(lost.count - Self.named) more" : ""
            warnings.append(
                "lost inside the picture: \(times.joined(separator: ", "))\(more); what is seen of them after that is bare"
            )
        }
        return warnings
    }
}
