import FaceMessages
import MQTT

/// Writes received messages to standard output.
struct WatchPrinter {
    private let base: String
    private let isJSON: Bool
    private let formatter = WatchFormatter(hasColors: StandardOutput.hasColors)

    /// How many messages were written.
    private(set) var shown = 0

    /// Makes a printer for the messages under a base.
    init(base: String, isJSON: Bool) {
        self.base = base
        self.isJSON = isJSON
    }

    /// Writes a message; one that breaks the contract is told of on standard error.
    ///
    /// - Returns: the message; nil if it broke the contract or is a picture.
    mutating func show(_ message: ReceivedMessage, on topic: Topic) -> DecodedMessage? {
        // The broker's way to say that a retained message was taken away.
        guard !(message.retained && message.payload.isEmpty) else { return nil }
        if topic == .previewJPEG {
            write(message, topic, text: "preview      \(message.payload.count) bytes")
            return nil
        }
        do {
            let decoded = try MessageDecoder().decode(message.payload, on: topic)
            write(message, topic, text: isJSON ? "" : formatter.line(decoded))
            return decoded
        } catch {
            StandardOutput.note(error.description)
            return nil
        }
    }

    private mutating func write(_ message: ReceivedMessage, _ topic: Topic, text: String) {
        shown += 1
        if isJSON {
            StandardOutput.write(Message(topic: topic, payload: JSONText.onOneLine(message.payload)).line(base: base))
        } else {
            StandardOutput.print(line: text)
        }
    }
}
