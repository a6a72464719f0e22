/// Draws the one picture that `facet snapshot` takes.
package struct SnapshotPicture {
    private var drawing: OverlayPicture
    private let event: EventName?

    /// Prepares to draw faces in `style`, or none if nil. With `event`, the picture will be one that shows this event.
    package init(_ style: DrawingStyle?, on event: EventName?) throws {
        drawing = try OverlayPicture(style)
        self.event = event
    }

    /// Draws over one frame of a clip: at `time` in seconds if given, else at the event if any, else at the first face.
    package mutating func draw(_ clip: String, _ track: MessageTrack?, at time: Double?) throws -> Canvas {
        let moments = try time.map { [(time: $0, face: nil)] } ?? moments(in: track)
        let frames = moments.count > 1 ? try ClipFrames(clip) : nil
        let picture = Picture()
        let sharpest = try moments.sharpest { time, face in
            let frame = try frames?.frame(upTo: time + MessageTrack.rounding) ?? PictureFile.load(clip, at: time)
            try picture.update(from: frame)
            return ((frame: frame, time: time), try face.map { try picture.sharpness(of: $0.bounds) } ?? 0)
        }
        guard let (frame, time) = sharpest else { throw CommandFailure("there is no picture in \(clip)") }
        try picture.update(from: frame)
        // A picture file has only one frame, whatever the time of the messages about it.
        let reached = max(time, frame.stamp.mediaTime)
        var playback = track.map(MessagePlayback.init)
        playback?.advance(to: reached)
        return try drawing.draw(picture, scene: playback?.scene ?? Scene(), at: reached)
    }

    /// Draws over the event's preview picture. Without an event, takes the next one (with a face if `wantsFace`).
    package mutating func draw(_ subscriber: Subscriber, wantsFace: Bool) async throws -> Canvas {
        let wantsFace = event == nil && wantsFace
        var choice = PictureChoice(event: wantsFace ? EventName(.enter) : event)
        var chosen: [PictureChoice.Candidate] = []
        var first: PictureChoice.Candidate?
        var seconds = 0.0
        if let event { Console.note("waiting for \(event.name) at \(subscriber.address)") }
        if wantsFace { Console.note("looking for the first face in \(subscriber.address)") }
        try await LivePictures.follow(
            subscriber,
            hidesFaces: drawing.hidesFaces,
            interruptible: false,
            awaiting: event?.topic
        ) { live, change in
            seconds = live.seconds
            if change.contains(.event), let message = live.model.state.lastEvent {
                choice.note(message.event, at: seconds)
            }
            let next = live.next()
            if let next { choice.add(next) }
            // A short clip may end before a busy machine has settled a picture. Faces to be hidden must be settled.
            let newest = drawing.hidesFaces ? nil : live.model.picture
            first = first ?? next ?? newest.map { ($0, live.model.scene(of: $0)) }
            chosen = choice.chosen(at: seconds)
            return chosen.isEmpty
        }
        if chosen.isEmpty { chosen = choice.chosen(at: .infinity) }
        if chosen.isEmpty, wantsFace, let first {
            Console.note("there is no face in \(subscriber.address): this is its first picture")
            chosen = [first]
        }
        let decoder = try PreviewDecoder()
        let sharpest = try chosen.sharpest { candidate in
            try decoder.decode(candidate.picture)
            let face = choice.face(in: candidate)
            return (candidate, try face.map { try decoder.picture.sharpness(of: $0.bounds) } ?? 0)
        }
        guard let sharpest else {
            let missing = event.map { "a picture of \($0.name)" } ?? "a picture"
            throw CommandFailure("\(subscriber.address) ended before there was \(missing)")
        }
        try decoder.decode(sharpest.picture)
        return try drawing.draw(decoder.picture, scene: sharpest.scene, at: seconds)
    }

    /// The times of the pictures that may show the event best, in order, each with the event's face if that is known.
    private func moments(in track: MessageTrack?) throws -> [(time: Double, face: FaceObject?)] {
        guard let track else { return [(0, nil)] }
        guard let event else { return [(track.firstFace ?? 0, nil)] }
        let report = FaceReport(of: track)
        guard let happening = report.happenings.first(where: { event.fits($0.message.event.kind) }) else {
            let remedy = "choose another event, or a time with --at SECONDS"
            throw CommandFailure("there is no \(event.name) in the metadata", remedy: remedy)
        }
        let samples = report.presence(of: happening)?.samples(showing: happening) ?? []
        return samples.isEmpty ? [(happening.time, nil)] : samples.map { ($0.time, $0.face) }.sorted { $0.0 < $1.0 }
    }
}

