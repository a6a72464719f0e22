import FoundationEssentials
import Glibc

extension Timestamp {
    /// The time as messages contain it: ISO 8601 in UTC with microseconds, such as `2026-11-21T04:12:33.120456Z`. It is
    /// rounded down, so that the text is never later than the time.
    public var iso8601: String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        var seconds = time_t(rest < 0 ? whole - 1 : whole)
        var date = tm()
        gmtime_r(&seconds, &date)
        let text = String(unsafeUninitializedCapacity: 32) { bytes in
            bytes.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, "%Y-%m-%dT%H:%M:%S", &date) }
        }
        // Adding 1,000,000 and dropping its digit 1 keeps the leading zeros of the microseconds.
        return "\(text).\(String(1_000_000 + (rest < 0 ? rest + 1_000_000_000 : rest) / 1000).dropFirst())Z"
    }

    /// The seconds by which this machine's local time is ahead of UTC at this time.
    package var localOffset: Int {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else { return 0 }
        return local.tm_gmtoff
    }

    /// Parses a time in the form of `iso8601`, with one to nine decimals or none; nil for any other text, and for times
    /// before September 1677 or after April 2262, whose nanoseconds do not fit into 64 bits.
    public init?(iso8601 text: some StringProtocol) {
        guard text.last == "Z" else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.count == 2 ? String(parts[1]) : "0"
        guard let whole = parts.first, (1...9).contains(digits.utf8.count),
            digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let fraction = Int64((digits + "00000000").prefix(9)),
            let date = try? Date.ISO8601FormatStyle().parse(whole + "Z")
        else { return nil }
        let (seconds, isTooFar) = Int64(date.timeIntervalSince1970).multipliedReportingOverflow(by: 1_000_000_000)
        let (nanoseconds, isJustTooFar) = seconds.addingReportingOverflow(fraction)
        guard !isTooFar, !isJustTooFar else { return nil }
        self.init(nanoseconds: nanoseconds)
        // Refuses other ISO 8601 forms of the same time, and days that no month has.
        guard iso8601.prefix(19) == whole else { return nil }
    }
}
