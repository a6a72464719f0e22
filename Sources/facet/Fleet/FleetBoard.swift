import FaceMessages
import FaceMetadata
import Foundation

/// What is known of every camera on a broker.
struct FleetBoard {
    /// One camera.
    struct Camera: Hashable {
        /// What its topics begin with.
        var base: String
        /// The camera's name; empty before the first status.
        var name = ""
        /// The daemon's condition; nil before the first status.
        var status: DaemonStatus?
        fileprivate var count: Int?
        fileprivate var rate: Double?
        /// The newest event since this command runs.
        var lastEvent: Topic?
        /// When that event happened.
        var lastEventTime: Timestamp?

        /// The camera's state in one word: `streaming`, `starting`, `lost` or `disabled` while its daemon is online,
        /// otherwise `stopped` or `offline`; `unknown` before the first status.
        var state: String {
            status?.stateWord ?? "unknown"
        }

        /// How many faces there are; nil if nothing is being looked at.
        var faces: Int? { state == "streaming" ? count : nil }

        /// Analysed frames a second, as of the newest stats; nil if nothing is being looked at.
        var frameRate: Double? { state == "streaming" ? rate : nil }

        /// Whether frames come, or are not wanted.
        var isWell: Bool { ["streaming", "disabled"].contains(state) }
    }

    private var known: [String: Camera] = [:]
    private var heard: [String: Timestamp] = [:]

    /// The cameras by their base, numbers in it by their value; those with a problem first.
    var cameras: [Camera] {
        known.values.sorted { left, right in
            guard left.isWell == right.isWell else { return right.isWell }
            return left.base.compare(right.base, options: .numeric) == .orderedAscending
        }
    }

    /// Seconds since the newest message of a camera. For a status that the broker kept from before, since its own time.
    func age(of base: String, at now: Timestamp) -> Double? {
        heard[base].map { max(0, now.seconds(since: $0)) }
    }

    /// Takes a message that came at a time.
    ///
    /// - Returns: the camera if more of it changed than its age.
    /// - Throws: `MessageDecodingError` if the message breaks the contract.
    mutating func take(
        _ payload: [UInt8],
        on topic: Topic,
        under base: String,
        isRetained: Bool,
        at now: Timestamp
    ) throws(MessageDecodingError) -> Camera? {
        guard !payload.isEmpty else {
            // The broker's way to say that a retained message was removed.
            if topic == .status { known[base] = nil }
            return nil
        }
        let old = known[base]
        var camera = old ?? Camera(base: base)
        var time = isRetained ? nil : now
        switch try MessageDecoder().decode(payload, on: topic) {
        case .status(let message):
            camera.status = message.status
            camera.name = message.origin.camera
            time = time ?? message.status.time
        case .count(let count): camera.count = count
        case .event(let message):
            camera.lastEvent = topic
            camera.lastEventTime = message.event.stamp.time
        case .stats(let message): camera.rate = message.stats.analysisRate
        case .metadata, .detectState: break
        }
        if let time { heard[base] = max(time, heard[base] ?? time) }
        known[base] = camera
        return camera == old ? nil : camera
    }

    /// Forgets everything: while the broker was away, anything may have changed.
    mutating func clear() {
        (known, heard) = ([:], [:])
    }
}

extension DaemonStatus {
    /// The camera's state while the daemon is online, otherwise the daemon's.
    var stateWord: String { (state == .online ? cameraState?.rawValue : nil) ?? state.rawValue }
}

/// Shows cameras as rows of text, and as JSON.
struct FleetFormatter {
    /// Whether states are coloured, by ANSI sequences.
    var hasColors: Bool

    static let longestBase = 28

    /// One line about all cameras: how many there are in each state, and how many faces.
    func summary(_ board: FleetBoard) -> String {
        let cameras = board.cameras
        let states = Dictionary(grouping: cameras, by: \.state).mapValues(\.count).sorted { $0.key < $1.key }
        let faces = cameras.compactMap(\.faces).reduce(0, +)
        let parts = states.map { "\($0.value) \($0.key)" } + ["\(faces) \(faces == 1 ? "face" : "faces")"]
        return "\(cameras.count) \(cameras.count == 1 ? "camera" : "cameras"): " + parts.joined(separator: ", ")
    }

