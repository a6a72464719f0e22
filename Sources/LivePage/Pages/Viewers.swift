/// The data shared by the server's thread and the command's task: the open pages, the state to show, and the events.
final class Viewers: Sendable {
    /// The maximum number of simultaneous pages, each of which needs a file descriptor.
    static let capacity = 128

    let events = EventLog()

    private struct List {
        var viewers: [Viewer] = []
        var state: ServedState?
        var joined = 0
    }

    private let list = Mutex(List())

    /// Adds a page and returns it; nil if too many are open.
    func join(_ wish: ViewerWish) -> Viewer? {
        list.withLock { list in
            list.viewers.removeAll(where: \.isOver)
            guard list.viewers.count < Self.capacity else { return nil }
            let viewer = Viewer(wish)
            list.viewers.append(viewer)
            list.joined += 1
            return viewer
        }
    }

    /// The open pages, and the number of pages opened so far.
    var all: (viewers: [Viewer], joined: Int) {
        list.withLock { list in
            list.viewers.removeAll(where: \.isOver)
            return (list.viewers, list.joined)
        }
    }

    var state: ServedState? { list.withLock(\.state) }
    func show(_ state: ServedState) { list.withLock { $0.state = state } }
}
