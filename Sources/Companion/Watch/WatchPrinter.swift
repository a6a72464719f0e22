/// Prints received messages, and on a terminal a last line that always shows the present faces.
struct WatchPrinter {
    let isJSON: Bool
    /// Whether metadata is printed as lines too, and not only in the line of the present faces.
    let showsMetadata: Bool
    /// Whether each line names the camera even if there is only one.
    let alwaysNamesCamera: Bool
    private let formatter = WatchFormatter(hasColors: Console.hasColors)
    private(set) var table = CameraTable()
    private(set) var hasFacesLine = false
    private var namesCamera: Bool { alwaysNamesCamera || table.cameras.count > 1 }
    private(set) var shown = 0

    /// - Returns: the message; nil if it broke the contract or is a picture.
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
        // `Notices` reports what cannot be read, once for each topic.
        case .malformed: break
        }
        return nil
    }

    /// Forgets the faces: without a connection nothing is known of them.
    mutating func take(_ state: ConnectionState) { _ = table.take(.connection(state)) }

    /// Writes a note for the person at the terminal above the line of the faces.
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
        Console.print(line: (namesCamera ? "\(base.printable)  " : "") + text)
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

    /// Removes the line of the faces, as at the end.
    mutating func removeFaces() {
        if hasFacesLine { Console.write(Array("\r\u{1B}[K".utf8)) }
        hasFacesLine = false
    }
}
