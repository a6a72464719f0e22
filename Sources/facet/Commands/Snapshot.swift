import ArgumentParser
import FaceMessages
import FaceMetadata
import Frames
import MediaFiles
import OverlayRendering

struct Snapshot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Takes a picture with the overlay, or without.",
        discussion: """
            From the live preview, at once or at the next event; or, with --over and --metadata, from a clip and what \
            `facetd --print` wrote about it.

            Examples:
              facet snapshot -o now.png
              facet snapshot -o smile.jpg --on smile --plain    the smile shutter
              facet snapshot -o porch.png --camera porch        where there are several
              facet snapshot -o a.png --over clip.mp4 --metadata clip.jsonl --on smile
            """
    )

    @Option(name: .shortAndLong, help: "The picture to write: .png, .jpg or .jpeg.", completion: .file())
    var output: String

    @Flag(help: "Only the picture, no overlay.")
    var plain = false

    @Option(help: "Wait for the next event of this kind; with --over, go to the first: enter, smile, blink, …")
    var on: Topic?

    @Option(help: ArgumentHelp("With --over: the time in the clip, in seconds.", valueName: "seconds"))
    var at: Double?

    @OptionGroup var clip: ClipOptions
    @OptionGroup var overlay: OverlayOptions
    @OptionGroup var live: SourceOptions

    func validate() throws {
        guard at == nil || on == nil else { throw ValidationError("--at and --on exclude each other") }
        guard at == nil || clip.over != nil else { throw ValidationError("--at is a time in a clip: add --over CLIP") }
        if let at, !(at >= 0 && at.isFinite) { throw ValidationError("--at must be 0 or more seconds, not \(at)") }
    }

    func run() async throws {
        let file = try PictureFile(output)
        let drawing = try OverlayPicture(overlay, isPlain: plain)
        guard let (clip, track) = try clip.load(needsMetadata: !plain || on != nil) else {
            try file.write(try await livePicture(drawing))
            return StandardOutput.note("wrote \(output)")
        }
        try OutputPath.checkIsNot(output, clip)
        try file.write(try picture(of: clip, track, drawing))
        StandardOutput.note("wrote \(output)")
    }

    /// Draws over the frame of the clip at the chosen time.
    private func picture(of clip: String, _ track: MessageTrack?, _ drawing: OverlayPicture) throws -> Canvas {
        let time = try time(in: track)
        let frame = try StillPicture.load(clip, at: time)
        let picture = Picture()
        try picture.update(from: frame)
        // A still picture is its own only frame, whatever the time of the messages about it.
        let reached = max(time, frame.stamp.mediaTime)
        var scene = Scene()
        if let track {
            var playback = MessagePlayback(track)
            playback.advance(to: reached)
            scene = playback.scene
        }
        return try drawing.draw(picture, scene: scene, at: reached)
    }

    /// Draws over a preview picture: the next one, or the one that shows the event waited for.
    private func livePicture(_ drawing: OverlayPicture) async throws -> Canvas {
        let subscriber = try await live.subscriber(command: "snapshot")
        var (choice, chosen) = (PictureChoice(event: on), PictureChoice.Candidate?.none)
        var seconds = 0.0
        try await LivePictures.follow(subscriber, hidesFaces: drawing.hidesFaces, interruptible: false) {
            pictures,
            change in
            seconds = pictures.seconds
            if case .event(let message) = change { choice.take(message.event, at: seconds) }
            if let next = pictures.next() { choice.add(next) }
            chosen = choice.chosen(at: seconds)
            return chosen == nil
        }
        guard let chosen else {
            throw CommandFailure("the connection to \(subscriber.address) ended before there was a picture")
        }
        let decoder = try PreviewDecoder()
        try decoder.decode(chosen.picture)
        return try drawing.draw(decoder.picture, scene: chosen.scene, at: seconds)
    }

    /// The chosen time; without a choice that of the first face.
    private func time(in track: MessageTrack?) throws -> Double {
        if let at { return at }
        guard let track else { return 0 }
        guard let on else { return track.firstFace ?? 0 }
        guard let event = track.firstEvent(on: on) else {
            throw CommandFailure(
                "there is no \(on.rawValue) in the metadata; choose another event, or a time with --at SECONDS"
            )
        }
        // A blink is reported by the first frame with open eyes; the picture of it is the one with closed eyes.
        if case .blink(_, let duration) = event.event.kind { return event.event.stamp.mediaTime - duration / 2 }
        return event.event.stamp.mediaTime
    }
}
