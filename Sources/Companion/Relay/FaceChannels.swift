import FaceMessages

/// Which number each face has among the channels: the lowest that was free when it came, until it leaves.
struct FaceChannels {
    private var owners: [FaceID?] = []

    /// Takes the faces that are there now.
    ///
    /// - Returns: each with its number, and first the numbers whose face has left, which nobody else gets before the next time.
    mutating func take(_ faces: [FaceObject]) -> [(number: Int, face: FaceObject?)] {
        let left = owners.indices.filter { index in
            owners[index].map { owner in !faces.contains { $0.faceID == owner } } ?? false
        }
        for face in faces where !owners.contains(face.faceID) {
            let free = owners.firstIndex(of: nil) ?? owners.endIndex
            if free == owners.endIndex { owners.append(nil) }
            owners[free] = face.faceID
        }
        for index in left { owners[index] = nil }
        let present = faces.compactMap { face in owners.firstIndex(of: face.faceID).map { ($0 + 1, face) } }
        return left.map { ($0 + 1, nil) } + present
    }
}
