import ArgumentParser
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

@testable import facet

@Suite("What a look that hides faces lets out of the server", .serialized)
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
        let (canvas, encoder) = (try Canvas(pixelSize: Self.size), try JPEGEncoder(quality: 90))
        for photograph in Self.photographs {
            let picture = Picture()
            try picture.update(from: try StillPicture.load(photograph))
            let pictureSize = try #require(picture.uprightSize)
            let geometry = try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: pictureSize))
            canvas.clear(.black)
            canvas.draw(picture, geometry)
            let jpeg = try #require(try canvas.jpeg(encoder))
            for _ in 0..<8 { clip.append(contentsOf: jpeg) }
        }
        try clip.write(to: URL(filePath: path))
    }

    /// 200 pictures take a minute or two.
    private static let wanted = ProcessInfo.processInfo.environment["FACET_LONG_TESTS"] == nil ? 50 : 200

    @Test(
        "of many pictures with hard cuts none shows a face bare to a page that asks for another look",
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
            ["serve", "--mqtt", address, "--listen", "127.0.0.1:0", "--look", "blur"]
        )
        try await server.waitForOutput("http://127.0.0.1:")
        let port = try #require(server.output.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) })
        let subscriber = try Subscriber(
            BrokerOptions.parse(["--mqtt", address]),
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
        let page = try PageStream(port: port, path: "/live?look=square&camera=faces")
        var outputs: [(frame: Int, look: String, jpeg: [UInt8])] = []
        while outputs.count < Self.wanted { if let picture = try await page.nextPicture() { outputs.append(picture) } }
        daemon.end()
        server.end()
        await subscriber.stop()
        await collecting.value

        var options = FaceAnalyzer.Options()
        (options.accuracy, options.maximumFaces, options.skipsUnchanged) = (.high, 32, false)
        let (analyzer, decoder) = (try FaceAnalyzer(options), try JPEGDecoder())
        var (seen, bare) = (0, [String]())
        for (index, output) in outputs.enumerated() {
            #expect(output.look == "blur")
            var input = try decoder.decode(try #require(inputs[output.frame], "frame \(output.frame)"))
            // So far apart that every picture is searched.
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
    private let socket: Int32

    init(port: UInt16, path: String) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(code == 0)
        let request = Array("GET \(path) HTTP/1.0\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8)
        _ = write(socket, request, request.count)
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head += try bytes(1) }
        try #require(String(decoding: head, as: UTF8.self).contains(" 200 "))
    }

    deinit { close(socket) }

    /// The next message's frame, look and picture; nil if it is a state, or has no picture.
    func nextPicture() async throws -> (frame: Int, look: String, jpeg: [UInt8])? {
        try await withCheckedThrowingContinuation { continuation in
            // Reading blocks.
            Thread.detachNewThread { continuation.resume(with: Result { try self.read() }) }
        }
    }

    private func read() throws -> (frame: Int, look: String, jpeg: [UInt8])? {
        struct Header: Decodable {
            var frame: Int?
            var look: String?
        }
        let lengths = try (0..<3).map { _ in try bytes(4).reduce(0) { $0 << 8 | Int($1) } }
        let header = try JSONDecoder().decode(Header.self, from: Data(try bytes(lengths[0])))
        _ = try bytes(lengths[1])
        let jpeg = try bytes(lengths[2])
        guard let frame = header.frame, let look = header.look, !jpeg.isEmpty else { return nil }
        return (frame, look, jpeg)
    }

    private func bytes(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65536)
        while bytes.count < count {
            let more = Glibc.read(socket, &part, min(part.count, count - bytes.count))
            try #require(more > 0, "the server closed the connection")
            bytes += part.prefix(more)
        }
        return bytes
    }
}
