import FaceMessages
import Testing

@testable import DaemonCore

@Suite("The notice about decoding")
struct DecodingNoticeTests {
    private func figures(decoding: Double?, analysis: Double = 0.05) -> DaemonStats {
        var stats = DaemonStats()
        (stats.cpuDecoding, stats.cpuAnalysis) = (decoding, analysis)
        stats.stages = [.init(name: "decode", runs: 250, mean: 0.0079, longest: 0.02)]
        return stats
    }

    @Test("is given once, when decoding is more than half of the work")
    func once() {
        var notice = DecodingNotice()
        let stream = "rtsp://porch/main"
        for stats in [figures(decoding: nil), figures(decoding: 0.04, analysis: 0.01), figures(decoding: 0.049)] {
            #expect(notice.words(stats, of: stream) == nil)
        }
        #expect(
            notice.words(figures(decoding: 0.19), of: stream)
                == "decoding takes 19 % of a core, 7.9 ms a picture, and the analysis 5 %: the camera's second stream, "
                + "as a rule 640x480, would as camera.source cost about a quarter of the decoding"
        )
        #expect(notice.words(figures(decoding: 0.19), of: stream) == nil)
    }

    @Test("names what can be set for the source of the moment, and is silent where nothing can")
    func remedies() {
        var notice = DecodingNotice()
        func words(_ source: String) -> String? { notice.words(figures(decoding: 0.2), of: source) }
        #expect(words("/dev/video0")?.contains("camera.size: 640x480") == true)
        #expect(words("clip.mp4") == nil)
        #expect(words("rtsp://porch/main")?.contains("second stream") == true)
    }
}
