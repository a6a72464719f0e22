/// Prints received messages. On a terminal, the last line always shows the present faces.
struct WatchPrinter {
    let isJSON: Bool
    /// Whether to print a line for each metadata message, instead of showing the faces in the last line only.
    let showsMetadata: Bool
    /// Whether each line names the camera even if there is only one.
    let alwaysNamesCamera: Bool
    private let formatter = WatchFormatter(hasColors: Console.hasColors)
    private(set) var table = CameraTable()
    private(set) var hasFacesLine = false
    private var namesCamera: Bool { alwaysNamesCamera || table.cameras.count > 1 }
    private(set) var shown = 0

    /// Prints a message. Returns its decoded content; nil if it is malformed, empty or a picture.
    mutating func show(_ message: CameraMessage) -> DaemonMessage? {
        _ = table.take(.message(message))
        switch message.content {
        case .removed: drawFaces()
        case .picture(let picture): put(message, text: "preview      \(picture.jpeg.count) bytes")
        case .decoded(let decoded):
            if case .metadata = decoded, !isJSON, !showsMetadata {
                drawFaces()
            } else {
                put(message, text: isJSON ? "" : formatter.line(decoded))
            }
            return decoded
        // `Notices` reports malformed messages, once for each topic.
        case .malformed: break
        }
        return nil
    }

    /// Notes a change of the connection to the broker. While it is interrupted, no faces are known.
    mutating func take(_ state: ConnectionState) { _ = table.take(.connection(state)) }

    /// Writes a message to the user above the line with the faces.
    mutating func note(_ text: String) {
        removeFaces()
        Console.note(text)
        drawFaces()
    }

    private mutating func put(_ message: CameraMessage, text: String) {
        shown += 1
        let base = message.base
        guard !isJSON else {
            let line = Message(topic: message.topic, payload: JSONText.onOneLine(message.published)).line(base: base)
            return Console.write(line)
        }
        removeFaces()
        Console.print(styled: (namesCamera ? "\(base.printable)  " : "") + text)
        drawFaces()
    }

    private mutating func drawFaces() {
        guard Console.isTerminal, !isJSON, !showsMetadata else { return }
        let parts = table.sorted.compactMap { base, camera -> String? in
            guard camera.stamp != nil || !camera.mayShowFaces else { return nil }
            let words = camera.mayShowFaces ? formatter.words(of: camera.faces) : camera.summary
            return (namesCamera ? "\(base): " : "") + words
        }
        guard !parts.isEmpty else { return removeFaces() }
        let text = parts.joined(separator: "  ").printable.cut(to: TerminalSize.current.columns - 1)
        hasFacesLine = true
        Console.write(Array("\r\u{1B}[K\(formatter.faint(text))".utf8))
    }

    /// Removes the line with the faces from the terminal.
    mutating func removeFaces() {
        if hasFacesLine { Console.write(Array("\r\u{1B}[K".utf8)) }
        hasFacesLine = false
    }
}
