extension MessageTrack {
    /// Reads a file of messages, `-` for standard input. Tells the user if the messages seem not to be about `clip`.
    package init(file metadata: String, over clip: String?, _ take: Take = { $0.append($1) }) throws {
        func unreadable() -> CommandFailure {
            CommandFailure("cannot read the metadata file \(metadata): \(String(cString: strerror(errno)))")
        }
        let opened = metadata == "-" ? fdopen(dup(STDIN_FILENO), "r") : fopen(metadata, "r")
        guard let file = opened else { throw unreadable() }
        var line: UnsafeMutablePointer<CChar>? = nil
        var room: Int = 0
        defer {
            free(line)
            fclose(file)
        }
        let rows = AnyIterator { () -> String? in
            let count = getline(&line, &room, file)
            return count < 0 ? nil : String(decoding: UnsafeRawBufferPointer(start: line, count: count), as: UTF8.self)
        }
        do throws(MessageTrackError) {
            try self.init(rows: rows, take)
        } catch {
            guard ferror(file) == 0 else { throw unreadable() }
            throw CommandFailure("cannot use the metadata in \(metadata): \(error)")
        }
        guard ferror(file) == 0 else { throw unreadable() }
        if firstFace == nil { Console.note("there is no face in the metadata in \(metadata)") }
        if let clip, let note = mismatch(with: clip) { Console.note(note) }
    }

    /// The note to the user that the messages seem not to be about `clip`; nil if they fit it.
    func mismatch(with clip: String) -> String? {
        // If the clip cannot be opened, the command that opens it next says so.
        guard let status = streamStatus, let size = status.picture.map(FrameSize.init),
            let clipSize = try? ClipSource(clip).description?.uprightSize
        else { return nil }
        if size != clipSize {
            return "the metadata is about pictures of \(size), and \(clip) is \(clipSize): it is another clip's"
        }
        let detail = status.detail ?? ""
        let name = URL(filePath: clip).lastPathComponent
        guard !detail.contains(name) else { return nil }
        return "the metadata is about another clip or another name of it: \(detail)"
    }
}
