/// A report as one HTML page without other files or network access. Its script only marks the moment that a link names.
struct ReportPage {
    /// The maximum number of faces with their own picture and lane. The others, which stayed shortest, share a lane.
    static let detailed = 24

    let report: FaceReport
    /// The pictures cut out of the clip; nil without a clip.
    var pictures: ReportPictures?
    private var chart: ReportChart { ReportChart(end: report.end, smileLevel: report.state.smileLevel) }

    /// The faces with lanes of their own, in order of arrival.
    static func detailed(_ report: FaceReport) -> [FaceReport.Presence] {
        let longest = report.presences.sorted { $0.duration > $1.duration }.prefix(detailed)
        return longest.sorted { ($0.start, $0.faceID) < ($1.start, $1.faceID) }
    }

    var html: String {
        let shown = Self.detailed(report)
        let style = PageParts.style + String(decoding: PackageResources.report_css, as: UTF8.self)
        return PackageResources.report_html.filled([
            "title": report.title.escapedForHTML, "style": style, "icons": PageParts.icons, "lead": lead,
            "body": [portraits(shown), film, lanes(shown), whole, events].joined(separator: "\n"),
            "end": "\(report.end)", "version": facetBuild,
        ])
    }

    private var lead: String {
        let began = report.began?.formatted(date: .long, time: .shortened)
        let early = report.endsEarly ? "ends early" : nil
        return [began, Seconds.clock(report.end), early, report.form].compactMap(\.self).joined(separator: " · ")
            .escapedForHTML
    }

    private func portraits(_ faces: [FaceReport.Presence]) -> String {
        guard !faces.isEmpty else {
            let scene = image(.scene, alt: "The middle of the clip").map { "<div class=\"scene\">\($0)</div>" }
            return "<section><h2>No face was seen</h2>\(scene ?? "")</section>"
        }
        let left = report.figures.faces - faces.count
        let omitted = left > 0 ? "<p>\(left.counted("more face")) for a shorter time.</p>" : ""
        let cards = faces.map { "<li>\(card($0))</li>" }.joined()
        let title = faces.contains { $0.bestSmile != nil } ? "Best smile" : "Face"
        return Self.section("faces", faces.count.noun(title), "<ul class=\"faces\">\(cards)</ul>\(omitted)")
    }

    private func card(_ face: FaceReport.Presence) -> String {
        let name = "Face \(face.faceID.rawValue)"
        let smile = face.bestSmile
        let words = smile.map { "best smile at \(Self.link($0.time))" } ?? "did not smile"
        let alt = smile == nil ? name : "\(name) at its best smile"
        let picture = face.portraits.first.flatMap { portrait in
            image(.portrait(face.faceID, since: face.start), alt: alt).map {
                "<a href=\"#t=\(Self.fragment(portrait.time))\">\($0)</a>"
            }
        }
        let blinks = face.count(of: .blink)
        let rate = face.duration >= 30 ? " (\(ReportChart.text(Double(blinks) * 60 / face.duration)) a minute)" : ""
        let pose = face.medianPose.map {
            "\(Self.degrees($0.yaw)), \(Self.degrees($0.pitch)), \(Self.degrees($0.roll))"
        }
        let facts = [
            ("there", Self.span(face)),
            ("smiling", Self.times(face.count(of: .smile), face.smiling)),
            ("looking here", Self.times(face.count(of: .look), face.looking)),
            ("blinks", "\(blinks)\(rate)"), ("yaw, pitch, roll", pose ?? "unknown"),
        ]
        return "\(picture ?? "")<div><h3>\(name)</h3><p>\(words)</p>\(Self.list(facts))</div>"
    }

    private func image(_ subject: ReportPictures.Subject, alt: String) -> String? {
        pictures?[subject].map { "<img src=\"\($0)\" alt=\"\(alt)\"/>" }
    }

