import FaceMetadata

/// The faces of the frames that metadata described lately, so that a picture is drawn with the faces of its own frame.
///
/// Metadata comes when a value leaves its deadband, not with every frame. The faces of a frame between two messages lie
/// between theirs: as in the earlier one, and on the way to the later one during the last quarter of a second before it.
struct FaceHistory: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        var frame: Int
        /// Seconds from the source's first frame.
        var mediaTime: Double
        var faces: [FaceObject]
    }

    /// Entries kept: four seconds at the daemon's default of at most 15 messages a second.
    private static let capacity = 64

    /// A value that left its deadband did so by moving, at the longest for this many seconds: before, it was at rest.
    private static let longestMove = 0.25

    private var entries: [Entry] = []

    /// Takes a frame that is later than those before.
    mutating func add(_ entry: Entry) {
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append(entry)
    }

    /// Whether the faces of a frame are settled: a message described it or a later one.
    func reaches(_ frame: Int) -> Bool { entries.last.map { $0.frame >= frame } ?? false }

    func faces(in frame: Int) -> [FaceObject]? {
        guard let index = entries.lastIndex(where: { $0.frame <= frame }) else { return nil }
        let before = entries[index]
        guard before.frame < frame, index + 1 < entries.count else { return before.faces }
        let after = entries[index + 1]
        let share = Double(frame - before.frame) / Double(after.frame - before.frame)
        let mediaTime = before.mediaTime + share * (after.mediaTime - before.mediaTime)
        return Self.faces(at: mediaTime, between: before, and: after)
    }

    /// The faces of a frame, and where those were first that came after it: a face was seen before its enter.
    func facesSoFar(from frame: Int) -> [FaceObject] {
        var faces = faces(in: frame) ?? []
        for entry in entries where entry.frame > frame {
            faces += entry.faces.filter { later in !faces.contains { $0.faceID == later.faceID } }
        }
        return faces
    }

    static func faces(at mediaTime: Double, between before: Entry, and after: Entry) -> [FaceObject] {
        let start = max(before.mediaTime, after.mediaTime - longestMove)
        let length = after.mediaTime - start
        guard length > 0, mediaTime > start else { return before.faces }
        let share = min(1, (mediaTime - start) / length)
        var targets: [FaceID: FaceObject] = [:]
        for face in after.faces { targets[face.faceID] = face }
        return before.faces.map { face in targets[face.faceID].map { face.moved(to: $0, by: share) } ?? face }
    }
}

extension FaceObject {
    /// The face on its way to where it is later: place and angles by a share of the way, everything else as it is.
    fileprivate func moved(to later: FaceObject, by share: Double) -> FaceObject {
        func between(_ one: Double, _ other: Double) -> Double { one + (other - one) * share }
        func between(_ one: NormalizedPoint?, _ other: NormalizedPoint?) -> NormalizedPoint? {
            guard let one, let other else { return one }
            return NormalizedPoint(x: between(one.x, other.x), y: between(one.y, other.y))
        }
        // The shorter way round: from 179° to −179° are 2°.
        func turned(_ one: Double, _ other: Double) -> Double {
            (one + (other - one).normalizedDegrees * share).normalizedDegrees
        }
        var face = self
        face.bounds = NormalizedRect(
            x: between(bounds.x, later.bounds.x),
            y: between(bounds.y, later.bounds.y),
            width: between(bounds.width, later.bounds.width),
            height: between(bounds.height, later.bounds.height)
        )
        if let pose, let target = later.pose {
            face.pose = HeadPose(
                roll: turned(pose.roll, target.roll),
                yaw: turned(pose.yaw, target.yaw),
                pitch: turned(pose.pitch, target.pitch)
            )
        }
        face.leftEye = between(leftEye, later.leftEye)
        face.rightEye = between(rightEye, later.rightEye)
        face.mouth = between(mouth, later.mouth)
        if let smile, let target = later.smile { face.smile = between(smile, target) }
        return face
    }
}
