package import Companion
import FaceMessages
import Frames
import MediaFiles
package import OverlayRendering

/// Draws the one picture that `facet snapshot` takes.
package struct SnapshotPicture {
    private var drawing: OverlayPicture
    private let event: EventName?

    /// Draws faces in a style, or not at all, once an event came if one is waited for.
    package init(_ style: DrawingStyle?, on event: EventName?) throws {
        drawing = try OverlayPicture(style)
        self.event = event
    }

    /// Draws over the frame of a clip at a time in seconds; without one at the event, else at the first face.
    package mutating func draw(_ clip: String, _ track: MessageTrack?, at time: Double?) throws -> Canvas {
        let moments = try time.map { [(time: $0, face: nil)] } ?? moments(in: track)
        let frames = moments.count > 1 ? try ClipFrames(clip) : nil
        let picture = Picture()
        let sharpest = try moments.sharpest { time, face in
            (frame: try frames?.frame(upTo: time) ?? StillPicture.load(clip, at: time), time: time, face: face)
        } by: { moment in
            try picture.update(from: moment.frame)
            return try moment.face.map { try picture.sharpness(of: $0.bounds) } ?? 0
        }
        guard let (frame, time, _) = sharpest else { throw CommandFailure("there is no picture in \(clip)") }
        try picture.update(from: frame)
        // A still picture is its own only frame, whatever the time of the messages about it.
        let reached = max(time, frame.stamp.mediaTime)
        var playback = track.map(MessagePlayback.init)
        playback?.advance(to: reached)
        return try drawing.draw(picture, scene: playback?.scene ?? Scene(), at: reached)
    }

    /// Draws over the preview picture of the event; without one over the next, or with `wantsFace` the first with a face.
    package mutating func draw(_ subscriber: Subscriber, wantsFace: Bool) async throws -> Canvas {
        let wantsFace = event == nil && wantsFace
        var choice = PictureChoice(event: wantsFace ? EventName(.enter) : event)
        var chosen: [PictureChoice.Candidate] = []
        var first: PictureChoice.Candidate?
        var seconds = 0.0
        if wantsFace { StandardOutput.note("looking for the first face in \(subscriber.address)") }
        try await LivePictures.follow(subscriber, hidesFaces: drawing.hidesFaces, interruptible: false) {
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
            return chosen.isEmpty
        }
        if chosen.isEmpty { chosen = choice.chosen(at: .infinity) }
        if chosen.isEmpty, wantsFace, let first {
            StandardOutput.note("there is no face in \(subscriber.address): this is its first picture")
            chosen = [first]
        }
        let decoder = try PreviewDecoder()
        let sharpest = try chosen.sharpest {
            $0
        } by: { candidate in
            try decoder.decode(candidate.picture)
            return try choice.face(in: candidate).map { try decoder.picture.sharpness(of: $0.bounds) } ?? 0
        }
        guard let sharpest else {
            let missing = event.map { "a picture of \($0.name)" } ?? "a picture"
            throw CommandFailure("\(subscriber.address) ended before there was \(missing)")
        }
        try decoder.decode(sharpest.picture)
        return try drawing.draw(decoder.picture, scene: sharpest.scene, at: seconds)
    }

    /// The times of the pictures of the event, in order, of which the sharpest is to be taken, with what is known of its face.
    private func moments(in track: MessageTrack?) throws -> [(time: Double, face: FaceObject?)] {
        guard let track else { return [(0, nil)] }
        guard let event else { return [(track.firstFace ?? 0, nil)] }
        let report = FaceReport(of: track)
        guard let happening = report.happenings.first(where: { event.fits($0.message.event.kind) }) else {
            throw CommandFailure(
                "there is no \(event.name) in the metadata; choose another event, or a time with --at SECONDS"
            )
        }
        let samples = report.presence(of: happening)?.samples(showing: happening) ?? []
        return samples.isEmpty ? [(happening.time, nil)] : samples.map { ($0.time, $0.face) }.sorted { $0.0 < $1.0 }
    }
}

extension Array {
    /// What is loaded for the element with the highest sharpness, the first of several; an only one is not measured. No more than
    /// two are in memory at a time.
    fileprivate func sharpest<Loaded>(
        _ load: (Element) throws -> Loaded,
        by sharpness: (Loaded) throws -> Int
    ) rethrows -> Loaded? {
        var best: (loaded: Loaded, sharpness: Int)?
        for element in self {
            let loaded = try load(element)
            let measured = count > 1 ? try sharpness(loaded) : 0
            if best.map({ measured > $0.sharpness }) ?? true { best = (loaded, measured) }
        }
        return best?.loaded
    }
}
