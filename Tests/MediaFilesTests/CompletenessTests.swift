import Testing

@testable import MediaFiles

@Suite("Completeness")
struct CompletenessTests {
    @Test("a whole clip has no problem, with a few damaged pictures neither")
    func whole() {
        var clip = Completeness(decoded: 97, damaged: 3, packets: 100, reached: 9.9, announcedDuration: 10)
        #expect(clip.problem == nil)
        clip.announcedPackets = 100
        #expect(clip.problem == nil)
    }

    @Test("packets that were left out count, as far as their numbers are true")
    func numberedPackets() {
        var clip = Completeness()
        for number: Int64? in [0, 1, 7, nil, .min, 3] { clip.countPacket(number: number) }
        #expect(clip.packets == 11)
        for number: Int64? in [.max, .max, nil] { clip.countPacket(number: number) }
        #expect(clip.packets == .max)
    }

    @Test("each sign of a missing part is a problem that names it")
    func problems() throws {
        let clips = [
            Completeness(decoded: 5, readError: "Input/output error"): "Input/output error",
            Completeness(): "no pictures",
            Completeness(damaged: 4): "none of its 4",
            Completeness(decoded: 5, indexExceedsFile: true): "shorter than its index",
            Completeness(decoded: 5, packets: 5, announcedPackets: 9): "5 of 9",
            Completeness(decoded: 5, reached: 3.04, announcedDuration: 10): "3.0 of 10.0 s",
            Completeness(decoded: 50, damaged: 1, endsDamaged: true): "last picture",
            Completeness(decoded: 80, damaged: 20): "20 of 100",
        ]
        for (clip, words) in clips { #expect(try #require(clip.problem).contains(words)) }
    }
}
