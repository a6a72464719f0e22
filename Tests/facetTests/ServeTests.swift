import ArgumentParser
import FaceMessages
import FaceMetadata
import FacetTestSupport
import FlyingFox
import Foundation
import Frames
import MQTT
import OverlayRendering
import Testing

@testable import facet

@Suite("The page's server")
struct ServeTests {
    private static let own = "127.0.0.1:8088"

    private func server(token: String? = nil) throws -> PageServer {
        let wish = ViewerWish(look: "hearts", isMirrored: false)
        return try PageServer(
            try #require(ListenAddress("0")),
            access: PageGuard(token: token, names: ["camera.local"]),
            live: LivePage(viewers: Viewers(), looks: Looks().names, wish: wish)
        )
    }

    private func get(
        _ path: String,
        _ server: PageServer,
        _ headers: [String: String] = ["Host": ServeTests.own],
        method: HTTPMethod = .GET,
        body: String = ""
    ) async -> HTTPResponse {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields[HTTPHeader(name)] = value }
        let request = HTTPRequest(
            method: method,
            version: .http11,
            path: path,
            query: [],
            headers: fields,
            body: HTTPBodySequence(data: Data(body.utf8))
        )
        return await server.answer(request)
    }

    @Test("the page is there, under a policy that forbids everything foreign")
    func page() async throws {
        let server = try server()
        for (path, type) in [("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css")] {
            let response = await get(path, server)
            #expect(response.statusCode.code == 200)
            #expect(response.headers[.contentType]?.hasPrefix(type) == true)
            let policy = try #require(response.headers[HTTPHeader("Content-Security-Policy")])
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
            let text = String(decoding: try await response.bodyData, as: UTF8.self)
            #expect(text.count > 500 && !text.contains("http://") && !text.contains("style=\""))
        }
        #expect(await get("/else", server).statusCode.code == 404)
        #expect(await get("/", server, method: .POST).statusCode.code == 405)
    }

    @Test(
        "a page or a name of somebody else is refused",
        arguments: [
            (["Host": "evil.example"], 403), (["Host": "evil.example:8088"], 403), ([:], 403),
            (["Host": "localhost:9000"], 200), (["Host": "[::1]:8088"], 200), (["Host": "CAMERA.local"], 200),
            (["Host": ServeTests.own, "Origin": "http://evil.example"], 403),
            (["Host": ServeTests.own, "Origin": "http://127.0.0.1:9999"], 403),
            (["Host": ServeTests.own, "Origin": "null"], 403),
            (["Host": ServeTests.own, "Origin": "http://127.0.0.1:8088"], 200),
        ] as [([String: String], Int)]
    )
    func foreign(headers: [String: String], status: Int) async throws {
        #expect(await get("/", try server(), headers).statusCode.code == status)
    }

    @Test("beyond loopback nothing but the login is there without the token")
    func token() async throws {
        let server = try server(token: "correct horse battery")
        for path in ["/", "/page.js", "/live", "/else"] {
            #expect(await get(path, server).statusCode.code == 401, "\(path)")
        }
        func login(_ form: String) async -> HTTPResponse {
            let headers = ["Host": Self.own, "Content-Length": "\(form.utf8.count)"]
            return await get("/login", server, headers, method: .POST, body: form)
        }
        #expect(await login("token=wrong").statusCode.code == 401)
        #expect(await login("token=" + String(repeating: "x", count: 5000)).statusCode.code == 413)
        let welcome = await login("token=correct+horse%20battery")
        #expect(welcome.statusCode.code == 303)
        let cookie = try #require(welcome.headers[HTTPHeader("Set-Cookie")])
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains("correct"))
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(await get("/", server, ["Host": Self.own, "Cookie": "a=b; \(pair)"]).statusCode.code == 200)
        #expect(await get("/", server, ["Host": Self.own, "Cookie": "facet=x"]).statusCode.code == 401)
        let bearer = ["Host": Self.own, "Authorization": "Bearer correct horse battery"]
        #expect(await get("/", server, bearer).statusCode.code == 200)
        #expect(await get("/", server, bearer.merging(["Origin": "http://evil.example"]) { $1 }).statusCode.code == 403)
    }

    @Test("another address than loopback needs a token of some length", arguments: ["0.0.0.0:0", "[::]:0"])
    func tokenNeeded(address: String) async throws {
        let command = try #require(try Facet.parseAsRoot(["serve", "--listen", address]) as? Serve)
        await #expect(throws: CommandFailure.self) { try await command.run() }
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
    func slowPage() async {
        let viewer = Viewer(ViewerWish(look: "box", isMirrored: false))
        for number in 0..<100 {
            viewer.put(Data([UInt8(number)]), of: "a")
            viewer.put(Data([UInt8(100 + number)]), of: "b")
            viewer.put(state: Data([255, UInt8(number)]))
        }
        var received: [Data] = []
        for _ in 0..<3 { if let frame = await viewer.next() { received.append(frame.payload) } }
        #expect(received == [Data([255, 99]), Data([99]), Data([199])])
        #expect(viewer.dropped == 198)
        let waiting = Task { await viewer.next() }
        viewer.end()
        #expect(await waiting.value == nil)
    }
}

@Suite("What the page is sent")
struct StudioTests {
    private let viewers = Viewers()

    private func studio(_ looks: Looks = Looks()) throws -> Studio {
        try Studio(viewers: viewers, address: "broker:1883", bases: ["faces"], looks: looks, canControl: false)
    }

    private func join(_ look: String = "hearts", camera: String? = nil) throws -> Viewer {
        try #require(viewers.join(ViewerWish(look: look, isMirrored: false, camera: camera)))
    }

