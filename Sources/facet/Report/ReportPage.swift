import FaceMessages
import FaceMetadata
import Foundation

/// A report as one page of HTML that needs nothing else: no script, no further file, no network.
struct ReportPage {
    /// Faces with charts of their own; those that were there for the shortest time are only named.
    static let detailed = 24
    let report: FaceReport

    /// Pictures of faces, with what they show; none without a clip.
    var thumbnails: [FaceID: [ReportThumbnails.Thumbnail]] = [:]

    private var chart: ReportChart { ReportChart(end: report.end) }

    /// The faces with charts of their own, in the order they came.
    static func detailed(_ report: FaceReport) -> [FaceReport.Presence] {
        let longest = report.presences.sorted { $0.duration > $1.duration }.prefix(detailed)
        return longest.sorted { ($0.start, $0.faceID) < ($1.start, $1.faceID) }
    }

    var html: String {
        let title = "Faces in \(report.source ?? report.camera ?? "an unknown source")"
        let lead = "<p>\(camera)\(Self.seconds(report.end)), made by facet \(facetVersion)</p>"
        let body = [lead, totals, presence, map] + Self.detailed(report).map(section) + [omitted]
        return PackageResources.report_html.filled([
            "title": title.escapedForHTML, "style": String(decoding: PackageResources.report_css, as: UTF8.self),
            "body": body.joined(separator: "\n"),
        ])
    }

    /// The camera's name; a clip has none.
    private var camera: String {
        guard let camera = report.camera, camera != UpdateMessages.fileCamera else { return "" }
        return "Camera \(camera.escapedForHTML), "
    }

    private var totals: String {
        let faces = report.presences
        let share = report.end > 0 ? report.occupied / report.end : 0
        return Self.list([
            ("faces", "\(faces.count)"), ("most at once", "\(report.largestCount)"),
            ("with a face", "\(Self.percent(share)) of the time"),
            ("smiles", "\(faces.reduce(0) { $0 + $1.count(of: .smile) })"),
            ("blinks", "\(faces.reduce(0) { $0 + $1.count(of: .blink) })"),
            ("looks", "\(faces.reduce(0) { $0 + $1.count(of: .look) })"),
            ("looking at the camera", Self.seconds(faces.reduce(0) { $0 + $1.seconds { $0.looking == true } })),
        ])
    }

    // MARK: - All faces

    private var presence: String {
        guard !report.presences.isEmpty else { return "<section><h2>Presence</h2><p>There was no face.</p></section>" }
        // Faces whose times do not overlap share a row.
        var rows: [Double] = []
        var bars = ""
        for face in report.presences {
            let row = rows.firstIndex { $0 < face.start } ?? rows.count
            if row == rows.count { rows.append(0) }
            rows[row] = face.end
            let y = Double(row) * 16 + 2
            let title =
                "face \(face.faceID.rawValue), \(ReportChart.clock(face.start)) to \(ReportChart.clock(face.end))"
            bars += chart.span(face.start, face.end, y: y, height: 12, kind: "here", title: title)
            if chart.x(face.end) - chart.x(face.start) > 24 {
                let x = ReportChart.text(chart.x(face.start) + 4)
                bars +=
                    "<text class=\"name\" x=\"\(x)\" y=\"\(ReportChart.text(y + 10))\">\(face.faceID.rawValue)</text>"
            }
        }
        let svg = chart.svg(height: Double(rows.count) * 16 + 2, label: "When each face was there", bars)
        return "<section><h2>Presence</h2>\(svg)</section>"
    }

    /// Where the faces were: the darker, the longer.
    private var map: String {
        guard !report.presences.isEmpty else { return "" }
        let columns = 48
        let rows = max(1, Int((Double(columns) / report.aspect).rounded()))
        var seconds: [Int: Double] = [:]
        for face in report.presences {
            for (sample, end) in zip(face.samples, face.samples.dropFirst().map(\.time) + [face.end]) {
                let center = sample.face.bounds.center
                guard (0..<1).contains(center.x), (0..<1).contains(center.y) else { continue }
                let cell = Int(center.y * Double(rows)) * columns + Int(center.x * Double(columns))
                seconds[cell, default: 0] += max(0, end - sample.time)
            }
        }
        let most = max(seconds.values.max() ?? 0, 1e-9)
        let cells = seconds.sorted { $0.key < $1.key }.map { cell, time in
            // By the square root: a short stay shows beside a long one.
            let strength = ReportChart.text(100 * (0.1 + 0.9 * (time / most).squareRoot()))
            let (x, y) = (cell % columns * 10, cell / columns * 10)
            return """
                <rect class="heat" x="\(x)" y="\(y)" width="10" height="10" opacity="\(strength)%">\
                <title>\(Self.seconds(time))</title></rect>
                """
        }
        return """
            <section><h2>Where the faces were</h2>
            <svg class="map" viewBox="0 0 \(columns * 10) \(rows * 10)" role="img" \
            aria-label="The middle of each face in the picture">\(cells.joined())</svg></section>
            """
    }

    private var omitted: String {
        let count = report.presences.count - Self.detailed
        return count > 0 ? "<p>\(count) more faces were there for a shorter time and have no charts.</p>" : ""
    }

    // MARK: - One face

