import CompanionTestSupport
import FaceMessages
import FacetTestSupport
import Testing

@testable import Companion

@Suite("Signs of life")
struct LifeSignTests {
    private let start = SuspendingClock.Instant.now
    private let encoder = MessageEncoder(camera: "front", boot: "front")

    /// The status of a daemon that gives a sign of life every ten seconds.
    private func streaming() -> DaemonStatus {
        var status = DaemonStatus(state: .online, cameraState: .streaming)
        status.statsInterval = 10
        return status
    }

    private func message(_ message: Message, retained: Bool) throws -> CameraMessage {
        let decoded = try MessageDecoder().decode(message.payload, on: message.topic)
        return CameraMessage(base: "faces", topic: message.topic, content: .decoded(decoded), isRetained: retained)
    }

    private func state(_ messages: [CameraMessage]) -> CameraState {
        var state = CameraState()
        for case .decoded(let decoded) in messages.map(\.content) { _ = state.take(decoded) }
        return state
    }

    @Test("a daemon of which nothing but kept messages came is gone after three intervals, with its faces, once")
    func gone() throws {
        var signs = LifeSigns()
        let kept = [try message(encoder.status(streaming()), retained: true)]
        for message in kept { #expect(signs.take(message, at: start) == nil) }
        #expect(signs.vanished(at: start + .seconds(29)).isEmpty)
        let said = signs.vanished(at: start + .seconds(31))
        let state = state(kept + said)
        #expect(state.condition == .gone && state.hasProblem && !state.mayShowFaces && state.faceCount == nil)
        #expect(state.summary == "gone – no sign of life for 30 s")
        #expect(signs.vanished(at: start + .seconds(99)).isEmpty)
    }

    @Test("a daemon before 0.5, which states no interval, is gone after three of the default ones")
    func withoutInterval() throws {
        var signs = LifeSigns()
        var status = DaemonStatus(state: .online, cameraState: .streaming)
        _ = signs.take(try message(encoder.status(status), retained: true), at: start)
        #expect(signs.vanished(at: start + .seconds(29)).isEmpty)
        #expect(signs.vanished(at: start + .seconds(31)).count == 1)
        status.publish = [.smile]
        signs = LifeSigns()
        _ = signs.take(try message(encoder.status(status), retained: true), at: start)
        #expect(signs.vanished(at: start + .seconds(9999)).isEmpty)
    }

    @Test("the interval is the one that the status states, else that of the figures")
    func intervals() throws {
        var signs = LifeSigns()
        var status = DaemonStatus(state: .online, cameraState: .lost)
        status.statsInterval = 60
        _ = signs.take(try message(encoder.status(status), retained: true), at: start)
        #expect(signs.vanished(at: start + .seconds(179)).isEmpty)
        #expect(signs.vanished(at: start + .seconds(181)).count == 1)
        status.statsInterval = nil
        _ = signs.take(try message(encoder.status(status), retained: false), at: start)
        var stats = DaemonStats()
        stats.interval = 120
        _ = signs.take(try message(encoder.stats(stats), retained: false), at: start)
        #expect(signs.vanished(at: start + .seconds(359)).isEmpty)
    }

    @Test("a live message brings a daemon back with what it last said; a command to it does not")
    func back() throws {
        var signs = LifeSigns()
        let status = try message(encoder.status(streaming()), retained: true)
        _ = signs.take(status, at: start)
        #expect(signs.vanished(at: start + .seconds(31)).count == 1)
        let command = CameraMessage(base: "faces", topic: .detectSet, content: .removed)
        #expect(signs.take(command, at: start + .seconds(32)) == nil)
        let back = signs.take(try message(encoder.stats(DaemonStats()), retained: false), at: start + .seconds(33))
        #expect(state([try #require(back)]).condition == .streaming)
        #expect(signs.vanished(at: start + .seconds(60)).isEmpty)
    }

    @Test("a client that makes up daemons fills no memory, with their number or with what they say")
    func madeUp() throws {
        var signs = LifeSigns()
        var status = try message(encoder.status(streaming()), retained: true)
        status.payload = [UInt8](repeating: 0x20, count: 100) + status.payload
        for number in 1...2000 {
            status.base = "x\(number)/faces"
            _ = signs.take(status, at: start)
        }
        #expect(signs.vanished(at: start + .seconds(31)).count == 1024)
        let stats = try message(encoder.stats(DaemonStats()), retained: false)
        let sign = CameraMessage(base: "x1/faces", topic: .stats, content: stats.content)
        let back = signs.take(sign, at: start + .seconds(32))
        #expect(back?.payload == [] && state([back].compactMap(\.self)).condition == .streaming)
    }

    @Test("one that ended in good order, or whose will came, is not said to be gone")
    func ended() throws {
        for end in [DaemonStatus.State.stopped, .offline] {
            var signs = LifeSigns()
            _ = signs.take(try message(encoder.status(streaming()), retained: true), at: start)
            _ = signs.take(try message(encoder.status(DaemonStatus(state: end)), retained: false), at: start)
            #expect(signs.vanished(at: start + .seconds(99)).isEmpty)
        }
    }
}
