/// One input file with faces, and the output file that shows it with an overlay.
struct OverlaidFile {
    /// The maximum memory for the delayed frames, in bytes; a frame of 1280×720 takes 1.4 MB.
    private static let maximumBytes = 256 << 20
    /// The number of times that a picture file is analysed, since identities and expressions need several frames.
    private static let analyses = 8

    private let input: String
    private let output: String
    private var job: OverlayJob
    private let interruption: Interruption
    private var summary: OverlaySummary
    private var ahead: LookAhead
    private var scene = Scene()
    private let picture = Picture()
    private var messages = UpdateMessages()
    /// The check for faces that lie on their side; nil if no faces are hidden, or the analysis itself finds such faces.
    private let check: FaceCheck?

    /// Checks the output's path. Throws `CommandFailure` if the output cannot be written or is the input itself.
    init(_ input: String, to output: String, _ job: OverlayJob, _ interruption: Interruption) throws {
        self.input = input
        self.output = output
        self.job = job
        self.interruption = interruption
        let hidesFaces = job.drawing.hidesFaces
        ahead = LookAhead(patience: job.options.tracking.patience, coversAll: hidesFaces)
        check = hidesFaces && !job.options.detection.findsTurned ? try FaceCheck() : nil
        summary = OverlaySummary(hidesFaces: hidesFaces, maximumFaces: job.options.detection.maximumFaces)
        try OutputPath.checkIsNot(output, input)
        let what = OutputPath.isPicture(output) ? "a picture" : "a clip"
        let endings = PictureWriter.knownEndings + ClipWriter.knownEndings
        try OutputPath.check(output, endings: endings, what: what, replaces: job.replaces)
    }

    /// Writes a picture or a clip, depending on the output's name. Returns whether there was a warning.
    mutating func draw() async throws -> Bool {
        OutputPath.isPicture(output) ? try await drawPicture() : try await drawClip()
    }

    private mutating func drawClip() async throws -> Bool {
        var recorder = OverlayRecorder(output, job.drawing)
        recorder.rate = 30
        recorder.soundSource = input
        recorder.length = (try? ClipSource(input))?.announcedDuration
        let isWhole = try await FaceSession.analyse(input, job.options, until: interruption) { update in
            if case .streaming(let stream) = update.state { recorder.rate = stream.rate ?? recorder.rate }
            for frame in settled(by: update) { try draw(frame, &recorder) }
            return true
        }
        for frame in ahead.finish() { try draw(frame, &recorder) }
        guard let warnings = try allowedWarnings() else { return false }
        try recorder.finish(isWhole: isWhole)
        return report(warnings)
    }

    /// Draws over a picture, or over a clip's first frame, and writes the result as a picture file.
    private mutating func drawPicture() async throws -> Bool {
        let isPicture = try ClipSource(input).isPicture
        let frames = try await analysedPicture()
        if check != nil, try mayBeOnSide(frames) {
            var job = job
            job.options.detection.findsTurned = true
            var again = try OverlaidFile(input, to: output, job, interruption)
            return try await again.drawPicture()
        }
        // The first frame has candidates that only the detector takes for faces. The last one has the expressions.
        let counted = isPicture ? frames.last : frames.first
        let chosen = job.drawing.hidesFaces ? frames.first : counted
        if let chosen { summary.showsPicture(with: counted?.faces ?? [], hiding: chosen.faces) }
        guard let warnings = try allowedWarnings(), let shown = chosen else { return false }
        try show(shown)
        try job.drawing.draw(picture, scene: scene, at: shown.mediaTime).write(to: output)
        Console.note("wrote \(output)")
        if isPicture, summary.isEmpty, !job.options.detection.findsTurned {
            Console.note("\(input): no face was found; if it lies on its side, add --turned")
        }
        if !isPicture {
            Console.note("\(input) has more pictures than this first one; for all name a clip with -o, as a.mp4")
        }
        return report(warnings)
    }

    /// Whether the picture may lie on its side: no upright face was confirmed, or a face lies on its side.
    private func mayBeOnSide(_ frames: [FaceUpdate]) throws -> Bool {
        guard let picture = frames.first?.frame, let faces = frames.last?.faces else { return false }
        if !faces.contains(where: { $0.faceID.rawValue > 0 && $0.hasMesh }) { return true }
        return try check?.hasTurnedFace(in: picture) ?? false
    }

    private mutating func analysedPicture() async throws -> [FaceUpdate] {
        var frames: [FaceUpdate] = []
        try await FaceSession.analyse(input, job.options, until: interruption) { update in
            frames += settled(by: update)
            return summary.frames < Self.analyses
        }
        return frames + ahead.finish()
    }

    /// Adds the update of a frame. Returns the updates of earlier frames that are now ready to be drawn.
    private mutating func settled(by update: FaceUpdate) -> [FaceUpdate] {
        summary.add(update)
        guard let size = update.frame?.size else { return [] }
        ahead.maximumFrames = Self.maximumBytes / max(1, size.width * size.height * 3 / 2)
        return ahead.add(update)
    }

    private mutating func draw(_ settled: FaceUpdate, _ recorder: inout OverlayRecorder) throws {
        summary.hide(settled.faces)
        if let check, let frame = settled.frame { try summary.check(frame, with: check) }
        try show(settled)
        try recorder.add(picture, scene: scene, mediaTime: settled.mediaTime)
    }

    private mutating func show(_ settled: FaceUpdate) throws {
        guard let time = settled.stamp?.mediaTime, let frame = settled.frame else { return }
        for message in messages.messages(of: settled) { scene.apply(message, at: time) }
        scene.advance(to: time)
        try picture.update(from: frame)
    }

    /// Returns the warnings to show; nil if Ctrl-C came before the first picture. Throws `CommandFailure` if the input
    /// has no picture, or if there are warnings and the job's `isStrict` forbids them.
    private func allowedWarnings() throws -> [String]? {
        guard summary.frames > 0 else {
            if interruption.isRaised { return nil }
            throw CommandFailure("there is no picture in \(input); \(output) was not written")
        }
        let warnings = summary.warnings
        guard job.isStrict, !warnings.isEmpty else { return warnings }
        let lines = warnings.map { "\(input): \($0)" }
        throw CommandFailure(lines: lines + ["\(output) was not written, because of --strict"])
    }

    private func report(_ warnings: [String]) -> Bool {
        for warning in warnings { Console.note("\(input): \(warning)") }
        Console.note(summary.sentence)
        return !warnings.isEmpty
    }
}
