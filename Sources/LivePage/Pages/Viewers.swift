import Synchronization

/// The data that the server's thread and the command's task share: the open pages, what they show, and the events.
final class Viewers: Sendable {
    /// The most pages at the same time; each costs a descriptor.
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
    func end(session: String) { for viewer in all.viewers where viewer.session == session { viewer.end() } }

    /// All pages that are open, and the number of those that ever came.
    var all: (viewers: [Viewer], joined: Int) {
        list.withLock { list in
            list.viewers.removeAll(where: \.isOver)
            return (list.viewers, list.joined)
        }
    }

    /// The state to show now.
    var state: ServedState? { list.withLock(\.state) }
    func show(_ state: ServedState) { list.withLock { $0.state = state } }
}