    /// The events for which there are pictures.
    private var filmed: [FaceReport.Happening] { report.happenings.filter { pictures?[.event($0)] != nil } }

    private var film: String {
        var known: Set<String> = []
        let frames = filmed.map { happening in
            """
            <li\(Self.moment(happening, &known))><a href="#t=\(Self.fragment(happening.time))">\
            \(image(.event(happening), alt: "") ?? "")\(Self.name(of: happening))\
            <span>\(Seconds.clock(happening.time)) · face \(happening.faceID.rawValue)</span></a></li>
            """
        }
        return frames.isEmpty ? "" : Self.section("film", "What happened", "<ol class=\"film\">\(frames.joined())</ol>")
    }

    private func lanes(_ faces: [FaceReport.Presence]) -> String {
        guard !faces.isEmpty else { return "" }
        var lanes = faces.map { face in
            let smiles = face.count(of: .smile).counted("smile")
            let blinks = face.count(of: .blink).counted("blink")
            let label = "\(Self.span(face)), \(smiles), \(blinks), \(face.count(of: .look).counted("look"))"
            return lane("Face \(face.faceID.rawValue)", chart.lane([face], label: label))
        }
        let others = report.presences.filter { other in
            !faces.contains { ($0.faceID, $0.start) == (other.faceID, other.start) }
        }
        if !others.isEmpty { lanes.append(lane("Others", chart.lane(others, label: "\(others.count) faces"))) }
        let legend = [
            ("seen", "seen"), ("smile", "smile"), ("start", "smile begins"), ("blink", "blink"),
            ("closed", "eyes closed"), ("look", "looks here"),
        ].map { "<span class=\"\($0)\">\($1)</span>" }
        let drawing = "<div class=\"lanes\">\(lanes.joined())\(chart.axis)</div>"
        return Self.section("lanes", "Over time", "<p class=\"legend\">\(legend.joined())</p>\(drawing)")
    }

    private func lane(_ name: String, _ drawing: String) -> String {
        "<div class=\"lane\"><h3>\(name)</h3><div class=\"track\">\(drawing)</div></div>"
    }

    private var whole: String {
        guard !report.presences.isEmpty else { return "" }
        let share = report.end > 0 ? report.occupied / report.end : 0
        let figures = report.figures
        let smiles = figures.count(of: .smile)
        let blinks = figures.count(of: .blink)
        let looks = figures.count(of: .look)
        let list = Self.list([
            (figures.faces.noun("face"), "\(figures.faces)"),
            ("at once, at the most", "\(report.largestCount)"), ("of the time with a face", percent(share)),
            (smiles.noun("smile"), "\(smiles)"),
            ("with a smile", Self.spoken(figures.smiling)),
            (blinks.noun("blink"), "\(blinks)"), (looks.noun("look") + " here", "\(looks)"),
            ("looking here", Self.spoken(figures.looking)),
        ])
        return "<div class=\"whole\">\(map)\(Self.section("all", "All together", list))</div>"
    }

    /// A map of where the faces were. A cell is brighter the longer there was a face.
    private var map: String {
        let columns = 48
        let size = report.pictureSize ?? FrameSize(width: 16, height: 9)
        let exactRows = Double(columns * size.height) / Double(size.width)
        // No camera's picture is narrower than 1:4, but any client may state another size, and each cell takes time.
        let rows = max(1, min(4 * columns, Int(exactRows.rounded())))
        let seconds = report.heat(columns: columns, rows: rows)
        guard let most = seconds.max(), most > 0, let longest = seconds.firstIndex(of: most) else { return "" }
        // The square root keeps a short stay visible beside a long one. The picture below the map stays visible, too.
        let levels = seconds.map { Int((8 * ($0 / most).squareRoot()).rounded(.up)) }
        let shapes = (1...8).map { level in
            let cells = levels.indices.filter { levels[$0] == level }
                .map { "M\($0 % columns * 10) \($0 / columns * 10)h10v10h-10z" }
            return "<path opacity=\"\(ReportChart.text(Double(level) / 9))\" d=\"\(cells.joined())\"/>"
        }
        let across = Double(longest % columns) / Double(columns)
        let down = Double(longest / columns) / Double(rows)
        let label = "Longest at \(percent(across)) from the left and \(percent(down)) from the top"
        let map = """
            <div class="map" style="aspect-ratio:\(columns)/\(rows)">\(image(.scene, alt: "") ?? "")\
            <svg viewBox="0 0 \(columns * 10) \(rows * 10)" role="img" aria-label="\(label)"><g>\(shapes.joined())</g></svg></div>
            """
        return Self.section("where", "Where the faces were", map)
    }

