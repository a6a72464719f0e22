import FaceMessages
import MQTT
import TerminalPictures

/// Writes received messages to standard output, and on a terminal the present faces in a line that stays the last one.
struct WatchPrinter {
    struct Style {
        var isJSON = false
        /// Metadata as lines of their own, and not only in the line of the present faces.
        var showsMetadata = false
        var isTerminal = false
        /// Whether the camera is named in each line even where only one is heard of.
        var namesCamera = false
    }

    private let style: Style
    private let formatter = WatchFormatter(hasColors: StandardOutput.hasColors)
    private let write: ([UInt8]) -> Void
    private var table = CameraTable()
    private var hasFacesLine = false

    private var namesCamera: Bool { style.namesCamera || table.cameras.count > 1 }

    private(set) var shown = 0

    init(_ style: Style, write: @escaping ([UInt8]) -> Void = { StandardOutput.write($0) }) {
        self.style = style
        self.write = write
    }

    /// Writes a message; one that breaks the contract is reported on standard error.
    ///
    /// - Returns: the message; nil if it broke the contract or is a picture.
    mutating func show(_ message: CameraMessage) -> DecodedMessage? {
        _ = table.take(.message(message))
        switch message.content {
        case .removed: drawFaces()
        case .picture(let picture): put(message, text: "preview      \(picture.jpeg.count) bytes")
        case .decoded(let decoded):
            if case .metadata = decoded, !style.isJSON, !style.showsMetadata {
                drawFaces()
            } else {
                put(message, text: style.isJSON ? "" : formatter.line(decoded))
            }
            return decoded
        case .malformed(let error):
            note(namesCamera ? "\(message.base): \(error.description)" : error.description)
        }
        return nil
    }

    /// Forgets the faces: without a connection nothing is known of them.
    mutating func take(_ state: ConnectionState) {
        _ = table.take(.connection(state))
    }

    /// Writes a note for the person at the terminal above the line of the faces.
    mutating func note(_ text: String) {
        removeFaces()
        StandardOutput.note(text)
        drawFaces()
    }

    mutating func finish() {
        removeFaces()
    }

    private mutating func put(_ message: CameraMessage, text: String) {
        shown += 1
        let base = message.base
        guard !style.isJSON else {
            return write(Message(topic: message.topic, payload: JSONText.onOneLine(message.payload)).line(base: base))
        }
        removeFaces()
        write(Array(((namesCamera ? "\(base.printable)  " : "") + text + "\n").utf8))
        drawFaces()
    }

    private mutating func drawFaces() {
        guard style.isTerminal, !style.isJSON, !style.showsMetadata else { return }
        let parts = table.sorted.compactMap { base, camera -> String? in
            guard camera.stamp != nil || !camera.mayShowFaces else { return nil }
            let words = camera.mayShowFaces ? formatter.words(of: camera.faces) : camera.summary
            return (namesCamera ? "\(base): " : "") + words
        }
        guard !parts.isEmpty else { return removeFaces() }
        let text = parts.joined(separator: "  ").printable.cut(to: TerminalSize.current.columns - 1)
        hasFacesLine = true
        write(Array("\r\u{1B}[K\(formatter.faint(text))".utf8))
    }

    private mutating func removeFaces() {
        guard hasFacesLine else { return }
        hasFacesLine = false
        write(Array("\r\u{1B}[K".utf8))
    }
}
