/// The faces of recent metadata messages, so that a picture can be drawn with the faces of its own frame. Metadata is
/// published when a value leaves its deadband, not with every frame. Between two messages, a face stays as in the
/// earlier one until a quarter of a second before the later one, then moves to its place in the later one.
package struct FaceHistory: Hashable, Sendable {
    /// The maximum number of messages kept: four seconds at the daemon's default of at most 15 messages a second.
    private static let capacity = 64
    /// How long before a message's frame, in seconds, faces begin to move from the previous values to the message's.
    package static let longestMove = 0.25

    private var entries: [MetadataMessage] = []

    mutating func add(_ new: MetadataMessage) {
        // Each run, and each reopened source, counts frames anew.
        if let last = entries.last, last.origin.boot != new.origin.boot || new.stamp.frame < last.stamp.frame {
            entries = []
        }
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append(new)
    }

    /// Whether the metadata of a frame or of a later one has arrived, so that the frame's faces will not change.
    func reaches(_ frame: Int) -> Bool { entries.last.map { $0.stamp.frame >= frame } ?? false }

    func faces(in frame: Int) -> [FaceObject]? {
        guard let index = entries.lastIndex(where: { $0.stamp.frame <= frame }) else { return nil }
        let before = entries[index]
        guard before.stamp.frame < frame, index + 1 < entries.count else { return before.faces }
        let after = entries[index + 1]
        let share = Double(frame - before.stamp.frame) / Double(after.stamp.frame - before.stamp.frame)
        let mediaTime = before.stamp.mediaTime + share * (after.stamp.mediaTime - before.stamp.mediaTime)
        return Self.faces(at: mediaTime, between: before, and: after)
    }

    /// Returns a frame's faces, and those that first appear in later messages, at their first known place: a face is
    /// visible before its enter event.
    func facesSoFar(from frame: Int) -> [FaceObject] {
        var faces = faces(in: frame) ?? []
        for entry in entries where entry.stamp.frame > frame {
            faces += entry.faces.filter { later in !faces.contains { $0.faceID == later.faceID } }
        }
        return faces
    }

    static func faces(at time: Double, between before: MetadataMessage, and after: MetadataMessage) -> [FaceObject] {
        let start = max(before.stamp.mediaTime, after.stamp.mediaTime - longestMove)
        let length = after.stamp.mediaTime - start
        guard length > 0, time > start else { return before.faces }
        let share = min(1, (time - start) / length)
        let targets = Dictionary(after.faces.map { ($0.faceID, $0) }) { _, last in last }
        return before.faces.map { face in targets[face.faceID].map { face.moved(to: $0, by: share) } ?? face }
    }
}

extension FaceObject {
    /// Returns the face moved towards a later one: box, eyes, mouth, angles and smile go a fraction `share` of the way.
    fileprivate func moved(to later: FaceObject, by share: Double) -> FaceObject {
        let values = values()
        var face = with(values + (later.values(else: values).unwound(to: values) - values) * share)
        if let smile, let target = later.smile { face.smile = smile + (target - smile) * share }
        return face
    }
}
