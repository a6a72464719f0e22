import CompanionTestSupport
import FaceMessages
import FacetTestSupport
import Testing

@testable import Companion

@Suite("Waiting for a first picture")
struct LivePicturesTests {
    /// Pictures of a session in this program, after it stated the condition of its camera.
    private func pictures(_ condition: DaemonStatus.CameraState) throws -> LivePictures {
        var pictures = LivePictures(Subscriber(), hidesFaces: false)
        let status = DaemonStatus(state: .online, cameraState: condition)
        let content = LiveInput.Content.occurrence(occurrence(encoder.status(status)))
        _ = try pictures.take(LiveInput(content: content, seconds: 0))
        return pictures
    }

    @Test("goes on as long as a source in this program streams, and ends after a while if it does not")
    func patience() throws {
        let late = LiveInput(content: .tick, seconds: LivePictures.patience + 1)
        var streaming = try pictures(.streaming)
        _ = try streaming.take(late)
        var lost = try pictures(.lost)
        let failure = #expect(throws: CommandFailure.self) { try lost.take(late) }
        #expect(failure?.description.hasPrefix("no picture came from") == true)
    }

    @Test("a pipeline that is to be played again and again is no file")
    func loops() {
        // Without GStreamer, both fail for that reason.
        let failures = [false, true].map { loops in
            do { _ = try Subscriber(source: "gstreamer:videotestsrc", loops: loops) } catch { return "\(error)" }
            return ""
        }
        #expect(failures[0] == failures[1])
    }
}
