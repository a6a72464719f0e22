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
struct PagePublisherTests {
    private let viewers = Viewers()

    private func publisher(_ overlay: OverlayChoice = .builtIn(.label)) throws -> PagePublisher {
        var options = ServeTests.options()
        options.style.overlay = overlay
        return try PagePublisher(options, viewers, ServedState(address: "broker:1883"), bases: ["faces"])
    }

    private func join(_ overlay: String = "hearts", camera: String? = nil) throws -> Viewer {
        try #require(viewers.join(ViewerWish(overlay: overlay, isMirrored: false, camera: camera)))
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
        try Canvas(pixelSize: FrameSize(width: 48, height: 32)).write(to: path)
        return Array(try Data(contentsOf: URL(filePath: path)))
    }

    @Test("a picture comes with the faces of its frame and the wanted overlay")
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

    @Test("a transparent page gets what the overlay draws, without picture or drawn heads")
    func overlayAlone() throws {
        let publisher = try publisher()
        let plain = try join()
        let overlay = try #require(viewers.join(ViewerWish(overlay: "hearts", isMirrored: false, isTransparent: true)))
        publisher.take(received(encoder.metadata([face()], at: stamp(3))), at: 0)
        try publisher.advance(to: 0.01)
        let (heads, marks) = try (frame(plain), frame(overlay))
        #expect(marks.svg.count < heads.svg.count && marks.svg.contains("<path"))
        let box = try #require((marks.header["faces"] as? [[String: Any]])?.first?["bounds"] as? [String: Double])
        #expect(box.count == 4 && box.values.allSatisfy { (0...1).contains($0) })
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

    @Test("under an overlay that hides faces a picture waits, and without metadata it is never shown")
    func hiding() async throws {
        let publisher = try publisher(.builtIn(.pixelate))
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
        // While no page is open nothing is searched; what was, is too old for the next page.
        viewer.end()
        try publisher.advance(to: 6)
        let later = try join("blur")
        try publisher.advance(to: 20)
        while let message = bytes(later.next()) { #expect(try parts(of: message).jpeg.isEmpty) }
    }

    @Test("pictures that come faster than they can be searched do not keep those that were searched from being shown")
    func fastPictures() throws {
        let publisher = try publisher(.builtIn(.blur))
        let viewer = try join("blur")
        let jpeg = try jpeg()
        publisher.take(received(encoder.metadata([face()], at: stamp(0))), at: 0)
        var shown = 0
        for tick in 1...20 {
            let seconds = Double(tick) / 10
            // The last one is the newest when the pages' turn comes, and is searched.
            for step in [0.06, 0.03, 0.001] {
                publisher.take(received(encoder.preview(jpeg, of: stamp(tick))), at: seconds - step)
            }
            try publisher.advance(to: seconds)
            while let message = bytes(viewer.next()) { shown += try parts(of: message).jpeg.isEmpty ? 0 : 1 }
        }
        #expect(shown >= 8, "of ten that may be searched in two seconds")
    }

    @Test("the last picture of a preview that was switched off goes, also of a camera that was heard of later")
    func endedPreview() throws {
        let publisher = try publisher()
        let viewer = try join("label")
        publisher.take(connected, at: 0)
        let jpeg = try jpeg()
        for time in [1, 1.2] {
            publisher.take(received(encoder.metadata([face()], at: stamp(3)), under: "porch/faces"), at: time)
            publisher.take(received(encoder.preview(jpeg, of: stamp(3)), under: "porch/faces"), at: time)
        }
        func hasPicture(at seconds: Double) throws -> Bool? {
            try publisher.advance(to: seconds)
            var last: Bool?
            while let message = bytes(viewer.next()) {
                let parts = try parts(of: message)
                if parts.header["camera"] as? String == "porch/faces" { last = !parts.jpeg.isEmpty }
            }
            return last
        }
        #expect(try hasPicture(at: 2) == true)
        #expect(try hasPicture(at: 6) == false)
        #expect(viewers.state?.pictured(nil).isEmpty == true)
    }

    @Test("a single picture waits for the picture, however many states come before it")
    func pictureAnswer() throws {
        let publisher = try publisher()
        let viewer = try #require(viewers.join(ViewerWish(overlay: "label", isMirrored: false, isPicture: true)))
        for number in 0..<20 {
            publisher.take(received(encoder.metadata([face()], at: stamp(number))), at: Double(number))
            try publisher.advance(to: Double(number))
            #expect(bytes(viewer.next()) == nil)
        }
        let jpeg = try jpeg()
        publisher.take(received(encoder.preview(jpeg, of: stamp(19))), at: 20)
        try publisher.advance(to: 20)
        #expect(bytes(viewer.next()) == jpeg)
        #expect(viewer.isOver)
    }

    @Test("a face found just before or after a picture, and not in it, is covered in it")
    func neighbours() throws {
        var model = LiveModel()
        model.hidesFaces = true
        func add(_ arrival: Double, _ faces: [NormalizedRect]?) {
            let picture = PreviewPicture(content: .jpeg([]), frame: Int(arrival * 30), mediaTime: arrival)
            let message = CameraMessage(base: "faces", topic: .previewJPEG, content: .picture(picture))
            _ = model.take(.message(message), at: arrival)
            model.search { _ in faces }
        }
        func found(at seconds: Double) -> [NormalizedRect]? { model.nextPicture(at: seconds)?.found }
        let (left, right) = (
            NormalizedRect(x: 0.1, y: 0.1, width: 0.2, height: 0.2),
            NormalizedRect(x: 0.6, y: 0.1, width: 0.2, height: 0.2)
        )
        let moved = NormalizedRect(x: 0.15, y: 0.1, width: 0.2, height: 0.2)
        add(0, [left])
        #expect(found(at: 0.2) == nil)
        #expect(found(at: 0.31) == [left])
        #expect(found(at: 0.32) == nil, "once")
        add(0.2, [moved])
        add(0.4, [right, moved])
        #expect(found(at: 0.5) == [moved, right], "where it was before is nothing to cover")
        add(0.6, [])
        #expect(found(at: 0.95) == [right, moved])
        add(2, [])
        #expect(found(at: 3) == [], "long ago")
        add(4, nil)
        #expect(model.nextPicture(at: 9) == nil, "what cannot be searched is not shown")
    }

    @Test(
        "of a source with 25 pictures a second a few are searched, fewer where this program analyses it, and only they are shown",
        arguments: [false, true]
    )
    func fewSearches(isSession: Bool) throws {
        let gray = [UInt8](repeating: 128, count: 3)
        let frame = try Frame(copying: gray, size: FrameSize(width: 1, height: 1), format: .rgb24, stamp: stamp(0))
        let content: PreviewPicture.Content = isSession ? .frame(frame) : .jpeg([])
        var model = LiveModel()
        model.hidesFaces = true
        var searched: [Int] = []
        var shown: [Int] = []
        for number in 0..<100 {
            let arrival = Double(number) / 25
            let picture = PreviewPicture(content: content, frame: number, mediaTime: arrival)
            let message = CameraMessage(base: "faces", topic: .previewJPEG, content: .picture(picture))
            _ = model.take(.message(message), at: arrival)
            model.search { picture in
                searched.append(picture.frame ?? -1)
                return []
            }
            if let next = model.nextPicture(at: arrival) { shown.append(next.frame ?? -1) }
        }
        #expect(searched == Array(stride(from: 0, to: 100, by: isSession ? 7 : 4)))
        #expect(shown == Array(searched.prefix { $0 <= 99 - 8 }), "each that was searched, once 0.3 s are over")
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
        let served = viewers.state?.cameras ?? [:]
        #expect(served["fake0/faces"] != nil && served["late/faces"] == nil)
        // Each of so many cameras may have half a megabyte.
        publisher.take(received(encoder.preview([UInt8](repeating: 0, count: 600_000), of: stamp(3))), at: 21)
        try publisher.advance(to: 30)
        let rows = try parts(of: try #require(bytes(viewer.next()))).header["cameras"] as? [[String: Any]]
        let attention = rows?.first { $0["base"] as? String == "faces" }?["attention"] as? [String]
        #expect(attention == ["picture_too_large"])
    }

    @Test("a frame is encoded for the pages that want it as it is, once, and not while there is none")
    func frames() throws {
        let publisher = try publisher()
        let (size, pixels) = (FrameSize(width: 48, height: 32), (0..<48 * 32 * 3).map { UInt8($0 * 37 % 256) })
        func take(_ number: Int) throws {
            let frame = try Frame(copying: pixels, size: size, format: .rgb24, stamp: stamp(number))
            publisher.take(received(encoder.metadata([face()], at: stamp(number))), at: Double(number))
            let picture = CameraMessage.Content.picture(PreviewPicture(frame))
            publisher.take(
                .message(CameraMessage(base: "faces", topic: .previewJPEG, content: picture)),
                at: Double(number)
            )
            try publisher.advance(to: Double(number) + 0.01)
        }
        try take(1)
        #expect(publisher.cover.encoded == nil)
        let hiding = try join("blur")
        try take(2)
        #expect(publisher.cover.encoded == nil, "a page whose overlay hides faces gets another picture")
        func newest(_ viewer: Viewer) throws -> [UInt8] {
            var jpeg: [UInt8] = []
            while let message = bytes(viewer.next()) { jpeg = try parts(of: message).jpeg }
            return jpeg
        }
        let hidden = try newest(hiding)
        let pages = [try join("label"), try join("box")]
        try take(3)
        let encoded = try #require(publisher.cover.encoded?.jpeg)
        for page in pages { #expect(try newest(page) == encoded) }
        #expect(!hidden.isEmpty && hidden != encoded)
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
