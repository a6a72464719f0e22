public import FaceMetadata
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
        return pad(date.tm_year + 1900, 4) + "-" + pad(date.tm_mon + 1, 2) + "-" + pad(date.tm_mday, 2)
            + "T" + pad(date.tm_hour, 2) + ":" + pad(date.tm_min, 2) + ":" + pad(date.tm_sec, 2)
            + "." + pad(Int32((rest < 0 ? rest + 1_000_000_000 : rest) / 1000), 6) + "Z"
    }

    /// Reads a time as `iso8601` writes it; nil for anything else, and for times that 64 bits of nanoseconds cannot
    /// hold, before September 1677 or after April 2262.
    ///
    /// The fraction may have any number of digits up to nine, or be missing.
    public init?(iso8601 text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int32? {
            var value: Int32 = 0
            for byte in bytes[range] {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                value = value * 10 + Int32(byte - UInt8(ascii: "0"))
            }
            return value
        }
        let separators: [(Int, Unicode.Scalar)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
        guard separators.allSatisfy({ bytes[$0.0] == UInt8(ascii: $0.1) }),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        var fraction: Int64 = 0
        if bytes.count > 20 {
            let digits = bytes.count - 21
            guard bytes[19] == UInt8(ascii: "."), (1...9).contains(digits), let value = number(20..<20 + digits) else {
                return nil
            }
            fraction = (digits..<9).reduce(Int64(value)) { value, _ in value * 10 }
        }
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (year - 1900, month - 1, day)
        (date.tm_hour, date.tm_min, date.tm_sec) = (hour, minute, second)
        let seconds = Int64(timegm(&date))
        let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (nanoseconds, isJustTooFar) = whole.addingReportingOverflow(fraction)
        guard !isTooFar, !isJustTooFar else { return nil }
        self.init(nanoseconds: nanoseconds)
    }
}

private func pad(_ value: Int32, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
