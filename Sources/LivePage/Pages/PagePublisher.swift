/// Turns the cameras' messages into messages for the open pages. Each picture is drawn and encoded only once for each
/// choice of overlay and mirroring. Not Sendable: the command's only task owns it.
final class PagePublisher {
    /// The maximum number of kept events of each kind, so that blinks do not push out the others.
    private static let events = 20
    /// The maximum number of cameras. It is limited because any client that may publish can make up cameras.
    static let capacity = 64
    /// The maximum size of a picture in bytes: previews that are 4096 pixels wide are smaller.
    private static let largestPicture = 4 << 20
    /// The maximum number of pixels of a picture. A page would run out of memory with larger ones.
    private static let mostPixels = 16_000_000
    /// The maximum size, in bytes, of all cameras' newest pictures together. Each camera has an equal share.
    private static let pictureBytes = 32 << 20
    /// The maximum length of a topic base in bytes, which no daemon exceeds.
    private static let longestBase = 256
    /// The maximum number of cameras above `capacity` that are still counted.
    private static let mostFurther = 1000
    /// The seconds between two messages about an unchanged state, by which a page notices a silently broken connection.
    private static let heartbeat = 2.0
    /// The seconds between two keep-alive comments to programs that read events.
    private static let beat = 15.0
    /// The seconds from connecting until silent cameras are removed. Daemons need at most three seconds to reconnect.
    private static let patience = 20.0
    /// The minimum seconds between two messages about the state.
    private static let pause = 0.1
    /// The minimum time, in seconds, between two updates of pictures and states while no page is open.
    private static let unwatchedPause = 0.25

    private let options: PageService.Options
    private let viewers: Viewers
    private let overlays: Overlays
    /// The names of the overlays that pages can choose.
    let offered: [String]
    private let named: Set<String>
    private let formatter = WatchFormatter(hasColors: false)
    let cover: PictureCover
    private var state: ServedState
    private var events: [(number: Int, base: String, message: EventMessage, end: Timestamp?)] = []
    /// When the broker was connected, in seconds; nil without a connection, or once silent cameras were removed.
    private var connected: Double?
    private var isStateDirty = true
    private var lastState = -PagePublisher.heartbeat
    private var lastBeat = 0.0
    private var lastAdvance = -PagePublisher.unwatchedPause
    /// The number of pages opened up to the last full redraw. A page opened since causes another full redraw.
    private var knownPages = -1

    /// Makes a publisher. The cameras with the topic bases `bases` are shown even if no messages come from them.
    init(_ options: PageService.Options, _ viewers: Viewers, _ state: ServedState, bases: [String]) throws {
        let overlays = try options.style.overlays()
        // If the operator's overlay hides faces, visitors can choose only overlays that do.
        let hides = overlays[options.style.overlay.name].hidesFaces
        offered = overlays.names.filter { !hides || overlays[$0].hidesFaces }
        cover = try PictureCover(isChecking: hides)
        self.options = options
        self.viewers = viewers
        self.overlays = overlays
        named = Set(bases)
        self.state = state
        for base in bases { self.state.cameras[base] = ServedCamera(base: base) }
        viewers.show(self.state)
    }

    func take(_ occurrence: Subscriber.Occurrence, at seconds: Double) {
        switch occurrence {
        case .connection(let connection):
            state.connection = connection
            connected = connection.isConnected ? seconds : nil
            state.lost = connection.isConnected ? nil : state.lost ?? .wallClock()
            isStateDirty = true
            for base in state.cameras.keys {
                _ = state.cameras[base]?.take(occurrence, at: seconds)
                settle(base)
            }
        case .message(let message):
            let base = message.base
            if case .malformed = message.content { state.refused += 1 }
            if case .removed = message.content, message.topic == .status, !named.contains(base) {
                return remove([base])
            }
            let share = Self.pictureBytes / max(1, state.cameras.count)
            if case .picture(let picture) = message.content {
                let pixels = cover.size(of: picture).map { $0.width * $0.height } ?? 0
                guard picture.jpeg.count <= min(Self.largestPicture, share), pixels <= Self.mostPixels else {
                    state.cameras[base]?.refusePicture()
                    return
                }
            }
            guard state.cameras[base] != nil || admit(base, occurrence, at: seconds),
                let change = state.cameras[base]?.take(.message(message), at: seconds)
            else { return }
            if !change.isDisjoint(with: [.faces, .status]) { settle(base) }
            if change.contains(.event), let event = state.cameras[base]?.model.state.lastEvent { remember(event, base) }
            // The state says nothing of where faces are or what they look like: that is sent with the pictures.
            isStateDirty = isStateDirty || !change.isSubset(of: [.faces, .picture])
        case .failed: break
        }
    }

