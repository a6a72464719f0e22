import FaceMetadata
import Testing

@testable import Frames

@Suite("Frames between the flashes of a lamp")
struct StrobeFilterTests {
    /// Which frames are unlit, as `-`, and which are not, as `+`.
    private func filtered(_ brightnesses: [Float]) -> String {
        var filter = StrobeFilter()
        return String(brightnesses.map { filter.isUnlit($0) ? "-" : "+" })
    }

    private static let pairs: [Float] = (0..<20).map { $0 % 2 == 0 ? 90 : 12 }

    @Test("every other frame is dark: from the sixth on, the dark ones are left out")
    func flashing() { #expect(filtered(Self.pairs) == "+++++-+-+-+-+-+-+-+-") }

    @Test("a frame that got lost changes nothing")
    func lost() {
        var frames = Self.pairs
        frames.remove(at: 10)
        #expect(filtered(frames) == "+++++-+-+--+-+-+-+-")
        frames = Self.pairs
        frames.remove(at: 11)
        #expect(filtered(frames) == "+++++-+-+-++-+-+-+-")
    }

    @Test("a lamp that is switched off leaves frames again after three")
    func off() {
        let shown = filtered(Self.pairs + [Float](repeating: 12, count: 6))
        #expect(shown.hasSuffix("+" + "-" + "-" + "+++++") || shown.hasSuffix("--+++++"), "\(shown)")
    }

    @Test(
        "what is no such lamp leaves all frames",
        arguments: [
            [Float](repeating: 12, count: 20), (0..<20).map { $0 % 2 == 0 ? 90 : 60 },
            (0..<20).map { $0 % 2 == 0 ? 5 : 1 },
            (0..<20).map { $0 % 4 < 2 ? 90 : 12 }, (0..<20).map { $0 < 10 ? 90 : 12 },
        ]
    )
    func others(_ brightnesses: [Float]) { #expect(!filtered(brightnesses).contains("-")) }

    @Test(
        "the mailbox counts those of a camera, and they do not reach the reader; a clip keeps all",
        arguments: [true, false]
    )
    func mailbox(isCamera: Bool) throws {
        let mailbox = FrameMailbox(policy: isCamera ? .newest : .every(capacity: 100))
        var taken: [Int] = []
        for (index, brightness) in Self.pairs.enumerated() {
            let stamp = FrameStamp(frame: index, time: .init(nanoseconds: 0), mediaTime: Double(index))
            let bytes = [UInt8](repeating: UInt8(brightness), count: 64 * 48)
            mailbox.put(
                .frame(try Frame(copying: bytes, size: FrameSize(width: 64, height: 48), format: .gray, stamp: stamp))
            )
            // Whatever comes after the frame, if it came.
            mailbox.put(.ended(.finished))
            while case .frame(let frame)? = mailbox.next() { taken.append(frame.stamp.frame) }
        }
        #expect(taken == (isCamera ? [0, 1, 2, 3, 4] + stride(from: 6, to: 20, by: 2) : Array(0..<20)))
        #expect(mailbox.counts.captured == 20 && mailbox.counts.dropped == (isCamera ? [.unlit: 8] : [:]))
    }
}
