import ArgumentParser
import FaceMessages
import Frames
import MediaFiles
import OverlayRendering

struct Record: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Records a clip with the overlay, or without.",
        discussion: """
            From the live preview until Ctrl-C or for --seconds; or, with --over and --metadata, from a clip and what \
            `facetd --print` wrote about it. The file appears when it is whole; Ctrl-C ends it with what there is.

            Examples:
              facet record -o party.mp4 --overlay santa --seconds 20
              facet record -o out.mp4 --over clip.mp4 --metadata clip.jsonl
            """
    )

    @Option(
        name: .shortAndLong,
        help: "The clip to write: \(OutputPath.names(ClipWriter.knownEndings)).",
        completion: .file()
    )
    var output: String

    @Option(help: "How long; without it until Ctrl-C, or to the end of the clip.", transform: ClipOptions.seconds)
    var seconds: Double?

    @Flag(help: "Only the picture, no overlay.")
    var plain = false

    @OptionGroup var clip: ClipOptions
    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var live: SourceOptions

    func run() async throws {
        try OutputPath.check(output, endings: ClipWriter.knownEndings, what: "a clip")
        let overlaid = try OverlayPicture(drawing, isPlain: plain)
        if let (clip, track) = try clip.load(needsMetadata: !plain) {
            try OutputPath.checkIsNot(output, clip)
            try record(clip, track, overlaid)
        } else {
            try await recordLive(overlaid)
        }
    }

    // MARK: - From a clip

    private func record(_ path: String, _ track: MessageTrack?, _ overlaid: OverlayPicture) throws {
        let frames = try ClipFrames(path)
        let interruption = Interruption()
        defer { interruption.cancel() }
        var recorder = OverlayRecorder(
            output: output,
            drawing: overlaid,
            rate: frames.description?.rate ?? 30,
            soundSource: path
        )
        var playback = track.map(MessagePlayback.init)
        let picture = Picture()
        while !interruption.isRaised, let frame = try frames.next() {
            let time = frame.stamp.mediaTime
            if let seconds, time >= seconds { break }
            playback?.advance(to: time)
            try picture.update(from: frame)
            try recorder.add(picture, scene: playback?.scene ?? Scene(), mediaTime: time)
        }
        // Messages about later times than the clip has are about another one.
        if let track, seconds == nil, frames.isFinished, track.end > recorder.end + 1 {
            let error = MessageTrackError.longerThanClip(metadataEnd: track.end, clipEnd: recorder.end)
            throw CommandFailure("cannot use the metadata in \(clip.metadata ?? "-"): \(error)")
        }
        try recorder.finish(isWhole: frames.isFinished)
    }

    // MARK: - From the preview

    private func recordLive(_ overlaid: OverlayPicture) async throws {
        let subscriber = try await live.subscriber(command: "record")
        var recorder = OverlayRecorder(output: output, drawing: overlaid, rate: 15)
        var start: Double?
        try await LivePictures.show(subscriber, hidesFaces: overlaid.hidesFaces, for: seconds ?? .infinity) {
            start = start ?? $2
            try recorder.add($0, scene: $1, mediaTime: $2 - (start ?? $2), at: $2)
        }
        try recorder.finish()
    }
}
