extension FaceReport {
    /// Analyses a clip and gathers its faces into a report.
    package init(clip path: String) async throws {
        self.init()
        var updates = UpdateMessages()
        try await FaceSession.analyse(path) { update in
            for message in updates.messages(of: update) { apply(message, at: update.stamp?.mediaTime ?? 0) }
            return true
        }
        finish()
        title = Self.name(of: path)
    }

    /// Reads the output of `facetd --print`. `clip` is the clip that the messages are about, if there is one.
    package init(messages path: String, over clip: String?) throws {
        self.init()
        let track = try MessageTrack(file: path, over: clip) { apply($1.message, at: $1.mediaTime) }
        finish()
        title = Self.name(of: clip ?? file ?? track.camera)
    }

    init(of track: MessageTrack) {
        self.init()
        for entry in track.entries { apply(entry.message, at: entry.mediaTime) }
        finish()
    }

    /// Gathers a report from a daemon's messages for `seconds`, or until Ctrl-C.
    package init(following subscriber: Subscriber, for seconds: Double?) async throws {
        self.init()
        began = Date()
        let end = seconds.map { "for \(Seconds.clock($0)), or until Ctrl-C" } ?? "until Ctrl-C"
        Console.note("following \(subscriber.base) at \(subscriber.address) \(end)")
        var time = 0.0
        try await subscriber.follow(every: .milliseconds(200)) { input in
            time = min(input.seconds, seconds ?? .infinity)
            guard time == input.seconds else { return false }
            if case .occurrence(let occurrence) = input.content { apply(occurrence, at: time) }
            return true
        }
        finish(at: time)
        guard let camera else { throw subscriber.noCamera }
        title = Self.name(of: camera)
    }

    /// Writes the report as an HTML page, with pictures if a clip is given.
    package func write(to output: String, picturesOf clip: String?) throws {
        let pictures = try clip.map { try ReportPictures(of: self, from: $0) }
        try OutputPath.write(ReportPage(report: self, pictures: pictures).html, to: output)
        Console.note("wrote \(output): \(Seconds.clock(end)), \(figures.faces.counted("face"))")
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