    private func section(_ face: FaceReport.Presence) -> String {
        let minutes = face.duration / 60
        let blinks = face.count(of: .blink)
        let angles = [face.median { $0.pose?.yaw }, face.median { $0.pose?.pitch }, face.median { $0.pose?.roll }]
        let facts = [
            ("there", "\(ReportChart.clock(face.start)) to \(ReportChart.clock(face.end))"),
            ("smiling", Self.seconds(face.seconds { $0.smiling == true })),
            ("looking at the camera", Self.seconds(face.seconds { $0.looking == true })),
            (
                "blinks",
                minutes >= 0.5 ? "\(blinks), \(ReportChart.text(Double(blinks) / minutes)) a minute" : "\(blinks)"
            ),
            ("both eyes closed", Self.seconds(face.seconds { $0.leftEyeClosed == true && $0.rightEyeClosed == true })),
            (
                "usual yaw, pitch, roll",
                angles.map { $0.flatMap { Int(exactly: $0.rounded()) }.map { "\($0)°" } ?? "–" }.joined(separator: ", ")
            ),
        ]
        return """
            <section><h2>Face \(face.faceID.rawValue)</h2>
            \(pictures(of: face))\(Self.list(facts))
            <h3>Smile</h3>\(smile(face))
            <h3>Open eyes, with blinks as ticks</h3>\(eyes(face))
            <h3><b class="yaw">Yaw</b>, <b class="pitch">pitch</b> and <b class="roll">roll</b></h3>\(pose(face))
            </section>
            """
    }

    private func pictures(of face: FaceReport.Presence) -> String {
        let figures = (thumbnails[face.faceID] ?? []).map { thumbnail in
            let data = Data(thumbnail.jpeg).base64EncodedString()
            let caption = "\(thumbnail.caption), \(ReportChart.clock(thumbnail.time))".escapedForHTML
            return
                "<figure><img src=\"data:image/jpeg;base64,\(data)\" alt=\"\(caption)\"/><figcaption>\(caption)</figcaption></figure>"
        }
        return figures.isEmpty ? "" : "<div class=\"pictures\">\(figures.joined())</div>"
    }

    private func smile(_ face: FaceReport.Presence) -> String {
        let height = 56.0
        let spans = face.stretches { $0.smiling == true }.map { time in
            chart.span(time.lowerBound, time.upperBound, y: 0, height: height, kind: "smiling", title: "smiling")
        }
        let line = chart.line(face, in: 0...1, height: height) { $0.smile }
        return chart.svg(
            height: height,
            label: "The smile over time",
            "\(ReportChart.scale("100 %", "0 %", height: height))\(spans.joined())<path class=\"line smile\" d=\"\(line)\"/>"
        )
    }

    private func eyes(_ face: FaceReport.Presence) -> String {
        let height = 40.0
        var marks = ""
        for happening in face.happenings {
            switch happening.kind {
            case .blink(let eyes, let duration):
                let start = happening.time - duration
                let title = "blink, \(eyes.rawValue), \(Self.seconds(duration)), at \(ReportChart.clock(start))"
                marks += chart.span(start, start, y: height - 12, height: 12, kind: "blink", title: title)
            case .eyesClosed(let eyes, let duration):
                let title = "closed, \(eyes.rawValue), for more than \(Self.seconds(duration))"
                let start = happening.time - duration
                marks += chart.span(start, happening.time, y: 0, height: height, kind: "closed", title: title)
            default: break
            }
        }
        let line = chart.line(face, in: 0...2, height: height, isFlag: true) { face in
            guard let left = face.leftEyeClosed, let right = face.rightEyeClosed else { return nil }
            return (left ? 0 : 1) + (right ? 0 : 1)
        }
        return chart.svg(
            height: height,
            label: "How many eyes were open over time",
            "\(ReportChart.scale("both", "none", height: height))<path class=\"line eyes\" d=\"\(line)\"/>\(marks)"
        )
    }

    private func pose(_ face: FaceReport.Presence) -> String {
        let height = 90.0
        let lines = [("yaw", \HeadPose.yaw), ("pitch", \HeadPose.pitch), ("roll", \HeadPose.roll)].map { name, angle in
            let line = chart.line(face, in: -60...60, height: height) { $0.pose?[keyPath: angle] }
            return "<path class=\"line \(name)\" d=\"\(line)\"/>"
        }
        let zero =
            "<path class=\"grid\" d=\"M\(ReportChart.text(chart.x(0))) 45H\(ReportChart.text(ReportChart.width - 8))\"/>"
        return chart.svg(
            height: height,
            label: "The head's angles over time",
            ReportChart.scale("60°", "−60°", height: height) + zero + lines.joined()
        )
    }

    // MARK: - Words

    private static func list(_ facts: [(name: String, value: String)]) -> String {
        "<dl>" + facts.map { "<div><dt>\($0.name)</dt><dd>\($0.value)</dd></div>" }.joined() + "</dl>"
    }

    private static func percent(_ share: Double) -> String { "\(Int((min(max(share, 0), 1) * 100).rounded())) %" }

    private static func seconds(_ value: Double) -> String {
        value < 60 ? "\((value * 100).rounded() / 100) s" : ReportChart.clock(value)
    }
}
