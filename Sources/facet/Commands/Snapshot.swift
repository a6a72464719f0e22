import ArgumentParser
import FaceMessages
import Frames
import MediaFiles
import OverlayRendering

struct Snapshot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Takes a picture with the overlay, or without.",
        discussion: """
            From the live preview, at once or at the next event; from a clip in --source, the first picture in which a face \
            has entered; or, with --over and --metadata, from a clip and what `facetd --print` wrote about it.

            Examples:
              facet snapshot -o now.png
              facet snapshot -o smile.jpg --on smile --plain    the smile shutter
              facet snapshot -o porch.png --camera porch        where there are several
              facet snapshot -o face.png --source clip.mp4
              facet snapshot -o a.png --over clip.mp4 --metadata clip.jsonl --on smile
            """
    )

    @Option(name: .shortAndLong, help: "The picture to write: .png, .jpg or .jpeg.", completion: .file())
    var output: String

    @Flag(help: "Only the picture, no overlay.")
    var plain = false

    @Option(
        help: "Wait for the next event or sign of this name; with --over, go to the first: enter, smile, blink, nod, …"
    )
    var on: EventName?

    @Option(help: .init("With --over: the time in the clip, in seconds.", valueName: "seconds"))
    var at: Double?

    @OptionGroup var clip: ClipOptions
    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var live: SourceOptions

    func validate() throws {
        guard at == nil || on == nil else { throw ValidationError("--at and --on exclude each other") }
        guard at == nil || clip.over != nil else { throw ValidationError("--at is a time in a clip: add --over CLIP") }
        if let at, !(at >= 0 && at.isFinite) { throw ValidationError("--at must be 0 or more seconds, not \(at)") }
    }

    func run() async throws {
        try OutputPath.checkPicture(output)
        var overlaid = try OverlayPicture(drawing, isPlain: plain)
        guard let (clip, track) = try clip.load(needsMetadata: !plain || on != nil) else {
            try await livePicture(&overlaid).write(to: output)
            return StandardOutput.note("wrote \(output)")
        }
        try OutputPath.checkIsNot(output, clip)
        try picture(of: clip, track, &overlaid).write(to: output)
        StandardOutput.note("wrote \(output)")
    }

    /// Draws over the frame of the clip at the chosen time.
    private func picture(of clip: String, _ track: MessageTrack?, _ overlaid: inout OverlayPicture) throws -> Canvas {
        let time = try time(in: track)
        let frame = try StillPicture.load(clip, at: time)
        let picture = Picture()
        try picture.update(from: frame)
        // A still picture is its own only frame, whatever the time of the messages about it.
        let reached = max(time, frame.stamp.mediaTime)
        var playback = track.map(MessagePlayback.init)
        playback?.advance(to: reached)
        return try overlaid.draw(picture, scene: playback?.scene ?? Scene(), at: reached)
    }

    /// Draws over a preview picture: the next one, or the one that shows the event waited for, which in a clip is a face's
    /// coming if no other is named.
    private func livePicture(_ overlaid: inout OverlayPicture) async throws -> Canvas {
        let subscriber = try await live.subscriber(command: "snapshot")
        let wantsFace = on == nil && live.isFile
        var choice = PictureChoice(event: wantsFace ? EventName(.enter) : on)
        var (chosen, first) = (PictureChoice.Candidate?.none, PictureChoice.Candidate?.none)
        var seconds = 0.0
        if wantsFace { StandardOutput.note("looking for the first face in \(subscriber.address)") }
        try await LivePictures.follow(subscriber, hidesFaces: overlaid.hidesFaces, interruptible: false) {
            live,
            change in
            seconds = live.seconds
            if change.contains(.event), let message = live.model.state.lastEvent {
                choice.take(message.event, at: seconds)
            }
            if let next = live.next() {
                choice.add(next)
                first = first ?? next
            }
            chosen = choice.chosen(at: seconds)
            return chosen == nil
        }
        chosen = chosen ?? choice.chosen(at: .infinity)
        if chosen == nil, wantsFace, first != nil {
            StandardOutput.note("there is no face in \(subscriber.address): this is its first picture")
            chosen = first
        }
        guard let chosen else {
            let missing = on.map { "a picture of \($0.name)" } ?? "a picture"
            throw CommandFailure("\(subscriber.address) ended before there was \(missing)")
        }
        let decoder = try PreviewDecoder()
        try decoder.decode(chosen.picture)
        return try overlaid.draw(decoder.picture, scene: chosen.scene, at: seconds)
    }

    /// The chosen time; without a choice that of the first face.
    private func time(in track: MessageTrack?) throws -> Double {
        if let at { return at }
        guard let track else { return 0 }
        guard let on else { return track.firstFace ?? 0 }
        guard let event = track.firstEvent(where: on.fits) else {
            throw CommandFailure(
                "there is no \(on.name) in the metadata; choose another event, or a time with --at SECONDS"
            )
        }
        return event.event.closedEyes ?? event.event.stamp.mediaTime
    }
}

/// Decides which picture `facet snapshot` takes.
struct PictureChoice {
    typealias Candidate = (picture: PreviewPicture, scene: Scene)

    /// Seconds after the event in which a picture of it must come; then the newest one is taken.
    static let patience = 0.5

    /// Pictures kept: the closed eyes of a blink lie before its event, by half a second at the most.
    private static let capacity = 32

    private let kind: EventName?
    private var candidates: [Candidate] = []
    private var awaited: (event: FaceEvent, seconds: Double)?

    init(event: EventName?) {
        kind = event
    }

    mutating func add(_ candidate: Candidate) {
        if candidates.count == Self.capacity { candidates.removeFirst() }
        candidates.append(candidate)
    }

    /// Takes an event at a time in seconds; the first of the kind counts.
    mutating func take(_ event: FaceEvent, at seconds: Double) {
        if awaited == nil, kind?.fits(event.kind) == true { awaited = (event, seconds) }
    }

    /// The picture to take at a time in seconds; nil to wait on.
    ///
    /// The picture may come before or after the event that its frame settled, so the first one that shows that frame or
    /// a later one counts; of a blink the one nearest to the middle of the time in which the eyes were closed.
    func chosen(at seconds: Double) -> Candidate? {
        guard kind != nil else { return candidates.last }
        guard let awaited, let newest = candidates.last else { return nil }
        let isOver = seconds - awaited.seconds > Self.patience
        if let middle = awaited.event.closedEyes {
            let timed = candidates.compactMap { candidate in
                candidate.picture.mediaTime.map { (candidate, abs($0 - middle)) }
            }
            if let nearest = timed.min(by: { $0.1 < $1.1 })?.0 { return nearest }
        }
        let frame = awaited.event.stamp.frame
        if let first = candidates.first(where: { ($0.picture.frame ?? -1) >= frame }) { return first }
        // A preview that does not say which frame it shows: the first one that came after the event.
        if newest.picture.frame == nil, newest.picture.arrival >= awaited.seconds { return newest }
        return isOver ? newest : nil
    }
}

extension FaceEvent {
    /// The middle of the time in which the eyes were closed for a blink, which is reported by the first frame with open eyes, in
    /// seconds since the source's first frame; nil for another event.
    fileprivate var closedEyes: Double? {
        if case .blink(_, let duration) = kind { stamp.mediaTime - duration / 2 } else { nil }
    }
}
