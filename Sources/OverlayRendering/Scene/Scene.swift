package import FaceMessages
package import FaceMetadata

/// What there is to draw, kept from a camera's messages.
///
/// There is one layer per faceID: moved when metadata moves the face, not made anew. The set of layers is exactly the
/// set of faces in the last metadata, so no ghost of a face stays, whatever got lost in between.
/// Times are seconds of any one clock that the caller chooses: the wall's for a live view, the clip's for a clip.
package struct Scene: Hashable, Sendable {
    /// What a message did to a layer.
    package enum Change: Hashable, Sendable {
        /// A layer was made for a face.
        case added(FaceID)
        /// A face's layer took over new values.
        case moved(FaceID)
        /// A face's layer was taken away.
        case removed(FaceID)
    }

    /// Messages that changed nothing, by reason.
    package struct Ignored: Hashable, Sendable {
        /// From another camera than the scene's.
        package var otherCamera = 0
        /// Metadata older than what the scene shows.
        package var stale = 0
    }

    /// How long the white of a taken picture stays, in seconds.
    package static let shutterLifetime = 0.3

    /// The camera whose messages count; nil until the first one came, if none was given.
    package private(set) var camera: String?

    /// The frame that the layers show.
    package private(set) var stamp: FrameStamp?

    /// The layers, by faceID.
    package private(set) var layers: [SceneLayer] = []

    /// The last event.
    package private(set) var lastEvent: EventMessage?

    /// Messages that changed nothing.
    package private(set) var ignored = Ignored()

    private var history = FaceHistory()
    private var boot: String?
    private var goneBoot: String?
    private var made = 0
    private var flashes: [FaceID: [Flash]] = [:]
    private var shutter: Double?

    /// Makes an empty scene of one camera; of the first one that is heard of, if none is given.
    package init(camera: String? = nil) {
        self.camera = camera
    }

    /// Takes over what a message says, whichever it is.
    package mutating func apply(_ message: DecodedMessage, at seconds: Double) {
        switch message {
        case .metadata(let message): _ = apply(message, at: seconds)
        case .event(let message): apply(message, at: seconds)
        case .status(let message): _ = apply(message)
        case .count, .stats, .detectState: break
        }
    }

    /// Takes over all current faces.
    package mutating func apply(_ message: MetadataMessage, at seconds: Double) -> [Change] {
        guard accepts(message.origin) else { return [] }
        // What a daemon left behind on the broker when it vanished is no face that is here now.
        let isLeftBehind = goneBoot == message.origin.boot
        let isSameRun = boot == message.origin.boot
        let countsBack = message.stamp.frame < stamp?.frame ?? 0
        let isOlder = isSameRun && countsBack && message.stamp.time <= stamp?.time ?? message.stamp.time
        guard !isLeftBehind, !isOlder else {
            ignored.stale += 1
            return []
        }
        // Frames are counted anew by each run, and each time the source is opened again.
        if !isSameRun || countsBack { history = FaceHistory() }
        boot = message.origin.boot
        stamp = message.stamp
        history.add(
            FaceHistory.Entry(frame: message.stamp.frame, mediaTime: message.stamp.mediaTime, faces: message.faces)
        )
        return replaceLayers(with: message.faces, at: seconds)
    }

    /// Whether the faces of a frame are settled, so that a picture of it can be drawn over.
    ///
    /// A frame without faces is: a face that comes is reported with its first frame, before the picture.
    package func isSettled(in frame: Int) -> Bool { layers.isEmpty || history.reaches(frame) }

    /// The scene with the faces where they were in a frame; itself if that frame is not known any more.
    package func showing(frame: Int) -> Scene {
        guard let faces = history.faces(in: frame) else { return self }
        var result = self
        result.place(faces)
        return result
    }

    /// Puts faces into the layers without counting it as a change of the scene.
    mutating func place(_ faces: [FaceObject]) {
        var known: [FaceID: SceneLayer] = [:]
        for layer in layers { known[layer.faceID] = layer }
        var seen: Set<FaceID> = []
        layers = faces.filter { seen.insert($0.faceID).inserted }.map { face in
            var layer = known[face.faceID] ?? SceneLayer(face: face, number: 0, start: 0)
            layer.update(face, at: -.infinity)
            return layer
        }
        layers.sort { $0.faceID < $1.faceID }
    }

    /// Marks an event on its face's layer until it fades.
    ///
    /// The mark of a face whose metadata has not come yet waits for it.
    package mutating func apply(_ message: EventMessage, at seconds: Double) {
        guard accepts(message.origin) else { return }
        lastEvent = message
        let flash = Flash(kind: Topic(message.event.kind), start: seconds)
        guard flash.lifetime > 0 else { return }
        flashes[message.event.face.faceID, default: []].append(flash)
    }

    /// Takes all layers away if the daemon says that nobody watches the camera.
    ///
    /// Metadata of a run that has ended is passed over from then on: the broker retains the last of it, and may send it
    /// after the status.
    package mutating func apply(_ message: StatusMessage) -> [Change] {
        guard accepts(message.origin) else { return [] }
        let status = message.status
        if status.state != .online {
            goneBoot = message.origin.boot
        } else if goneBoot == message.origin.boot {
            goneBoot = nil
        }
        let isWatching = status.state == .online && status.cameraState != .lost && status.cameraState != .disabled
        return isWatching ? [] : clear()
    }

    /// Takes all layers away: for when nothing is known any more, as without a broker.
    package mutating func clear() -> [Change] {
        let removed = layers.map { Change.removed($0.faceID) }
        layers = []
        flashes = [:]
        stamp = nil
        history = FaceHistory()
        return removed
    }

    /// Marks that a picture was taken.
    package mutating func takePicture(at seconds: Double) {
        shutter = seconds
    }

    /// Forgets what has faded.
    package mutating func advance(to seconds: Double) {
        for index in layers.indices { layers[index].advance(to: seconds) }
        for (face, marks) in flashes {
            let alive = marks.filter { seconds < $0.start + $0.lifetime }
            flashes[face] = alive.isEmpty ? nil : alive
        }
        if let shutter, seconds >= shutter + Self.shutterLifetime { self.shutter = nil }
    }

    /// The marks on a face.
    package func flashes(of face: FaceID) -> [Flash] { flashes[face] ?? [] }

    /// Whether anything still fades, so that the next picture differs even without a new message.
    package var isFading: Bool { shutter != nil || layers.contains { $0.isFading || flashes[$0.faceID] != nil } }

    /// How bright the white of a taken picture is, 0…1.
    package func shutterStrength(at seconds: Double) -> Double {
        guard let shutter, seconds >= shutter else { return 0 }
        return max(0, 1 - (seconds - shutter) / Self.shutterLifetime)
    }

    private mutating func accepts(_ origin: MessageOrigin) -> Bool {
        if camera == nil { camera = origin.camera }
        guard camera == origin.camera else {
            ignored.otherCamera += 1
            return false
        }
        return true
    }

    private mutating func replaceLayers(with faces: [FaceObject], at seconds: Double) -> [Change] {
        var changes: [Change] = []
        var old: [FaceID: SceneLayer] = [:]
        for layer in layers { old[layer.faceID] = layer }
        layers = []
        var seen: Set<FaceID> = []
        // A face that is twice in one message would get two layers: the first one counts.
        for face in faces where seen.insert(face.faceID).inserted {
            if var layer = old.removeValue(forKey: face.faceID) {
                if layer.face != face { changes.append(.moved(face.faceID)) }
                layer.update(face, at: seconds)
                layers.append(layer)
            } else {
                made += 1
                var layer = SceneLayer(face: face, number: made, start: seconds)
                layer.update(face, at: -.infinity)
                layers.append(layer)
                changes.append(.added(face.faceID))
            }
        }
        layers.sort { $0.faceID < $1.faceID }
        for gone in old.keys.sorted() {
            flashes[gone] = nil
            changes.append(.removed(gone))
        }
        return changes
    }
}
