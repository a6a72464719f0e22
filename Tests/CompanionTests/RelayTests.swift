import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import HTTPServing
import Synchronization
import System
import Testing

@testable import Companion

@Suite("Faces and events for other programs", .serialized)
struct RelayTests {
    private static func face(_ number: Int, x: Double = 0.4, height: Double = 0.2) -> FaceObject {
        let bounds = NormalizedRect(x: x, y: 0.3, width: 0.2, height: height)
        var face = FaceObject(
            faceID: FaceID(rawValue: number),
            bounds: bounds,
            pose: HeadPose(roll: 1, yaw: -2, pitch: 3),
            confidence: 1
        )
        (face.smile, face.looking, face.distance) = (0.5, true, 0.8)
        return face
    }

    @Test("OSC messages are in groups of four bytes, numbers with the highest byte first")
    func osc() {
        let message = OSC.message("/facet/event", [.text("smile"), .int(7), .float(0.5), .float(.nan)])
        let expected =
            Array("/facet/event\0\0\0\0,siff\0\0\0smile\0\0\0".utf8) + [0, 0, 0, 7, 0x3F, 0, 0, 0, 0, 0, 0, 0]
        #expect(message == expected)
        #expect(OSC.bundle([message]).starts(with: Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 44]))
        #expect(OSC.bundle([message]).count == 16 + 4 + 44)
    }

    @Test("a face keeps the lowest number that was free, and one that has left says so before another gets its number")
    func channels() {
        var channels = FaceChannels()
        func take(_ faces: Int...) -> [String] {
            channels.assign(faces.map { Self.face($0) }).map { "\($0.number):\($0.face?.faceID.rawValue ?? 0)" }
        }
        #expect(take().isEmpty)
        #expect(take(7, 9) == ["1:7", "2:9"])
        #expect(take(9, 7) == ["2:9", "1:7"])
        #expect(take(9, 10) == ["1:0", "2:9", "3:10"])
        #expect(take(9, 10, 11) == ["2:9", "3:10", "1:11"])
        #expect(take() == ["1:0", "2:0", "3:0"])
        #expect(take(12) == ["1:12"])
    }

    @Test("a channel has an address for each number, whatever the camera is called")
    func channelAddresses() {
        let bundle = OSC.channel(2, of: "Tür/1 *", Self.face(1))
        var addresses = [String]()
        var rest = bundle.dropFirst(16)
        while let size = rest.prefix(4).last.map(Int.init), size > 0 {
            addresses.append(String(decoding: rest.dropFirst(4).prefix { $0 != 0 }, as: UTF8.self))
            rest = rest.dropFirst(4 + size)
        }
        let names = [
            "present", "x", "y", "width", "height", "roll", "yaw", "pitch", "smile", "distance", "looking",
        ]
        #expect(addresses == names.map { "/facet/T%C3%BCr%2F1%20%2A/2/\($0)" })
        let smile = OSC.message("/facet/T%C3%BCr%2F1%20%2A/2/smile", [.float(0.5)])
        #expect(bundle.indices.contains { bundle[$0...].starts(with: smile) })
        #expect(OSC.channel(1, of: "a", nil) == OSC.bundle([OSC.message("/facet/a/1/present", [.int(0)])]))
    }

    @Test("no two cameras have the same address")
    func distinctAddresses() {
        let names = [
            "玄関カメラ", "台所カメラ", "a b", "a_b", "a%20b", "a/b", "Ku\u{308}che", "Küche", "\u{645}\u{200C}\u{62E}", "",
        ]
        #expect(Set(names.map { OSC.channel(1, of: $0, nil) }).count == names.count)
    }