extension Array {
    /// Loads each element's picture and returns the sharpest, the first of equals. At most two are in memory at a time.
    fileprivate func sharpest<Loaded>(_ load: (Element) throws -> (Loaded, sharpness: Int)) rethrows -> Loaded? {
        var best: (Loaded, sharpness: Int)?
        for element in self {
            let next = try load(element)
            if best.map({ next.sharpness > $0.sharpness }) ?? true { best = next }
        }
        return best?.0
    }
}

/// Chooses the live pictures that show the event best. `facet snapshot` then writes the sharpest of them.
struct PictureChoice {
    typealias Candidate = (picture: PreviewPicture, scene: Scene)

    /// How long, in seconds after an event, to gather pictures of a smile, or to wait for the picture of another event.
    static let patience = 0.5
    /// The number of recent pictures kept, since the closed eyes of a blink come up to half a second before its event.
    private static let capacity = 32

    private let kind: EventName?
    private var candidates: [Candidate] = []
    private var awaited: (event: FaceEvent, seconds: Double)?

    init(event: EventName?) { kind = event }

    mutating func add(_ candidate: Candidate) {
        if candidates.count == Self.capacity { candidates.removeFirst() }
        candidates.append(candidate)
    }

    /// Notes an event at a time in seconds. Only the first event of the wanted kind counts.
    mutating func note(_ event: FaceEvent, at seconds: Double) {
        if awaited == nil, kind?.fits(event.kind) == true { awaited = (event, seconds) }
    }

    func face(in candidate: Candidate) -> FaceObject? {
        candidate.scene.faces.first { $0.faceID == awaited?.event.face.faceID }
    }

    /// The pictures to choose from at a time in seconds; empty while it is better to wait.
    ///
    /// For a smile these are the best ones. For a blink it is the one nearest to the blink's middle, even if it came
    /// before the event. For any other event it is the first one that shows the event's frame or a later one.
    func chosen(at seconds: Double) -> [Candidate] {
        guard kind != nil else { return candidates.suffix(1) }
        guard let awaited, let newest = candidates.last else { return [] }
        let isOver = seconds - awaited.seconds > Self.patience
        if case .blink(_, let duration) = awaited.event.kind {
            // A blink is reported by the first frame with open eyes.
            let middle = awaited.event.stamp.mediaTime - duration / 2
            let timed = candidates.compactMap { candidate in
                candidate.picture.mediaTime.map { (candidate, abs($0 - middle)) }
            }
            let near = timed.filter { candidate, distance in
                let face = distance <= FaceEvent.longestBlink ? face(in: candidate) : nil
                return face?.leftEyeClosed == true || face?.rightEyeClosed == true
            }
            if let nearest = (near.isEmpty ? timed : near).min(by: { $0.1 < $1.1 })?.0 { return [nearest] }
        }
        let frame = awaited.event.stamp.frame
        if awaited.event.kind == .smile, candidates.contains(where: { $0.picture.frame != nil }) {
            let best = candidates.filter { $0.picture.frame ?? -1 >= frame }.bestSmiles(face)
            return !isOver ? [] : best.isEmpty ? [newest] : best
        }
        if let first = candidates.first(where: { ($0.picture.frame ?? -1) >= frame }) { return [first] }
        // If a preview does not say which frame it shows, the first picture that came after the event is taken.
        if newest.picture.frame == nil, newest.picture.arrival >= awaited.seconds { return [newest] }
        return isOver ? [newest] : []
    }
}
