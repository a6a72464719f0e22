import Companion
import FaceMetadata
import Frames
import OverlayRendering

/// Decides which pictures `facet snapshot` takes, of which the sharpest is written.
struct PictureChoice {
    typealias Candidate = (picture: PreviewPicture, scene: Scene)

    /// Seconds after the event in which a picture of it must come; then the newest one is taken, of a smile the best one.
    static let patience = 0.5
    /// Pictures kept: the closed eyes of a blink lie before its event, by half a second at the most.
    private static let capacity = 32

    private let kind: EventName?
    private var candidates: [Candidate] = []
    private var awaited: (event: FaceEvent, seconds: Double)?

    init(event: EventName?) { kind = event }

    mutating func add(_ candidate: Candidate) {
        if candidates.count == Self.capacity { candidates.removeFirst() }
        candidates.append(candidate)
    }

    /// Takes an event at a time in seconds; the first of the kind counts.
    mutating func take(_ event: FaceEvent, at seconds: Double) {
        if awaited == nil, kind?.fits(event.kind) == true { awaited = (event, seconds) }
    }

    /// The face that the event is about, in a picture.
    func face(in candidate: Candidate) -> FaceObject? {
        candidate.scene.faces.first { $0.faceID == awaited?.event.face.faceID }
    }

    /// The pictures to take at a time in seconds; none to wait on.
    ///
    /// They may come before or after their event: the first one that shows the event's frame or a later one counts, of a blink
    /// the one nearest to the middle of the closed eyes' time, of a smile the best ones.
    func chosen(at seconds: Double) -> [Candidate] {
        guard kind != nil else { return candidates.suffix(1) }
        guard let awaited, let newest = candidates.last else { return [] }
        let isOver = seconds - awaited.seconds > Self.patience
        if case .blink(_, let duration) = awaited.event.kind {
            // It is reported by the first frame with open eyes.
            let middle = awaited.event.stamp.mediaTime - duration / 2
            let timed = candidates.compactMap { candidate in
                candidate.picture.mediaTime.map { (candidate, abs($0 - middle)) }
            }
            if let nearest = timed.min(by: { $0.1 < $1.1 })?.0 { return [nearest] }
        }
        let frame = awaited.event.stamp.frame
        if awaited.event.kind == .smile, candidates.contains(where: { $0.picture.frame != nil }) {
            let best = candidates.filter { $0.picture.frame ?? -1 >= frame }.bestSmiles(face)
            return !isOver ? [] : best.isEmpty ? [newest] : best
        }
        if let first = candidates.first(where: { ($0.picture.frame ?? -1) >= frame }) { return [first] }
        // A preview that does not say which frame it shows: the first one that came after the event.
        if newest.picture.frame == nil, newest.picture.arrival >= awaited.seconds { return [newest] }
        return isOver ? [newest] : []
    }
}
