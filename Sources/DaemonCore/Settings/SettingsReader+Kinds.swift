import FaceMetadata
import Frames

/// The kinds of values that settings have.
extension SettingsReader {
    mutating func text(_ key: String, default fallback: String) -> String {
        value(key, default: fallback, expected: "a text that is not empty") { $0.isEmpty ? nil : $0 }
    }

    mutating func optionalText(_ key: String) -> String? {
        value(key, default: nil, expected: "a text") { $0.isEmpty ? .some(nil) : $0 }
    }

    mutating func flag(_ key: String, default fallback: Bool) -> Bool {
        value(key, default: fallback, expected: "true or false") { text in
            switch text.lowercased() {
            case "true", "yes", "on": true
            case "false", "no", "off": false
            default: nil
            }
        }
    }

    mutating func integer(_ key: String, default fallback: Int, in range: ClosedRange<Int>) -> Int {
        value(key, default: fallback, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    mutating func number(_ key: String, default fallback: Double, in range: ClosedRange<Double>) -> Double {
        value(key, default: fallback, expected: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Double(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// One of the raw values of an enumeration.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, default fallback: Choice) -> Choice
    where Choice.RawValue == String {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return value(key, default: fallback, expected: "one of \(names)") { Choice(rawValue: $0) }
    }

    /// A duration, which carries its unit.
    mutating func duration(_ key: String, default fallback: Duration, in range: ClosedRange<Duration>) -> Duration {
        let expected =
            "a duration with its unit (ms, s, min, h) from \(range.lowerBound.text) to \(range.upperBound.text)"
        return value(key, default: fallback, expected: expected) { text in
            Duration(text: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A duration, or nil for `unlimited`.
    mutating func limit(_ key: String, default fallback: Duration?, in range: ClosedRange<Duration>) -> Duration? {
        let expected =
            "a duration with its unit (ms, s, min, h) from \(range.lowerBound.text) to \(range.upperBound.text), "
            + "or unlimited"
        return value(key, default: fallback, expected: expected) { text -> Duration?? in
            if text == "unlimited" { return .some(nil) }
            return Duration(text: text).flatMap { range.contains($0) ? .some($0) : nil }
        }
    }

    /// A value, or nil for `auto`.
    mutating func automatic<Value>(_ key: String, expected: String, _ parse: (String) -> Value?) -> Value? {
        value(key, default: nil, expected: expected + ", or auto") { text -> Value?? in
            text == "auto" ? .some(nil) : parse(text).map { .some($0) }
        }
    }

    /// A part of the picture, as four shares: x, y, width, height.
    mutating func region(_ key: String) -> NormalizedRect? {
        let expected = "four shares of the picture, x, y, width, height, such as [0.25, 0, 0.5, 1], inside 0…1"
        let shares = list(key, default: [], expected: "a number") { Double($0) }
        guard !shares.isEmpty else { return nil }
        let region =
            shares.count == 4
            ? NormalizedRect(x: shares[0], y: shares[1], width: shares[2], height: shares[3]) : nil
        guard let region, region.x >= 0, region.y >= 0, region.width > 0, region.height > 0,
            region.x + region.width <= 1.000_001, region.y + region.height <= 1.000_001
        else {
            refuse(key, "must be \(expected)")
            return nil
        }
        return region
    }
}

extension Duration {
    /// Reads a duration with its unit: `250ms`, `1.5s`, `2min`, `1h`; nil for anything else.
    init?(text: String) {
        let digits = text.prefix { $0.isNumber || $0 == "." }
        guard let number = Double(digits) else { return nil }
        let seconds: Double
        switch text.dropFirst(digits.count).trimmingPrefix(while: \.isWhitespace) {
        case "ms": seconds = number / 1000
        case "s": seconds = number
        case "min": seconds = number * 60
        case "h": seconds = number * 3600
        default: return nil
        }
        // A Duration cannot be made of more seconds than an Int64 holds; a century is more than any setting takes.
        guard seconds < 100 * 365 * 86_400 else { return nil }
        self = .seconds(seconds)
    }

    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    /// The duration as settings write it.
    var text: String {
        let seconds = seconds
        if seconds < 1 { return "\(Int((seconds * 1000).rounded()))ms" }
        if seconds >= 3600, seconds.truncatingRemainder(dividingBy: 3600) == 0 { return "\(Int(seconds / 3600))h" }
        return seconds == seconds.rounded() ? "\(Int(seconds))s" : "\(seconds)s"
    }
}

extension FrameSize {
    /// Reads a size such as `640x480`, 16 to 16384 pixels a side; nil for anything else.
    init?(text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (16...16_384).contains(width), (16...16_384).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }
}