    /// A heading and a row for each camera; those that do not fit are counted in the last row.
    func table(_ board: FleetBoard, columns: Int? = nil, rows: Int? = nil, at now: Timestamp) -> [String] {
        let cameras = board.cameras
        let width = min(Self.longestBase, max(6, cameras.map(\.base.count).max() ?? 0))
        let heading = line(["CAMERA", "STATE", "FACES", "FPS", "LAST EVENT", "AGE", "REASON"], width, nil, columns)
        let all = cameras.map { row($0, board, width: width, columns: columns, at: now) }
        guard let rows, all.count + 1 > rows else { return [heading] + all }
        let shown = max(0, rows - 2)
        return [heading] + all.prefix(shown) + ["… and \(all.count - shown) more"]
    }

    /// A camera's row.
    func row(
        _ camera: FleetBoard.Camera,
        _ board: FleetBoard,
        width: Int = FleetFormatter.longestBase,
        columns: Int? = nil,
        at now: Timestamp
    ) -> String {
        let event = camera.lastEvent.map { kind in
            kind.rawValue + (camera.lastEventTime.map { " " + Self.duration(now.seconds(since: $0)) } ?? "")
        }
        let faces = camera.faces.map { "\($0)" }
        let rate = camera.frameRate.map { String(format: "%.1f", $0) }
        let age = board.age(of: camera.base, at: now).map(Self.duration)
        let numbers = [faces, rate, event, age].map { $0 ?? "–" }
        return line([camera.base, camera.state] + numbers + [Self.reason(camera)], width, camera, columns)
    }

    /// A camera as one line of JSON.
    func json(_ camera: FleetBoard.Camera, age: Double?) throws -> String {
        struct Line: Encodable {
            var base: String
            var camera: String
            var state: String
            var reason: String?
            var detail: String?
            var attention: [String]?
            var faces: Int?
            var frameRate: Double?
            var lastEvent: String?
            var lastEventTime: String?
            var age: Double?
        }
        let line = Line(
            base: camera.base,
            camera: camera.name,
            state: camera.state,
            reason: camera.status?.reason,
            detail: camera.status?.detail,
            attention: camera.status?.attention?.map(\.rawValue),
            faces: camera.faces,
            frameRate: camera.frameRate,
            lastEvent: camera.lastEvent?.rawValue,
            lastEventTime: camera.lastEventTime?.iso8601,
            age: age.map { ($0 * 1000).rounded() / 1000 }
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: JSONText.onOneLine(Array(try encoder.encode(line))), as: UTF8.self)
    }

    /// Seconds in the unit that suits them: `4 s`, `3 min`, `2 h`, `5 d`.
    static func duration(_ seconds: Double) -> String {
        switch max(0, seconds) {
        case ..<60: "\(Int(max(0, seconds))) s"
        case ..<3600: "\(Int(seconds / 60)) min"
        case ..<86400: "\(Int(seconds / 3600)) h"
        default: seconds < 1e9 ? "\(Int(seconds / 86400)) d" : "–"
        }
    }

    private static func reason(_ camera: FleetBoard.Camera) -> String {
        guard let status = camera.status else { return "" }
        if !camera.isWell { return status.detail ?? status.reason ?? "" }
        return status.attention.map { $0.map(\.rawValue).joined(separator: ", ") } ?? ""
    }

    private func line(_ cells: [String], _ width: Int, _ camera: FleetBoard.Camera?, _ columns: Int?) -> String {
        let widths = [width, 9, 5, 5, 18, 6, 0]
        var used = 0
        var parts: [String] = []
        for (index, (cell, width)) in zip(cells, widths).enumerated() {
            var text = cell.printable
            if index < widths.count - 1 { text = Self.fitted(text, width, alignsRight: [2, 3, 5].contains(index)) }
            if let columns { text = String(text.prefix(max(0, columns - used))) }
            used += text.count + 2
            parts.append(index == 1 ? colored(text, camera) : text)
        }
        let result = parts.joined(separator: "  ")
        return String(result[..<(result.lastIndex { $0 != " " }.map(result.index(after:)) ?? result.startIndex)])
    }

    private func colored(_ text: String, _ camera: FleetBoard.Camera?) -> String {
        guard hasColors, let camera else { return text }
        let color = camera.state == "streaming" ? "32" : camera.state == "disabled" ? "2" : "1;31"
        return "\u{1B}[\(color)m\(text)\u{1B}[0m"
    }

    private static func fitted(_ text: String, _ width: Int, alignsRight: Bool) -> String {
        guard text.count <= width else { return text.prefix(width - 1) + "…" }
        let blanks = String(repeating: " ", count: width - text.count)
        return alignsRight ? blanks + text : text + blanks
    }
}
