import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MQTT
import Testing

@testable import ClipDrawing
@testable import Companion
@testable import OverlayRendering

@Suite("View")
struct ViewTests {
    private func controls() throws -> ViewControls { ViewControls(DrawingStyle()) }

    private func key(_ character: Character) -> UInt8 { character.asciiValue ?? 0 }

    @Test("keys change what they name")
    func keys() throws {
        var controls = try controls()
        let actions = "lmvgp".map { controls.press(key($0)) }
        #expect(actions.allSatisfy { $0 == nil })
        #expect(
            controls.overlay == "box" && controls.isMirrored && controls.showsLevels
                && controls.gravity == .resizeAspectFill
        )
        #expect(controls.isPaused)
        #expect(controls.press(key("s")) == .snapshot)
        let before = controls
        #expect(controls.press(0xC3) == nil)
        #expect(controls == before)
    }

    @Test("words over the picture stand in their cells, and send the terminal nothing else")
    func words() {
        let words = CellWords(cell: [4, 2], lines: ["Door\u{1B}[2J · 1", "yes"], width: 14, plate: .red)
        #expect(
            String(decoding: ViewSession.sequences(words), as: UTF8.self)
                == "\u{1B}[3;5H\u{1B}[0;1;97;41m Door [2J · 1   \u{1B}[4;5H\u{1B}[0;1;97;41m yes            \u{1B}[0m"
        )
    }

    @Test("overlays and gravities come round again")
    func cycles() throws {
        var controls = try controls()
        for _ in OverlayName.allCases { _ = controls.press(key("l")) }
        for _ in VideoGravity.allCases { _ = controls.press(key("g")) }
        #expect(controls == (try self.controls()))
    }

    @Test("zooms into the middle, and never out of the picture")
    func zoom() throws {
        var controls = try controls()
        _ = controls.press(key("-"))
        #expect(controls.zoom == 1)
        for _ in 0..<50 { _ = controls.press(key("+")) }
        #expect(controls.zoom == 8)
        let geometry = try #require(
            controls.geometry(of: FrameSize(width: 640, height: 480), on: SurfaceSize(width: 64, height: 48))
        )
        let middle = geometry.surfacePoint(fromPicture: NormalizedPoint(x: 0.5, y: 0.5))
        #expect(abs(middle.x - 32) < 1e-9 && abs(middle.y - 24) < 1e-9)
        #expect(geometry.surfacePoint(fromPicture: NormalizedPoint(x: 0.5 + 1.0 / 16, y: 0.5)).x > 63.9)
    }

    @Test("no width of a terminal cuts a word of the status line", arguments: [24, 48, 60])
    func wholeWords(columns: Int) throws {
        var line = StatusLine(broker: "broker:1883", state: CameraState())
        line.connection = .disconnected("no broker answers at that address")
        line.remember(event(.smile), at: 10)
        func words(_ columns: Int) throws -> [Substring] {
            try line.text(columns: columns, faces: 1, rate: 14.6, controls: controls(), at: 13).split(separator: " ")
        }
        let whole = Set(try words(400)).union(["…", "?", "keys"])
        let shown = try words(columns)
        #expect(shown.allSatisfy(whole.contains), "\(shown)")
        #expect("a word that is cut".cut(to: 12) == "a word …" && "unbroken".cut(to: 5) == "un…")
    }

    @Test("the status line is as wide as the terminal and tells what matters first", arguments: [0, 1, 20, 80, 200])
    func statusLine(columns: Int) throws {
        var line = StatusLine(broker: "broker:1883", state: CameraState())
        line.connection = .connected(.version5, broker: "broker:1883")
        line.remember(event(.smile), at: 10)
        let text = line.text(columns: columns, faces: 1, rate: 14.6, controls: try controls(), at: 13)
        #expect(text.count == columns)
        line.notice = "wrote a.png"
        let noticed = line.text(columns: columns, faces: 1, rate: 14.6, controls: try controls(), at: 13)
        #expect(noticed.count == columns)
        if columns >= 20 { #expect(noticed.hasPrefix(" wrote a.png │")) }
        if columns == 200 {
            #expect(
                text.hasPrefix(
                    " ● broker:1883 │ no daemon yet │ 15 pictures/s │ 1 face │ smile of face 1, 3 s ago │ label │"
                )
            )
        }
    }

    @Test("nothing that others sent acts on the terminal")
    func hostileWords() throws {
        var line = StatusLine(broker: "broker:1883")
        line.connection = .disconnected("\u{1B}]0;pwned\u{7}\u{202E}")
        var state = CameraState()
        let origin = MessageOrigin(camera: "\u{1B}[31mX\n", boot: "RUN1")
        let status = DaemonStatus(state: .online, cameraState: .lost, detail: "\u{1B}[2Junplugged")
        _ = state.take(.status(status, from: origin))
        line.state = state
        let text = line.text(columns: 200, faces: 0, rate: 0, controls: try controls(), at: 0)
        #expect(text.count == 200)
        #expect(text.contains(" [31mX : lost –  [2Junplugged") && !text.contains("0 faces"))
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
    }

    @Test("a pause holds the view's time, and a clip goes on where it stood")
    func pause() {
        var clock = ViewClock()
        clock.restartClip(at: 2)
        #expect(clock.clip(at: 5) == 3)
        clock.togglePause(at: 5)
        #expect(clock.isPaused && clock.shown(at: 9) == 5 && clock.clip(at: 9) == 3)
        clock.togglePause(at: 9)
        #expect(!clock.isPaused && clock.shown(at: 10) == 10 && clock.clip(at: 10) == 4)
    }

    @Test("a damaged preview picture leaves the one before, which can still be written")
    func damagedPicture() throws {
        let directory = try TemporaryDirectory()
        let canvas = try Canvas(pixelSize: FrameSize(width: 48, height: 32))
        try canvas.write(to: directory.file("a.jpg"))
        let jpeg = Array(try Data(contentsOf: URL(filePath: directory.file("a.jpg"))))
        let source = try ViewPicture(clip: nil)
        let target = FrameSize(width: 8, height: 8)
        source.offer(PreviewPicture(content: .jpeg(jpeg)))
        #expect(try source.update(mediaTime: nil, target: target))
        source.offer(PreviewPicture(content: .jpeg(Array(jpeg.prefix(60)))))
        #expect(try !source.update(mediaTime: nil, target: target))
        try source.refine()
        #expect(source.picture.uprightSize == FrameSize(width: 48, height: 32))
    }

    @Test("the status line says that the broker is lost, and why")
    func lostBroker() throws {
        var line = StatusLine(broker: "broker:1883")
        line.connection = .disconnected("Connection refused")
        let text = line.text(columns: 120, faces: 0, rate: 0, controls: try controls(), at: 0)
        #expect(text.contains("✗ broker:1883 lost, trying again: Connection refused"))
    }
}

