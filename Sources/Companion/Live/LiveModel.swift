/// What a command shows of one camera, updated by its messages: its state, the faces to draw, and its pictures.
package struct LiveModel {
    /// How long a picture waits, in seconds, for its frame's metadata, which arrives after it. By default the daemon
    /// publishes metadata at most 15 times a second: while a face moves, the next message comes within 67 ms.
    private static let patience = 0.1
    /// How long to hold a picture back, in seconds, when faces are to be hidden. Faces found in pictures up to this
    /// time before or after are hidden in it too: metadata comes a tenth of a second late, and searches miss faces.
    private static let hidingPatience = 0.3
    /// The minimum seconds between two face searches in a daemon's pictures, of which five come per second by default.
    private static let searchInterval = 0.15
    /// The minimum seconds between two searches for faces in a local session's frames. Only searched frames are shown,
    /// almost four a second: a search costs more than everything else that is done with a frame.
    private static let frameSearchInterval = 0.25
    /// The maximum number of waiting pictures. Only a daemon with an unusually high rate sends more.
    private static let capacity = 16
    package var hidesFaces = false
    package private(set) var scene = Scene()
    /// The picture that arrived last.
    package private(set) var picture: PreviewPicture?
    package private(set) var connection: ConnectionState = .connecting
    private var waiting: [PreviewPicture] = []
    /// The faces found in waiting pictures and in those shortly before, oldest first.
    private var found: [(arrival: Double, faces: [NormalizedRect])] = []

    /// The interval between two pictures, in seconds, at the lowest `preview.rate` that a daemon accepts.
    private static let longestInterval = 10.0
    /// The seconds between the arrivals of the last two pictures; `longestInterval` until there are two.
    private var interval = Self.longestInterval

    package init() {}

    package var state: CameraState { scene.state }
    /// The size of the camera's upright picture, from the daemon's status.
    package var pictureSize: FrameSize? { (state.status?.picture).map(FrameSize.init) }

    /// Updates state and pictures by a message or a change of the connection. Returns which of them changed.
    package mutating func take(_ occurrence: Subscriber.Occurrence, at seconds: Double) -> CameraState.Change {
        if case .connection(let state) = occurrence {
            connection = state
            // Without a connection nothing is known.
            if state.isInterrupted { forget() }
            return .connection
        }
        guard case .message(let message) = occurrence else { return [] }
        switch message.content {
        case .picture(var picture):
            // The picture is from before the camera was switched off, and must not look live.
            guard state.mayShowFaces else { return [] }
            picture.arrival = seconds
            if let last = self.picture { interval = seconds - last.arrival }
            if waiting.count == Self.capacity { waiting.removeFirst() }
            waiting.append(picture)
            self.picture = picture
            return .picture
        case .decoded(let decoded):
            let change = scene.apply(decoded, at: seconds)
            if !state.mayShowFaces { forgetPictures() }
            return change
        case .removed:
            guard message.topic == .status else { return [] }
            forget()
            return .status
        case .malformed: return []
        }
    }

    /// Takes the newest waiting picture in which the places of faces are known or that has waited long enough. If faces
    /// are to be hidden, both must be true. Drops all older pictures. Returns nil if no picture is ready.
    package mutating func nextPicture(at seconds: Double) -> PreviewPicture? {
        let isDue = { (picture: PreviewPicture) in
            let age = seconds - picture.arrival
            guard !hidesFaces else { return knowsFaces(of: picture) && age >= Self.hidingPatience }
            return picture.frame.map(scene.isSettled) ?? true || age >= Self.patience
        }
        guard let index = waiting.lastIndex(where: isDue) else { return nil }
        var due = waiting[index]
        waiting.removeFirst(index + 1)
        guard let own = due.found else { return due }
        for near in found where abs(near.arrival - due.arrival) <= Self.hidingPatience {
            due.found? += near.faces.filter { face in !own.contains { $0.intersectionOverUnion(face) > 0.1 } }
        }
        return due
    }

    /// Searches the newest picture for faces, unless another was searched just before. Drops all unsearched pictures.
    package mutating func search(with faces: (PreviewPicture) -> [NormalizedRect]?) {
        let last = found.last?.arrival ?? -.infinity
        if let new = waiting.last, new.found == nil,
            new.arrival - last >= (new.isFrame ? Self.frameSearchInterval : Self.searchInterval), let faces = faces(new)
        {
            waiting[waiting.count - 1].found = faces
            found.removeAll { new.arrival - $0.arrival > 3 * Self.hidingPatience }
            found.append((new.arrival, faces))
        }
        waiting.removeAll { $0.found == nil }
    }

    /// Returns the scene with the faces of the picture's frame, or with the newest faces if the frame is unknown.
    package func scene(of picture: PreviewPicture) -> Scene {
        let isCovering = hidesFaces && picture.found == nil
        return picture.frame.map { isCovering ? scene.covering(from: $0) : scene.showing(frame: $0) } ?? scene
    }

    /// Whether a search or metadata tells where faces are in the picture.
    package func knowsFaces(of picture: PreviewPicture) -> Bool {
        picture.found != nil || (picture.frame != nil && state.stamp != nil)
    }

    package mutating func advance(to seconds: Double) {
        scene.advance(to: seconds)
        // A daemon does not say that its preview was switched off. The last picture must not look live.
        guard connection.isConnected, let picture, seconds - picture.arrival > 3 * (1 + interval) else { return }
        forgetPictures()
        interval = Self.longestInterval
    }

    private mutating func forget() {
        scene.forget()
        forgetPictures()
    }

    private mutating func forgetPictures() {
        picture = nil
        forgetWaiting()
    }

    /// Drops the waiting pictures, so that they are not shown any more.
    package mutating func forgetWaiting() {
        waiting = []
        found = []
    }
}

extension CameraState.Change {
    /// A new picture has arrived.
    package static let picture = CameraState.Change(rawValue: 64)
    /// The state of the connection to the broker has changed.
    package static let connection = CameraState.Change(rawValue: 128)
}

extension FrameSize {
    package init(_ picture: DaemonStatus.Picture) { self.init(width: picture.width, height: picture.height) }
}
