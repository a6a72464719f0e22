import FaceMetadata
import Testing

@testable import FaceTracking

@Suite("Ends of smiles")
struct SmileEndTests {
    private let rest = String(repeating: "r", count: 45)

    @Test("a second smile counts after the first has ended")
    func secondSmile() {
        var timeline = Timeline()
        let smile = String(repeating: "s", count: 15)
        let happened = timeline.play(rest + smile + rest + smile, mouth)
        #expect(happened.filter { $0 != "." } == "ESeS")
    }

    @Test("a laugh, which weakens and comes back within smileMerge, is one smile", arguments: [0.0, 0.5, 1])
    func laugh(merge: Double) {
        var options = FaceTracker.Options()
        options.smileMerge = merge
        var timeline = Timeline(options: options)
        let laugh = String(repeating: "s", count: 15) + String(repeating: "h", count: 15)
        let happened = timeline.play(rest + laugh + laugh + laugh, mouth).filter { $0 != "." }
        #expect(happened == (merge == 0 ? "ESeSeSe" : "ES"))
    }

    @Test("the end of a smile has its duration and its highest level, and the metadata follow both events")
    func smileEnd() throws {
        var timeline = Timeline()
        _ = timeline.play(rest + String(repeating: "s", count: 60) + rest, mouth)
        let events = timeline.updates.flatMap(\.events)
        let began = try #require(events.dropFirst().first)
        let ended = try #require(events.last)
        guard case .smileEnd(let duration, let peak) = ended.kind else {
            Issue.record("\(ended.kind)")
            return
        }
        #expect(abs(duration - (ended.stamp.mediaTime - began.stamp.mediaTime)) < 1e-9)
        #expect(abs(duration - 2) < 0.2)
        #expect(peak == 1)
        for (frame, update) in timeline.updates.enumerated() where frame >= 3 {
            let isBetween = (began.stamp.frame..<ended.stamp.frame).contains(frame)
            #expect(update.faces.first?.smiling == isBetween)
        }
    }

    @Test("a smile ends before its face leaves, also one that was turned away meanwhile, and only if it was told")
    func leaveSmiling() {
        let smile = String(repeating: "s", count: 20)
        let gone = String(repeating: "-", count: 30)
        var timeline = Timeline()
        #expect(timeline.play(rest + smile + gone, mouth).filter { $0 != "." } == "ESeL")
        _ = timeline.play(rest + smile, mouth)
        _ = timeline.play("aaaa") { _ in .sample(yaw: 50) }
        let events = timeline.tracker.endAll(reason: .disabled, at: Timeline.stamp(1000))
        #expect(events.count == 2)
        guard case .smileEnd? = events.first?.kind, case .leave? = events.last?.kind else {
            Issue.record("\(events.map(\.kind))")
            return
        }
        var options = FaceTracker.Options()
        options.enterDelay = 2
        var early = Timeline(options: options)
        // The smile ends in the very frame of the enter.
        let ending = String(repeating: "r", count: 41) + smile.prefix(15) + "rrrrrr"
        #expect(early.play(ending, mouth).filter { $0 != "." } == "E")
    }

    @Test("a flicker of the mouth does not end a smile")
    func flicker() {
        var timeline = Timeline()
        _ = timeline.play(rest + "ssssssssss", mouth)
        let happened = timeline.play("rrssssssssssssssssss", mouth)
        #expect(!happened.contains("S"))
        #expect(timeline.updates.suffix(happened.count).allSatisfy { $0.faces.first?.smiling == true })
    }

    @Test("two moments with a gap between them are no smile", arguments: ["small", "unseen"])
    func gapInSmile(gap: String) {
        var timeline = Timeline()
        _ = timeline.play(rest + "ss", mouth)
        if gap == "small" {
            _ = timeline.play(String(repeating: "a", count: 15)) { _ in .sample(eyeDistance: 20) }
        } else {
            _ = timeline.play(String(repeating: "-", count: 15))
        }
        #expect(timeline.play("ssrrrr", mouth) == "......")
        // Lips that moved up and down this often count as talk for four seconds.
        _ = timeline.play(String(repeating: "r", count: 120), mouth)
        #expect(timeline.play("ssssssssss", mouth).contains("S"))
    }
}