@Suite("What a daemon publishes, live")
struct LiveModelTests {
    @Test("the last picture of a preview that was switched off is dropped, after a time that suits its rate")
    func endedPreview() {
        var model = LiveModel()
        _ = model.take(connected, at: 0)
        let preview = encoder.preview([0xFF, 0xD8], of: stamp(1))
        // Of the first picture the rate is not known yet.
        _ = model.take(occurrence(preview), at: 10)
        model.advance(to: 25)
        #expect(model.picture != nil)
        _ = model.take(occurrence(preview), at: 25)
        _ = model.take(occurrence(preview), at: 25.2)
        model.advance(to: 28)
        #expect(model.picture != nil)
        model.advance(to: 29)
        #expect(model.picture == nil && model.nextPicture(at: 29) == nil)
        // Once every ten seconds is a rate too.
        for time in [40.0, 50, 60, 70] {
            model.advance(to: time)
            #expect(time == 40 || model.picture != nil)
            _ = model.take(occurrence(preview), at: time)
        }
    }

    @Test("nothing is known without a connection")
    func disconnected() {
        var model = LiveModel()
        _ = model.take(connected, at: 0)
        _ = model.take(occurrence(encoder.status(DaemonStatus(state: .online, cameraState: .streaming))), at: 0)
        _ = model.take(occurrence(encoder.metadata([face()], at: stamp(0))), at: 0)
        #expect(model.scene.faces.count == 1 && model.state.status != nil)
        _ = model.take(.connection(.disconnected("gone")), at: 1)
        #expect(model.scene.faces.isEmpty && model.state.status == nil)
        // The broker's retained metadata brings the face back.
        _ = model.take(occurrence(encoder.metadata([face()], at: stamp(0)), retained: true), at: 2)
        #expect(model.scene.faces.count == 1)
    }