    @Test("opentrack gets the place and the angles of the nearest face, and nothing without one")
    func openTrack() throws {
        let picture = FrameSize(width: 640, height: 480)
        func numbers(_ faces: [FaceObject]) throws -> [Double] {
            let bytes = try #require(OpenTrack.message(faces, picture: picture))
            #expect(bytes.count == 48)
            return stride(from: 0, to: 48, by: 8).map { place in
                Double(bitPattern: bytes[place..<place + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            }
        }
        let near = try numbers([Self.face(1, height: 0.1), Self.face(2)])
        #expect(abs(near[0]) < 1e-9 && abs(near[2] - 80) < 1e-9)
        // 0.1 of the picture's height above the middle, which at 0.8 m is 0.67 m high.
        #expect(abs(near[1] - 6.72) < 0.01, "\(near)")
        #expect(Array(near[3...]) == [-2, 3, 1])
        var unknown = Self.face(3, x: 0.8)
        unknown.distance = nil
        let estimated = try numbers([unknown])
        #expect(
            estimated.allSatisfy(\.isFinite) && estimated[0] > 0 && (80...160).contains(estimated[2]),
            "\(estimated)"
        )
        unknown.pose = nil
        #expect(OpenTrack.message([unknown], picture: picture) == nil)
        #expect(OpenTrack.message([], picture: picture) == nil)
    }

    @Test(
        "an address that is none is refused",
        arguments: ["9000", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", "nowhere.invalid:9"]
    )
    func address(text: String) {
        #expect(throws: CommandFailure.self) { try DatagramSender(to: text) }
    }

    // MARK: - Posts

    /// A web server, what it was sent, and how it answers.
    private final class Receiver: Sendable {
        typealias Request = (headers: [String: String], body: [UInt8])

        let requests: AsyncStream<Request>
        let server: HTTPServer
        private let ended = DispatchSemaphore(value: 0)

        /// Makes one that answers with those statuses, and then with 204.
        init(_ statuses: [Int] = [], port: UInt16 = 0) throws {
            let (requests, arrivals) = AsyncStream.makeStream(of: Request.self)
            self.requests = requests
            let statuses = Mutex(statuses)
            let server = try HTTPServer(HTTPServer.Options(host: "127.0.0.1", port: port)) { request in
                arrivals.yield((request.headers, request.body))
                return HTTPResponse(statuses.withLock { $0.isEmpty ? 204 : $0.removeFirst() })
            }
            self.server = server
            Thread.detachNewThread { [ended] in
                server.run()
                ended.signal()
            }
        }

        /// The next requests.
        func next(_ count: Int) async -> [Request] {
            var all: [Request] = []
            for await request in requests.prefix(count) { all.append(request) }
            return all
        }

        func stop() {
            server.stop()
            ended.wait()
        }
    }

    private func message(_ number: Int) -> EventMessage {
        EventMessage(
            origin: MessageOrigin(camera: "Tür 1", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA"),
            id: "01JD6Z3KA1B2C3D4E5F6G7H8J\(number)",
            seq: number,
            event: FaceEvent(kind: .smile, face: Self.face(number), stamp: stamp(number)),
            latency: 0.03
        )
    }

    @Test(
        "an event is posted as CloudEvents with a signature, and again with its id until it is accepted",
        .timeLimit(.minutes(1))
    )
    func post() async throws {
        let receiver = try Receiver([503, 429])
        defer { receiver.stop() }
        let post = try EventPost(
            to: "http://127.0.0.1:\(receiver.server.port)/hook",
            secret: Array("0123456789abcdef".utf8)
        )
        #expect(await post.send(message(1)) == nil)
        let requests = await receiver.next(3)
        #expect(Set(requests.map(\.body)).count == 1)
        let event = try #require(try JSONSerialization.jsonObject(with: Data(requests[0].body)) as? [String: Any])
        #expect(event["specversion"] as? String == "1.0")
        #expect(event["type"] as? String == "facet.face.smile")
        #expect(event["source"] as? String == "/facet/T%C3%BCr%201")
        #expect(event["id"] as? String == message(1).id)
        #expect(event["datacontenttype"] as? String == "application/json")
        #expect((event["data"] as? [String: Any])?["faceID"] as? Int == 1)
        #expect(requests[0].headers["content-type"] == "application/cloudevents+json; charset=utf-8")
        let signature = "sha256=" + SHA256.hmac(of: requests[0].body, key: Array("0123456789abcdef".utf8))
        #expect(requests.allSatisfy { $0.headers[EventPost.signatureHeader.lowercased()] == signature })
        // Of RFC 4231's second test case.
        #expect(
            SHA256.hmac(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
    }

    @Test(
        "an event is accepted by its status, even if the answer's body has no end or never comes",
        .enabled(if: LocalServer.isPossible),
        .timeLimit(.minutes(1)),
        arguments: [true, false]
    )
    func unfinishedAnswer(isEndless: Bool) async throws {
        let server = try LocalServer(
            .acceptance(isEndless: isEndless),
            directory: FileManager.default.temporaryDirectory
        )
        let post = try EventPost(
            to: "http://127.0.0.1:\(server.port)/",
            secret: nil,
            patience: isEndless ? 30_000 : 500
        )
        for number in 1...2 {
            #expect(await post.send(message(number)) == nil)
            #expect(server.readLine() == "request")
        }
    }

    @Test("a server that comes back gets all that happened meanwhile, in order", .timeLimit(.minutes(1)))
    func outage() async throws {
        let receiver = try Receiver()
        let network = try TCPProxy(to: Int(receiver.server.port))
        let post = try EventPost(to: "http://127.0.0.1:\(network.port)/", secret: nil)
        var queue = EventQueue(capacity: 1000, "too slow") { message, _ in
            if case .event(let event) = message { await post.send(event) } else { "no event" }
        }
        for number in 1...3 { queue.add(.event(message(number)), payload: []) }
        var bodies = await receiver.next(3).map(\.body)
        network.accept(false)
        network.cut()
        for number in 4...9 { queue.add(.event(message(number)), payload: []) }
        network.accept(true)
        await queue.finish()
        // At least once: an answer that was lost with the connection makes another try.
        for await request in receiver.requests {
            bodies.append(request.body)
            if request.body == EventPost.cloudEvent(message(9)) { break }
        }
        receiver.stop()
        let all = (1...9).map { EventPost.cloudEvent(message($0)) }
        #expect(bodies.reduce(into: []) { known, body in if known.last != body { known.append(body) } } == all)
    }

    @Test("payloads that wait for a slow command are limited in bytes, too, and what is dropped is counted")
    func largePayloads() async throws {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        var queue = EventQueue(capacity: 100, "too slow") { _, _ in
            started.yield()
            for await _ in gate {}
            return nil
        }
        queue.add(.event(message(1)), payload: [])
        for await _ in starts { break }
        let large = [UInt8](repeating: 0x20, count: 15 << 20)
        for number in 2...6 { queue.add(.event(message(number)), payload: large) }
        opener.finish()
        #expect(await queue.finish() == 3)
    }

    @Test("what a server refuses for good is not tried again, and a wrong address is an error", .timeLimit(.minutes(1)))
    func refused() async throws {
        let receiver = try Receiver([410])
        defer { receiver.stop() }
        let post = try EventPost(to: "http://127.0.0.1:\(receiver.server.port)/", secret: nil)
        #expect(await post.send(message(1))?.hasSuffix("and will not: status 410") == true)
        #expect(await post.send(message(2)) == nil)
        #expect(await receiver.next(2).map(\.body) == [1, 2].map { EventPost.cloudEvent(message($0)) })
        for wrong in ["hooks.example/faces", "ftp://hooks.example", "http://", ""] {
            #expect(throws: CommandFailure.self) { try EventPost(to: wrong, secret: nil) }
        }
    }
}
