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
        let time = try time ?? self.time(in: track)
        let frame = try StillPicture.load(clip, at: time)
        let picture = Picture()
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
        var chosen: PictureChoice.Candidate?
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
            return chosen == nil
        }
        chosen = chosen ?? choice.chosen(at: .infinity)
        if chosen == nil, wantsFace, first != nil {
            StandardOutput.note("there is no face in \(subscriber.address): this is its first picture")
            chosen = first
        }
        guard let chosen else {
            let missing = event.map { "a picture of \($0.name)" } ?? "a picture"
            throw CommandFailure("\(subscriber.address) ended before there was \(missing)")
        }
        let decoder = try PreviewDecoder()
        try decoder.decode(chosen.picture)
        return try drawing.draw(decoder.picture, scene: chosen.scene, at: seconds)
    }

    private func time(in track: MessageTrack?) throws -> Double {
        guard let track else { return 0 }
        guard let event else { return track.firstFace ?? 0 }
        guard let message = track.firstEvent(where: event.fits) else {
            throw CommandFailure(
                "there is no \(event.name) in the metadata; choose another event, or a time with --at SECONDS"
            )
        }
        return message.event.closedEyes ?? message.event.stamp.mediaTime
    }
}
