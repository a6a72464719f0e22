import FaceMessages
import FaceMetadata
import Testing

@Suite("Times and identifiers")
struct TimeAndIdentifierTests {
    @Test(
        "writes and reads ISO 8601",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"),
            (-1000, "1969-12-31T23:59:59.999999Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00.000000Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000000Z"),
            (1_795_234_353_120_456_000, "2026-11-21T04:12:33.120456Z"),
            (9_223_372_036_854_775_000, "2262-04-11T23:47:16.854775Z"),
            (-9_223_372_036_000_000_000, "1677-09-21T00:12:44.000000Z"),
        ] as [(Int64, String)]
    )
    func iso8601(nanoseconds: Int64, text: String) {
        #expect(Timestamp(nanoseconds: nanoseconds).iso8601 == text)
        #expect(Timestamp(iso8601: text) == Timestamp(nanoseconds: nanoseconds))
    }

    @Test("reads fractions of any length")
    func fractions() {
        #expect(Timestamp(iso8601: "1970-01-01T00:00:01Z") == Timestamp(nanoseconds: 1_000_000_000))
        #expect(Timestamp(iso8601: "1970-01-01T00:00:00.5Z") == Timestamp(nanoseconds: 500_000_000))
        #expect(Timestamp(iso8601: "1970-01-01T00:00:00.000000001Z") == Timestamp(nanoseconds: 1))
    }

    @Test(
        "refuses other texts",
        arguments: [
            "", "Z", "2026-11-21", "2026-11-21T04:12:33", "2026-13-21T04:12:33Z", "2026-11-21 04:12:33Z",
            "2026-11-21T04:12:33.Z", "2026-11-21T24:12:33Z", "2026-11-21T04:12:33+00:00", "éééééééééééZ",
            "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "2263-01-01T00:00:00Z", "1677-01-01T00:00:00Z",
            "2262-04-11T23:47:16.854775808Z",
        ]
    )
    func refuses(text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }

    @Test("a ULID begins with its time and sorts by it")
    func ulid() {
        let early = ULID.make(at: Timestamp(nanoseconds: 1_469_918_176_385_000_000))
        let late = ULID.make(at: Timestamp(nanoseconds: 1_469_918_176_386_000_000))
        #expect(early.hasPrefix("01ARYZ6S41"))
        #expect(early.count == 26)
        #expect(early < late)
        #expect(early != ULID.make(at: Timestamp(nanoseconds: 1_469_918_176_385_000_000)))
    }
}
