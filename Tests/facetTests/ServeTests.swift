import ArgumentParser
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import HTTPServing
import MQTT
import OverlayRendering
import Synchronization
import Testing

@testable import facet

@Suite("The page's server")
struct ServeTests {
    private static let own = "127.0.0.1:8088"
    private static let token = "correct horse battery"

    private let viewers = Viewers()

    private func server(
        token: String? = nil,
        proxies: [String] = [],
        looks: [String] = Looks().names,
        detect: PageServer.Switch? = nil
    ) -> PageServer {
        PageServer(
            access: PageGuard(token: token, names: ["camera.local"], proxies: proxies),
            viewers: viewers,
            looks: looks,
            wish: ViewerWish(look: looks[0], isMirrored: false),
            detect: detect
        )
    }

    private func request(
        _ method: String,
        _ path: String,
        _ headers: [String: String] = ["host": ServeTests.own],
        query: [String: String] = [:],
        body: String = "",
        client: String = "127.0.0.1"
    ) -> HTTPRequest {
        HTTPRequest(method, path, query: query, headers: headers, body: Array(body.utf8), client: client)
    }

    private func get(_ path: String, _ server: PageServer, _ headers: [String: String] = ["host": ServeTests.own])
        -> HTTPResponse
    {
        server.answer(request("GET", path, headers))
    }

    private func login(
        _ token: String,
        _ server: PageServer,
        _ more: [String: String] = [:],
        from client: String = "127.0.0.1"
    ) -> HTTPResponse {
        let headers = ["host": Self.own, "origin": "http://\(Self.own)"].merging(more) { $1 }
        let form = "token=" + token.replacingOccurrences(of: " ", with: "+")
        return server.answer(request("POST", "/login", headers, body: form, client: client))
    }

