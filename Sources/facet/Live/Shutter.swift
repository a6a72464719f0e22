import FaceMessages
import FaceMetadata
import OverlayRendering

/// Decides which preview picture is taken.
struct Shutter {
    /// A preview picture with the faces of its frame.
    struct Shot {
        var picture: PreviewPicture
        var scene: Scene
    }

    /// Seconds after the event in which a picture of it must come; then the newest one is taken.
    static let patience = 0.5

    /// Shots kept: the closed eyes of a blink lie before its event, by half a second at the most.
    private static let capacity = 32

    private let kind: Topic?
    private var shots: [Shot] = []
    private var awaited: (event: FaceEvent, seconds: Double)?

    /// Makes a shutter that waits for an event of a kind; without one it takes the next picture.
    init(event: Topic?) {
        kind = event
    }

    /// Takes a picture that can be drawn.
    mutating func add(_ shot: Shot) {
        if shots.count == Self.capacity { shots.removeFirst() }
        shots.append(shot)
    }

    /// Takes an event at a time in seconds; the first of the kind counts.
    mutating func take(_ event: FaceEvent, at seconds: Double) {
        if awaited == nil, Topic(event.kind) == kind { awaited = (event, seconds) }
    }

    /// The picture to take at a time in seconds; nil to wait on.
    ///
    /// The picture may come before or after the event that its frame settled, so the first one that shows that frame or
    /// a later one counts. A blink is settled by the first frame with open eyes: the picture nearest to the middle of the
    /// time before, in which they were closed, is the one of the blink.
    func released(at seconds: Double) -> Shot? {
        guard kind != nil else { return shots.last }
        guard let awaited, let newest = shots.last else { return nil }
        let isOver = seconds - awaited.seconds > Self.patience
        if case .blink(_, let duration) = awaited.event.kind {
            let middle = awaited.event.stamp.mediaTime - duration / 2
            let timed = shots.compactMap { shot in shot.picture.mediaTime.map { (shot, abs($0 - middle)) } }
            if let nearest = timed.min(by: { $0.1 < $1.1 })?.0 { return nearest }
        }
        let frame = awaited.event.stamp.frame
        if let shot = shots.first(where: { ($0.picture.frame ?? -1) >= frame }) { return shot }
        // A preview that does not say which frame it shows: the first one that came after the event.
        if newest.picture.frame == nil, newest.picture.arrival >= awaited.seconds { return newest }
        return isOver ? newest : nil
    }
}