    /// Adds a new camera if it may be shown. Its messages must be well-formed, since any client that may publish can
    /// make up cameras. If there is no room, an online camera may replace one that is not online.
    private func admit(_ base: String, _ occurrence: Subscriber.Occurrence, at seconds: Double) -> Bool {
        guard base.utf8.count <= Self.longestBase else { return false }
        var camera = ServedCamera(base: base)
        guard !camera.take(occurrence, at: seconds).isEmpty else { return false }
        if state.cameras.count >= Self.capacity {
            let replaceable = state.cameras.first { !named.contains($0.key) && !$0.value.isOnline }
            guard camera.isOnline, let replaceable else {
                let shown = "\(Self.capacity) cameras are shown, '\(base)' and further ones are not"
                if state.further.isEmpty { Console.note("\(shown): name with --topic those to show") }
                if state.further.count < Self.mostFurther, state.further.insert(base).inserted { isStateDirty = true }
                return false
            }
            remove([replaceable.key])
        }
        state.further.remove(base)
        camera = ServedCamera(base: base)
        _ = camera.take(.connection(state.connection), at: seconds)
        state.cameras[base] = camera
        return true
    }

    private func remove(_ bases: [String]) {
        for base in bases where state.cameras.removeValue(forKey: base) != nil {
            isStateDirty = true
            for page in viewers.all.viewers { page.drop(base) }
        }
    }

    private func remember(_ message: EventMessage, _ base: String) {
        viewers.events.add(message, of: base)
        let kind = Topic(message.event.kind)
        let same = events.indices.filter { Topic(events[$0].message.event.kind) == kind }
        // The newest event is never removed: the number of the next one follows from its number.
        if same.count == Self.events { events.remove(at: same[0]) }
        events.append(((events.last?.number ?? 0) + 1, base, message, nil))
    }

    /// Sets the end time of the `enter` and `look` events of faces that have left or look away, for pages opened later.
    private func settle(_ base: String) {
        guard let camera = state.cameras[base]?.model.state else { return }
        let time = camera.stamp?.time ?? .wallClock()
        for index in events.indices where events[index].base == base && events[index].end == nil {
            let event = events[index].message.event
            let face = camera.faces.first { $0.faceID == event.face.faceID }
            let isGoingOn =
                switch event.kind {
                case .enter: face != nil
                case .look: face?.looking == true
                default: true
                }
            if !isGoingOn, time > event.stamp.time { events[index].end = time }
        }
    }

    /// Sends new pictures and states to the pages that want them.
    func advance(to seconds: Double) throws {
        let (pages, joined) = viewers.all
        guard !pages.isEmpty || joined != knownPages || seconds - lastAdvance >= Self.unwatchedPause else { return }
        lastAdvance = seconds
        if let time = connected, seconds - time > Self.patience {
            connected = nil
            remove(state.cameras.keys.filter { !named.contains($0) && state.cameras[$0]?.isSilent == true })
        }
        if joined != knownPages {
            knownPages = joined
            isStateDirty = true
            for base in state.cameras.keys { state.cameras[base]?.redraw() }
        }
        for base in state.cameras.keys
        where state.cameras[base]?.advance(to: seconds, cover, isWatched: !pages.isEmpty) == true {
            try show(base, to: pages, at: seconds)
        }
        sendState(to: pages, at: seconds)
        viewers.show(state)
        guard seconds - lastBeat >= Self.beat else { return }
        lastBeat = seconds
        viewers.events.beat()
    }

    private func show(_ base: String, to pages: [Viewer], at seconds: Double) throws {
        var messages: [ViewerWish: [UInt8]] = [:]
        for page in pages {
            var wish = page.wish
            guard wish.camera ?? base == base, let camera = state.cameras[base] else { continue }
            wish.camera = nil
            let message = try messages[wish] ?? camera.message(wish, overlays: overlays, at: seconds, cover: cover)
            messages[wish] = message
            if !message.isEmpty { page.put(message, of: base) }
        }
    }

    private func sendState(to pages: [Viewer], at seconds: Double) {
        let age = seconds - lastState
        guard !pages.isEmpty, age >= Self.heartbeat || (isStateDirty && age >= Self.pause) else { return }
        isStateDirty = false
        lastState = seconds
        let message = Viewer.message(JSONWriter.object(write))
        for page in pages { page.put(message, of: nil) }
    }

    private func write(_ json: inout JSONWriter) {
        json.field("type", "state")
        state.write(&json)
        json.field("control", options.canControl)
        json.field("login", options.token != nil)
        json.field("overlays", offered)
        json.field("further", state.further.count)
        json.array("events", events) { json, row in
            let event = row.message.event
            json.field("number", row.number)
            json.field("camera", row.base)
            json.field("name", row.message.origin.camera)
            json.field("kind", Topic(event.kind).rawValue)
            json.field("face", event.face.faceID.rawValue)
            json.field("time", event.stamp.time.iso8601)
            json.field("end", row.end?.iso8601)
            if case .leave(let dwell, _, _) = event.kind { json.field("dwell", dwell, decimals: 3) }
            json.field("text", formatter.words(of: row.message, withPose: false).printable)
        }
    }
}
