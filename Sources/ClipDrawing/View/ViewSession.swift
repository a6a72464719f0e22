/// A view of a camera or a clip in the terminal, as `facet view` shows it.
package struct ViewSession {
    package var controls: ViewControls
    private let overlays: Overlays
    private var status: StatusLine
    /// The playback of a recorded track over a clip; nil if the messages come from `subscriber`.
    private var playback: MessagePlayback?
    private let source: ViewPicture
    private let subscriber: Subscriber
    private let terminal: Terminal
    private let encoder: TerminalPicture
    private var live = LiveModel()
    private let start = ContinuousClock.now
    private var clock = ViewClock()
    private var frozenScene: Scene?
    private var pictureTaken = -Double.infinity
    private var canvas: Canvas?
    private var size: TerminalSize?
    private var showsObstacle = false
    private var isDirty = true
    private var lastDraw = -1.0
    private var noticeEnd = 0.0

    /// Takes over the terminal. `subscriber` provides the pictures unless a clip is given, and the messages unless the
    /// clip has recorded ones. Throws if the overlay's file, the clip or the terminal cannot be used.
    package init(
        _ subscriber: Subscriber,
        over recorded: (clip: String, track: MessageTrack?)?,
        _ style: DrawingStyle,
        format: TerminalFormat?
    ) throws {
        self.subscriber = subscriber
        overlays = try style.overlays()
        controls = ViewControls(style, overlays: overlays)
        source = try ViewPicture(clip: recorded?.clip)
        playback = recorded?.track.map(MessagePlayback.init)
        let broker = subscriber.isLocal ? nil : subscriber.address
        status = StatusLine(broker: broker, state: playback == nil ? CameraState() : nil)
        encoder = try TerminalPicture(format: format, environment: ProcessInfo.processInfo.environment)
        terminal = try Terminal(format: encoder.format)
    }

    /// Shows the view, with at most `rate` redraws a second, until the user or the source ends it.
    package mutating func run(rate: Int) async throws {
        // Ticks come more often than redraws, so that input right after a redraw is drawn when the next one is due.
        let interval = 1 / Double(rate)
        var nextDraw = 0.0
        var drawn = 0.0
        try await subscriber.follow(terminal, every: .seconds(interval / 4), interruptible: false) { input in
            if case .occurrence(let occurrence) = input.content { apply(occurrence) }
            if case .key(let key) = input.content { press(key) }
            // All input that came during a slow redraw is taken before the next redraw, or each message would cost a
            // redraw and keys would wait for all of them. Endless messages delay a redraw by at most a second.
            let begin = seconds
            guard begin >= nextDraw, input.isLast || begin >= drawn + 1 else { return true }
            if try drawIfNeeded() {
                nextDraw = begin + interval * 0.9
                drawn = seconds
            }
            return true
        }
    }

    private var seconds: Double { start.duration(to: .now) / .seconds(1) }

    private mutating func apply(_ occurrence: Subscriber.Occurrence) {
        let change = live.take(occurrence, at: seconds).subtracting(.picture)
        guard !change.isEmpty else { return }
        if change.contains(.event), let event = live.state.lastEvent { status.remember(event, at: seconds) }
        status.connection = live.connection
        status.state = live.state
        status.hint = live.state.betterOrientation.map { "set camera.orientation: \($0.rawValue)" }
        if !live.state.mayShowFaces, !controls.isPaused { source.forget() }
        // Over a preview, new faces are drawn only together with the next picture.
        guard !controls.isPaused, source.newest == nil else { return }
        isDirty = true
    }

    /// Switches to the newest preview picture that no longer waits for its frame's face metadata.
    private mutating func adoptPreviewPicture() {
        live.hidesFaces = overlays[controls.overlay].hidesFaces
        if live.hidesFaces, let shown = source.newest, !live.knowsFaces(of: shown) { source.forget() }
        guard !controls.isPaused, !source.isClip, let picture = live.nextPicture(at: seconds) else { return }
        source.offer(picture)
        isDirty = true
    }

    private var assumedPicture: FrameSize { live.pictureSize ?? .usual }
    /// The faces to draw. They belong to the picture that is shown and do not change during a pause.
    private var scene: Scene { frozenScene ?? playback?.scene ?? source.newest.map(live.scene(of:)) ?? live.scene }

    private mutating func press(_ key: UInt8) {
        let action = controls.press(key)
        isDirty = true
        if controls.isPaused != clock.isPaused {
            frozenScene = controls.isPaused ? scene : nil
            clock.togglePause(at: seconds)
        }
        switch action {
        case .snapshot: writeSnapshot()
        case .help:
            status.notice = ViewControls.help
            noticeEnd = seconds + 8
        case nil: break
        }
    }

    /// Applies recorded messages up to the clip's position. Restarts clip and messages when both have ended.
    private mutating func play() {
        guard let track = playback?.track, !controls.isPaused else { return }
        if source.isFinished, clock.clip(at: seconds) > track.end + 1 {
            clock.restartClip(at: seconds)
            playback = MessagePlayback(track)
        }
        let time = clock.clip(at: seconds)
        for event in playback?.advance(to: time) ?? [] { status.remember(event, at: seconds) }
        isDirty = true
    }

    private mutating func drawIfNeeded() throws -> Bool {
        play()
        adoptPreviewPicture()
        let now = seconds
        if terminal.wasResumed { size = nil }
        live.advance(to: now)
        if live.picture == nil, source.newest != nil, !controls.isPaused {
            isDirty = true
            source.forget()
        }
        let isFlashing = now - pictureTaken < Scene.snapshotFlashLifetime
        let isFading = isFlashing || (frozenScene == nil && scene.isFading)
        // Once a second in any case: the status line shows ages.
        guard isDirty || isFading || TerminalSize.current != size || now - lastDraw >= 1 else { return false }
        try draw(at: now)
        // One more redraw removes what has faded.
        isDirty = isFading
        lastDraw = now
        return true
    }

    private mutating func draw(at now: Double) throws {
        let size = TerminalSize.current
        var bytes: [UInt8] = []
        let area = size.withoutLastRow
        let obstacle = obstacle
        if size != self.size || (showsObstacle && obstacle == nil) {
            self.size = size
            let canvas = try Canvas(pixelSize: area.drawingSize(for: encoder.format))
            self.canvas = canvas
            // Text that is drawn with block characters could not be read.
            if encoder.format == .cells {
                canvas.textCell = canvas.size / [Double(area.columns), Double(area.rows)]
            }
            bytes += Array("\u{1B}[0m\u{1B}[2J".utf8)
        }
        guard let canvas else { return }
        // A clip shows the frame of the newest message, or the frame at the time that a recorded track has reached.
        let mediaTime = playback == nil ? scene.stamp?.mediaTime : clock.clip(at: now)
        // With a zoom, the whole picture is decoded at the size that all of it would have on the screen.
        let target = FrameSize(canvas.size * controls.zoom)
        if !controls.isPaused { try source.update(mediaTime: mediaTime, target: target) }
        showsObstacle = obstacle != nil
        if let obstacle {
            bytes += encoder.clearing + Self.centred(obstacle, in: area)
        } else {
            try paint(canvas, at: now)
            bytes += try canvas.withFrame { try encoder.sequences($0, size: area) }
            bytes += canvas.removeWords().flatMap(Self.sequences)
        }
        bytes += statusRow(of: size, at: now)
        terminal.show(bytes)
    }

    /// The reason why no picture can be shown, such as a lost connection; nil if one can.
    private var obstacle: String? {
        guard playback == nil, !source.isClip, !controls.isPaused else { return nil }
        if let trouble = live.connection.trouble { return "no connection: \(trouble)" }
        return live.state.mayShowFaces ? nil : "the camera \(live.state.name ?? "") is \(live.state.summary)"
    }

    private static func centred(_ text: String, in size: TerminalSize) -> [UInt8] {
        let lines = text.printable.wrapped(to: max(1, size.columns - 4)).prefix(size.rows)
        let rows = lines.enumerated().map { index, line in
            "\u{1B}[\((size.rows - lines.count) / 2 + 1 + index);\((size.columns - line.cells) / 2 + 1)H\(line)"
        }
        return Array(("\u{1B}[0m\u{1B}[2J" + rows.joined()).utf8)
    }

    /// The terminal's control sequences that write text over the picture: light on black, or on red for a warning.
    static func sequences(_ words: CellWords) -> [UInt8] {
        let ground = words.plate.red > 0.5 ? 41 : 40
        let rows = words.lines.enumerated().map { index, line in
            "\u{1B}[\(words.cell.y + 1 + index);\(words.cell.x + 1)H\u{1B}[0;1;97;\(ground)m \(line.printable.padding(to: words.width)) "
        }
        return Array((rows.joined() + "\u{1B}[0m").utf8)
    }

    private func paint(_ canvas: Canvas, at now: Double) throws {
        let seconds = playback == nil ? clock.shown(at: now) : clock.clip(at: now)
        var scene = scene
        scene.showsLevels = controls.showsLevels
        scene.snapshotTime = seconds - (now - pictureTaken)
        let pictureSize = source.picture.uprightSize
        guard let geometry = controls.geometry(of: pictureSize ?? assumedPicture, on: canvas.size) else { return }
        if pictureSize == nil {
            canvas.drawHeads(scene, geometry)
        } else {
            canvas.clear(.black)
            canvas.draw(source.picture, geometry, isSmooth: false)
        }
        canvas.draw(scene, geometry, overlay: overlays[controls.overlay], at: seconds)
        try canvas.check()
    }

    private mutating func statusRow(of size: TerminalSize, at now: Double) -> [UInt8] {
        if now > noticeEnd { status.notice = nil }
        let faces = playback != nil ? scene.faces.count : live.state.faceCount
        let row = status.text(columns: size.columns, faces: faces, rate: source.rate, controls: controls, at: now)
        return Array("\u{1B}[\(size.rows);1H\u{1B}[0;7m\(row)\u{1B}[0m".utf8)
    }

    /// Writes the view as a picture file, in the picture's own size. The status row shows the file's name or the error.
    private mutating func writeSnapshot() {
        let now = seconds
        noticeEnd = now + 4
        do {
            try source.refine()
            let canvas = try Canvas(pixelSize: source.picture.uprightSize ?? assumedPicture)
            pictureTaken = -.infinity
            try paint(canvas, at: now)
            let name = "facet-\(Int(Date().timeIntervalSince1970 * 1000)).png"
            try canvas.write(to: name)
            pictureTaken = seconds
            status.notice = "wrote \(name)"
        } catch {
            status.notice = "\(error)"
        }
    }
}