    private func received(_ message: Message, under base: String = "faces") -> Subscriber.Occurrence {
        let name = message.topic.name(under: base)
        var received = ReceivedMessage(topic: name, payload: message.payload)
        received.userProperties = message.userProperties.map { MQTTMessage.UserProperty($0.name, $0.value) }
        return .message(message.topic, received)
    }

    /// The parts of a page's message.
    private func parts(_ data: Data) throws -> (header: [String: Any], svg: String, jpeg: [UInt8]) {
        let bytes = Array(data)
        func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        let (header, svg) = (number(0), number(4))
        let json = try JSONSerialization.jsonObject(with: Data(bytes[8..<8 + header]))
        return (
            try #require(json as? [String: Any]),
            String(decoding: bytes[(8 + header)..<(8 + header + svg)], as: UTF8.self),
            Array(bytes[(8 + header + svg)...])
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
        let studio = try studio()
        let (hearts, box) = (try join("hearts"), try join("box"))
        let jpeg = try jpeg()
        studio.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        studio.take(received(encoder.preview(jpeg, of: stamp(3))), at: 0)
        try studio.advance(to: 0.01)
        var documents: [String] = []
        for viewer in [hearts, box] {
            let state = try parts(try #require(await viewer.next()).payload)
            #expect(state.header["type"] as? String == "state")
            let picture = try parts(try #require(await viewer.next()).payload)
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
        let studio = try studio(try OverlayOptions.parse(["--look", exampleLook]).looks())
        let viewer = try join("party")
        studio.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        studio.take(received(encoder.preview(try jpeg(), of: stamp(3))), at: 0)
        try studio.advance(to: 0.01)
        let state = try parts(try #require(await viewer.next()).payload)
        #expect((state.header["looks"] as? [String])?.last == "party")
        let picture = try parts(try #require(await viewer.next()).payload)
        #expect(picture.header["look"] as? String == "party")
        #expect(picture.svg.contains("<image"))
    }

    @Test("without a preview there are plain heads, drawn as shapes too")
    func heads() async throws {
        let studio = try studio()
        let viewer = try join()
        studio.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        try studio.advance(to: 0.01)
        _ = await viewer.next()
        let picture = try parts(try #require(await viewer.next()).payload)
        #expect(picture.header["picture"] as? Bool == false && picture.jpeg.isEmpty)
        #expect(picture.header["width"] as? Int == 640 && !picture.svg.contains("<image"))
        #expect((picture.header["faces"] as? [[String: Any]])?.first?["leftClosed"] as? Bool == true)
    }

    @Test("everything is drawn once however many pages there are")
    func sharedDrawing() async throws {
        let studio = try studio()
        let pages = try (0..<20).map { _ in try join() }
        studio.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        try studio.advance(to: 0.01)
        var addresses: Set<Int> = []
        for page in pages {
            _ = await page.next()
            let payload = try #require(await page.next()).payload
            addresses.insert(payload.withUnsafeBytes { Int(bitPattern: $0.baseAddress) })
        }
        #expect(addresses.count == 1, "all pages hold the same memory")
    }

    @Test("a page that wants one camera gets no other, and the state of all")
    func oneCamera() async throws {
        let studio = try studio()
        let viewer = try join(camera: "porch/faces")
        studio.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        studio.take(received(encoder.metadata([face()], at: stamp(3)), under: "porch/faces"), at: 0)
        try studio.advance(to: 0.01)
        let state = try parts(try #require(await viewer.next()).payload)
        #expect(
            (state.header["cameras"] as? [[String: Any]])?.map { $0["base"] as? String } == ["faces", "porch/faces"]
        )
        let picture = try parts(try #require(await viewer.next()).payload)
        #expect(picture.header["camera"] as? String == "porch/faces")
    }

    @Test("the loss of the broker, events and the camera's trouble are in the state")
    func state() async throws {
        let studio = try studio()
        let viewer = try join()
        let status = DaemonStatus(state: .online, cameraState: .lost, reason: "unplugged", detail: "it was unplugged")
        studio.take(received(encoder.status(status)), at: 0)
        studio.take(received(encoder.event(event(.smile).event, id: "E1", seq: 1, latency: nil)), at: 0)
        try studio.advance(to: 0.01)
        let first = try parts(try #require(await viewer.next()).payload).header
        let camera = try #require((first["cameras"] as? [[String: Any]])?.first)
        #expect(camera["camera"] as? String == "lost" && camera["detail"] as? String == "it was unplugged")
        #expect((first["events"] as? [[String: Any]])?.first?["kind"] as? String == "smile")
        studio.take(.connection(.disconnected("refused")), at: 1)
        try studio.advance(to: 1)
        var second: [String: Any] = [:]
        while second["type"] as? String != "state" {
            second = try parts(try #require(await viewer.next()).payload).header
        }
        let broker = try #require(second["broker"] as? [String: Any])
        #expect(broker["connected"] as? Bool == false && broker["reason"] as? String == "refused")
    }

    @Test("a preview picture that claims to be huge is not passed on")
    func hugePicture() async throws {
        var jpeg = try jpeg()
        let start = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && [0xC0, 0xC2].contains(jpeg[$0 + 1]) })
        for offset in 5...8 { jpeg[start + offset] = 0xFD }
        let studio = try studio()
        let viewer = try join()
        studio.take(received(encoder.preview(jpeg, of: stamp(3))), at: 0)
        try studio.advance(to: 0.01)
        _ = await viewer.next()
        #expect(try parts(try #require(await viewer.next()).payload).jpeg.isEmpty)
    }
}
