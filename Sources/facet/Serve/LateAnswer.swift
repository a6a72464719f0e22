import HTTPServing
import Synchronization

/// A response of one part that is made after it was begun.
final class LateAnswer: HTTPStream {
    private struct Box {
        var bytes: [UInt8]?
        var isRead = false
        var ready: (@Sendable () -> Void)?
    }

    private let box = Mutex(Box())

    func begin(ready: @escaping @Sendable () -> Void) { box.withLock { $0.ready = ready } }

    func next() -> HTTPStreamPart {
        box.withLock { box in
            if box.isRead { return .end }
            guard let bytes = box.bytes else { return .none }
            box.isRead = true
            return .bytes(bytes)
        }
    }

    func end() {}

    func give(_ bytes: [UInt8]) {
        let ready = box.withLock { box in
            box.bytes = bytes
            return box.ready
        }
        ready?()
    }
}

/// The next picture that a page would get, as a response of its own.
final class PictureAnswer: HTTPStream {
    /// States that come, one in two seconds, until a camera without pictures is given up.
    private static let patience = 3

    private let viewer: Viewer
    private let progress = Mutex((states: 0, isRead: false))

    init(_ viewer: Viewer) { self.viewer = viewer }

    func begin(ready: @escaping @Sendable () -> Void) { viewer.begin(ready: ready) }

    func next() -> HTTPStreamPart {
        progress.withLock { progress in
            while !progress.isRead {
                guard case .bytes(let message) = viewer.next() else { return .none }
                if let jpeg = ServedMessage.jpeg(in: message) {
                    progress.isRead = true
                    return .bytes(jpeg)
                }
                progress.states += 1
                progress.isRead = progress.states == Self.patience
            }
            return .end
        }
    }

    func end() { viewer.end() }
}
