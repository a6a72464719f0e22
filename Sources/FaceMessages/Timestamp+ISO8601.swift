import Glibc

extension Timestamp {
    /// The time as messages carry it: ISO 8601 in UTC with microseconds, `2026-11-21T04:12:33.120456Z`.
    ///
    /// Rounded down to the microsecond, so that a later time never reads as earlier.
    public var iso8601: String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        var seconds = time_t(rest < 0 ? whole - 1 : whole)
        var date = tm()
        gmtime_r(&seconds, &date)
        let text = String(unsafeUninitializedCapacity: 32) { bytes in
            bytes.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, "%Y-%m-%dT%H:%M:%S", &date) }
        }
        // The sum begins with a 1, which keeps the zeros that the microseconds begin with.
        return "\(text).\(String(1_000_000 + (rest < 0 ? rest + 1_000_000_000 : rest) / 1000).dropFirst())Z"
    }

    /// Seconds that this machine's local time is ahead of UTC then.
    package var localOffset: Int {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else { return 0 }
        return local.tm_gmtoff
    }

    /// Reads a time as `iso8601` writes it; nil for anything else, and for times that 64 bits of nanoseconds cannot
    /// hold, before September 1677 or after April 2262.
    ///
    /// The fraction may have any number of digits up to nine, or be missing.
    public init?(iso8601 text: some StringProtocol) {
        guard text.last == "Z" else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.count == 2 ? Array(parts[1].utf8) : [UInt8(ascii: "0")]
        let zeroToNine = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let whole = parts.first, (1...9).contains(digits.count), digits.allSatisfy(zeroToNine.contains) else {
            return nil
        }
        let numbers = whole.split { "-T:".contains($0) }.compactMap { Int32($0) }
        guard numbers.count == 6 else { return nil }
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (date.tm_hour, date.tm_min, date.tm_sec) = (numbers[3], numbers[4], numbers[5])
        let fraction = (0..<9).reduce(Int64(0)) {
            $0 * 10 + ($1 < digits.count ? Int64(digits[$1] - zeroToNine.lowerBound) : 0)
        }
        let (seconds, isTooFar) = Int64(timegm(&date)).multipliedReportingOverflow(by: 1_000_000_000)
        let (nanoseconds, isJustTooFar) = seconds.addingReportingOverflow(fraction)
        guard !isTooFar, !isJustTooFar else { return nil }
        self.init(nanoseconds: nanoseconds)
        // The same time in any other form, and days that no month has.
        guard iso8601.prefix(19) == whole else { return nil }
    }
}
