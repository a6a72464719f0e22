import ClipDrawing
import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import HTTPServing
import MQTT
import OverlayRendering
import Synchronization
import System
import Testing

@testable import Companion
@testable import LivePage

@Suite("What the page is sent")
struct PagePublisherTests: PageSuite {
    let viewers = Viewers()

    @Test("a picture comes with the faces of its frame and the wanted overlay")
    func picture() async throws {
        let publisher = try publisher()
        let hearts = try join("hearts")
        let box = try join("box")
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

    @Test("an overlay of one's own is offered, and drawn with its pictures")
    func ownOverlay() async throws {
        let publisher = try publisher(.file(exampleOverlay))
        let viewer = try join("party")
        publisher.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        publisher.take(received(encoder.preview(try jpeg(), of: stamp(3))), at: 0)
        try publisher.advance(to: 0.01)
        let state = try next(viewer)
        #expect((state.header["overlays"] as? [String])?.last == "party")
        let picture = try next(viewer)
        #expect(picture.header["overlay"] as? String == "party")
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
        #expect((picture.header["faces"] as? [[String: Any]])?.first?["leftEyeClosed"] as? Bool == true)
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

    @Test("a page that does not read keeps no picture of a camera that was removed or replaced")
    func removedCamera() throws {
        let publisher = try publisher()
        let viewer = try join()
        func show(_ base: String) throws {
            publisher.take(received(encoder.metadata([face()], at: stamp(3)), under: base), at: 0)
            try publisher.advance(to: 0.01)
        }
        try show("faces")
        for number in 1..<PagePublisher.capacity { try show("x\(number)/faces") }
        publisher.take(occurrence(MQTTMessage(topic: "x1/faces/status", payload: [])), at: 0)
        let status = DaemonStatus(state: .online, cameraState: .streaming)
        for base in ["late/faces", "later/faces"] {
            publisher.take(received(encoder.status(status), under: base), at: 0)
        }
        var cameras: [String] = []
        while let message = bytes(viewer.next()) {
            if let base = try parts(of: message).header["camera"] as? String { cameras.append(base) }
        }
        #expect(cameras.count == PagePublisher.capacity - 2 && cameras[0] == "faces", "\(cameras)")
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

    @Test("what began before a page came is over when its face no longer shows it, or is gone")
    func ends() throws {
        let publisher = try publisher()
        var seen = face()
        seen.looking = true
        for (kind, frame) in [(FaceEvent.Kind.enter, 0), (.look, 10)] {
            let event = encoder.event(event(kind, frame: frame).event, id: "E\(frame)", seq: frame, latency: nil)
            publisher.take(received(event), at: 0)
        }
        func ends(at frame: Int, _ faces: [FaceObject]) throws -> [String?] {
            publisher.take(received(encoder.metadata(faces, at: stamp(frame))), at: 0)
            let viewer = try join()
            try publisher.advance(to: Double(frame))
            let rows = try #require(try newestState(viewer)["events"] as? [[String: Any]])
            return rows.map { $0["end"] as? String }
        }
        #expect(try ends(at: 12, [seen]) == [nil, nil])
        seen.looking = false
        let away = stamp(30).time.iso8601
        #expect(try ends(at: 30, [seen]) == [nil, away])
        #expect(try ends(at: 60, []) == [stamp(60).time.iso8601, away])
    }

    @Test("the loss of the broker, events and the camera's trouble are in the state")
    func state() async throws {
        let publisher = try publisher()
        let viewer = try join()
        var status = DaemonStatus(state: .online, cameraState: .lost, reason: "unplugged", detail: "it was unplugged")
        status.smile = SmileSettings()
        status.smile?.level = 0.45
        publisher.take(received(encoder.status(status)), at: 0)
        publisher.take(received(encoder.event(event(.smile).event, id: "E1", seq: 1, latency: nil)), at: 0)
        try publisher.advance(to: 0.01)
        let first = try next(viewer).header
        let camera = try #require((first["cameras"] as? [[String: Any]])?.first)
        #expect(camera["camera"] as? String == "lost" && camera["detail"] as? String == "it was unplugged")
        #expect(camera["smileStart"] as? Double == 0.45)
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
                try #require(CameraMessage(MQTTMessage(topic: "x/faces/metadata", payload: Array("nonsense".utf8))))
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
        let served = viewers.state?.cameras ?? .init()
        #expect(served["fake0/faces"] != nil && served["late/faces"] == nil)
        // With this number of cameras, each may have half a megabyte.
        publisher.take(received(encoder.preview([UInt8](repeating: 0, count: 600_000), of: stamp(3))), at: 21)
        try publisher.advance(to: 30)
        let rows = try parts(of: try #require(bytes(viewer.next()))).header["cameras"] as? [[String: Any]]
        let attention = rows?.first { $0["base"] as? String == "faces" }?["attention"] as? [String]
        #expect(attention == ["picture_too_large"])
    }
}
