import Companion
import FaceMetadata
import Frames

/// A camera's pictures under an overlay that hides faces: each was searched for faces, and is held back for a moment.
///
/// Metadata names a face a tenth of a second after it was first seen, and may be lost on the way; and a detector misses a face
/// now and again, so that what was found shortly before or after is covered too.
struct CheckedPictures {
    /// Seconds for which a picture is held back, and in which faces before and after it count.
    static let delay = 0.3
    /// Pictures held back at the same time; more come only from a preview with more than 50 a second.
    private static let capacity = 16

    private var waiting: [CheckedPicture] = []
    /// What was found in the pictures that waited, and those before, the oldest first.
    private var found: [(arrival: Double, faces: [NormalizedRect])] = []

    mutating func add(_ picture: CheckedPicture) {
        if waiting.count == Self.capacity { waiting.removeFirst() }
        waiting.append(picture)
        found.removeAll { picture.arrival - $0.arrival > 3 * Self.delay }
        found.append((picture.arrival, picture.faces))
    }

    /// Forgets the pictures: they must not be shown any more.
    mutating func removeAll() { self = CheckedPictures() }

    /// The newest picture that was held back long enough, with all that is to be covered in it; once each.
    mutating func nextDue(at seconds: Double) -> CheckedPicture? {
        guard let index = waiting.lastIndex(where: { seconds - $0.arrival >= Self.delay }) else { return nil }
        var due = waiting[index]
        waiting.removeFirst(index + 1)
        let own = due.faces
        for near in found where abs(near.arrival - due.arrival) <= Self.delay {
            due.faces += near.faces.filter { face in !own.contains { $0.intersectionOverUnion(face) > 0.1 } }
        }
        return due
    }
}

/// A picture that may be shown, and what is to be covered in it.
struct CheckedPicture {
    var picture: PreviewPicture
    /// As its header states.
    var size: FrameSize
    /// The places of faces, in shares of the picture; none where pictures are not searched.
    var faces: [NormalizedRect] = []
    var arrival: Double { picture.arrival }
}
