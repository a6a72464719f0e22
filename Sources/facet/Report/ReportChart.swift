import FaceMessages
import FaceMetadata
import Foundation

/// Draws what happened over time as SVG; all charts of a page share their time axis.
struct ReportChart {
    /// The size of a chart in its own units; the page scales it.
    static let width = 900.0
    private static let left = 52.0
    private static let right = 8.0

    /// Steps between the marks of the time axis, in seconds.
    private static let intervals: [Double] = [
        0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400,
    ]

    /// How long a value that left its deadband was on its way, at the longest: before, it was at rest.
    private static let longestMove = 0.25

    /// The end of the time axis, in seconds.
    let end: Double

    func x(_ seconds: Double) -> Double {
        Self.left + (Self.width - Self.left - Self.right) * min(max(seconds / max(end, 1e-6), 0), 1)
    }

    /// A chart of its own, with the marks of the time axis below what `body` draws.
    func svg(height: Double, label: String, _ body: String) -> String {
        """
        <svg viewBox="0 0 \(Self.text(Self.width)) \(Self.text(height + 16))" role="img" aria-label="\(label.escapedForHTML)">
        \(axis(height))
        \(body)
        </svg>
        """
    }

    /// The marks of the time axis, with their times below.
    private func axis(_ height: Double) -> String {
        let interval = Self.intervals.first { end / $0 <= 10 } ?? end / 5
        guard interval > 0 else { return "" }
        let marks = stride(from: 0, through: end * 1.0001, by: interval).map { time in
            let x = Self.text(x(time))
            return "<path class=\"grid\" d=\"M\(x) 0V\(Self.text(height))\"/>"
                + "<text x=\"\(x)\" y=\"\(Self.text(height + 12))\" text-anchor=\"middle\">\(Self.clock(time))</text>"
        }
        return marks.joined()
    }

    /// A name and the two ends of a value axis.
    static func scale(_ high: String, _ low: String, height: Double) -> String {
        "<text x=\"\(text(left - 6))\" y=\"9\" text-anchor=\"end\">\(high)</text>"
            + "<text x=\"\(text(left - 6))\" y=\"\(text(height - 1))\" text-anchor=\"end\">\(low)</text>"
    }

    /// A box from one time to another, at least one unit wide, with a text that is shown beside the pointer.
    func span(_ from: Double, _ to: Double, y: Double, height: Double, kind: String, title: String) -> String {
        let (start, stop) = (x(from), max(x(to), x(from) + 1))
        return """
            <rect class="\(kind)" x="\(Self.text(start))" y="\(Self.text(y))" width="\(Self.text(stop - start))" \
            height="\(Self.text(height))"><title>\(title.escapedForHTML)</title></rect>
            """
    }

    /// A line through a value's samples; it breaks where the value is unknown.
    ///
    /// - Parameters:
    ///   - presence: whose samples.
    ///   - range: the values at the bottom and at the top.
    ///   - height: where the bottom is; the top is at 0.
    ///   - isFlag: whether the value jumps instead of moving.
    ///   - value: the value of a sample.
    /// - Returns: the path's data.
    func line(
        _ presence: FaceReport.Presence,
        in range: ClosedRange<Double>,
        height: Double,
        isFlag: Bool = false,
        _ value: (FaceObject) -> Double?
    ) -> String {
        var points: [(time: Double, value: Double?)] = []
        for sample in presence.samples {
            // A face that is hidden keeps the values with which it was last seen.
            let new = sample.face.isSeen ? value(sample.face).flatMap { $0.isFinite ? $0 : nil } : nil
            let rest = isFlag ? sample.time : sample.time - Self.longestMove
            if let last = points.last, last.value != nil, last.time < rest { points.append((rest, last.value)) }
            points.append((sample.time, new))
        }
        points.append((presence.end, points.last?.value))
        var data = ""
        var isDrawing = false
        for point in thinned(points) {
            guard let value = point.value else {
                isDrawing = false
                continue
            }
            let share = range.share(of: value)
            data += "\(isDrawing ? "L" : "M")\(Self.text(x(point.time))) \(Self.text(1 + (height - 2) * (1 - share)))"
            isDrawing = true
        }
        return data
    }

    /// At most four points a unit of the chart: the first, the lowest, the highest and the last.
    private func thinned(_ points: [(time: Double, value: Double?)]) -> [(time: Double, value: Double?)] {
        guard Double(points.count) > 4 * Self.width else { return points }
        var result: [(time: Double, value: Double?)] = []
        var index = 0
        while index < points.count {
            let unit = Int(x(points[index].time))
            var last = index
            while last + 1 < points.count, Int(x(points[last + 1].time)) == unit { last += 1 }
            let inside = index...last
            let known = inside.filter { points[$0].value != nil }
            let low = known.min { (points[$0].value ?? 0) < (points[$1].value ?? 0) }
            let high = known.max { (points[$0].value ?? 0) < (points[$1].value ?? 0) }
            for kept in Set([index, low, high, last].compactMap(\.self)).sorted() { result.append(points[kept]) }
            index = last + 1
        }
        return result
    }

    /// A time as minutes and seconds, or as hours, minutes and seconds; tenths where there are any.
    static func clock(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        let (hours, minutes, rest) = (tenths / 36_000, tenths / 600 % 60, tenths % 600)
        let fraction = rest % 10 == 0 ? "" : ".\(rest % 10)"
        let start = hours > 0 ? String(format: "%d:%02d", hours, minutes) : "\(minutes)"
        return start + String(format: ":%02d", rest / 10) + fraction
    }

    /// A number with at most one decimal.
    static func text(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}
