/// The faces and zones to draw, kept up to date from a camera's messages. The faces are always those of the camera's
/// state, so that no face stays after it is gone, even if messages were lost. Times are seconds of a clock that the
/// caller chooses: a running clock for a live view, the clip's own for a clip.
package struct Scene: Hashable, Sendable {
    /// The duration, in seconds, of the white flash that shows that a picture is being taken.
    package static let snapshotFlashLifetime = 0.3
    /// The time, in seconds, in which a face that is no longer seen fades out.
    private static let fading = 0.15
    package private(set) var state = CameraState()
    /// The faces to draw, ordered by identity.
    package private(set) var faces: [FaceObject] = []
    private var history = FaceHistory()
    private(set) var flashes: [FaceID: [Flash]] = [:]
    /// The time at which each face that is present but unseen was lost from view; −∞ if it has already faded out.
    private var hiddenSince: [FaceID: Double] = [:]
    /// The time since which each face has had at least one closed eye; missing for faces with no closed eye.
    private(set) var closedSince: [FaceID: Double] = [:]
    /// The time at which a picture was last taken; −∞ if there was none.
    package var snapshotTime = -Double.infinity
    /// Whether each smile level is drawn beside the face, with the level at which a smile begins.
    package var showsLevels = false

    package init() {}
    package var stamp: FrameStamp? { state.stamp }

    /// Applies a message and returns what has changed. The mark for an event is drawn once metadata contains its face.
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

    /// Forgets the camera's state and removes all faces, as when the connection to the broker is lost.
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

    /// Whether all faces of a frame are known, so that drawing it need not wait: metadata of this or a later frame has
    /// arrived, or no face is present. The metadata of a new face arrives before its first picture.
    package func isSettled(in frame: Int) -> Bool { faces.isEmpty || history.reaches(frame) }

    /// Returns the scene with the faces as they were in a frame; unchanged if that frame is not known any more.
    package func showing(frame: Int) -> Scene { history.faces(in: frame).map(placing) ?? self }

    /// Returns the scene with the faces to hide in a frame: its own, and those that appear only in later metadata.
    package func covering(from frame: Int) -> Scene { placing(history.facesSoFar(from: frame)) }

    private func placing(_ faces: [FaceObject]) -> Scene {
        var result = self
        result.show(faces)
        return result
    }

    /// Sets the faces to draw, not the camera's state. `hiding` returns the time at which a newly hidden face was lost.
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

    /// Whether something is fading, so that the next drawing differs even without a new message.
    package var isFading: Bool {
        hiddenSince.values.contains { $0 > -.infinity } || faces.contains { flashes[$0.faceID] != nil }
    }

    /// Returns the strength, 0…1, of the white flash when a picture is taken.
    func snapshotFlashStrength(at seconds: Double) -> Double {
        fadingStrength(since: snapshotTime, for: Self.snapshotFlashLifetime, at: seconds)
    }
}

/// A mark that is drawn on a face for a moment after an event.
struct Flash: Hashable, Sendable {
    var kind: Topic
    /// The time at which the event was received, in the scene's seconds.
    var start: Double

    /// The seconds for which the mark is visible; 0 for events without a mark.
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

/// Returns the strength of a mark at a time: from 1 at `start` down to 0 after `lifetime` seconds; 0 before `start`.
private func fadingStrength(since start: Double, for lifetime: Double, at seconds: Double) -> Double {
    seconds < start ? 0 : max(0, 1 - (seconds - start) / lifetime)
}
