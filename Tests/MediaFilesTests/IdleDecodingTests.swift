import Testing

@testable import MediaFiles

@Suite("Decoding at rest")
struct IdleDecodingTests {
    /// A stream of 25 pictures a second, and what was decided about its packets, one letter each.
    private struct Stream {
        var idle = IdleDecoding()
        var packets = 0
        var decisions = ""
        var keyBytes = 80_000
        var group = 25

        /// Takes packets of those sizes; key pictures come by themselves.
        mutating func take(_ sizes: [Int], isQuiet: Bool = true) {
            for size in sizes {
                if packets % group == 0 { decide(true, keyBytes, at: Double(packets) / 25, isQuiet) }
                decide(false, size, at: Double(packets) / 25, isQuiet)
            }
        }

        mutating func decide(_ isKey: Bool, _ bytes: Int, at time: Double?, _ isQuiet: Bool = true) {
            packets += 1
            switch idle.decide(isKey: isKey, bytes: bytes, presentation: time, isQuiet: isQuiet) {
            case .decode: decisions += "d"
            case .watch: decisions += "K"
            case .wait: decisions += "."
            case .resume: decisions += "R"
            case .skip: decisions += "s"
            }
        }

        /// Sizes that vary as those of a room with noise.
        static func rest(_ count: Int) -> [Int] { (0..<count).map { 420 + $0 * 37 % 90 } }

        /// One that is at rest, and known to be.
        static func atRest(group: Int = 25) -> Stream {
            var stream = Stream(group: group)
            stream.take(rest(4 * (group - 1)))
            stream.decisions = ""
            return stream
        }
    }

    @Test("at rest only key pictures are decoded, once sizes are known")
    func rest() {
        var stream = Stream()
        stream.take(Stream.rest(120))
        #expect(stream.decisions == String(repeating: "d", count: 100) + "K" + String(repeating: ".", count: 24))
    }

    @Test("packets that grow are an event within a fifth of a second, one large packet is none")
    func growth() {
        var stream = Stream.atRest()
        stream.take([450, 3000] + Stream.rest(22))
        #expect(stream.decisions == "K" + String(repeating: ".", count: 24))
        stream = .atRest()
        stream.take([450, 430, 1000, 1100, 1200, 1300, 1400, 1400])
        // For a second afterwards no packet waits, although the session has not seen a face yet.
        stream.take(Stream.rest(16 + 24 + 24))
        let decoded = String(repeating: "d", count: 2 + 16 + 25)
        #expect(stream.decisions == "K.....R" + decoded + "K" + String(repeating: ".", count: 24))
    }

    @Test("what the session sees ends the rest with the next packet")
    func session() {
        var stream = Stream.atRest()
        stream.take([450, 440])
        stream.take([450], isQuiet: false)
        #expect(stream.decisions == "K..R")
        stream.take(Stream.rest(45), isQuiet: false)
        #expect(Set(stream.decisions.dropFirst(4)) == ["d"])
    }

    @Test("a group that waits is decoded also where the rest ends with the key picture after it")
    func restThatEndsWithKeyPicture() {
        var stream = Stream.atRest()
        stream.take(Stream.rest(24))
        stream.take([450], isQuiet: false)
        #expect(stream.decisions == "K" + String(repeating: ".", count: 24) + "Rd")
    }

    @Test("nothing waits where packets are as large at rest as a face would make them")
    func filledRate() {
        var stream = Stream(keyBytes: 120_000)
        stream.take(Array(repeating: 20_002, count: 200))
        #expect(Set(stream.decisions) == ["d"])
    }

    @Test("nothing waits in long groups, and what waits is bounded in time and in bytes")
    func bounds() {
        var long = Stream.atRest(group: 130)
        long.take(Stream.rest(260))
        #expect(Set(long.decisions) == ["d"])
        // Where the rate drops, a group lasts longer than those before.
        var slow = Stream.atRest(group: 100)
        slow.group = .max
        slow.decide(true, 80_000, at: 16)
        for number in 1...60 { slow.decide(false, 450, at: 16 + Double(number) / 10) }
        #expect(slow.decisions == "K" + String(repeating: ".", count: 50) + "R" + String(repeating: "d", count: 9))
        // A group whose key picture is lost continues the one before, at places of which nothing is known.
        var lost = Stream.atRest()
        lost.group = .max
        lost.decide(true, 80_000, at: 4)
        for number in 101...130 { lost.decide(false, 450, at: Double(number) / 25) }
        #expect(lost.decisions == "K" + String(repeating: ".", count: 24) + "R" + String(repeating: "d", count: 5))
        // Times that hardly grow.
        var crowd = Stream.atRest(group: 2000)
        crowd.decide(true, 80_000, at: 1000)
        crowd.decide(true, 80_000, at: 1004)
        for number in 1...1500 { crowd.decide(false, 450, at: 1004 + Double(number) / 1000) }
        let waited = crowd.decisions.drop { $0 != "K" }
        #expect(waited == "K" + String(repeating: ".", count: 1000) + "R" + String(repeating: "d", count: 499))
        var large = Stream.atRest()
        large.decide(true, IdleDecoding.mostBytes, at: 4)
        large.decide(false, 450, at: 4.04)
        #expect(large.decisions == "KR")
    }

    @Test("what is shown before the key picture of a group that waits is left out, as what it refers to is missing")
    func openGroups() {
        var open = Stream.atRest()
        open.decide(true, 80_000, at: 4)
        open.decide(false, 450, at: 3.96)
        open.decide(false, 450, at: 3.97, false)
        open.take([450], isQuiet: false)
        // The sender's clock is set back.
        open.decide(false, 450, at: 3.5, false)
        #expect(open.decisions == "KssRd")
        open = .atRest()
        open.decide(true, 80_000, at: 4, false)
        open.decide(false, 450, at: 3.96, false)
        #expect(open.decisions == "dd")
    }

    @Test("what has no time is decoded")
    func untimed() {
        var untimed = Stream.atRest()
        untimed.decide(true, 80_000, at: 4)
        untimed.decide(false, 450, at: nil)
        untimed.decide(false, 450, at: nil)
        #expect(untimed.decisions == "KRd")
        // Over RTSP the first packet alone has no time.
        var started = Stream()
        started.decide(true, 80_000, at: nil)
        started.packets = 0
        started.take(Stream.rest(120))
        #expect(started.decisions.hasSuffix("K" + String(repeating: ".", count: 24)))
    }

    @Test("packets of pictures between others have sizes of their own")
    func reordered() {
        var stream = Stream(group: .max)
        var time = 0.0
        for _ in 0..<10 {
            stream.decide(true, 80_000, at: time)
            for _ in 0..<12 {
                time += 0.12
                for (ahead, bytes) in [(0.0, 3000), (-0.08, 400), (-0.04, 420)] {
                    stream.decide(false, bytes, at: time + ahead)
                }
            }
            time += 0.04
        }
        #expect(stream.decisions.suffix(37) == "K" + String(repeating: ".", count: 36))
    }
}
