/// What a command shows of one camera, kept up to date from its messages: its state, the faces to draw, its pictures.
package struct LiveModel {
    /// The seconds that a picture waits for the metadata that comes after its frame. The daemon publishes metadata at
    /// most 15 times a second by default: while a face moves, the next message comes within 67 ms.
    private static let patience = 0.1
    /// Seconds that a picture is held back if faces are hidden, and within which faces found before and after it count.
    ///
    /// Metadata names a face a tenth of a second after it was first seen, and may be lost on the way; a detector misses
    /// a face now and again, so that what was found shortly before or after is covered too.
    private static let hidingPatience = 0.3
    /// Least seconds between two searches of a daemon's pictures for faces: its preview has five a second by default.
    private static let searchInterval = 0.15
    /// Least seconds between two searches of frames of a session in this program. A search costs more than all else
    /// that is done with a frame, and only searched frames are shown: a page gets almost four a second.
    private static let frameSearchInterval = 0.25
    /// How many pictures may wait; more come only from a daemon with an unusual rate.
    private static let capacity = 16
    package var hidesFaces = false
    package private(set) var scene = Scene()
    /// The newest picture.
    package private(set) var picture: PreviewPicture?
    package private(set) var connection: ConnectionState = .connecting
    private var waiting: [PreviewPicture] = []
    /// The faces found in the pictures that wait, and in those just before, the oldest first.
    private var found: [(arrival: Double, faces: [NormalizedRect])] = []

    /// The seconds between two pictures at the slowest `preview.rate`.
    private static let longestInterval = 10.0
    /// The seconds between the newest two pictures; the longest interval until there are two.
    private var interval = Self.longestInterval

    package init() {}

    package var state: CameraState { scene.state }
    /// The size of the camera's upright picture, as the daemon's status says; metadata does not contain it.
    package var pictureSize: FrameSize? { (state.status?.picture).map(FrameSize.init) }

    /// - Returns: what changed.
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
            // It is from before the camera was switched off, and must not look live.
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

    /// The newest picture whose faces are known, or that has waited long enough for them; nil if there is none.
    ///
    /// It and all older ones are handed out only once.
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

    /// Searches the newest picture for faces, unless one was searched just before; drops all that were not searched.
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

    /// The faces in a picture: those of its frame, or the newest ones if it does not name its frame.
    package func scene(of picture: PreviewPicture) -> Scene {
        let isCovering = hidesFaces && picture.found == nil
        return picture.frame.map { isCovering ? scene.covering(from: $0) : scene.showing(frame: $0) } ?? scene
    }

    /// Whether the places of the faces in a picture are known, from a search or else from metadata.
    package func knowsFaces(of picture: PreviewPicture) -> Bool {
        picture.found != nil || (picture.frame != nil && state.stamp != nil)
    }

    package mutating func advance(to seconds: Double) {
        scene.advance(to: seconds)
        // A daemon does not say that its preview was switched off. Its last picture must not look live.
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

    /// Forgets the pictures that wait: they must not be shown any more.
    package mutating func forgetWaiting() {
        waiting = []
        found = []
    }
}

extension CameraState.Change {
    /// The newest picture.
    package static let picture = CameraState.Change(rawValue: 64)
    /// The connection to the broker.
    package static let connection = CameraState.Change(rawValue: 128)
}

extension FrameSize {
    package init(_ picture: DaemonStatus.Picture) { self.init(width: picture.width, height: picture.height) }
}
