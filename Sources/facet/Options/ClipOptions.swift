import ArgumentParser
import ClipDrawing
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
        return (over, try MessageTrack(file: metadata, over: over))
    }
}
