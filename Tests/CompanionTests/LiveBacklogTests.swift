import CompanionTestSupport
import FaceMessages
import FaceMetadata
import Frames
import MQTT
import System
import Testing

@testable import Companion

@Suite("What waits for a slow command")
struct LiveBacklogTests {

    private func message(_ text: String) -> LiveInput.Content {
        .occurrence(occurrence(MQTTMessage(topic: "faces/count", payload: Array(text.utf8))))
    }

    private func fill(_ backlog: inout LiveBacklog, _ contents: [LiveInput.Content]) {
        for content in contents { backlog.put(content) }
    }

    /// Everything that waits, in words.
    private func drain(_ backlog: inout LiveBacklog) -> [String] {
        var words: [String] = []
        while let input = backlog.removeFirst() {
            switch input.content {
            case .occurrence(.message(let message)): words.append(String(decoding: message.payload, as: UTF8.self))
            case .occurrence(.failed(let failure)): words.append("\(failure)")
            case .occurrence(.connection(let state)): words.append(state.description)
            case .key(let key): words.append(String(Unicode.Scalar(key)))
            case .tick: words.append("tick")
            case .interrupted: words.append("interrupted")
            }
        }
        return words
    }

    @Test("comes in order")
    func order() {
        var backlog = LiveBacklog(capacity: 9)
        fill(&backlog, [message("1"), .key(0x71), .occurrence(.connection(.connecting)), message("2"), .interrupted])
        #expect(drain(&backlog) == ["1", "q", "connecting", "2", "interrupted"])
        #expect(backlog.dropped == 0)
    }

    @Test("is no more than so many messages, the newest; nothing else is lost")
    func capacity() {
        var backlog = LiveBacklog(capacity: 2)
        fill(&backlog, [message("1"), .key(0x71), .occurrence(.connection(.stopped)), message("2"), .tick])
        fill(&backlog, (3...9).map { message("\($0)") } + [.interrupted])
        #expect(backlog.dropped == 7)
        #expect(drain(&backlog) == ["q", "stopped", "tick", "8", "9", "interrupted"])
        fill(&backlog, [message("1"), message("2"), message("3")])
        #expect(backlog.dropped == 8)
        #expect(drain(&backlog) == ["2", "3"])
    }

    @Test("is no more than 16 frames, which keep memory of the source")
    func frames() {
        var backlog = LiveBacklog(capacity: 100)
        let message = CameraMessage(base: "faces", topic: .previewJPEG, content: .picture(PreviewPicture(frame())))
        fill(&backlog, Array(repeating: .occurrence(.message(message)), count: 20) + [self.message("1")])
        #expect(backlog.dropped == 4)
        #expect(drain(&backlog).count == 17)
    }

    private func frame() -> Frame {
        let memory = PixelMemory(byteCount: 4)
        return Frame(
            stamp: stamp(0),
            captured: .now,
            size: FrameSize(width: 1, height: 1),
            format: .bgra,
            planes: Frame.Planes(Frame.Plane(base: memory.base, bytesPerRow: 4)),
            lease: memory
        )
    }

    @Test("is no more than so many bytes, however few messages they are")
    func bytes() {
        var backlog = LiveBacklog(capacity: 100)
        let large = String(repeating: "x", count: 15 << 20)
        fill(&backlog, [message("1"), message(large), message("2"), message(large), .tick, message(large)])
        #expect(backlog.dropped == 2)
        #expect(drain(&backlog).map(\.count) == [1, large.count, 4, large.count])
        fill(&backlog, [message(large + large + large), message("3")])
        #expect(drain(&backlog) == ["3"], "what is larger than all may be waits alone")
    }

    @Test("holds one tick at most")
    func ticks() {
        var backlog = LiveBacklog(capacity: 2)
        fill(&backlog, [.tick, .tick, message("1"), .tick])
        #expect(drain(&backlog) == ["tick", "1"])
        fill(&backlog, [.tick])
        #expect(drain(&backlog) == ["tick"])
    }

    @Test("is handed out to its end, and nothing after that")
    func closed() async {
        let inputs = Inbox(LiveBacklog(capacity: 2))
        inputs.put(message("1"))
        inputs.put(.tick)
        inputs.finish()
        inputs.put(.key(0x71))
        var seen: [String] = []
        while let input = await inputs.next() {
            if case .tick = input.content { seen.append("tick") } else { seen.append("other") }
        }
        #expect(seen == ["other", "tick"])
    }

    @Test("is told of when some of it was dropped, once when that begins and once when it is over")
    func notices() {
        var notices = DropNotices()
        #expect(notices.note(0, isOver: true) == nil)
        #expect(notices.note(1, isOver: false) == "messages come faster than they are taken: the oldest are dropped")
        #expect(notices.note(5, isOver: false) == nil)
        #expect(notices.note(7, isOver: true) == "7 messages were dropped")
        #expect(notices.note(7, isOver: true) == nil)
        #expect(notices.note(10, isOver: true) == "3 messages came too fast and were dropped")
    }
}
