extension FaceReport {
    /// Analyses a clip and gathers its faces into a report. If a signal or a failure of the clip ends that early, the
    /// report holds what was found before.
    package init(clip path: String, until interruption: Interruption) async throws {
        self.init()
        var updates = UpdateMessages()
        do {
            isInterrupted = try await !FaceSession.analyse(path, until: interruption) { update in
                for message in updates.messages(of: update) { apply(message, at: update.stamp?.mediaTime ?? 0) }
                return true
            }
        } catch  where end > 0 {
            failure = error
        }
        signal = interruption.number
        finish()
        title = Self.name(of: path)
    }

    /// Reads the output of `facetd --print`. `clip` is the clip that the messages are about, if there is one. If the
    /// last line is cut off, the report has those before.
    package init(messages path: String, over clip: String?, until interruption: Interruption) throws {
        self.init()
        let lines = try MessageLines(path, until: interruption)
        let track = try MessageTrack(lines, over: clip) { apply($1.message, at: $1.mediaTime) }
        isInterrupted = lines.endsEarly
        failure = lines.cut
        signal = interruption.number
        finish()
        title = Self.name(of: clip ?? file ?? track.camera)
    }

    init(of track: MessageTrack) {
        self.init()
        for entry in track.entries { apply(entry.message, at: entry.mediaTime) }
        finish()
    }

    /// Gathers a report from a daemon's messages for `seconds`, or until a signal. If the source fails, the report has
    /// what came before.
    package init(following subscriber: Subscriber, for seconds: Double?, until interruption: Interruption) async throws
    {
        self.init()
        began = Date()
        let end = seconds.map { "for \(Seconds.clock($0)), or until Ctrl-C" } ?? "until Ctrl-C"
        Console.note("following \(subscriber.base) at \(subscriber.address) \(end)")
        var time = 0.0
        do {
            try await subscriber.follow(every: .milliseconds(200), until: interruption) { input in
                time = min(input.seconds, seconds ?? .infinity)
                guard time == input.seconds else { return false }
                if case .occurrence(let occurrence) = input.content { apply(occurrence, at: time) }
                return true
            }
        } catch  where source != nil {
            failure = error
        }
        finish(at: time)
        guard let camera else { throw subscriber.noCamera }
        title = Self.name(of: camera)
    }

    /// Writes the report as an HTML page, with pictures if a clip is given. Returns whether it has all pictures: a
    /// signal ends the search for them. If the clip fails, throws after the page is written with those before.
    package func write(to output: String, picturesOf clip: String?, until interruption: Interruption) throws -> Bool {
        let pictures = Result { try clip.map { try ReportPictures(of: self, from: $0, until: interruption) } }
        try OutputPath.write(ReportPage(report: self, pictures: try? pictures.get()).html, to: output)
        Console.note("wrote \(output): \(Seconds.clock(end)), \(figures.faces.counted("face"))")
        guard let pictures = try pictures.get() else { return true }
        if let failure = pictures.failure { throw failure }
        return !pictures.areMissing
    }

    /// Whether an input is a clip, not JSON messages, by its name or its first byte. A pipe counts as messages.
    package static func isClip(_ input: String) -> Bool {
        guard !OutputPath.isClip(input), !URL(filePath: input).pathExtension.hasPrefix("json"),
            let status = fileStatus(input), status.st_mode & S_IFMT == S_IFREG, let file = fopen(input, "r")
        else { return OutputPath.isClip(input) }
        defer { fclose(file) }
        let first = fgetc(file)
        return first >= 0 && !"{ \n\r\t".utf8.contains(UInt8(first))
    }
}
