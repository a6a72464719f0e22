import FaceMessages
import MQTT

/// Writes received messages to standard output, and on a terminal the present faces in a line that stays the last one.
struct WatchPrinter {
    /// What is written.
    struct Style {
        /// Each message as a line of JSON.
        var isJSON = false
        /// Metadata as lines of their own, and not only in the line of the present faces.
        var showsMetadata = false
        /// Whether a terminal shows the output.
        var isTerminal = false
        /// Whether the camera is named in each line.
        var namesCamera = false
    }

    private let style: Style
    private let formatter = WatchFormatter(hasColors: StandardOutput.hasColors)
    private let write: ([UInt8]) -> Void
    private var faces: [String: MetadataMessage] = [:]
    private var hasFacesLine = false

    /// How many messages were written.
    private(set) var shown = 0

    /// Makes a printer.
    init(_ style: Style, write: @escaping ([UInt8]) -> Void = { StandardOutput.write($0) }) {
        self.style = style
        self.write = write
    }

    /// Writes a message; one that breaks the contract is reported on standard error.
    ///
    /// - Returns: the message; nil if it broke the contract or is a picture.
    mutating func show(_ message: ReceivedMessage, on topic: Topic) -> DecodedMessage? {
        // The broker's way to say that a retained message was taken away.
        guard !(message.retained && message.payload.isEmpty) else { return nil }
        let base = message.base(of: topic)
        if topic == .previewJPEG {
            put(message, topic, text: "preview      \(message.payload.count) bytes")
            return nil
        }
        do {
            let decoded = try MessageDecoder().decode(message.payload, on: topic)
            if case .metadata(let metadata) = decoded, !style.isJSON, !style.showsMetadata {
                faces[base] = metadata
                drawFaces()
            } else {
                put(message, topic, text: style.isJSON ? "" : formatter.line(decoded))
            }
            return decoded
        } catch {
            removeFaces()
            StandardOutput.note(style.namesCamera ? "\(base): \(error.description)" : error.description)
            return nil
        }
    }

    /// Writes a note for the person at the terminal above the line of the faces.
    mutating func note(_ text: String) {
        removeFaces()
        StandardOutput.note(text)
        drawFaces()
    }

    /// Ends the line of the faces.
    mutating func finish() {
        removeFaces()
    }

    private mutating func put(_ message: ReceivedMessage, _ topic: Topic, text: String) {
        shown += 1
        let base = message.base(of: topic)
        guard !style.isJSON else {
            return write(Message(topic: topic, payload: JSONText.onOneLine(message.payload)).line(base: base))
        }
        removeFaces()
        write(Array(((style.namesCamera ? "\(base.printable)  " : "") + text + "\n").utf8))
        drawFaces()
    }

    private mutating func drawFaces() {
        guard style.isTerminal, !style.isJSON, !style.showsMetadata, !faces.isEmpty else { return }
        let parts = faces.sorted { $0.key < $1.key }.map { base, message in
            (style.namesCamera ? "\(base): " : "") + formatter.words(of: message)
        }
        let columns = StandardOutput.columns
        let line = parts.joined(separator: "  ").printable
        let text = line.count < columns ? line : String(line.prefix(max(1, columns - 2))) + "…"
        hasFacesLine = true
        write(Array("\r\u{1B}[K\(formatter.faint(text))".utf8))
    }

    private mutating func removeFaces() {
        guard hasFacesLine else { return }
        hasFacesLine = false
        write(Array("\r\u{1B}[K".utf8))
    }
}
