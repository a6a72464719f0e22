import ClipDrawing
import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MQTT
import OverlayRendering
import Synchronization
import Testing

@testable import Companion
@testable import HTTPServing
@testable import LivePage

@Suite("What programs get over HTTP")
struct ProgramsTests {
    private static let config = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "config")

    static func event(_ number: Int, _ kind: FaceEvent.Kind = .smile, camera: String = "front") -> EventMessage {
        let face = FaceObject(
            faceID: FaceID(rawValue: number),
            bounds: .init(x: 0, y: 0, width: 1, height: 1),
            confidence: 1
        )
        return EventMessage(
            origin: MessageOrigin(camera: camera, boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA"),
            // As ULIDs do, these grow with time.
            id: "01JD6Z3KA1B2C3D4E5F6" + String(100_000 + number),
            seq: number,
            event: FaceEvent(kind: kind, face: face, stamp: stamp(number)),
            latency: nil
        )
    }

    private static func text(_ stream: EventStream) -> String {
        if case .bytes(let bytes) = stream.next() { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    /// The faces of the events that a connection reads until there is nothing more.
    private static func faces(_ stream: EventStream) -> [Int] {
        var all = ""
        while case .bytes(let bytes) = stream.next() { all += String(decoding: bytes, as: UTF8.self) }
        return all.matches(of: /"faceID":(\d+)/).compactMap { Int($0.1) }
    }

    // MARK: - Events

    @Test("a hundred connections get each event once and in order, however slowly each reads")
    func everyEventOnce() throws {
        let log = EventLog()
        let streams = (0..<100).map { _ in log.stream(EventLog.Filter(), after: nil) }
        var read = [[Int]](repeating: [], count: streams.count)
        for number in 1...800 {
            log.add(Self.event(number), of: "faces")
            for index in streams.indices where number % (index + 1) == 0 { read[index] += Self.faces(streams[index]) }
        }
        for index in streams.indices { #expect(read[index] + Self.faces(streams[index]) == Array(1...800)) }
    }

    @Test("a connection that was too slow is told how many events it missed")
    func lost() throws {
        let log = EventLog()
        let stream = log.stream(EventLog.Filter(), after: nil)
        for number in 1...(EventLog.capacity + 7) { log.add(Self.event(number), of: "faces") }
        #expect(
            Self.text(stream).hasPrefix(
                "event: lost\ndata: {\"events\":7}\n\nid: 01JD6Z3KA1B2C3D4E5F6100008\nevent: smile\n"
            )
        )
    }

    @Test("a client that comes back goes on after the last event that it has read")
    func resume() throws {
        let log = EventLog()
        for number in 1...5 { log.add(Self.event(number), of: "faces") }
        func after(_ id: String) throws -> [Int] {
            Self.faces(log.stream(EventLog.Filter(), after: id))
        }
        #expect(try after(Self.event(3).id) == [4, 5])
        #expect(try after(Self.event(5).id) == [])
        // From before all that is kept, or from a server that had seen more.
        #expect(try after("01JD6Z3K00000000000000000") == [1, 2, 3, 4, 5])
        #expect(try after(Self.event(9).id) == [])
        #expect(Self.faces(log.stream(EventLog.Filter(), after: nil)) == [])
    }

    @Test("a client that comes back gets what cameras whose clocks are behind sent in between")
    func differentClocks() throws {
        let log = EventLog()
        for number in [9, 1, 2] { log.add(Self.event(number), of: "faces") }
        #expect(Self.faces(log.stream(EventLog.Filter(), after: Self.event(9).id)) == [1, 2])
    }

    @Test("a client that was away for too long is told how many events it missed")
    func away() throws {
        let log = EventLog()
        for number in 1...(EventLog.capacity + 300) { log.add(Self.event(number), of: "faces") }
        let stream = log.stream(EventLog.Filter(), after: Self.event(100).id)
        #expect(Self.text(stream).hasPrefix("event: lost\ndata: {\"events\":200}\n\n"))
        #expect(Self.faces(log.stream(EventLog.Filter(), after: Self.event(1300).id)) == [])
    }

    @Test("kinds and cameras can be chosen, and a silent connection is kept alive")
    func filter() throws {
        let log = EventLog()
        var filter = EventLog.Filter(kinds: [.blink, .leave], cameras: ["porch/faces", "hall"])
        let stream = log.stream(filter, after: nil)
        filter.cameras = []
        let all = log.stream(filter, after: nil)
        #expect(Self.text(stream) == ":\n\n", "the first comment says that the connection stands")
        _ = Self.text(all)
        let blink = FaceEvent.Kind.blink(eyes: .both, duration: 0.1)
        log.add(Self.event(1), of: "porch/faces")
        log.add(Self.event(2, blink), of: "porch/faces")
        log.add(Self.event(3, blink), of: "faces")
        log.add(Self.event(4, blink, camera: "hall"), of: "hall/faces")
        #expect(Self.faces(stream) == [2, 4])
        #expect(Self.faces(all) == [2, 3, 4])
        log.beat()
        #expect(Self.text(stream) == ":\n\n")
        #expect(Self.text(stream) == "")
    }

    @Test("a connection beyond the limit ends the oldest of the address with most; it goes on where it was")
    func limit() throws {
        let log = EventLog()
        let other = log.stream(EventLog.Filter(), after: nil, of: "192.0.2.1")
        let streams = (1..<EventLog.mostStreams).map { _ in log.stream(EventLog.Filter(), after: nil, of: "192.0.2.2") }
        log.add(Self.event(1), of: "faces")
        let further = log.stream(EventLog.Filter(), after: Self.event(0).id, of: "192.0.2.3")
        guard case .end = streams[0].next() else {
            Issue.record("the oldest connection of 192.0.2.2 did not end")
            return
        }
        for stream in streams.dropFirst() + [other, further] { #expect(Self.faces(stream) == [1]) }
    }

    @Test("behind a proxy the clients count that it names, and a network of version 6 as one")
    func limitBehindProxy() throws {
        let viewers = Viewers()
        let server = PageServer(
            access: PageGuard(ServeTests.options(proxies: ["192.0.2.9"])),
            viewers: viewers,
            overlays: [],
            wish: ViewerWish(overlay: "box", isMirrored: false)
        )
        func read(_ client: String) throws -> any HTTPStream {
            let headers = ["host": "localhost", "x-forwarded-for": client]
            let request = HTTPRequest(method: "GET", path: "/events", headers: headers, client: "192.0.2.9")
            let answer = server.answer(request)
            guard case .stream(let stream, _) = answer.body else { throw POSIXError(.EINVAL) }
            return stream
        }
        let other = try read("192.0.2.1")
        let streams = try (1..<EventLog.mostStreams).map { try read("2001:db8::\(String($0, radix: 16))") }
        let further = try read("192.0.2.3")
        guard case .end = streams[0].next() else {
            Issue.record("the oldest connection of the network with most did not end")
            return
        }
        for stream in streams.dropFirst() + [other, further] {
            if case .end = stream.next() { Issue.record("another connection ended too") }
        }
    }

    // MARK: - Requests

    /// A publisher with one camera that has a face and a picture, and the server before it.
    private func served(token: String? = nil) throws -> (PagePublisher, PageServer) {
        let viewers = Viewers()
        let options = ServeTests.options(token: token)
        let state = ServedState(address: "broker:8883", url: "mqtts://me@broker")
        let publisher = try PagePublisher(options, viewers, state, bases: ["faces"])
        let server = PageServer(
            access: PageGuard(options),
            viewers: viewers,
            overlays: Overlays().names,
            wish: ViewerWish(overlay: "label", isMirrored: false)
        )
        let directory = try TemporaryDirectory()
        let path = directory.file("picture.jpg")
        try Canvas(pixelSize: FrameSize(width: 48, height: 32)).write(to: path)
        var status = DaemonStatus(state: .online, cameraState: .streaming, detail: "a camera")
        (status.detect, status.time, status.attention) = (true, stamp(1).time, [.tooDark])
        let area = [NormalizedPoint(x: 0, y: 0)]
        var someone = face()
        someone.zones = ["desk"]
        let messages = [
            encoder.status(status), encoder.metadata([someone], at: stamp(3)), encoder.count(1),
            encoder.zones([ZonesMessage.Zone(name: "desk", faces: 1, area: area)]),
            encoder.preview(Array(try Data(contentsOf: URL(filePath: path))), of: stamp(3)),
        ]
        for message in messages { publisher.take(occurrence(message, under: "faces"), at: 0) }
        try publisher.advance(to: 0.1)
        return (publisher, server)
    }

    private func get(_ path: String, _ server: PageServer, query: [String: String] = [:], token: String? = nil)
        -> HTTPResponse
    {
        var headers = ["host": "127.0.0.1:8088"]
        headers["authorization"] = token.map { "Bearer " + $0 }
        return server.answer(HTTPRequest(method: "GET", path: path, query: query, headers: headers))
    }

    /// The body of a response once the publisher has come round.
    private func body(_ response: HTTPResponse, _ publisher: PagePublisher) throws -> [UInt8] {
        switch response.body {
        case .bytes(let bytes): return bytes
        case .stream(let stream, _):
            try publisher.advance(to: 0.2)
            try publisher.advance(to: 0.4)
            var all: [UInt8] = []
            while case .bytes(let part) = stream.next() { all += part }
            stream.end()
            return all
        }
    }

    private static func python(_ program: String, _ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test("each path of openapi.yaml is answered as it says, and the state is of its schema")
    func documented() throws {
        let list = """
            import sys, json, yaml
            paths = yaml.safe_load(open(sys.argv[1]))["paths"]
            print(json.dumps({path: list(item["get"]["responses"]["200"]["content"])[0] for path, item in paths.items()}))
            """
        let (status, text) = try Self.python(list, [Self.config.appending(path: "openapi.yaml").path])
        try #require(status == 0, "\(text)")
        let paths = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        #expect(Set(paths.keys) == ["/events", "/state", "/metrics", "/picture.jpg"])
        let (publisher, server) = try served()
        for (path, type) in paths {
            let response = get(path, server)
            #expect(response.status == 200, "\(path)")
            #expect(response.headers["Content-Type"]?.hasPrefix(type) == true, "\(path)")
            #expect(try !body(response, publisher).isEmpty, "\(path)")
        }
        let directory = try TemporaryDirectory()
        let state = String(decoding: try body(get("/state", server), publisher), as: UTF8.self)
        #expect(state.contains("\"faces\":1,") && state.contains("\"zones\":[\"desk\"]"))
        #expect(state.contains("\"url\":\"mqtts://me@broker\""))
        let validate = """
            import sys, json, yaml, jsonschema, pathlib
            path = pathlib.Path(sys.argv[1])
            document = yaml.safe_load(path.read_text())
            schema = {"$ref": path.as_uri() + "#/components/schemas/state"}
            resolver = jsonschema.RefResolver("", schema, store={path.as_uri(): document})
            errors = jsonschema.Draft202012Validator(schema, resolver=resolver).iter_errors(json.load(open(sys.argv[2])))
            print("\\n".join(error.message for error in errors), end="")
            """
        let file = try directory.write(state, to: "state.json")
        #expect(try Self.python(validate, [Self.config.appending(path: "openapi.yaml").path, file]) == (0, ""))
    }

    @Test(
        "where there is a token, each request needs it",
        arguments: ["/events", "/state", "/metrics", "/picture.jpg"]
    )
    func token(path: String) throws {
        let (_, server) = try served(token: "correct horse battery")
        #expect(get(path, server).status == 401)
        #expect(get(path, server, token: "wrong horse battery").status == 401)
        #expect(get(path, server, token: "correct horse battery").status == 200)
    }

    @Test("what is not there is an error in words")
    func refused() throws {
        let (publisher, server) = try served()
        func words(_ response: HTTPResponse) throws -> String {
            String(decoding: try body(response, publisher), as: UTF8.self)
        }
        let kind = get("/events", server, query: ["kind": "smile,frown"])
        #expect(kind.status == 400)
        #expect(try words(kind).hasPrefix("There is no event 'frown'. The events are enter, leave, "))
        #expect(get("/events", server, query: ["kind": "metadata"]).status == 400)
        let camera = get("/picture.jpg", server, query: ["camera": "attic"])
        #expect(camera.status == 404)
        #expect(try words(camera).contains("no such camera"))
        let picture = get("/picture.jpg", server, query: ["camera": "front"])
        #expect(try body(picture, publisher).starts(with: [0xFF, 0xD8]))
    }
}
