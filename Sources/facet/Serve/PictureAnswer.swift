import HTTPServing
import Synchronization

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
