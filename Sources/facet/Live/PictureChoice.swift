import FaceMessages
import FaceMetadata
import OverlayRendering

/// Decides which picture `facet snapshot` takes.
struct PictureChoice {
    typealias Candidate = (picture: PreviewPicture, scene: Scene)

    /// Seconds after the event in which a picture of it must come; then the newest one is taken.
    static let patience = 0.5

    /// Pictures kept: the closed eyes of a blink lie before its event, by half a second at the most.
    private static let capacity = 32

    private let kind: Topic?
    private var candidates: [Candidate] = []
    private var awaited: (event: FaceEvent, seconds: Double)?

    init(event: Topic?) {
        kind = event
    }

    mutating func add(_ candidate: Candidate) {
        if candidates.count == Self.capacity { candidates.removeFirst() }
        candidates.append(candidate)
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
    func chosen(at seconds: Double) -> Candidate? {
        guard kind != nil else { return candidates.last }
        guard let awaited, let newest = candidates.last else { return nil }
        let isOver = seconds - awaited.seconds > Self.patience
        if case .blink(_, let duration) = awaited.event.kind {
            let middle = awaited.event.stamp.mediaTime - duration / 2
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
