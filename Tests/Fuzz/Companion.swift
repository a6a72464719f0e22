import CCurl
import FaceMessages
import FaceMetadata
import Foundation
import Frames
import OverlayRendering
import Synchronization

@testable import HTTPServing
@testable import LivePage

/// What reaches `facet serve`, `facet zones` and `facet watch --post` from outside.
enum Companion {
    /// A request to the page's server: a line with method, path and query, lines of headers, an empty line, the body.
    /// Headers hold cookies, tokens and `Last-Event-ID`.
    static let page: Target = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let head = text.prefix { $0 != "\u{0}" }.split(separator: "\n", omittingEmptySubsequences: false)
        let words = (head.first ?? "").split(separator: " ")
        let address = (words.count > 1 ? words[1] : "").split(separator: "?", maxSplits: 1)
        var headers = ["host": "localhost"]
        for line in head.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2 { headers[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces) }
        }
        var query: [String: String] = [:]
        for part in (address.count > 1 ? address[1] : "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            query[pair[0]] = pair.count > 1 ? pair[1] : ""
        }
        let body = text.dropFirst(text.prefix { $0 != "\u{0}" }.count + 1)
        let request = HTTPRequest(
            method: words.first.map(String.init) ?? "",
            path: address.first.map(String.init) ?? "",
            query: query,
            headers: headers,
            body: Array(body.utf8)
        )
        for server in servers {
            let response = server.answer(request)
            precondition((200...503).contains(response.status), "an answer has no status")
            guard case .stream(let stream, _) = response.body else { continue }
            stream.begin {}
            for _ in 0..<3 { _ = stream.next() }
            (stream as? Viewer)?.end()
            stream.end()
        }
    }

    /// One without a token, and one with.
    private static let servers: [PageServer] = ["", "secret"].map { token in
        let viewers = Viewers()
        for number in 0..<3 {
            let face = FaceObject(
                faceID: FaceID(rawValue: number + 1),
                bounds: NormalizedRect(x: 0.4, y: 0.3, width: 0.2, height: 0.3),
                confidence: 0.9
            )
            let event = FaceEvent(
                kind: .smile,
                face: face,
                stamp: FrameStamp(frame: 1, time: .wallClock(), mediaTime: 0)
            )
            let message = EventMessage(
                origin: MessageOrigin(camera: "front", boot: "R"),
                id: "01JD6Z3KA1B2C3D4E5F6G7H8J\(number)",
                seq: number,
                event: event,
                latency: nil
            )
            viewers.events.add(message, of: "faces")
        }
        var options = PageService.Options(ListenAddress(port: 0))
        options.token = token.isEmpty ? nil : token
        options.names = ["camera.local"]
        options.proxies = ["127.0.0.1"].compactMap { ClientAddress($0) }
        return PageServer(
            access: PageGuard(options),
            viewers: viewers,
            overlays: Overlays().names,
            wish: ViewerWish(overlay: "box", isMirrored: false),
            detect: { _, _ in }
        )
    }

    private static let directory = "/dev/shm/facet-areas-\(getpid())"

    /// Areas that a page sends to `facet zones --write`, up to a zero byte, and the file into which they are to be
    /// written.
    static let areas: Target = { bytes in
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let drawn = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let before = parts.count > 1 ? Data(parts[1]) : Data("log: {level: info}\n".utf8)
        _ = mkdir(directory, 0o700)
        let path = directory + "/facetd.yaml"
        guard FileManager.default.createFile(atPath: path, contents: before) else { return }
        let editor = AreaEditor(path: path) { _ in }
        let (status, words) = editor.save(drawn)
        precondition(status == 200 || FileManager.default.contents(atPath: path) == before, "refused, but written")
        precondition(!words.isEmpty && words.utf8.count < 40_000, "the problems are too long to read")
        if status == 200 {
            precondition((try? editor.areas()) != nil, "what was written cannot be read")
        }
    }

    /// What a web address answers to an event that is posted to it.
    static let post: Target = { bytes in
        let server = answering
        server.answer.withLock { $0 = Data(bytes) }
        var error: UnsafePointer<CChar>?
        guard let client = FacetPosterMake("http://127.0.0.1:\(server.port)/", &error) else {
            preconditionFailure("libcurl is missing")
        }
        defer { FacetPosterFree(client) }
        let status = FacetPosterSend(client, "{}", 2, "Content-Type: application/json", nil, 500, &error)
        precondition(status == 0 || (200..<1000).contains(status), "an answer has no status")
    }

    private static let answering = AnsweringServer { connection, answer in
        var request = [UInt8](repeating: 0, count: 4096)
        _ = recv(connection, &request, request.count, 0)
        AnsweringServer.send(answer, to: connection)
    }
}
