/// Formats the states of cameras as rows of text, as JSON and as CSV.
package struct FleetFormatter {
    package var hasColors: Bool

    private static let longestBase = 28

    /// One line about all cameras: how many are in each condition, and how many faces they see.
    package func summary(_ table: CameraTable) -> String {
        let cameras = table.cameras.values
        let states = Dictionary(grouping: cameras, by: \.condition.rawValue).sorted { $0.key < $1.key }
        var parts = states.map { "\($0.value.count) \($0.key)" }
        if let faces = table.faceCount { parts.append(faces.countedFaces(held: table.heldCount)) }
        if table.refused > 0 { parts.append("\(table.refused) messages refused") }
        let count = cameras.count.counted("camera")
        return parts.isEmpty ? count : "\(count): " + parts.joined(separator: ", ")
    }

    /// A heading, then a row for each camera, in at most `rows` lines. If not all fit, the last line counts the others.
    package func rows(_ table: CameraTable, columns: Int? = nil, rows: Int? = nil, at now: Timestamp) -> [String] {
        let labels = table.cameras.map { Self.label($0.key, $0.value) }
        let width = min(Self.longestBase, max(6, labels.map(\.printable.cells).max() ?? 0))
        let names = ["CAMERA", "STATE", "FACES", "FPS", "DECODE", "ANALYSE", "LAST EVENT", "AGE", "REASON"]
        let heading = line(names, width, nil, columns)
        let all = table.problemsFirst.map { row($0.base, table, width: width, columns: columns, at: now) }
        guard let rows, all.count + 1 > rows else { return [heading] + all }
        let shown = max(0, rows - 2)
        return [heading] + all.prefix(shown) + ["… and \(all.count - shown) more"]
    }

    package func row(
        _ base: String,
        _ table: CameraTable,
        width: Int = FleetFormatter.longestBase,
        columns: Int? = nil,
        at now: Timestamp
    ) -> String {
        let camera = table.cameras[base] ?? CameraState()
        let event = camera.lastEvent?.event
        let numbers = [
            camera.faceCount.map { "\($0)" },
            camera.analysisRate.map { String(format: "%.1f", $0) },
            camera.stats?.cpuDecoding.map(percent),
            camera.stats?.cpuAnalysis.map(percent),
            event.map { "\(Topic($0.kind).rawValue) \(Seconds.inOneUnit(now.seconds(since: $0.stamp.time)))" },
            table.age(of: base, at: now).map(Seconds.inOneUnit),
        ].map { $0 ?? "–" }
        let seen = camera.heldCount > 0 ? camera.faceCount.map { "\($0 - camera.heldCount) seen" } : nil
        let cells =
            [Self.label(base, camera), camera.condition.rawValue] + numbers + [camera.explanation ?? seen ?? ""]
        return line(cells, width, camera.condition, columns)
    }

    /// The state of a camera as a JSON object in one line.
    package func json(_ base: String, _ table: CameraTable, at now: Timestamp) -> String {
        let camera = table.cameras[base] ?? CameraState()
        let event = camera.lastEvent?.event
        let line = JSONWriter.object { json in
            json.field("age", table.age(of: base, at: now), decimals: 3)
            json.field("attention", camera.status?.attention?.map(\.rawValue))
            json.field("base", base)
            json.field("camera", camera.name ?? "")
            json.field("cpuAnalysis", camera.stats?.cpuAnalysis, decimals: 3)
            json.field("cpuDecoding", camera.stats?.cpuDecoding, decimals: 3)
            json.field("detail", camera.status?.detail)
            json.field("faces", camera.faceCount)
            json.field("frameRate", camera.analysisRate, decimals: 1)
            json.field("held", camera.heldCount > 0 ? camera.heldCount : nil)
            json.field("lastEvent", event.map { Topic($0.kind).rawValue })
            json.field("lastEventTime", event?.stamp.time.iso8601)
            json.field("reason", camera.status?.reason)
            json.field("state", camera.condition.rawValue)
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// The totals of today for each camera and hour, as lines of CSV.
    static func hours(_ table: CameraTable) -> [String] {
        ["base,camera,since,hour,visits,looks,lookingSeconds,smiles"]
            + table.sorted.flatMap { base, camera in
                (camera.today?.hours ?? []).map { hour in
                    let cells = [base.cellOfCSV, (camera.name ?? "").cellOfCSV, camera.today?.since.iso8601 ?? ""]
                    let seconds = String(format: "%.3f", hour.lookingSeconds)
                    let numbers = [hour.hour, hour.visits, hour.looks].map { "\($0)" } + [seconds, "\(hour.smiles)"]
                    return (cells + numbers).joined(separator: ",")
                }
            }
    }

    /// The camera's name and topic base; only the base if that begins with the name, or if both together are too long.
    private static func label(_ base: String, _ camera: CameraState) -> String {
        guard let name = camera.name, !name.isEmpty, base != name, !base.hasPrefix(name + "/") else { return base }
        let label = "\(name) (\(base))"
        return label.count > longestBase ? base : label
    }

    private func line(_ cells: [String], _ width: Int, _ condition: CameraState.Condition?, _ columns: Int?) -> String {
        let widths = [width, 9, 5, 5, 6, 7, 18, 6, 0]
        let style = condition.map { $0 == .streaming ? "32" : $0 == .disabled ? "2" : "1;31" }
        var used = 0
        let parts = zip(cells, widths).enumerated().map { index, part in
            var text = part.0.printable
            if part.1 > 0 {
                text = text.shortened(to: part.1).padding(to: part.1, alignsRight: [2, 3, 4, 5, 7].contains(index))
            }
            if let columns { text = text.cut(to: max(0, columns - used)) }
            used += text.cells + 2
            return text.styled(index == 1 ? style : nil, if: hasColors)
        }
        var line = parts.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }
}
