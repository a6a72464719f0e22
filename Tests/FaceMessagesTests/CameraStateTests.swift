import FaceMessages
import FaceMetadata
import Testing

@Suite("What is known of a camera")
struct CameraStateTests {
    private let first = MessageOrigin(camera: "front", boot: "RUN1")
    private let second = MessageOrigin(camera: "front", boot: "RUN2")

    private func metadata(_ ids: [Int], frame: Int, from origin: MessageOrigin? = nil) -> DaemonMessage {
        let faces = ids.map {
            var face = Samples.bareFace
            face.faceID = FaceID(rawValue: $0)
            return face
        }
        let time = Timestamp(nanoseconds: Int64(frame) * 33_333_333)
        let stamp = FrameStamp(frame: frame, time: time, mediaTime: Double(frame) / 30)
        return .metadata(MetadataMessage(origin: origin ?? first, stamp: stamp, faces: faces))
    }

    private func status(
        _ state: DaemonStatus.State,
        _ camera: DaemonStatus.CameraState? = nil,
        detail: String? = nil,
        from origin: MessageOrigin? = nil
    ) -> DaemonMessage {
        let status = DaemonStatus(state: state, cameraState: camera, detail: detail)
        return .status(status, from: origin ?? first)
    }

    private func stats(from origin: MessageOrigin? = nil) -> DaemonMessage {
        .stats(Samples.stats, from: origin ?? first)
    }

    /// A camera that streams, with two faces and figures.
    private func streaming() -> CameraState {
        var state = CameraState()
        for message in [status(.online, .streaming), metadata([1, 2], frame: 9), .count(2), stats()] {
            _ = state.take(message)
        }
        return state
    }

    private func ids(_ state: CameraState) -> [Int] { state.faces.map(\.faceID.rawValue) }

    @Test("is what its messages say")
    func known() {
        let state = streaming()
        #expect(state.name == "front" && state.boot == "RUN1" && state.condition == .streaming)
        #expect(ids(state) == [1, 2] && state.faceCount == 2 && state.stamp?.frame == 9)
        #expect(state.analysisRate == Samples.stats.analysisRate && !state.hasProblem && state.explanation == nil)
    }

    @Test("each message tells what it changed, and one that changes nothing nothing")
    func changes() {
        var state = CameraState()
        #expect(state.take(status(.online, .streaming)) == .status)
        #expect(state.take(status(.online, .streaming)).isEmpty)
        #expect(state.take(metadata([], frame: 0)) == [.faces, .count])
        #expect(state.take(metadata([], frame: 1)) == .faces)
        #expect(state.take(.count(0)).isEmpty)
        #expect(state.take(.count(1)) == .count)
        #expect(state.take(.detectState(true)) == .status)
        #expect(state.take(stats()) == [.stats, .rate])
        #expect(state.take(.event(event(1))) == .event)
        #expect(state.take(status(.online, .lost, detail: "unplugged")) == [.status, .faces, .count, .rate])
        #expect(state.explanation == "unplugged")
    }

    @Test(
        "has no faces and no count where nothing is being looked at, whatever comes late",
        arguments: [
            (.stopped, .streaming, .stopped), (.offline, nil, .offline), (.online, .lost, .lost),
            (.online, .disabled, .disabled),
        ] as [(DaemonStatus.State, DaemonStatus.CameraState?, CameraState.Condition)]
    )
    func notLooking(daemon: DaemonStatus.State, camera: DaemonStatus.CameraState?, condition: CameraState.Condition) {
        var state = streaming()
        _ = state.take(status(daemon, camera))
        #expect(state.condition == condition && !state.mayShowFaces)
        for late in [metadata([], frame: 10), .count(0), metadata([1, 2], frame: 9), .count(2)] {
            _ = state.take(late)
            #expect(state.faces.isEmpty && state.faceCount == nil && state.stamp == nil && state.analysisRate == nil)
        }
    }

