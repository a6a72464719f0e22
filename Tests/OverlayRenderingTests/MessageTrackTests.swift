import FaceMessages
import FaceMetadata
import FacetTestSupport
import Testing

@testable import OverlayRendering

@Suite("Messages of a clip")
struct MessageTrackTests {
    private let encoder = MessageEncoder(camera: "front", boot: "RUN1")

    private func line(_ message: Message) -> String {
        String(decoding: message.line(base: "porch/faces"), as: UTF8.self)
    }

    /// What `facetd --print` writes about a clip: a face from frame 3 to 9 that smiles at 6.
    private func lines() -> String {
        let face = sampleFace(id: 1)
        let smile = FaceEvent(kind: .smile, face: face, stamp: stamp(6))
        let messages = [
            encoder.status(DaemonStatus(state: .online, cameraState: .streaming)),
            encoder.detectState(true),
            encoder.metadata([face], at: stamp(3)),
            encoder.count(1),
            encoder.event(smile, id: "E1", seq: 1, latency: nil),
            encoder.metadata([], at: stamp(9)),
            encoder.status(DaemonStatus(state: .stopped)),
        ]
        return messages.map(line).joined()
    }

    private func track(_ text: String) throws(MessageTrackError) -> MessageTrack {
        try MessageTrack(rows: text.split(separator: "\n", omittingEmptySubsequences: false))
    }

    @Test("is read line by line, and what is handed out is not kept")
    func lineByLine() throws {
        var read = 0
        var taken = 0
        let rows = lines().split(separator: "\n").lazy.map { row in
            #expect(taken == read, "each message is handed out before the next line is read")
            read += 1
            return row
        }
        let track = try MessageTrack(rows: AnySequence { rows.makeIterator() }) { _, _ in taken += 1 }
        #expect(track.entries.isEmpty && taken == 7)
        let kept = try self.track(lines())
        #expect((track.end, track.firstFace) == (kept.end, kept.firstFace) && track.streamStatus == kept.streamStatus)
    }

    @Test("plays into a scene by the clip's time")
    func plays() throws {
        var playback = MessagePlayback(try track(lines()))
        playback.advance(to: 2.0 / 30)
        #expect(playback.scene.faces.isEmpty)
        playback.advance(to: 3.0 / 30)
        #expect(playback.scene.faces.count == 1)
        #expect(playback.advance(to: 7.0 / 30).map(\.id) == ["E1"])
        #expect(playback.scene.isFading)
        playback.advance(to: 9.0 / 30)
        #expect(playback.scene.faces.isEmpty)
    }

    @Test("knows the camera and the end")
    func end() throws {
        let track = try self.track(lines())
        #expect(abs(track.end - 0.3) < 1e-3)
        #expect(track.camera == "front")
    }

    @Test("passes over messages that are not of the contract, and empty lines")
    func foreign() throws {
        let foreign = #"{"topic":"homeassistant/device/x/config","qos":1,"retain":true,"payload":{"a":1}}"# + "\n\n"
        #expect(try track(foreign + lines()).entries.count == 7)
    }

    @Test(
        "says which line is wrong",
        arguments: ["not json", "{}", "[1]", #"{"topic":"faces/metadata","payload":{"schema":1}}"#]
    )
    func badLine(text: String) throws {
        let error = #expect(throws: MessageTrackError.self) { try track(lines() + text) }
        #expect(try #require(error).description.hasPrefix("line 8 "), "\(String(describing: error))")
    }

    @Test("needs metadata, and of one camera")
    func unfit() {
        let other = MessageEncoder(camera: "back", boot: "RUN1").metadata([], at: stamp(1))
        #expect(throws: MessageTrackError.severalCameras(["back", "front"])) {
            try track(lines() + line(other))
        }
        #expect(throws: MessageTrackError.noMetadata) { try track(line(encoder.count(0))) }
        #expect(throws: MessageTrackError.noMetadata) { try track("") }
    }
}
