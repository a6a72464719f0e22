import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import OverlayRendering
import Testing

@testable import Companion
@testable import HTTPServing
@testable import LivePage

/// Random requests of all kinds to every address of the page's server; each must be answered, and the server goes on.
@Suite("Random requests to the page's server", .serialized, .timeLimit(.minutes(20)))
struct RandomRequestsTests {
    private static let token = "correct horse battery"

    private func server(token: String?, settings: String) -> PageServer {
        let viewers = Viewers()
        viewers.events.add(ProgramsTests.event(1), of: "faces")
        return PageServer(
            access: PageGuard(ServeTests.options(token: token, proxies: ["127.0.0.1"])),
            viewers: viewers,
            overlays: Overlays().names,
            wish: ViewerWish(overlay: "box", isMirrored: false),
            detect: { _, _ in },
            editor: AreaEditor(path: settings) { _ in }
        )
    }

    @Test("each is answered with a status that the contract knows", arguments: [nil, RandomRequestsTests.token])
    func answers(token: String?) throws {
        let directory = try TemporaryDirectory()
        let server = server(token: token, settings: try directory.write("log: {level: info}\n", to: "facetd.yaml"))
        var random = RandomRequest(seed: token == nil ? 1 : 2, token: token ?? "", host: "127.0.0.1:8088")
        let known: Set = [200, 303, 400, 401, 403, 404, 405, 429, 500, 503]
        var counts: [Int: Int] = [:]
        for number in 0..<TestEffort.amount(10_000, soak: 500_000) {
            let request = random.next()
            let response = server.answer(request)
            counts[response.status, default: 0] += 1
            #expect(known.contains(response.status), "\(number): \(request)")
            if case .stream(let stream, _) = response.body {
                stream.begin {}
                for _ in 0..<3 { _ = stream.next() }
                stream.end()
                (stream as? Viewer)?.end()
            }
        }
        #expect(counts[200, default: 0] > 0 && counts[403, default: 0] > 0 && counts[404, default: 0] > 0, "\(counts)")
        if token != nil { #expect(counts[401, default: 0] > 0 && counts[303, default: 0] > 0, "\(counts)") }
        let page = HTTPRequest(method: "GET", path: "/icon.svg", headers: ["host": "127.0.0.1:8088"])
        #expect(server.answer(page).status == 200)
    }

    @Test("over real connections, as bytes that may be no request at all")
    func connections() throws {
        let directory = try TemporaryDirectory()
        let page = server(token: Self.token, settings: try directory.write("log: {level: info}\n", to: "facetd.yaml"))
        let server = try HTTPServer(HTTPServer.Options(host: "127.0.0.1", port: 0)) { page.answer($0) }
        let thread = Thread { server.run() }
        thread.start()
        defer { server.stop() }
        var random = RandomRequest(seed: 3, token: Self.token, host: "127.0.0.1:\(server.port)")
        let end = ContinuousClock.now + .seconds(600)
        var number = 0
        while TestEffort.isFull ? ContinuousClock.now < end : number < 2000 {
            let client = try SocketClient(port: server.port)
            client.send(bytes: random.nextBytes())
            number += 1
            // Every hundredth asks for something that is there.
            guard number % 100 == 0 else { continue }
            let asking = try SocketClient(port: server.port)
            asking.send("GET /icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            #expect(asking.receiveAll().hasPrefix("HTTP/1.1 200"), "after \(number) requests")
        }
    }
}

/// Makes requests that look random and are the same in every run.
private struct RandomRequest {
    private static let paths = [
        "/", "/live", "/events", "/state", "/metrics", "/picture.jpg", "/areas", "/zones", "/page.js", "/page.css",
        "/icon.svg",
        "/manifest.json", "/detect", "/login", "/logout", "/zones.js", "/none", "", "//", "/../etc/passwd", "/live/",
        "*",
    ]
    private static let names = [
        "host", "origin", "cookie", "authorization", "last-event-id", "x-forwarded-for", "x-forwarded-proto",
        "content-type",
        "content-length", "connection", "expect", "transfer-encoding", "range",
    ]
    private static let pieces = [
        "%", "%4", "%zz", "%00", "+", "&", "=", "token", "facet-0", ";", ",", "\"", "{", "}", "[", "]", ":", "zones:",
        "\n",
        "  a: [0, 0, 1, 1]", "area", "camera", "on", "true", "-1", "9e999", "NaN", "../", "\u{0}", "\u{FFFD}", "é", "🙂",
        " ",
        "01JD6Z3KA1B2C3D4E5F6G7H8J1", "smile", "Bearer ", "https", "::1", "127.0.0.1", "&a", "*a", "!!binary ", "<<: ",
        "|", "\t",
    ]

    private var generator: SplitMix64
    private let token: String
    private let host: String

    init(seed: UInt64, token: String, host: String) {
        generator = SplitMix64(seed: seed)
        self.token = token
        self.host = host
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private mutating func text() -> String {
        let count = chance(5) ? 400 : Int.random(in: 0..<8, using: &generator)
        return (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
    }

    private mutating func body() -> String {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: "token=" + (chance(10) ? token.replacing(" ", with: "+") : text())
        case 1: "{\"camera\":\"\(text())\",\"on\":\(chance(50))}"
        case 2: "zones:\n  \(text()):\n    area: [\(text())]\n"
        case 3: "ignore: {a: [0, 0, 1, 1]}\n" + text()
        default: text()
        }
    }

    private mutating func headers() -> [String: String] {
        var headers: [String: String] = [:]
        for _ in 0..<Int.random(in: 0..<4, using: &generator) {
            headers[Self.names.randomElement(using: &generator) ?? ""] = text()
        }
        if chance(90) { headers["host"] = host }
        if chance(30) { headers["authorization"] = "Bearer " + (chance(80) ? token : text()) }
        if chance(20) { headers["origin"] = "http://" + (chance(70) ? host : text()) }
        return headers
    }

    private mutating func method() -> String {
        let known = ["GET", "GET", "GET", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "get", ""]
        return known.randomElement(using: &generator) ?? ""
    }

    private mutating func path() -> String {
        (Self.paths.randomElement(using: &generator) ?? "") + (chance(10) ? text() : "")
    }

    mutating func next() -> HTTPRequest {
        var query: [String: String] = [:]
        for name in ["camera", "overlay", "kind", "mirror", "transparent"] where chance(15) { query[name] = text() }
        return HTTPRequest(
            method: method(),
            path: path(),
            query: query,
            headers: headers(),
            body: Array(body().utf8),
            client: chance(50) ? "127.0.0.1" : text()
        )
    }

    /// The same as bytes, some of which are damaged or cut off.
    mutating func nextBytes() -> [UInt8] {
        let body = body()
        let query = chance(40) ? "?camera=\(text())&\(text())" : ""
        var head = "\(method()) \(path())\(query) HTTP/1.\(chance(90) ? "1" : text())\r\n"
        for (name, value) in headers() { head += "\(name): \(value)\r\n" }
        if chance(80) { head += "Content-Length: \(chance(90) ? "\(body.utf8.count)" : text())\r\n" }
        var bytes = Array("\(head)Connection: close\r\n\r\n\(body)".utf8)
        for _ in 0..<3 where chance(15) {
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        return chance(10) ? Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))) : bytes
    }
}