    @Test("counts again when the camera is switched on, and not before it says so")
    func switchedOn() {
        var state = streaming()
        for message in [status(.online, .disabled), metadata([], frame: 10), .count(0), status(.online, .starting)] {
            _ = state.take(message)
            #expect(state.faceCount == nil)
        }
        _ = state.take(status(.online, .streaming))
        #expect(state.faceCount == 0)
        // The source is opened anew: frames are counted from 0, at a later time.
        var again = Samples.bareFace
        again.faceID = FaceID(rawValue: 3)
        let stamp = FrameStamp(frame: 2, time: Timestamp(nanoseconds: 1_000_000_000_000), mediaTime: 0.06)
        _ = state.take(.metadata(MetadataMessage(origin: first, stamp: stamp, faces: [again])))
        #expect(ids(state) == [3])
    }

    @Test("passes over metadata older than what it knows")
    func stale() {
        var state = streaming()
        #expect(state.take(metadata([], frame: 8)).isEmpty)
        #expect(ids(state) == [1, 2])
    }

    @Test("goes on with a source that was opened anew after the clock was set back")
    func clockSetBack() {
        var state = streaming()
        // Frames are counted from 0 again, and their times are an hour before those known.
        for (frame, id) in [(0, 7), (1, 8), (2, 9)] {
            let stamp = FrameStamp(frame: frame, time: Timestamp(nanoseconds: Int64(frame) - 3600), mediaTime: 0)
            var face = Samples.bareFace
            face.faceID = FaceID(rawValue: id)
            _ = state.take(.metadata(MetadataMessage(origin: first, stamp: stamp, faces: [face])))
        }
        #expect(ids(state) == [9])
    }

    @Test("passes over what a run that has ended left on the broker")
    func leftBehind() {
        var state = CameraState()
        _ = state.take(status(.offline))
        #expect(state.take(metadata([1], frame: 5)).isEmpty && state.take(stats()).isEmpty)
        // Whichever of the retained messages the broker sends first.
        for messages in [
            [metadata([1], frame: 5), status(.online, .streaming, from: second)],
            [status(.online, .streaming, from: second), metadata([1], frame: 5)],
        ] {
            var state = CameraState()
            for message in messages { _ = state.take(message) }
            #expect(state.faces.isEmpty && state.stamp == nil && state.faceCount == nil)
            _ = state.take(metadata([7], frame: 0, from: second))
            #expect(ids(state) == [7] && state.faceCount == 1)
        }
    }

    @Test("begins anew with a new run, whose faces wait for its status")
    func newRun() {
        var state = streaming()
        _ = state.take(status(.offline))
        _ = state.take(metadata([7], frame: 0, from: second))
        #expect(state.faces.isEmpty)
        _ = state.take(status(.online, .streaming, from: second))
        #expect(ids(state) == [7] && state.boot == "RUN2" && state.faceCount == 1 && state.stats == nil)
        // The last will of the run before, which the broker sends when it gives the connection up.
        #expect(state.take(status(.offline)).isEmpty)
        #expect(state.condition == .streaming && ids(state) == [7])
        #expect(state.take(stats()).isEmpty)
    }

    @Test("shows faces whose daemon publishes no status, and calls their camera unknown")
    func withoutStatus() {
        var state = CameraState()
        _ = state.take(metadata([1], frame: 0))
        #expect(ids(state) == [1] && state.condition == .unknown && state.faceCount == nil && state.name == "front")
    }

    @Test("a state that only a newer daemon has is unknown, and hides no face")
    func newerDaemon() {
        var state = streaming()
        _ = state.take(status(.online, nil))
        #expect(state.condition == .unknown && ids(state) == [1, 2] && state.faceCount == nil)
    }

    @Test("forgets everything, and says what")
    func forgets() {
        var state = streaming()
        #expect(state.forget() == [.status, .faces, .count, .stats, .rate])
        #expect(state == CameraState() && state.condition == .unknown)
        #expect(state.forget().isEmpty)
    }

    @Test("explains a camera that streams by what keeps events from firing")
    func attention() {
        var state = CameraState()
        var status = DaemonStatus(state: .online, cameraState: .streaming, detail: "x")
        status.attention = [.tooDark, .tooSmall]
        _ = state.take(.status(status, from: first))
        #expect(state.explanation == "too_dark, too_small")
    }

    private func event(_ id: Int) -> EventMessage {
        EventMessage(
            origin: first,
            id: "E\(id)",
            seq: id,
            event: FaceEvent(kind: .smile, face: Samples.face, stamp: Samples.stamp),
            latency: nil
        )
    }
}
