/// Draws a timeline of faces as SVG shapes, which are stretched to the page's width and therefore contain no text.
struct ReportChart {
    private static let width = 1000.0
    private static let height = 100.0

    /// The possible intervals between the marks of the time axis, in seconds.
    private static let intervals: [Double] = [
        0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400,
    ]

    /// The end of the time axis, in seconds.
    let end: Double
    /// The value of `smile` above which a smile begins.
    let smileLevel: Double

    private func x(_ seconds: Double) -> Double { Self.width * min(max(seconds / max(end, 1e-6), 0), 1) }

    /// The SVG coordinates of a value, 0…1, at a time in seconds.
    private func place(_ seconds: Double, _ value: Double) -> String {
        "\(Self.text(x(seconds))) \(Self.text(Self.height * (1 - value)))"
    }

    private var marks: [Double] {
        let interval = Self.intervals.first { end / $0 <= 8 } ?? end / 5
        // A mark at the very end would have no room for its label.
        return Array(stride(from: 0, to: end * 0.97, by: interval))
    }

    /// The time labels below the lanes, as HTML. The style sheet hides every other label where there is little room.
    var axis: String {
        let labels = marks.enumerated().map { index, time in
            let place = Self.text(100 * time / max(end, 1e-6))
            return
                "<span\(index % 2 == 1 ? " class=\"odd\"" : "") style=\"left:\(place)%\">\(Seconds.clock(time))</span>"
        }
        return "<div class=\"axis\" aria-hidden=\"true\">\(labels.joined())</div>"
    }

    /// One lane of the timeline for some faces: their presence, smile, blinks, closed eyes, and looks at the camera.
    func lane(_ faces: some Collection<FaceReport.Presence>, label: String) -> String {
        let grid = marks.map { "M\(place($0, 1))V\(Self.text(Self.height))" }.joined()
        return """
            <svg viewBox="0 0 \(Self.text(Self.width)) \(Self.text(Self.height))" preserveAspectRatio="none" role="img" \
            aria-label="\(label.escapedForHTML)"><path class="grid" d="\(grid)"/>\(faces.map(shapes).joined())</svg>
            """
    }

    private func shapes(_ face: FaceReport.Presence) -> String {
        var blinks = ""
        for happening in face.happenings {
            guard case .blink(_, let duration) = happening.message.event.kind else { continue }
            blinks += "M\(Self.text(x(face.closure(before: happening.time, duration)))) 66V\(Self.text(Self.height))"
        }
        let closures = face.stretches { $0.leftEyeClosed == true && $0.rightEyeClosed == true }
            .filter { $0.upperBound - $0.lowerBound > FaceEvent.longestBlink }
        return boxes("seen", [face.start...face.end], 0, Self.height)
            + "<path class=\"level\" d=\"\(area(face) { $0.smile })\"/>"
            + "<path class=\"smile\" d=\"\(area(face) { $0.smiling == true ? $0.smile : nil })\"/>"
            + "<path class=\"start\" d=\"M\(place(face.start, smileLevel))H\(Self.text(x(face.end)))\"/>"
            + boxes("closed", closures, 84, 16) + "<path class=\"blink\" d=\"\(blinks)\"/>"
            + boxes("look", face.stretches { $0.looking == true }, 0, 9)
    }

    /// The SVG path of a box for each interval, each box at least one unit wide.
    private func boxes(_ name: String, _ times: [ClosedRange<Double>], _ top: Double, _ height: Double) -> String {
        let boxes = times.map { time in
            let left = Self.text(x(time.lowerBound))
            let right = Self.text(max(x(time.upperBound), x(time.lowerBound) + 1))
            return "M\(left) \(Self.text(top))H\(right)v\(Self.text(height))H\(left)z"
        }
        return boxes.isEmpty ? "" : "<path class=\"\(name)\" d=\"\(boxes.joined())\"/>"
    }

    /// The SVG path of the area below a face's values, 0…1, over time, with gaps where the value is unknown.
    func area(_ presence: FaceReport.Presence, _ value: (FaceObject) -> Double?) -> String {
        var points: [(time: Double, value: Double?)] = []
        for sample in presence.samples {
            // A face that is unseen keeps the values with which it was last seen.
            let new = sample.face.isSeen ? value(sample.face).flatMap { $0.isFinite ? $0 : nil } : nil
            let rest = sample.time - FaceHistory.longestMove
            if let last = points.last, last.value != nil, last.time < rest { points.append((rest, last.value)) }
            points.append((sample.time, new))
        }
        points.append((presence.end, points.last?.value))
        return thinned(points).split { $0.value == nil }.map { points in
            let line = points.map { place($0.time, min(max($0.value ?? 0, 0), 1)) }.joined(separator: "L")
            let ends = [points.first, points.last].map { place($0?.time ?? 0, 0) }
            return "M\(ends[0])L\(line)L\(ends[1])z"
        }.joined()
    }

    /// The points to draw, at most four per unit of the chart's width: the first, the lowest, the highest and the last.
    private func thinned(_ points: [(time: Double, value: Double?)]) -> [(time: Double, value: Double?)] {
        guard Double(points.count) > 4 * Self.width else { return points }
        let units = Dictionary(grouping: points.indices) { Int(x(points[$0].time)) }
        return units.sorted { $0.key < $1.key }.flatMap { _, unit in
            let known = unit.filter { points[$0].value != nil }
            let low = known.min { (points[$0].value ?? 0) < (points[$1].value ?? 0) }
            let high = known.max { (points[$0].value ?? 0) < (points[$1].value ?? 0) }
            return Set([unit.first, low, high, unit.last].compactMap(\.self)).sorted().map { points[$0] }
        }
    }

    /// Formats a number with at most one decimal.
    static func text(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}
