import FaceMessages
import Frames
import MQTT

/// The newest events, by which a repetition is recognised: an event is sent again if its acknowledgement was lost.
struct RecentEvents {
    /// Many times what a daemon sends before it waits for acknowledgements.
    private static let capacity = 1000

    private var known: Set<String> = []
    private var order: [String] = []

    /// Whether a message is an event that came before.
    mutating func isRepeated(_ message: CameraMessage) -> Bool {
        guard case .decoded(.event(let event)) = message.content, !event.id.isEmpty else { return false }
        let id = message.base + "/" + event.id
        guard known.insert(id).inserted else { return true }
        order.append(id)
        if order.count > Self.capacity { known.remove(order.removeFirst()) }
        return false
    }
}
