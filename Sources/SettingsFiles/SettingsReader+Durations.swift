extension SettingsReader {
    package mutating func read(_ key: String, _ value: inout Duration, in range: ClosedRange<Duration>) {
        read(key, &value, range.expectation) { range.holding(Duration(text: $0)) }
    }

    package mutating func read(_ key: String, seconds: inout Double, in range: ClosedRange<Duration>) {
        read(key, &seconds, range.expectation) { text in
            range.holding(Duration(text: text)) == nil ? nil : Duration.seconds(in: text)
        }
    }
}

extension ClosedRange<Duration> {
    /// The description, for error messages, of the values that a setting may have.
    package var expectation: String {
        "a duration with its unit (ms, s, min, h) from \(lowerBound.text) to \(upperBound.text)"
    }
}

extension Duration {
    /// Parses a duration with its unit: `250ms`, `1.5s`, `2min`, `1h`; nil for anything else, or a century or more.
    package init?(text: String) {
        // A Duration is limited to the seconds of an Int64. A century is more than any setting takes.
        guard let seconds = Self.seconds(in: text), seconds < 100 * 365 * 86_400 else { return nil }
        self = .seconds(seconds)
    }

    /// Parses a duration with its unit, such as `1.5s`, into unrounded seconds; nil for any other text.
    static func seconds(in text: String) -> Double? {
        let digits = text.prefix { $0.isNumber || $0 == "." }
        guard let number = Double(digits) else { return nil }
        return switch text.dropFirst(digits.count).trimmingPrefix(while: \.isWhitespace) {
        case "ms": number / 1000
        case "s": number
        case "min": number * 60
        case "h": number * 3600
        default: nil
        }
    }

    /// The duration as settings state it, such as `250ms`.
    package var text: String {
        let seconds = self / .seconds(1)
        if seconds < 1 { return "\(Int((seconds * 1000).rounded()))ms" }
        if seconds >= 3600, seconds.truncatingRemainder(dividingBy: 3600) == 0 { return "\(Int(seconds / 3600))h" }
        return seconds == seconds.rounded() ? "\(Int(seconds))s" : "\(seconds)s"
    }
}
