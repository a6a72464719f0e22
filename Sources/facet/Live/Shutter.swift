import FaceMessages
import FaceMetadata

/// Decides which preview picture is taken.
struct Shutter {
    /// Seconds after the event in which a picture of it must come; then the newest one is taken.
    static let patience = 0.5

    private let event: Topic?
    private var awaited: (frame: Int, seconds: Double)?

    /// Makes a shutter that waits for an event of a kind; without one it takes the next picture.
    init(event: Topic?) {
        self.event = event
    }

    /// Whether the newest picture is to be taken.
    ///
    /// The picture may come before or after the event that its frame settled, so the first one that shows that frame or
    /// a later one counts.
    mutating func isReleased(by news: LiveModel.News?, picture frame: Int?, at seconds: Double) -> Bool {
        guard let event else {
            if case .picture = news { return true }
            return false
        }
        if awaited == nil, case .event(let message) = news, Topic(message.event.kind) == event {
            awaited = (message.event.stamp.frame, seconds)
        }
        guard let awaited else { return false }
        if let frame, frame >= awaited.frame { return true }
        // A preview that does not say which frame it shows: the one after the event.
        if frame == nil, case .picture = news { return true }
        return seconds - awaited.seconds > Self.patience
    }
}
