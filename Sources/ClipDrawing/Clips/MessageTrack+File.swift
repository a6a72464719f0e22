extension MessageTrack {
    /// Reads a file of messages. Tells the user if the messages seem not to be about `clip`.
    package init(_ lines: MessageLines, over clip: String?, _ take: Take = { $0.append($1) }) throws {
        let result = Result { () throws(MessageTrackError) in try Self(rows: lines, take) }
        guard lines.failure == 0 else {
            let reason = String(cString: strerror(lines.failure))
            throw CommandFailure("cannot read the metadata file \(lines.path): \(reason)")
        }
        do throws(MessageTrackError) { self = try result.get() } catch {
            let failure = CommandFailure("cannot use the metadata in \(lines.path): \(error)")
            throw lines.cut.map { CommandFailure(lines: ["\($0)", "\(failure)"]) } ?? failure
        }
        if firstFace == nil { Console.note("there is no face in the metadata in \(lines.path)") }
        if let clip, let note = mismatch(with: clip) { Console.note(note) }
    }

    /// The note to the user that the messages seem not to be about `clip`; nil if they fit it.
    func mismatch(with clip: String) -> String? {
        // If the clip cannot be opened, the command that opens it next says so.
        guard let status = streamStatus, let size = status.picture.map(FrameSize.init),
            (try? ClipSource(clip))?.description != nil,
            // Only the decoded picture says how EXIF turns a photo.
            let clipSize = try? PictureFile.load(clip).uprightSize
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
