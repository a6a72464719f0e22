import CFFmpeg
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import Testing

@testable import MediaFiles

@Suite("A stream at rest", .serialized, .enabled(if: LocalServer.isPossible), .timeLimit(.minutes(5)))
struct RestingStreamTests {
    let room: RoomStream

    init() throws { room = try RoomStream() }

    private func play(_ name: String, _ policy: FrameSourceOptions.IdleDecoding) throws -> RoomStream.Playback {
        var options = FrameSourceOptions()
        options.idleDecoding = policy
        return try room.play(name, options)
    }

    @Test("is decoded by its key pictures, and whole from the group on in which something moves, with the same numbers")
    func movement() throws {
        try room.write("room.ts")
        let all = try play("room.ts", .always)
        let some = try play("room.ts", .auto)
        #expect(all.times.count == 260 && all.count == 260 && some.count == 260)
        for (number, time) in some.times { #expect(all.times[number] == time) }
        // Known after four seconds, then only key pictures until the group that begins with 175.
        #expect(Set(101..<175).intersection(some.times.keys) == [125, 150])
        #expect(Set(175..<225).isSubset(of: some.times.keys))
        #expect(all.damaged == 0 && some.damaged == 0)
    }

    @Test("rests on where pictures are lost, with the same times")
    func loss() throws {
        try room.write("room.ts") { number, _ in !(110..<115).contains(number) }
        let all = try play("room.ts", .always)
        let some = try play("room.ts", .auto)
        #expect(all.count == 255 && some.count == 255)
        for (number, time) in some.times { #expect(all.times[number] == time) }
        #expect(Set(101..<170).intersection(some.times.keys) == [120, 145])
        #expect(Set(170..<220).isSubset(of: some.times.keys))
    }

    @Test("counts a key picture that cannot be decoded once, and goes on with the next one")
    func damage() throws {
        try room.write("room.ts") { number, packet in
            // The first NAL unit of an IDR picture: what follows claims to be of a kind that it must not be.
            let bytes = UnsafeMutableRawBufferPointer(start: packet.data, count: Int(packet.size))
            if number == 125, let unit = bytes.firstRange(of: [0, 0, 1, 0x65]) {
                bytes[unit.upperBound...].prefix(64).indices.forEach { bytes[$0] = 0xFF }
            }
            return true
        }
        let all = try play("room.ts", .always)
        let some = try play("room.ts", .auto)
        #expect(all.damaged == 1 && some.damaged == 1)
        // What refers to it is not shown either way.
        #expect(Set(some.times.values).isSubset(of: all.times.values))
        let shown = [all, some].map { Set($0.times.values.map { Int(($0 * 25).rounded()) }) }
        #expect(shown.allSatisfy { $0.contains(150) && !$0.contains(126) })
    }

    @Test("follows a change of size")
    func size() throws {
        let large = FrameSize(width: 320, height: 240)
        try room.write("room.ts", numbers: 0..<150)
        try room.write("large.ts", numbers: 150..<260, size: large)
        let both = try ["room.ts", "large.ts"].map { try Data(contentsOf: URL(filePath: room.scratch.path($0))) }
        _ = try room.scratch.write(both[0] + both[1], to: "both.ts")
        let all = try play("both.ts", .always)
        let some = try play("both.ts", .auto)
        #expect(all.count == 260 && some.count == 260)
        #expect(all.sizes == [FrameSize(width: 160, height: 120), large] && some.sizes == all.sizes)
        let recording = try Recording.of(room.scratch.path("both.ts"))
        #expect(recording.streams.map(\.size) == all.sizes)
        for (number, time) in some.times { #expect(all.times[number] == time) }
        #expect(!some.times.keys.contains(149) && Set(175..<225).isSubset(of: some.times.keys))
    }
}