    @Test(
        "the picture's shape is read from the status, if it is there",
        arguments: [
            (.init(width: 1280, height: 720), FrameSize(width: 1280, height: 720)), (nil, nil),
            (.init(width: 0, height: 0), nil), (.init(width: 32767, height: 32767), nil),
            (.init(width: .max, height: 1), nil),
        ] as [(DaemonStatus.Picture?, FrameSize?)]
    )
    func shape(picture: DaemonStatus.Picture?, size: FrameSize?) {
        var model = LiveModel()
        // A number in the text is not taken for a size.
        let detail = "/dev/video0: YUYV 640x480"
        var status = DaemonStatus(state: .online, cameraState: .streaming, detail: detail)
        status.picture = picture
        _ = model.take(occurrence(encoder.status(status)), at: 0)
        #expect(model.pictureSize == size)
    }

    @Test("a message that breaks the contract changes nothing")
    func broken() {
        var model = LiveModel()
        let broken = MQTTMessage(topic: "faces/metadata", payload: Array("{".utf8))
        #expect(model.take(occurrence(broken), at: 0).isEmpty)
    }

    /// A picture of a frame of a source with 30 frames a second that came at a time.
    private func candidate(_ frame: Int?, at seconds: Double) -> PictureChoice.Candidate {
        let mediaTime = frame.map { Double($0) / 30 }
        return (
            picture: PreviewPicture(content: .jpeg([]), frame: frame, mediaTime: mediaTime, arrival: seconds),
            scene: Scene()
        )
    }

    @Test("the snapshot of a smile is the best of its first half second, not the first, nor one with closed eyes")
    func bestSmile() {
        var choice = PictureChoice(event: EventName(.smile))
        let event = event(.smile, frame: 100).event
        choice.note(event, at: 1)
        for (frame, smile, isClosed) in [(99, 1, false), (100, 0.7, false), (103, 0.95, true), (106, 0.9, false)] {
            var next = candidate(frame, at: Double(frame) / 30 - 2.3)
            var face = event.face
            face.smile = smile
            face.leftEyeClosed = isClosed
            face.rightEyeClosed = isClosed
            let origin = MessageOrigin(camera: "front", boot: "RUN1")
            let message = MetadataMessage(origin: origin, stamp: stamp(frame), faces: [face])
            next.scene.apply(.metadata(message), at: 0)
            choice.add(next)
        }
        #expect(choice.chosen(at: 1.4).isEmpty)
        #expect(choice.chosen(at: 1.6).first?.picture.frame == 106)
    }

    @Test("the snapshot is the first picture that shows the event's frame")
    func firstOfEvent() {
        var choice = PictureChoice(event: EventName(.enter))
        choice.note(event(.blink(eyes: .both, duration: 0.1), frame: 95).event, at: 0)
        choice.add(candidate(98, at: 0.9))
        #expect(choice.chosen(at: 0.9).isEmpty)
        choice.note(event(.enter, frame: 100).event, at: 1)
        choice.add(candidate(99, at: 1.1))
        #expect(choice.chosen(at: 1.1).isEmpty)
        choice.add(candidate(101, at: 1.2))
        choice.add(candidate(104, at: 1.3))
        #expect(choice.chosen(at: 1.3).first?.picture.frame == 101)
        var next = PictureChoice(event: nil)
        #expect(next.chosen(at: 0).isEmpty)
        next.add(candidate(5, at: 0))
        #expect(next.chosen(at: 0).first?.picture.frame == 5)
    }

    @Test("the picture of a blink is the one with closed eyes, before the frame that reported it")
    func closedEyes() {
        var choice = PictureChoice(event: EventName(.blink))
        for frame in [84, 88, 92, 96, 100] { choice.add(candidate(frame, at: Double(frame) / 30)) }
        #expect(choice.chosen(at: 3.3).isEmpty)
        // Closed for 0.2 s until frame 96: the middle is frame 93.
        choice.note(event(.blink(eyes: .both, duration: 0.2), frame: 96).event, at: 3.3)
        #expect(choice.chosen(at: 3.3).first?.picture.frame == 92)
    }

    @Test("the snapshot does not wait for ever, nor for frame numbers that never come")
    func patience() {
        let smile = event(.smile, frame: 100).event
        var late = PictureChoice(event: EventName(.smile))
        late.add(candidate(98, at: 0.9))
        late.note(smile, at: 1)
        #expect(late.chosen(at: 1.4).isEmpty)
        #expect(late.chosen(at: 1.6).first?.picture.frame == 98)
        var unnumbered = PictureChoice(event: EventName(.smile))
        unnumbered.add(candidate(nil, at: 0.9))
        unnumbered.note(smile, at: 1)
        #expect(unnumbered.chosen(at: 1).isEmpty)
        unnumbered.add(candidate(nil, at: 1.05))
        #expect(unnumbered.chosen(at: 1.05).first?.picture.arrival == 1.05)
    }
}