    private func words(_ response: HTTPResponse) -> String {
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("the page is there, under a policy that forbids everything foreign")
    func page() throws {
        let server = server()
        let page = words(get("/", server))
        let scripts = page.matches(of: /[a-z]+\.js\b/) + words(get("/page.js", server)).matches(of: /[a-z]+\.js\b/)
        #expect(Set(scripts.map(\.output)).count == 9)
        let files = [("/", "text/html"), ("/page.css", "text/css"), ("/manifest.json", "application/manifest+json")]
        for (path, type) in files + scripts.map({ ("/\($0.output)", "text/javascript") }) {
            let response = get(path, server)
            #expect(response.status == 200)
            #expect(response.headers["Content-Type"]?.hasPrefix(type) == true)
            let policy = try #require(response.headers["Content-Security-Policy"])
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
            let text = words(response)
            #expect(text.count > 200 && !text.contains("http://") && !text.contains("style=\""))
        }
        #expect(get("/icon.svg", server).headers["Content-Type"] == "image/svg+xml")
        #expect(get("/else", server).status == 404)
        #expect(server.answer(request("POST", "/")).status == 405)
    }

    @Test(
        "a page or a name that is not the server's own is refused",
        arguments: [
            (["host": "evil.example"], 403), (["host": "evil.example:8088"], 403), ([:], 403),
            (["host": "localhost:9000"], 200), (["host": "[::1]:8088"], 200), (["host": "CAMERA.local"], 200),
            (["host": "127.0.0.1, evil.example"], 403),
            (["host": ServeTests.own, "origin": "http://evil.example"], 403),
            (["host": ServeTests.own, "origin": "http://127.0.0.1:9999"], 403),
            (["host": ServeTests.own, "origin": "null"], 403),
            (["host": ServeTests.own, "origin": "http://127.0.0.1:8088"], 200),
        ] as [([String: String], Int)]
    )
    func foreign(headers: [String: String], status: Int) {
        #expect(get("/", server(), headers).status == status)
    }

    @Test("a token that is given is asked for, also from this machine", arguments: ["127.0.0.1", "192.168.1.7"])
    func token(client: String) throws {
        let server = server(token: Self.token)
        for path in ["/", "/page.js", "/live", "/else"] { #expect(get(path, server).status == 401, "\(path)") }
        for path in ["/page.css", "/icon.svg", "/manifest.json"] { #expect(get(path, server).status == 200, "\(path)") }
        // Otherwise Chromium posts the form with the origin "null", which is a foreign page's.
        #expect(get("/", server).headers["Referrer-Policy"] == "same-origin")
        let wrong = login("wrong", server, from: client)
        #expect(wrong.status == 401 && words(wrong).contains("not the token"))
        #expect(login(Self.token + Self.token, server, from: client).status == 401)
        #expect(login("", server, from: client).status == 401)
        let welcome = login(Self.token, server, from: client)
        #expect(welcome.status == 303)
        let cookie = try #require(welcome.headers["Set-Cookie"])
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains("correct"))
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(get("/", server, ["host": Self.own, "cookie": "a=b; \(pair)"]).status == 200)
        #expect(get("/", server, ["host": Self.own, "cookie": "facet=x"]).status == 401)
        let bearer = ["host": Self.own, "authorization": "Bearer \(Self.token)"]
        #expect(get("/", server, bearer).status == 200)
        #expect(get("/", server, bearer.merging(["origin": "http://evil.example"]) { $1 }).status == 403)
    }

    @Test("a logout ends the login and its pages, and no other")
    func logout() throws {
        let server = server(token: Self.token)
        let cookies = try (0..<2).map { _ in
            String(try #require(login(Self.token, server).headers["Set-Cookie"]).prefix { $0 != ";" })
        }
        let pages = cookies.map { get("/live", server, ["host": Self.own, "cookie": $0]) }
        #expect(pages.map(\.status) == [200, 200] && viewers.all.viewers.count == 2)
        let end = server.answer(request("POST", "/logout", ["host": Self.own, "cookie": cookies[0]]))
        #expect(end.status == 303 && end.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
        #expect(cookies.map { get("/", server, ["host": Self.own, "cookie": $0]).status } == [401, 200])
        #expect(viewers.all.viewers.count == 1)
    }

    @Test("the cookie is for encrypted connections only if the proxy that was named says so")
    func secureCookie() throws {
        let server = server(token: Self.token, proxies: ["10.0.0.2"])
        let https = ["x-forwarded-proto": "https"]
        func isSecure(_ headers: [String: String], from client: String) -> Bool? {
            login(Self.token, server, headers, from: client).headers["Set-Cookie"]?.contains("; Secure")
        }
        #expect(isSecure(https, from: "10.0.0.2") == true)
        #expect(isSecure(https, from: "10.0.0.3") == false)
        #expect(isSecure(["x-forwarded-proto": "http"], from: "10.0.0.2") == false)
    }

    @Test("wrong tokens are slowed down by address, and behind a proxy by the address that it names")
    func guessing() {
        let server = server(token: Self.token, proxies: ["10.0.0.2"])
        let tries = (0..<50).map { _ in login("guess", server, from: "203.0.113.5").status }
        #expect(tries.filter { $0 == 401 }.count < 10 && tries.last == 429)
        #expect(login(Self.token, server, from: "203.0.113.5").status == 429, "or a guesser would just go on")
        let bearer = ["host": Self.own, "authorization": "Bearer \(Self.token)"]
        #expect(server.answer(request("GET", "/", bearer, client: "203.0.113.5")).status == 429)
        #expect(login(Self.token, server, from: "203.0.113.6").status == 303)
        let proxied = ["x-forwarded-for": "198.51.100.1, 203.0.113.5"]
        #expect(login(Self.token, server, proxied, from: "10.0.0.2").status == 429)
        #expect(
            login(Self.token, server, ["x-forwarded-for": "203.0.113.5, 198.51.100.1"], from: "10.0.0.2").status == 303
        )
        #expect(login(Self.token, server, proxied, from: "10.0.0.3").status == 303, "not named")
    }

    @Test("from many addresses only so many tokens are tried")
    func guessingFromEverywhere() {
        var limit = AttemptLimit()
        var compared = 0
        for number in 0..<5000 {
            let address = "2001:db8:\(String(number, radix: 16))::1"
            guard limit.permits(address, at: Double(number) / 1000) else { continue }
            compared += 1
            limit.fail(address, at: Double(number) / 1000)
        }
        #expect((150...250).contains(compared), "a hundred at once and twenty a second")
        #expect(limit.permits("192.0.2.1", at: 6))
        for number in 0..<5 { limit.fail("2001:db8::\(number)", at: 6) }
        #expect(!limit.permits("2001:db8::9", at: 6), "who has a network of version 6 has all its addresses")
        #expect(limit.permits("2001:db8::9", at: 9))
    }

    @Test("a page switches the cameras on it, and publishes under no other name")
    func detect() {
        let switched = Mutex<[String]>([])
        viewers.serve(["faces", "porch/faces"])
        let server = server { base, isOn in switched.withLock { $0.append("\(base) \(isOn)") } }
        func post(_ camera: String) -> Int {
            server.answer(request("POST", "/detect", body: "{\"camera\":\"\(camera)\",\"on\":false}")).status
        }
        #expect(post("porch/faces") == 204)
        for other in ["home/alarm/set\\u0000", "+/faces", "#", "", "X", "faces/", "faces\\u0000"] {
            #expect(post(other) == 404, "\(other)")
        }
        #expect(server.answer(request("POST", "/detect", body: "nonsense")).status == 400)
        #expect(self.server().answer(request("POST", "/detect")).status == 403, "without --control")
        #expect((0..<50).map { _ in post("faces") }.filter { $0 == 204 }.count < 20)
        #expect(switched.withLock { $0.first == "porch/faces false" && $0.count < 21 })
    }

    @Test(
        "under a look that hides faces a page can choose only such looks",
        arguments: ["square", "hearts", "nonsense", ""]
    )
    func hidingLooks(wanted: String) throws {
        let server = server(looks: ["pixelate", "blur"])
        _ = server.answer(request("GET", "/live", query: ["look": wanted]))
        _ = server.answer(request("GET", "/live", query: ["look": "blur"]))
        #expect(viewers.all.viewers.map(\.wish.look) == ["pixelate", "blur"])
    }

    @Test("only so many pages are open at the same time, and closing one makes room")
    func capacity() throws {
        let server = server()
        for _ in 0..<Viewers.capacity { #expect(get("/live", server).status == 200) }
        #expect(get("/live", server).status == 503)
        viewers.all.viewers[7].end()
        #expect(get("/live", server).status == 200)
    }

    @Test("another address than loopback needs a token of some length", arguments: ["0.0.0.0:0", "[::]:0"])
    func tokenNeeded(address: String) async throws {
        let command = try #require(try Facet.parseAsRoot(["serve", "--listen", address]) as? Serve)
        await #expect(throws: CommandFailure.self) { try await command.run() }
    }

    @Test(
        "options that do not fit are refused",
        arguments: [
            ["--https-certificate", "a.pem"], ["--https-key", "a.key"], ["--proxy", "localhost"], ["--listen", "here"],
        ]
    )
    func options(arguments: [String]) {
        #expect(throws: (any Error).self) { try Facet.parseAsRoot(["serve"] + arguments) }
    }

    @Test(
        "addresses to listen on are read",
        arguments: [
            ("8088", "127.0.0.1", true), ("127.0.0.1:1", "127.0.0.1", true), ("[::1]:1", "::1", true),
            ("0.0.0.0:1", "0.0.0.0", false), ("localhost:1", "127.0.0.1", true),
            ("192.168.1.2:80", "192.168.1.2", false),
            ("99999", nil, false), ("a:1", nil, false), ("127.0.0.1", nil, false), ("", nil, false),
        ] as [(String, String?, Bool)]
    )
    func addresses(text: String, host: String?, isLoopback: Bool) {
        let address = ListenAddress(text)
        #expect(address?.host == host)
        #expect(address?.isLoopback ?? false == isLoopback)
    }

    @Test("a slow page falls behind by one picture of each camera, and no more")
    func slowPage() {
        let viewer = Viewer(ViewerWish(look: "box", isMirrored: false))
        for number in 0..<100 {
            viewer.put([UInt8(number)], of: "a")
            viewer.put([UInt8(100 + number)], of: "b")
            viewer.put(state: [255, UInt8(number)])
        }
        #expect((0..<3).map { _ in bytes(viewer.next()) } == [[255, 99], [99], [199]])
        #expect(viewer.dropped == 198)
        guard case .none = viewer.next() else {
            Issue.record("there is more than the newest")
            return
        }
        viewer.end()
        viewer.put([1], of: "a")
        guard case .end = viewer.next() else {
            Issue.record("a page that ended goes on")
            return
        }
    }
}

/// The bytes of a part that a page is sent; nil if nothing waits.
private func bytes(_ part: HTTPStreamPart) -> [UInt8]? {
    guard case .bytes(let bytes) = part else { return nil }
    return bytes
}

@Suite("What the page is sent")
struct PagePublisherTests {
    private let viewers = Viewers()

    private func publisher(_ looks: Looks = Looks(), offered: [String]? = nil) throws -> PagePublisher {
        try PagePublisher(
            viewers: viewers,
            address: "broker:1883",
            bases: ["faces"],
            looks: looks,
            offered: offered ?? looks.names,
            canControl: false,
            hasLogin: false
        )
    }

    private func join(_ look: String = "hearts", camera: String? = nil) throws -> Viewer {
        try #require(viewers.join(ViewerWish(look: look, isMirrored: false, camera: camera)))
    }

    private func received(_ message: Message, under base: String = "faces") -> Subscriber.Occurrence {
        occurrence(message, under: base)
    }

    /// The parts of the next message that a page is sent.
    private func next(_ viewer: Viewer) throws -> (header: [String: Any], svg: String, jpeg: [UInt8]) {
        try parts(of: try #require(bytes(viewer.next())))
    }

    private func parts(of message: [UInt8]) throws -> (header: [String: Any], svg: String, jpeg: [UInt8]) {
        let lengths = stride(from: 0, to: 12, by: 4).map { message[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
        #expect(message.count == 12 + lengths.reduce(0, +))
        let (svg, jpeg) = (12 + lengths[0], 12 + lengths[0] + lengths[1])
        let json = try JSONSerialization.jsonObject(with: Data(message[12..<svg]))
        return (
            try #require(json as? [String: Any]),
            String(decoding: message[svg..<jpeg], as: UTF8.self),
            Array(message[jpeg...])
        )
    }

    private func jpeg() throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let path = directory.file("picture.jpg")
        try PictureFile(path).write(try Canvas(pixelSize: FrameSize(width: 48, height: 32)))
        return Array(try Data(contentsOf: URL(filePath: path)))
    }

    @Test("a picture comes with the faces of its frame and the overlay in the wanted look")
    func picture() async throws {
        let publisher = try publisher()
        let (hearts, box) = (try join("hearts"), try join("box"))
        let jpeg = try jpeg()
        publisher.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        publisher.take(received(encoder.preview(jpeg, of: stamp(3))), at: 0)
        try publisher.advance(to: 0.01)
        var documents: [String] = []
        for viewer in [hearts, box] {
            let state = try next(viewer)
            #expect(state.header["type"] as? String == "state")
            let picture = try next(viewer)
            #expect(picture.header["frame"] as? Int == 3 && picture.header["width"] as? Int == 48)
            #expect(picture.jpeg == jpeg)
            #expect(picture.svg.contains("<svg") && picture.svg.contains("viewBox=\"0 0 48 32\""))
            #expect(!picture.svg.contains("<image"), "the overlay is made of shapes")
            documents.append(picture.svg)
        }
        #expect(documents[0] != documents[1])
    }

    @Test("a look of one's own is offered, and drawn with its pictures")
    func ownLook() async throws {
        let publisher = try publisher(try OverlayOptions.parse(["--look", exampleLook]).looks())
        let viewer = try join("party")
        publisher.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        publisher.take(received(encoder.preview(try jpeg(), of: stamp(3))), at: 0)
        try publisher.advance(to: 0.01)
        let state = try next(viewer)
        #expect((state.header["looks"] as? [String])?.last == "party")
        let picture = try next(viewer)
        #expect(picture.header["look"] as? String == "party")
        #expect(picture.svg.contains("<image"))
    }

    @Test("without a preview there are plain heads, drawn as shapes too")
    func heads() async throws {
        let publisher = try publisher()
        let viewer = try join()
        publisher.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        try publisher.advance(to: 0.01)
        _ = viewer.next()
        let picture = try next(viewer)
        #expect(picture.header["picture"] as? Bool == false && picture.jpeg.isEmpty)
        #expect(picture.header["width"] as? Int == 640 && !picture.svg.contains("<image"))
        #expect((picture.header["faces"] as? [[String: Any]])?.first?["leftClosed"] as? Bool == true)
    }

    @Test("everything is drawn once however many pages there are")
    func sharedDrawing() async throws {
        let publisher = try publisher()
        let pages = try (0..<20).map { _ in try join() }
        publisher.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        try publisher.advance(to: 0.01)
        var addresses: Set<Int> = []
        for page in pages {
            _ = page.next()
            let payload = try #require(bytes(page.next()))
            addresses.insert(payload.withUnsafeBytes { Int(bitPattern: $0.baseAddress) })
        }
        #expect(addresses.count == 1, "all pages hold the same memory")
    }

    @Test("a page that wants one camera gets no other, and the state of all")
    func oneCamera() async throws {
        let publisher = try publisher()
        let viewer = try join(camera: "porch/faces")
        publisher.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        publisher.take(received(encoder.metadata([face()], at: stamp(3)), under: "porch/faces"), at: 0)
        try publisher.advance(to: 0.01)
        let state = try next(viewer)
        #expect(
            (state.header["cameras"] as? [[String: Any]])?.map { $0["base"] as? String } == ["faces", "porch/faces"]
        )
        let picture = try next(viewer)
        #expect(picture.header["camera"] as? String == "porch/faces")
    }

    /// The newest state that a page is sent.
    private func newestState(_ viewer: Viewer) throws -> [String: Any] {
        var state: [String: Any] = [:]
        while let message = bytes(viewer.next()) {
            let header = try parts(of: message).header
            if header["type"] as? String == "state" { state = header }
        }
        return state
    }

    @Test("a restart of the broker changes no name, and takes away the cameras that do not come back")
    func restartOfBroker() throws {
        let publisher = try publisher()
        let viewer = try join()
        func cameras() throws -> [String: String] {
            let rows = try #require(try newestState(viewer)["cameras"] as? [[String: Any]])
            return rows.reduce(into: [:]) { $0[$1["base"] as? String ?? ""] = $1["name"] as? String }
        }
        let bases = ["faces", "porch/faces", "yard/faces"]
        func hear(_ base: String, at seconds: Double) {
            let encoder = MessageEncoder(camera: "The \(base)", boot: "1")
            let status = DaemonStatus(state: .online, cameraState: .streaming)
            publisher.take(received(encoder.status(status), under: base), at: seconds)
        }
        for base in bases { hear(base, at: 0) }
        publisher.take(.connection(.disconnected("gone")), at: 1)
        try publisher.advance(to: 1)
        #expect(try cameras() == Dictionary(uniqueKeysWithValues: bases.map { ($0, "The \($0)") }))
        publisher.take(connected, at: 2)
        hear("yard/faces", at: 3)
        try publisher.advance(to: 4)
        #expect(try cameras().count == 3, "a daemon needs some seconds to come back")
        try publisher.advance(to: 23)
        #expect(try cameras().keys.sorted() == ["faces", "yard/faces"], "one that was named stays")
    }

    @Test("blinks do not push other events out")
    func eventsOfEachKind() throws {
        let publisher = try publisher()
        let viewer = try join()
        for number in 0..<50 {
            let kind = number == 0 ? FaceEvent.Kind.smile : .blink(eyes: .both, duration: 0.1)
            let event = encoder.event(event(kind).event, id: "E\(number)", seq: number, latency: nil)
            publisher.take(received(event), at: 0)
        }
        try publisher.advance(to: 0.01)
        let rows = try #require(try newestState(viewer)["events"] as? [[String: Any]])
        #expect(rows.map { $0["number"] as? Int } == [1] + Array(31...50))
        #expect(rows.first?["name"] as? String == "front")
    }

    @Test("an overlay is what the look draws, without picture or drawn heads")
    func overlayAlone() throws {
        let publisher = try publisher()
        let plain = try join()
        let overlay = try #require(viewers.join(ViewerWish(look: "hearts", isMirrored: false, isOverlay: true)))
        publisher.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        try publisher.advance(to: 0.01)
        let (heads, marks) = try (frame(plain), frame(overlay))
        #expect(marks.svg.count < heads.svg.count && marks.svg.contains("<path"))
        let box = try #require((marks.header["faces"] as? [[String: Any]])?.first?["box"] as? [Double])
        #expect(box.count == 4 && box.allSatisfy { (0...1).contains($0) })
        publisher.take(received(encoder.preview(try jpeg(), of: stamp(3))), at: 0.1)
        try publisher.advance(to: 0.2)
        #expect(try frame(plain).jpeg.count > 0)
        #expect(try frame(overlay).jpeg.isEmpty)
    }

    /// The next picture that a page is sent.
    private func frame(_ viewer: Viewer) throws -> (header: [String: Any], svg: String, jpeg: [UInt8]) {
        var message = try next(viewer)
        while message.header["type"] as? String != "frame" { message = try next(viewer) }
        return message
    }

    @Test("the loss of the broker, events and the camera's trouble are in the state")
    func state() async throws {
        let publisher = try publisher()
        let viewer = try join()
        let status = DaemonStatus(state: .online, cameraState: .lost, reason: "unplugged", detail: "it was unplugged")
        publisher.take(received(encoder.status(status)), at: 0)
        publisher.take(received(encoder.event(event(.smile).event, id: "E1", seq: 1, latency: nil)), at: 0)
        try publisher.advance(to: 0.01)
        let first = try next(viewer).header
        let camera = try #require((first["cameras"] as? [[String: Any]])?.first)
        #expect(camera["camera"] as? String == "lost" && camera["detail"] as? String == "it was unplugged")
        #expect((first["events"] as? [[String: Any]])?.first?["kind"] as? String == "smile")
        publisher.take(.connection(.disconnected("refused")), at: 1)
        try publisher.advance(to: 1)
        var second: [String: Any] = [:]
        while second["type"] as? String != "state" {
            second = try next(viewer).header
        }
        let broker = try #require(second["broker"] as? [String: Any])
        #expect(broker["connected"] as? Bool == false && broker["reason"] as? String == "refused")
    }

    @Test("under a look that hides faces a picture waits, and without metadata it is never shown")
    func hiding() async throws {
        let publisher = try publisher(offered: ["pixelate", "blur"])
        let viewer = try join("blur")
        let jpeg = try jpeg()
        var states: [[String: Any]] = []
        func pictures() throws -> [[UInt8]] {
            var pictures: [[UInt8]] = []
            while let message = bytes(viewer.next()) {
                let parts = try self.parts(of: message)
                if parts.header["type"] as? String == "state" {
                    states.append(parts.header)
                } else {
                    pictures.append(parts.jpeg)
                }
            }
            return pictures.filter { !$0.isEmpty }
        }
        for number in 0..<40 {
            publisher.take(received(encoder.preview(jpeg, of: stamp(number))), at: Double(number) / 10)
            try publisher.advance(to: Double(number) / 10)
            #expect(try pictures().isEmpty)
        }
        let cameras = try #require(states.last?["cameras"] as? [[String: Any]])
        #expect(cameras.first?["attention"] as? [String] == ["no_metadata"], "the page says why")
        publisher.take(received(encoder.metadata([face()], at: stamp(50))), at: 5)
        publisher.take(received(encoder.preview(jpeg, of: stamp(50))), at: 5)
        try publisher.advance(to: 5)
        try publisher.advance(to: 5.25)
        #expect(try pictures().isEmpty, "a face may be found in the next ones")
        try publisher.advance(to: 5.35)
        let shown = try pictures()
        #expect(shown.count == 1 && shown.first != jpeg)
    }

    @Test("a face found just before or after a picture, and not in it, is covered in it")
    func neighbours() throws {
        func entry(_ arrival: Double, _ faces: [NormalizedRect]) -> CheckedPictures.Entry {
            let picture = PreviewPicture(
                content: .jpeg([]),
                frame: Int(arrival * 30),
                mediaTime: arrival,
                arrival: arrival
            )
            return CheckedPictures.Entry(picture: picture, size: FrameSize(width: 4, height: 3), faces: faces)
        }
        let (left, right) = (
            NormalizedRect(x: 0.1, y: 0.1, width: 0.2, height: 0.2),
            NormalizedRect(x: 0.6, y: 0.1, width: 0.2, height: 0.2)
        )
        let moved = NormalizedRect(x: 0.15, y: 0.1, width: 0.2, height: 0.2)
        var pictures = CheckedPictures()
        pictures.add(entry(0, [left]))
        #expect(pictures.takeDue(at: 0.2) == nil)
        #expect(pictures.takeDue(at: 0.31)?.faces == [left])
        #expect(pictures.takeDue(at: 0.32) == nil, "once")
        pictures.add(entry(0.2, [moved]))
        pictures.add(entry(0.4, [right, moved]))
        #expect(pictures.takeDue(at: 0.5)?.faces == [moved, right], "where it was before is nothing to cover")
        pictures.add(entry(0.6, []))
        #expect(pictures.takeDue(at: 0.95)?.faces == [right, moved])
        pictures.add(entry(2, []))
        #expect(pictures.takeDue(at: 3)?.faces == [], "long ago")
    }

    @Test("a publisher of many names pushes out no camera that is shown, and the page says that there are more")
    func manyCameras() async throws {
        let publisher = try publisher()
        let viewer = try join()
        func status(_ base: String, _ state: DaemonStatus.State, at seconds: Double) {
            let status = DaemonStatus(state: state, cameraState: .streaming)
            publisher.take(received(encoder.status(status), under: base), at: seconds)
        }
        func shown(at seconds: Double) throws -> (bases: Set<String>, further: Int?) {
            try publisher.advance(to: seconds)
            var header: [String: Any] = [:]
            while let message = bytes(viewer.next()) {
                let next = try parts(of: message).header
                if next["type"] as? String == "state" { header = next }
            }
            let rows = header["cameras"] as? [[String: Any]] ?? []
            return (Set(rows.compactMap { $0["base"] as? String }), header["further"] as? Int)
        }
        publisher.take(
            .message(
                try #require(CameraMessage(ReceivedMessage(topic: "x/faces/metadata", payload: Array("nonsense".utf8))))
            ),
            at: 0
        )
        status(String(repeating: "long", count: 100) + "/faces", .online, at: 0)
        #expect(try shown(at: 0).bases == ["faces"], "what breaks the contract is no camera")
        status("old/faces", .offline, at: 0)
        for number in 0..<500 { status("fake\(number)/faces", .online, at: 0) }
        let many = try shown(at: 10)
        #expect(many.bases.count == PagePublisher.capacity && many.bases.contains("faces"))
        #expect(many.bases.contains("fake0/faces") && !many.bases.contains("old/faces"))
        #expect(many.further ?? 0 > 400)
        status("late/faces", .online, at: 11)
        #expect(try shown(at: 20).bases == many.bases, "who is online stays")
        #expect(viewers.serves("fake0/faces") && !viewers.serves("late/faces"))
        // Each of so many cameras may have half a megabyte.
        publisher.take(received(encoder.preview([UInt8](repeating: 0, count: 600_000), of: stamp(3))), at: 21)
        try publisher.advance(to: 30)
        let rows = try parts(of: try #require(bytes(viewer.next()))).header["cameras"] as? [[String: Any]]
        let attention = rows?.first { $0["base"] as? String == "faces" }?["attention"] as? [String]
        #expect(attention == ["picture_too_large"])
    }

    @Test("a preview picture that claims to be huge is not passed on")
    func hugePicture() async throws {
        var jpeg = try jpeg()
        let start = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && [0xC0, 0xC2].contains(jpeg[$0 + 1]) })
        for offset in 5...8 { jpeg[start + offset] = 0xFD }
        let publisher = try publisher()
        let viewer = try join()
        publisher.take(received(encoder.preview(jpeg, of: stamp(3))), at: 0)
        try publisher.advance(to: 0.01)
        _ = viewer.next()
        #expect(try next(viewer).jpeg.isEmpty)
    }
}
