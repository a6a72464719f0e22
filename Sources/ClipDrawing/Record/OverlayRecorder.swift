/// Draws overlays on the faces in pictures and writes the pictures as a clip of the first picture's size.
package struct OverlayRecorder {
    private let output: String
    private var drawing: OverlayPicture
    /// The clip's frame rate, in frames a second, which must be set before the first picture is added.
    var rate = 15.0
    /// The clip whose sound is copied; nil for a clip without sound.
    var soundSource: String?
    /// The length of the input clip, in seconds; nil if it is unknown.
    var length: Double?
    private var writer: ClipWriter?
    private let start = ContinuousClock.now
    private var lastProgress = ContinuousClock.now
    /// The time of the newest picture in the clip, in seconds.
    private var end = 0.0

    package init(_ output: String, _ drawing: OverlayPicture) {
        self.output = output
        self.drawing = drawing
    }

    /// Records a clip, up to `seconds` or its end, with the faces of recorded messages, whose file is `metadata`.
    package mutating func record(_ clip: String, _ track: MessageTrack?, metadata: String?, seconds: Double?) throws {
        let frames = try ClipFrames(clip)
        let interruption = Interruption()
        defer { interruption.cancel() }
        rate = frames.description?.rate ?? 30
        soundSource = clip
        var playback = track.map(MessagePlayback.init)
        let picture = Picture()
        do {
            while !interruption.isRaised, let frame = try frames.next() {
                let time = frame.stamp.mediaTime
                if let seconds, time >= seconds { break }
                playback?.advance(to: time)
                try picture.update(from: frame)
                try add(picture, scene: playback?.scene ?? Scene(), mediaTime: time)
            }
        } catch  where writer?.isOpen == true {
            keep(isWhole: false)
            throw error
        }
        // Messages with times after the clip's end are about another clip.
        if let track, seconds == nil, frames.isFinished, track.end > end + 1 {
            let reason = "it reaches to \(Seconds.text(track.end)) but the clip ends at \(Seconds.text(end))"
            throw CommandFailure("cannot use the metadata in \(metadata ?? "-"): \(reason): it belongs to another clip")
        }
        try finish(isWhole: frames.isFinished)
    }

    /// Records live pictures for `seconds`, or until Ctrl-C if `seconds` is nil. If the source fails, the clip has the
    /// pictures before.
    package mutating func record(_ subscriber: Subscriber, seconds: Double?) async throws {
        if !subscriber.isLocal {
            Console.note("recording the daemon's preview: 5 pictures a second unless preview.rate there says otherwise")
        }
        let interruption = Interruption()
        defer { interruption.cancel() }
        var first: Double?
        do {
            try await LivePictures.show(subscriber, hidesFaces: drawing.hidesFaces, for: seconds, until: interruption) {
                first = first ?? $2
                try add($0, scene: $1, mediaTime: $2 - (first ?? $2), at: $2)
            }
        } catch  where writer?.isOpen == true {
            keep()
            throw error
        }
        try finish()
    }

    /// Adds a picture at `mediaTime` of the clip. `seconds` is the time for the overlay's animation, if it differs.
    mutating func add(_ picture: Picture, scene: Scene, mediaTime: Double, at seconds: Double? = nil) throws {
        let canvas = try drawing.draw(picture, scene: scene, at: seconds ?? mediaTime)
        let writer = try writer ?? begin(canvas)
        try canvas.withFrame(mediaTime: mediaTime) { try writer.append($0) }
        end = mediaTime
        guard Console.showsProgress, lastProgress.duration(to: .now) > .milliseconds(200) else { return }
        lastProgress = .now
        let elapsed = start.duration(to: .now) / .seconds(1)
        Console.progress(Self.progress(end, writer.frames, of: length, after: elapsed))
    }

    /// Ends the clip and gives the file its final name. Without `isWhole`, the sound ends with the last picture.
    func finish(isWhole: Bool = true) throws {
        if Console.showsProgress { Console.progress("") }
        guard let writer else { throw CommandFailure("there was no picture to record; \(output) was not written") }
        try writer.finish(isWhole: isWhole)
        Console.note("wrote \(output): \(Seconds.text(end)), \(writer.frames.counted("frame"))")
    }

    /// Calls `finish` after an error, which is the one to throw; the user is told of another one.
    private func keep(isWhole: Bool = true) { do { try finish(isWhole: isWhole) } catch { Console.note("\(error)") } }

    private mutating func begin(_ canvas: Canvas) throws -> ClipWriter {
        let size = canvas.pixelSize
        let begun = try ClipWriter(output, size: size, rate: rate, colors: canvas.colors, soundSource: soundSource)
        if !begun.omittedSound.isEmpty {
            let codecs = begun.omittedSound.joined(separator: ", ")
            Console.note("the sound (\(codecs)) is left out: \(output) cannot hold it; .mkv or .mp4 can")
        }
        writer = begun
        return begun
    }

    /// The progress, such as `12.5 s, 375 frames, 50%, 8 s left`; without the last two parts if the length is unknown.
    static func progress(_ end: Double, _ frames: Int, of length: Double?, after elapsed: Double) -> String {
        let done = "\(Seconds.text(end)), \(frames.counted("frame"))"
        guard let length, end > 0, length > 0 else { return done }
        let share = min(end / length, 1)
        return "\(done), \(Int(100 * share))%, \(Seconds.inOneUnit(elapsed * (1 - share) / share)) left"
    }
}
