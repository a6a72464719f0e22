import CompanionTestSupport
import FaceInference
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MQTT
import MediaFiles
import OverlayRendering
import Synchronization
import Testing

@testable import Companion
@testable import LivePage

@Suite("What an overlay that hides faces lets out of the server", .serialized)
struct HiddenFacesTests {
    private static let size = FrameSize(width: 640, height: 480)

    /// Photographs of one face and of many.
    private static var photographs: [String] {
        let portraits = ["astronaut.png", "grace_hopper.jpg"].map { "/usr/local/share/facet/" + $0 }
        guard DevelopmentClips.areHere else { return portraits }
        let names = ["smiles", "stills"].flatMap { folder in
            let all = (try? FileManager.default.contentsOfDirectory(atPath: DevelopmentClips.path(folder))) ?? []
            return all.filter { $0.hasSuffix(".jpg") }.sorted().prefix(30).map {
                DevelopmentClips.path("\(folder)/\($0)")
            }
        }
        return portraits + names
    }

    /// Writes photographs one after another, a third of a second each, as Motion JPEG.
    private func clip(to path: String) throws {
        var clip = Data()
        let canvas = try Canvas(pixelSize: Self.size)
        let encoder = try JPEGEncoder(quality: 90)
        for photograph in Self.photographs {
            let picture = Picture()
            try picture.update(from: try PictureFile.load(photograph))
            let pictureSize = try #require(picture.uprightSize)
            let geometry = try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: pictureSize))
            canvas.clear(.black)
            canvas.draw(picture, geometry)
            let jpeg = try canvas.withFrame { try encoder.encode($0) }
            for _ in 0..<8 { clip.append(contentsOf: jpeg) }
        }
        try clip.write(to: URL(filePath: path))
    }

    /// 200 pictures take a minute or two.
    private static let wanted = TestEffort.amount(50, soak: 200)

    @Test(
        "of many pictures with hard cuts none shows a face bare to a page that asks for another overlay",
        .enabled(if: MosquittoBroker.isInstalled),
        .timeLimit(.minutes(5))
    )
    func hardCuts() async throws {
        let directory = try TemporaryDirectory()
        try clip(to: directory.file("cuts.mjpeg"))
        let broker = try await MosquittoBroker()
        let address = "mqtt://127.0.0.1:\(broker.port)"
        let server = try await ChildProcess(
            BuildProducts.program("facet"),
            ["serve", "--mqtt", address, "--listen", "127.0.0.1:0", "--overlay", "blur"]
        )
        try await server.waitForOutput("http://127.0.0.1:")
        let port = try #require(server.output.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) })
        var access = BrokerAccess()
        access.mqtt = address
        let subscriber = try Subscriber(
            access,
            command: "test",
            topics: [.previewJPEG],
            patterns: ["faces"]
        )
        let inputs = CollectedPictures()
        let collecting = Task { await inputs.collect(from: subscriber) }
        let daemon = try await ChildProcess(
            BuildProducts.program("facetd"),
            ["--source", directory.file("cuts.mjpeg"), "--mqtt", address, "--set", "clip.loop=true"]
                + ["--set", "preview.enabled=true", "--set", "preview.rate=30"]
                + ["--set", "outbox.path=\(directory.file("outbox.sqlite"))"]
        )
        let page = try PageStream(port: port, path: "/live?overlay=square&camera=faces")
        var outputs: [(frame: Int, overlay: String, jpeg: [UInt8])] = []
        while outputs.count < Self.wanted { if let picture = try await page.nextPicture() { outputs.append(picture) } }
        daemon.end()
        server.end()
        await subscriber.stop()
        await collecting.value

        var options = FaceAnalyzer.Options()
        (options.accuracy, options.maximumFaces, options.skipsUnchanged) = (.high, 32, false)
        let analyzer = try FaceAnalyzer(options)
        let decoder = try JPEGDecoder()
        var seen = 0
        var bare = [String]()
        for (index, output) in outputs.enumerated() {
            #expect(output.overlay == "blur")
            var input = try decoder.decode(try #require(inputs[output.frame], "frame \(output.frame)"))
            // The pictures are so far apart in time that each is searched.
            input.stamp = FrameStamp(frame: index, time: Timestamp(nanoseconds: 0), mediaTime: Double(index))
            let shown = try decoder.decode(output.jpeg)
            #expect(shown.size == input.size)
            for face in try analyzer.analyze(input).observations {
                guard let before = input.detail(in: face.bounds.innerPart),
                    let after = shown.detail(in: face.bounds.innerPart)
                else { continue }
                seen += 1
                if after > before / 4 { bare.append("frame \(output.frame) \(face.bounds): \(before) -> \(after)") }
            }
        }
        #expect(seen > Self.wanted / 2, "the detector sees faces in the pictures themselves")
        #expect(bare.isEmpty, "\(bare.count) of \(seen)")
    }
}

/// Preview pictures by the frame that they show.
private final class CollectedPictures: Sendable {
    private let pictures = Mutex<[Int: [UInt8]]>([:])

    subscript(frame: Int) -> [UInt8]? { pictures.withLock { $0[frame] } }

    func collect(from subscriber: Subscriber) async {
        await subscriber.forward { occurrence in
            guard case .message(let message) = occurrence, case .picture(let picture) = message.content,
                let frame = picture.frame
            else { return }
            self.pictures.withLock { $0[frame] = picture.jpeg }
        }
    }
}

/// The messages that a page gets, over HTTP/1.0, which sends them as they are.
private final class PageStream: Sendable {
    private let client: SocketClient

    init(port: UInt16, path: String) throws {
        client = try SocketClient(port: port)
        client.send("GET \(path) HTTP/1.0\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head += try client.receive(exactly: 1) }
        try #require(String(decoding: head, as: UTF8.self).contains(" 200 "))
    }

    /// The next message's frame, overlay and picture; nil if it is a state, or has no picture.
    func nextPicture() async throws -> (frame: Int, overlay: String, jpeg: [UInt8])? {
        try await withCheckedThrowingContinuation { continuation in
            // Reading blocks.
            Thread.detachNewThread { continuation.resume(with: Result { try self.read() }) }
        }
    }

    private func read() throws -> (frame: Int, overlay: String, jpeg: [UInt8])? {
        struct Header: Decodable {
            var frame: Int?
            var overlay: String?
        }
        let lengths = try (0..<3).map { _ in try client.receive(exactly: 4).reduce(0) { $0 << 8 | Int($1) } }
        let header = try JSONDecoder().decode(Header.self, from: Data(try client.receive(exactly: lengths[0])))
        _ = try client.receive(exactly: lengths[1])
        let jpeg = try client.receive(exactly: lengths[2])
        guard let frame = header.frame, let overlay = header.overlay, !jpeg.isEmpty else { return nil }
        return (frame, overlay, jpeg)
    }
}