    private var events: String {
        var known = Set(filmed.map { Self.fragment($0.time) })
        let rows = report.happenings.map { happening in
            let words = WatchFormatter(hasColors: false).words(of: happening.message, withPose: false)
                .dropFirst("face \(happening.faceID.rawValue)".count)
            return """
                <tr\(Self.moment(happening, &known))><td>\(Self.link(happening.time))</td><td>\(happening.faceID.rawValue)</td>\
                <td>\(Self.name(of: happening))</td><td>\(words.escapedForHTML)</td></tr>
                """
        }
        guard !rows.isEmpty else { return "" }
        let count = report.figures.counts.values.reduce(0, +)
        let isWhole = rows.count == count
        return """
            <details><summary><h2>\(isWhole ? "All events" : "A selection of the \(count) events") <small>\(rows.count)</small></h2></summary><table><thead><tr><th scope="col">Time</th>\
            <th scope="col">Face</th><th scope="col">Event</th><th scope="col">Details</th></tr></thead><tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></details>
            """
    }

    private static func section(_ id: String, _ title: String, _ body: String) -> String {
        "<section id=\"\(id)\" aria-labelledby=\"\(id)-title\"><h2 id=\"\(id)-title\">\(title)</h2>\(body)</section>"
    }

    private static func name(of happening: FaceReport.Happening) -> String {
        guard let kind = EventWords(happening.topic) else { return "" }
        return
            "<b><svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><use href=\"#i-\(kind.icon)\"/></svg>\(kind.words)</b>"
    }

    private static func list(_ facts: [(name: String, value: String)]) -> String {
        "<dl>" + facts.map { "<div><dt>\($0.name)</dt><dd>\($0.value)</dd></div>" }.joined() + "</dl>"
    }

    /// The HTML attributes of an event's element. The first element for each time gets the id that links point to.
    private static func moment(_ happening: FaceReport.Happening, _ known: inout Set<String>) -> String {
        let fragment = fragment(happening.time)
        let id = known.insert(fragment).inserted ? " id=\"t=\(fragment)\"" : ""
        return "\(id) class=\"\(happening.topic.rawValue)\" data-t=\"\(fragment)\""
    }

    /// A time in seconds as the page's links contain it.
    private static func fragment(_ seconds: Double) -> String { "\((seconds * 100).rounded() / 100)" }
    private static func link(_ seconds: Double) -> String {
        "<a href=\"#t=\(fragment(seconds))\">\(Seconds.clock(seconds))</a>"
    }

    private static func span(_ face: FaceReport.Presence) -> String {
        "\(Seconds.clock(face.start)) to \(Seconds.clock(face.end))"
    }

    private static func times(_ count: Int, _ seconds: Double) -> String {
        count == 0 && seconds == 0 ? "never" : "\(count)×, \(Self.spoken(seconds))"
    }

    private static func degrees(_ value: Double?) -> String {
        value.flatMap { Int(exactly: $0.rounded()) }.map { "\($0 < 0 ? "−" : "")\($0.magnitude)°" } ?? "–"
    }

    private static func spoken(_ value: Double) -> String {
        value < 60 ? "\(ReportChart.text(value)) s" : Seconds.clock(value)
    }
}
