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

@Suite("Pictures that the page is sent")
struct PagePicturesTests: PageSuite {
    let viewers = Viewers()

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
        let left = NormalizedRect(x: 0.1, y: 0.1, width: 0.2, height: 0.2)
        let right = NormalizedRect(x: 0.6, y: 0.1, width: 0.2, height: 0.2)
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

    @Test("a frame is encoded for the pages that want it as it is, once, and not while there is none")
    func frames() throws {
        let publisher = try publisher()
        let size = FrameSize(width: 48, height: 32)
        let pixels = (0..<48 * 32 * 3).map { UInt8($0 * 37 % 256) }
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

    @Test(
        "a preview picture that claims to be huge is not passed on, and the page says why",
        arguments: [OverlayChoice.builtIn(.label), .builtIn(.pixelate)]
    )
    func hugePicture(overlay: OverlayChoice) async throws {
        var jpeg = try jpeg()
        let start = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && [0xC0, 0xC2].contains(jpeg[$0 + 1]) })
        for offset in 5...8 { jpeg[start + offset] = 0xFD }
        let publisher = try publisher(overlay)
        let viewer = try join("pixelate")
        publisher.take(received(encoder.preview(jpeg, of: stamp(3))), at: 0)
        try publisher.advance(to: 1)
        let cameras = try #require(try next(viewer).header["cameras"] as? [[String: Any]])
        #expect(cameras.first?["attention"] as? [String] == ["picture_too_large"])
        #expect(try next(viewer).jpeg.isEmpty)
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
}
