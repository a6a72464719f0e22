import Companion
import FaceMessages
import Foundation
import Frames
import MediaFiles
import OverlayRendering

extension MessageTrack {
    /// Reads the messages in a file, with a note if they do not seem to be about the clip.
    package init(file metadata: String, over clip: String?) throws {
        do {
            let isInput = metadata == "-"
            let file = try isInput ? FileHandle.standardInput : FileHandle(forReadingFrom: URL(filePath: metadata))
            let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            try self.init(lines: text.replacing("\r\n", with: "\n"))
        } catch let error as MessageTrackError {
            throw CommandFailure("cannot use the metadata in \(metadata): \(error)")
        } catch {
            throw CommandFailure("cannot read the metadata file \(metadata): \(systemReason(error))")
        }
        if firstFace == nil { StandardOutput.note("there is no face in the metadata in \(metadata)") }
        if let clip, let note = mismatch(with: clip) { StandardOutput.note(note) }
    }

    /// What to say if the metadata seems to be about another clip; nil if nothing speaks for that.
    func mismatch(with clip: String) -> String? {
        // A clip that cannot be opened is reported by what comes next.
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
