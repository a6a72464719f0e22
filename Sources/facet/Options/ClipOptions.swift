import ArgumentParser
import FaceMessages
import Foundation
import Frames
import MediaFiles
import OverlayRendering

/// A clip and the messages about it, for drawing without a broker: the same input makes the same picture.
struct ClipOptions: ParsableArguments {
    @Option(help: .init("Draw over this clip or picture instead of the live preview.", valueName: "clip"))
    var over: String?

    @Option(
        help: .init(
            "What to draw: the lines that `facetd --print` wrote about the clip; - reads them from standard input.",
            valueName: "file.jsonl"
        ),
        completion: .file(extensions: ["jsonl"])
    )
    var metadata: String?

    @Sendable static func seconds(_ text: String) throws -> Double {
        guard let seconds = Double(text), seconds > 0, seconds.isFinite else {
            throw ValidationError("It must be a number of seconds that is more than 0")
        }
        return seconds
    }

    /// The clip and its messages; nil if the live preview is meant.
    func load(needsMetadata: Bool = true) throws -> (clip: String, track: MessageTrack?)? {
        guard let over else {
            guard metadata == nil else { throw ValidationError("--metadata belongs to a clip: add --over CLIP") }
            return nil
        }
        guard let metadata else {
            guard needsMetadata else { return (over, nil) }
            throw ValidationError(
                """
                --over needs --metadata FILE.jsonl with the messages about the clip; make them with
                  facetd --source \(over) --pace asap --no-mqtt --print --every-change > FILE.jsonl
                """
            )
        }
        return (over, try Self.track(metadata, over: over))
    }

    /// Reads the messages in a file, with a note if they do not seem to be about the clip.
    static func track(_ metadata: String, over clip: String?) throws -> MessageTrack {
        do {
            let track = try MessageTrack(lines: try text(of: metadata))
            if track.firstFace == nil { StandardOutput.note("there is no face in the metadata in \(metadata)") }
            if let clip, let note = mismatch(track, clip) { StandardOutput.note(note) }
            return track
        } catch let error as MessageTrackError {
            throw CommandFailure("cannot use the metadata in \(metadata): \(error)")
        }
    }

    /// What to say if the metadata seems to be about another clip; nil if nothing speaks for that.
    static func mismatch(_ track: MessageTrack, _ clip: String) -> String? {
        // A clip that cannot be opened is reported by what comes next.
        guard let status = track.streamStatus, let size = status.picture.map(FrameSize.init),
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

    private static func text(of path: String) throws -> String {
        do {
            let data =
                try (path == "-" ? FileHandle.standardInput : FileHandle(forReadingFrom: URL(filePath: path)))
                .readToEnd() ?? Data()
            return String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n")
        } catch {
            throw CommandFailure("cannot read the metadata file \(path): \(SystemReason(error))")
        }
    }
}
