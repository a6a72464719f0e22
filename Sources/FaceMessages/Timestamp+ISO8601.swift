public import FaceMetadata

extension Timestamp {
    /// The time as messages carry it: ISO 8601 in UTC with microseconds, `2026-11-21T04:12:33.120456Z`.
    ///
    /// Rounded down to the microsecond, so that a later time never reads as earlier.
    public var iso8601: String {
        let microseconds = Self.floorDivide(nanoseconds, 1000)
        let (seconds, fraction) = (Self.floorDivide(microseconds, 1_000_000), Self.modulo(microseconds, 1_000_000))
        let (days, second) = (Self.floorDivide(seconds, 86_400), Self.modulo(seconds, 86_400))
        let (year, month, day) = Self.civil(fromDays: days)
        return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2)
            + "T" + pad(second / 3600, 2) + ":" + pad(second / 60 % 60, 2) + ":" + pad(second % 60, 2)
            + "." + pad(fraction, 6) + "Z"
    }

    /// Reads a time as `iso8601` writes it; nil for anything else, and for times that 64 bits of nanoseconds cannot
    /// hold, before September 1677 or after April 2262.
    ///
    /// The fraction may have any number of digits up to nine, or be missing.
    public init?(iso8601 text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
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
            fraction = (digits..<9).reduce(value) { value, _ in value * 10 }
        }
        let days = Self.days(fromYear: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (nanoseconds, isJustTooFar) = whole.addingReportingOverflow(fraction)
        guard !isTooFar, !isJustTooFar else { return nil }
        self.init(nanoseconds: nanoseconds)
    }

    // The Gregorian calendar repeats after 400 years of 146,097 days. Years are counted from March, so that the leap
    // day is the last of its year; 719,468 days lie between 0000-03-01 and 1970-01-01.

    private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let cycle = floorDivide(shifted, 146_097)
        let dayOfCycle = modulo(shifted, 146_097)
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        return (yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func days(fromYear year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let cycle = floorDivide(shiftedYear, 400)
        let yearOfCycle = modulo(shiftedYear, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - 719_468
    }

    private static func floorDivide(_ value: Int64, _ by: Int64) -> Int64 {
        let quotient = value / by
        return value % by < 0 ? quotient - 1 : quotient
    }

    private static func modulo(_ value: Int64, _ by: Int64) -> Int64 {
        value - floorDivide(value, by) * by
    }
}

private func pad(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
