import FlyingFox
import Foundation
import Synchronization

/// What one open page wants to see.
struct ViewerWish: Hashable, Sendable {
    /// The name of the look by which faces are drawn.
    var look: String

    /// Whether the picture is mirrored.
    var isMirrored: Bool

    /// The base of the only camera shown; nil for all.
    var camera: String?

    /// Whether pictures of a camera are wanted.
    func includes(_ base: String) -> Bool { camera == nil || camera == base }
}

/// One open page: what it wants, and what waits to be sent to it.
///
/// Of each camera only the newest message waits, so a page on a slow connection falls behind by one picture and no more,
/// and costs no memory.
final class Viewer: Sendable {
    private struct Box {
        var wish: ViewerWish
        var control: [WSFrame] = []
        var state: Data?
        var frames: [String: Data] = [:]
        var order: [String] = []
        var isOver = false
        var dropped = 0
        var waiter: CheckedContinuation<Void, Never>?

        var isEmpty: Bool { control.isEmpty && state == nil && order.isEmpty }

        mutating func next() -> WSFrame? {
            if !control.isEmpty { return control.removeFirst() }
            if let state {
                self.state = nil
                return WSFrame(fin: true, opcode: .binary, mask: nil, payload: state)
            }
            guard !order.isEmpty, let frame = frames.removeValue(forKey: order.removeFirst()) else { return nil }
            return WSFrame(fin: true, opcode: .binary, mask: nil, payload: frame)
        }
    }

    /// Frames of control that may wait; a page that floods with pings gets no more answers.
    private static let longestControl = 16

    private let box: Mutex<Box>

    /// Makes a viewer for whom nothing waits.
    init(_ wish: ViewerWish) {
        box = Mutex(Box(wish: wish))
    }

    /// What it wants to see.
    var wish: ViewerWish {
        get { box.withLock(\.wish) }
        set { box.withLock { $0.wish = newValue } }
    }

    /// How many pictures were replaced by newer ones before they could be sent.
    var dropped: Int { box.withLock(\.dropped) }

    /// Whether the page is closed.
    var isOver: Bool { box.withLock(\.isOver) }

    /// Puts the newest state in the place of one that still waits.
    func put(state: Data) {
        change { $0.state = state }
    }

    /// Puts a camera's newest picture in the place of one that still waits.
    func put(_ frame: Data, of base: String) {
        change { box in
            if box.frames.updateValue(frame, forKey: base) == nil {
                box.order.append(base)
            } else {
                box.dropped += 1
            }
        }
    }

    /// Puts an answer of the protocol itself, such as a pong.
    func put(_ frame: WSFrame) {
        change { if $0.control.count < Self.longestControl { $0.control.append(frame) } }
    }

    /// Ends the page; what waits is dropped.
    func end() {
        change { $0.isOver = true }
    }

    /// The next message to send; waits for one. Nil when the page is closed.
    func next() async -> WSFrame? {
        while true {
            let (frame, isOver) = box.withLock { box in box.isOver ? (nil, true) : (box.next(), false) }
            if let frame { return frame }
            if isOver { return nil }
            await withCheckedContinuation { continuation in
                let isReady = box.withLock { box in
                    guard box.isEmpty, !box.isOver else { return true }
                    box.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    private func change(_ body: (inout Box) -> Void) {
        let waiter = box.withLock { box in
            body(&box)
            defer { box.waiter = nil }
            return box.waiter
        }
        waiter?.resume()
    }
}

/// All open pages.
final class Viewers: Sendable {
    /// Pages at the same time; each costs a descriptor.
    static let capacity = 256

    private struct List {
        var viewers: [ObjectIdentifier: Viewer] = [:]
        var changes = 0
    }

    private let list = Mutex(List())

    /// Adds a page; nil if there are too many.
    func join(_ wish: ViewerWish) -> Viewer? {
        let viewer = Viewer(wish)
        return list.withLock { list in
            guard list.viewers.count < Self.capacity else { return nil }
            list.viewers[ObjectIdentifier(viewer)] = viewer
            list.changes += 1
            return viewer
        }
    }

    /// Changes what a page wants.
    func change(_ viewer: Viewer, _ wish: ViewerWish) {
        viewer.wish = wish
        list.withLock { $0.changes += 1 }
    }

    /// Removes a page.
    func leave(_ viewer: Viewer) {
        viewer.end()
        list.withLock { list in
            list.viewers[ObjectIdentifier(viewer)] = nil
            list.changes += 1
        }
    }

    /// All pages, and a number that grows with every page that comes, goes or wants something else.
    var all: (viewers: [Viewer], changes: Int) { list.withLock { (Array($0.viewers.values), $0.changes) } }
}
