import Foundation

/// Converts times in seconds to text for people. Times are rounded and formatted only here.
package enum Seconds {
    /// Returns a time such as `2.5 s`, rounded to tenths, or to 1/`part` of a second; `?` if it is not finite.
    package static func text(_ seconds: Double, part: Double = 10) -> String {
        seconds.isFinite ? "\((seconds * part).rounded() / part) s" : "?"
    }

    /// Returns a time limit, not rounded: `5 s`, `2.5 s`.
    package static func text(_ limit: Duration) -> String {
        let seconds = limit / .seconds(1)
        return seconds == seconds.rounded() && seconds < 1e9 ? "\(Int(seconds)) s" : "\(seconds) s"
    }

    /// Returns a time in the largest suitable unit, rounded down: `4 s`, `3 min`, `2 h`, `5 d`.
    package static func inOneUnit(_ seconds: Double) -> String {
        switch max(0, seconds) {
        case ..<60: "\(Int(max(0, seconds))) s"
        case ..<3600: "\(Int(seconds / 60)) min"
        case ..<86400: "\(Int(seconds / 3600)) h"
        default: seconds < 1e9 ? "\(Int(seconds / 86400)) d" : "–"
        }
    }

    /// Returns a position in a clip as `M:SS` or `H:MM:SS`, with tenths of a second unless they are 0.
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
