import Foundation

/// Times in seconds, in words for people: they are rounded and written here alone.
package enum Seconds {
    /// A time such as `2.5 s`, rounded to a tenth, or to another `part` of a second; `?` if it is not finite.
    package static func text(_ seconds: Double, part: Double = 10) -> String {
        seconds.isFinite ? "\((seconds * part).rounded() / part) s" : "?"
    }

    /// A limit as it was set: `5 s`, `2.5 s`.
    package static func text(_ limit: Duration) -> String {
        let seconds = limit / .seconds(1)
        return seconds == seconds.rounded() && seconds < 1e9 ? "\(Int(seconds)) s" : "\(seconds) s"
    }

    /// A time in the unit that suits it: `4 s`, `3 min`, `2 h`, `5 d`.
    package static func inOneUnit(_ seconds: Double) -> String {
        switch max(0, seconds) {
        case ..<60: "\(Int(max(0, seconds))) s"
        case ..<3600: "\(Int(seconds / 60)) min"
        case ..<86400: "\(Int(seconds / 3600)) h"
        default: seconds < 1e9 ? "\(Int(seconds / 86400)) d" : "–"
        }
    }

    /// A moment of a clip as minutes and seconds, or as hours, minutes and seconds; tenths where there are any.
    package static func clock(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        let hours = tenths / 36_000
        let minutes = tenths / 600 % 60
        let rest = tenths % 600
        let fraction = rest % 10 == 0 ? "" : ".\(rest % 10)"
        let start = hours > 0 ? String(format: "%d:%02d", hours, minutes) : "\(minutes)"
        return start + String(format: ":%02d", rest / 10) + fraction
    }
}
