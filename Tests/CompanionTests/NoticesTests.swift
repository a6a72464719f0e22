import FaceMessages
import MQTT
import Testing

@testable import Companion

@Suite("What is said of cameras, whatever topics are shown")
struct NoticesTests {
    private var notices = Notices(address: "here", waitsForBroker: true, silence: "no camera")

    private mutating func note(
        _ base: String,
        _ status: DaemonStatus,
        from name: String = "desk",
        isRetained: Bool = false
    ) throws -> String? {
        let content = CameraMessage.Content.decoded(.status(status, from: MessageOrigin(camera: name, boot: "1")))
        let message = CameraMessage(base: base, topic: .status, content: content, isRetained: isRetained)
        return try notices.note(.message(message), at: 0)
    }

    private func online(_ state: DaemonStatus.CameraState, _ detail: String? = nil) -> DaemonStatus {
        DaemonStatus(state: .online, cameraState: state, detail: detail)
    }

    @Test("the loss of a camera and its return, once each")
    mutating func cameras() throws {
        #expect(try note("faces", online(.starting)) == nil)
        #expect(
            try note("faces", online(.lost, "none is there"), isRetained: true)
                == "desk: the camera is lost: none is there"
        )
        #expect(try note("faces", online(.lost, "none yet")) == nil)
        #expect(try note("faces", online(.starting)) == nil)
        #expect(try note("porch/faces", online(.streaming), from: "porch") == nil)
        #expect(try note("faces", online(.streaming)) == "desk: the camera is back")
        #expect(try note("faces", online(.streaming)) == nil)
    }

    @Test("the loss of a daemon and its return, and detection that is off")
    mutating func daemons() throws {
        #expect(try note("faces", online(.streaming), from: "") == nil)
        #expect(
            try note("faces", DaemonStatus(state: .offline), from: "")
                == "faces: the daemon is gone: it was killed, or cut off from the network"
        )
        #expect(try note("faces", online(.streaming), from: "") == "faces: the camera is back")
        #expect(try note("faces", DaemonStatus(state: .stopped)) == "desk: the daemon has ended; start facetd again")
        #expect(try note("faces", online(.disabled)) == "desk: detection is off; `facet detect on` switches it on")
        #expect(try note("faces", online(.streaming)) == "desk: the camera is back")
    }

    @Test("a daemon that had ended before, if no other one runs")
    mutating func ended() throws {
        _ = try notices.note(.connection(.connected(.version5, broker: "here")), at: 1)
        #expect(try note("faces", DaemonStatus(state: .stopped), isRetained: true) == nil)
        #expect(try notices.silence(at: 2) == nil)
        #expect(try notices.silence(at: 5) == "desk: the daemon has ended; start facetd again")
        #expect(try notices.silence(at: 6) == nil)
        #expect(try note("faces", online(.streaming)) == "desk: the camera is back")
    }

    @Test("a daemon that ended while the connection was lost")
    mutating func endedMeanwhile() throws {
        #expect(try note("faces", online(.streaming)) == nil)
        #expect(
            try note("faces", DaemonStatus(state: .stopped), isRetained: true)
                == "desk: the daemon has ended; start facetd again"
        )
    }

    @Test("nothing of the end of a clip, with which the command ends")
    mutating func clip() throws {
        notices.isLocal = true
        #expect(try note("faces", online(.streaming)) == nil)
        #expect(try note("faces", DaemonStatus(state: .stopped)) == nil)
        #expect(try note("faces", online(.lost, "none is there")) == "desk: the camera is lost: none is there")
    }

    @Test("that a topic is no base")
    func bases() {
        #expect(Subscriber.hint(about: ["faces/smile"]) == "; faces/smile is a topic, and its base is faces")
        #expect(Subscriber.hint(about: ["faces", "+/faces", "smile"]) == "")
    }

    @Test("nothing where the command itself shows how cameras are")
    mutating func shown() throws {
        notices.tellsOfCameras = false
        #expect(try note("faces", online(.lost)) == nil)
        #expect(try note("faces", DaemonStatus(state: .stopped)) == nil)
    }

    @Test("what the only daemon does not publish, as the reason to end")
    mutating func missing() throws {
        notices.awaited = [.sign]
        var status = online(.streaming)
        #expect(try note("faces", status) == nil, "a daemon before 0.5 does not say it")
        status.publish = [.sign, .enter]
        #expect(try note("faces", status) == nil)
        notices = Notices(address: "here", waitsForBroker: true, silence: nil)
        notices.awaited = [.sign]
        status.publish = [.enter]
        let words = "'desk' does not publish sign: add it to publish"
        #expect { try note("faces", status) } throws: { "\($0)" == words }
    }

    @Test("what one of several daemons does not publish; if none does, that is the reason to end")
    mutating func missingAtSome() throws {
        notices.awaited = [.smile, .smileEnd, .status]
        notices.isPlural = true
        var status = online(.streaming)
        status.publish = [.smile]
        #expect(try note("faces", status) == "'desk' does not publish smile_end: add it to publish")
        #expect(try note("faces", status) == nil)
        notices = Notices(address: "here", waitsForBroker: true, silence: nil)
        notices.awaited = [.zoneEnter, .zones]
        notices.isPlural = true
        _ = try notices.note(.connection(.connected(.version5, broker: "here")), at: 1)
        #expect(try note("faces", status) == nil)
        #expect(try notices.silence(at: 2) == nil)
        let words = "'desk' does not publish zone_enter, zones: add them to publish, and draw zones with `facet zones`"
        #expect { try notices.silence(at: 5) } throws: { "\($0)" == words }
        status.publish = [.zoneEnter, .zones]
        #expect(try note("porch/faces", status, from: "porch") == nil)
        #expect(try notices.silence(at: 6) == nil)
    }
}
