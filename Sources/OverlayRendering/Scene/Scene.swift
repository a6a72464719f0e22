/// The faces and zones to draw, kept up to date from a camera's messages.
///
/// The faces are exactly those of the camera's state, so that none stays that is gone, even if messages were lost.
/// Times are seconds of a clock that the caller chooses: the wall's for a live view, the clip's for a clip.
package struct Scene: Hashable, Sendable {
    /// The seconds for which the white flash of a taken picture stays.
    package static let snapshotFlashLifetime = 0.3
    /// The seconds for which a face that is no longer seen is drawn, fainter and fainter: a hand may be in front of it.
    private static let fading = 0.15
    package private(set) var state = CameraState()
    /// The faces, ordered by faceID.
    package private(set) var faces: [FaceObject] = []
    private var history = FaceHistory()
    private var flashes: [FaceID: [Flash]] = [:]
    /// The times since which faces are not seen; −∞ once they have faded.
    private var hiddenSince: [FaceID: Double] = [:]
    /// The times since which an eye of a face has been closed.
    private(set) var closedSince: [FaceID: Double] = [:]
    /// The time at which a picture was taken; −∞ if none was.
    package var snapshotTime = -Double.infinity
    /// Whether each smile level is drawn beside the face, with the level at which a smile begins.
    package var showsLevels = false

    package init() {}
    package var stamp: FrameStamp? { state.stamp }

    /// Takes a message and returns what has changed. The mark of an event waits for the metadata of its face.
    @discardableResult
    package mutating func apply(_ message: DaemonMessage, at seconds: Double) -> CameraState.Change {
        let change = state.take(message)
        if change.contains(.faces) { updateFaces(at: seconds) }
        if case .event(let message) = message {
            let flash = Flash(kind: Topic(message.event.kind), start: seconds)
            if flash.lifetime > 0 { flashes[message.event.face.faceID, default: []].append(flash) }
        }
        return change
    }

    /// Removes all faces, because nothing is known of them any more, as without a broker.
    package mutating func forget() {
        _ = state.forget()
        updateFaces(at: 0)
    }

    private mutating func updateFaces(at seconds: Double) {
        if let metadata = state.shown {
            history.add(metadata)
        } else {
            history = FaceHistory()
            flashes = [:]
        }
        closedSince = state.faces.reduce(into: [:]) { since, face in
            guard face.leftEyeClosed == true || face.rightEyeClosed == true else { return }
            since[face.faceID] = closedSince[face.faceID] ?? seconds
        }
        let known = Set(faces.map(\.faceID))
        for gone in known.subtracting(state.faces.map(\.faceID)) { flashes[gone] = nil }
        show(state.faces) { known.contains($0) ? seconds : -.infinity }
    }

    /// Whether a frame's faces are settled. Without any faces they are, as a face is reported before its first picture.
    package func isSettled(in frame: Int) -> Bool { faces.isEmpty || history.reaches(frame) }

    /// The scene with the faces where they were in a frame; the scene itself if that frame is not known any more.
    package func showing(frame: Int) -> Scene { history.faces(in: frame).map(placing) ?? self }

    /// Scene with everything to hide in a frame that was held back: its faces, and the first positions of later ones.
    package func covering(from frame: Int) -> Scene { placing(history.facesSoFar(from: frame)) }

    private func placing(_ faces: [FaceObject]) -> Scene {
        var result = self
        result.show(faces)
        return result
    }

    /// Sets the faces for drawing, without a change of the camera's state; `hiding` is since when one is unseen.
    mutating func show(_ faces: [FaceObject], hiding: (FaceID) -> Double = { _ in -.infinity }) {
        self.faces = faces.sorted { $0.faceID < $1.faceID }
        let hidden = self.faces.filter { !$0.isSeen }.map { ($0.faceID, hiddenSince[$0.faceID] ?? hiding($0.faceID)) }
        hiddenSince = Dictionary(hidden) { first, _ in first }
    }

    func strength(of face: FaceObject, at seconds: Double) -> Double {
        // After a cut nothing is known about the face's place.
        guard face.isSeen || face.confidence > 0 else { return 0 }
        return hiddenSince[face.faceID].map { min(1, max(0, 1 - (seconds - $0) / Self.fading)) } ?? 1
    }

    package mutating func advance(to seconds: Double) {
        for (face, since) in hiddenSince where seconds >= since + Self.fading { hiddenSince[face] = -.infinity }
        guard !flashes.isEmpty else { return }
        flashes = flashes.mapValues { $0.filter { seconds < $0.start + $0.lifetime } }.filter { !$0.value.isEmpty }
    }

    func flashes(of face: FaceID) -> [Flash] { flashes[face] ?? [] }

    /// Whether something still fades, so that the next picture differs even without a new message.
    package var isFading: Bool {
        hiddenSince.values.contains { $0 > -.infinity } || faces.contains { flashes[$0.faceID] != nil }
    }

    /// The brightness of the white of a taken picture, 0…1.
    func snapshotFlashStrength(at seconds: Double) -> Double {
        fadingStrength(since: snapshotTime, for: Self.snapshotFlashLifetime, at: seconds)
    }
}

/// The short mark of an event on its face.
struct Flash: Hashable, Sendable {
    var kind: Topic
    /// The time at which it was received, in the scene's seconds.
    var start: Double

    /// The seconds for which the mark is visible.
    var lifetime: Double {
        switch kind {
        case .enter: 0.5
        case .blink: 0.6
        case .smile, .look: 1.0
        case .eyesClosed: 1.5
        default: 0
        }
    }

    func strength(at seconds: Double) -> Double { fadingStrength(since: start, for: lifetime, at: seconds) }
}

/// The strength, at a time, of a mark that fades from 1 at its start to 0 at the end of its life; 0 before its start.
private func fadingStrength(since start: Double, for lifetime: Double, at seconds: Double) -> Double {
    seconds < start ? 0 : max(0, 1 - (seconds - start) / lifetime)
}
