package import FaceMessages
package import MQTT
import SettingsFiles
import TerminalPictures

/// Writes received messages to standard output, and on a terminal the present faces in a line that stays the last one.
package struct WatchPrinter {
    package struct Style {
        package var isJSON = false
        /// Metadata as lines of their own, and not only in the line of the present faces.
        package var showsMetadata = false
        /// Whether the camera is named in each line even where only one is heard of.
        package var namesCamera = false

        package init(isJSON: Bool = false, showsMetadata: Bool = false, namesCamera: Bool = false) {
            self.isJSON = isJSON
            self.showsMetadata = showsMetadata
            self.namesCamera = namesCamera
        }
    }

    private let style: Style
    private let formatter = WatchFormatter(hasColors: StandardOutput.hasColors)
    private var table = CameraTable()
    private var hasFacesLine = false

    private var namesCamera: Bool { style.namesCamera || table.cameras.count > 1 }

    package private(set) var shown = 0

    init(_ style: Style) { self.style = style }

    /// Writes a message.
    ///
    /// - Returns: the message; nil if it broke the contract or is a picture.
    package mutating func show(_ message: CameraMessage) -> DecodedMessage? {
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
        // What cannot be read is reported once for each topic, by `Notices`.
        case .malformed: break
        }
        return nil
    }

    /// Forgets the faces: without a connection nothing is known of them.
    package mutating func take(_ state: ConnectionState) {
        _ = table.take(.connection(state))
    }

    /// Writes a note for the person at the terminal above the line of the faces.
    package mutating func note(_ text: String) {
        removeFaces()
        StandardOutput.note(text)
        drawFaces()
    }

    package mutating func finish() {
        removeFaces()
    }

    private mutating func put(_ message: CameraMessage, text: String) {
        shown += 1
        let base = message.base
        guard !style.isJSON else {
            return StandardOutput.write(
                Message(topic: message.topic, payload: JSONText.onOneLine(message.payload)).line(base: base)
            )
        }
        removeFaces()
        StandardOutput.write(Array(((namesCamera ? "\(base.printable)  " : "") + text + "\n").utf8))
        drawFaces()
    }

    private mutating func drawFaces() {
        guard StandardOutput.isTerminal, !style.isJSON, !style.showsMetadata else { return }
        let parts = table.sorted.compactMap { base, camera -> String? in
            guard camera.stamp != nil || !camera.mayShowFaces else { return nil }
            let words = camera.mayShowFaces ? formatter.words(of: camera.faces) : camera.summary
            return (namesCamera ? "\(base): " : "") + words
        }
        guard !parts.isEmpty else { return removeFaces() }
        let text = parts.joined(separator: "  ").printable.cut(to: TerminalSize.current.columns - 1)
        hasFacesLine = true
        StandardOutput.write(Array("\r\u{1B}[K\(formatter.faint(text))".utf8))
    }

    private mutating func removeFaces() {
        guard hasFacesLine else { return }
        hasFacesLine = false
        StandardOutput.write(Array("\r\u{1B}[K".utf8))
    }
}
