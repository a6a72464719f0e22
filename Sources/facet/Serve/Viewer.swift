import HTTPServing
import Synchronization

/// What one open page wants to see.
struct ViewerWish: Hashable, Sendable {
    var overlay: String
    var isMirrored: Bool

    /// The base of the only camera shown; nil for all.
    var camera: String?

    /// Whether only what an overlay draws is wanted, on a transparent ground.
    var isTransparent = false

    /// Whether the next picture is wanted alone, as a JPEG.
    var isPicture = false

    func includes(_ base: String) -> Bool { camera == nil || camera == base }
}

/// One open page: what it wants, and what waits to be sent to it.
///
/// Of each camera only the newest message waits, so a page on a slow connection falls behind by one picture and no more,
/// and costs no memory.
final class Viewer: HTTPStream {
    private struct Box {
        var state: [UInt8]?
        var frames: [String: [UInt8]] = [:]
        var order: [String] = []
        var isOver = false
        var ready: (@Sendable () -> Void)?
    }

    /// How long a single picture is waited for.
    private static let patience = Duration.seconds(6)

    let wish: ViewerWish

    /// The login it belongs to.
    let session: String?

    private let began = ContinuousClock.now
    private let box = Mutex(Box())

    init(_ wish: ViewerWish, session: String? = nil) {
        (self.wish, self.session) = (wish, session)
    }

    var isOver: Bool { box.withLock(\.isOver) }

    /// Puts the newest state in the place of one that still waits.
    func put(state: [UInt8]) {
        change { $0.state = state }
    }

    /// Puts a camera's newest picture in the place of one that still waits.
    func put(_ frame: [UInt8], of base: String) {
        change { box in
            if box.frames.updateValue(frame, forKey: base) == nil { box.order.append(base) }
        }
    }

    func begin(ready: @escaping @Sendable () -> Void) { box.withLock { $0.ready = ready } }

    /// The state if one waits, otherwise the picture that has been waiting the longest.
    func next() -> HTTPStreamPart {
        box.withLock { box in
            if box.isOver { return .end }
            if let state = box.state {
                box.state = nil
                if !wish.isPicture { return .bytes(state) }
            }
            guard !box.order.isEmpty, let frame = box.frames.removeValue(forKey: box.order.removeFirst()) else {
                return wish.isPicture && began.duration(to: .now) > Self.patience ? .end : .none
            }
            box.isOver = wish.isPicture
            return .bytes(frame)
        }
    }

    /// Ends the page; what waits is dropped.
    func end() {
        change { ($0.isOver, $0.state, $0.frames, $0.order) = (true, nil, [:], []) }
    }

    private func change(_ body: (inout Box) -> Void) {
        let ready = box.withLock { box in
            if !box.isOver { body(&box) }
            return box.ready
        }
        ready?()
    }
}

/// What the server's thread and the command's task share: the open pages, what they show, and the events.
final class Viewers: Sendable {
    /// Pages at the same time; each costs a descriptor.
    static let capacity = 128

    let events = EventLog()

    private struct List {
        var viewers: [Viewer] = []
        var state: ServedState?
        var joined = 0
    }

    private let list = Mutex(List())

    /// Adds a page; nil if there are too many.
    func join(_ wish: ViewerWish, session: String? = nil) -> Viewer? {
        list.withLock { list in
            list.viewers.removeAll(where: \.isOver)
            guard list.viewers.count < Self.capacity else { return nil }
            let viewer = Viewer(wish, session: session)
            list.viewers.append(viewer)
            list.joined += 1
            return viewer
        }
    }

    /// Ends the pages of a login.
    func end(session: String) {
        for viewer in all.viewers where viewer.session == session { viewer.end() }
    }

    /// All pages that are open, and how many ever were.
    var all: (viewers: [Viewer], joined: Int) {
        list.withLock { list in
            list.viewers.removeAll(where: \.isOver)
            return (list.viewers, list.joined)
        }
    }

    /// What there is to show now.
    var state: ServedState? { list.withLock(\.state) }

    func show(_ state: ServedState) { list.withLock { $0.state = state } }
}
