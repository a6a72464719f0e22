import FaceMetadata
import FacetTestSupport
import Foundation
import Testing

@testable import FaceTracking

/// The numbers of all recorded traces that the detectors take, and the labels, in this repository: for a machine
/// without `../shared/accuracy` and `../shared/smiles`, whose landmarks make the same numbers anew.
///
/// After a change of what is measured of landmarks: `FACET_PACK_TRACES=1 swift test --filter PackedTraces`.
enum PackedTraces {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Recorded")
    static let scorer = directory.appending(path: "score.py")
    /// When faces look into the lens, for the traces of `../shared/accuracy`.
    static let looks = TraceSet.accuracy.directory.appending(path: "../look/index.json").standardizedFileURL

    /// Numbers of a sighting, the first of which is the trace's.
    private static let columns = 23

    private static func script(_ arguments: [String]) throws -> Data {
        try Tool.run("/usr/bin/env", ["python3", directory.appending(path: "sightings.py").path] + arguments)
    }

    private static func path(of set: TraceSet) -> String { directory.appending(path: "\(set).xz").path }

    static func read(_ part: String, of set: TraceSet) throws -> Data { try script([part, path(of: set)]) }

    /// Packs the numbers of a file.
    static func pack(_ numbers: String, of set: TraceSet) throws {
        let looks = set == .accuracy ? looks.path : "/dev/null"
        _ = try script(["pack", numbers, set.index.path, looks, path(of: set)])
    }

    /// The sightings of all traces, by name.
    static func sightings(of set: TraceSet) throws -> [String: [Trace.Sighting]] {
        let labels = try JSONSerialization.jsonObject(with: read("labels", of: set)) as? [String: Any] ?? [:]
        let names = labels.keys.sorted()
        var traces = Dictionary(uniqueKeysWithValues: names.map { ($0, [Trace.Sighting]()) })
        try read("numbers", of: set).withUnsafeBytes { bytes in
            let numbers = bytes.bindMemory(to: Double.self)
            for start in stride(from: 0, to: numbers.count, by: columns) {
                let row = Array(numbers[start..<start + columns])
                traces[names[Int(row[0])], default: []].append(Trace.Sighting(packed: row))
            }
        }
        return traces
    }
}

extension Trace.Sighting {
    /// Reads a trace from the numbers that `packed` gives.
    fileprivate init(packed numbers: [Double]) {
        self.init(
            frame: Int(numbers[1].rounded()),
            time: numbers[2],
            lineage: Int(numbers[3].rounded()),
            yaw: numbers[4],
            pitch: numbers[5],
            eyeDistance: numbers[6],
            leftLids: .init(height: numbers[7], width: numbers[8]),
            rightLids: .init(height: numbers[9], width: numbers[10]),
            mouth: .init(opening: numbers[11], cornerDrop: numbers[12], smileLevel: numbers[13]),
            gaze: Gaze(yaw: numbers[14], pitch: numbers[15]),
            appearance: numbers[16] == 0
                ? nil
                : EachEye(
                    .init(dissimilarity: numbers[17], center: numbers[18], logBrightness: numbers[19]),
                    .init(dissimilarity: numbers[20], center: numbers[21], logBrightness: numbers[22])
                )
        )
    }

    fileprivate func packed(trace: Int) -> [Double] {
        let eyes = [appearance?.left, appearance?.right]
        let signals: [[Double]] = eyes.map { eye in
            [eye?.dissimilarity ?? 0, eye?.center ?? 0, eye?.logBrightness ?? 0]
        }
        let numbers = [
            Double(trace), Double(frame), time, Double(lineage), yaw, pitch, eyeDistance, leftLids.height,
            leftLids.width, rightLids.height, rightLids.width, mouth.opening, mouth.cornerDrop, mouth.smileLevel,
            gaze.yaw, gaze.pitch, appearance == nil ? 0 : 1,
        ]
        return numbers + signals.joined()
    }
}

@Suite(
    "The packed traces",
    .enabled(if: TraceSet.allCases.allSatisfy(\.isHere), "../shared/accuracy or ../shared/smiles is absent")
)
struct PackedTracesTests {
    private static let isToPack = ProcessInfo.processInfo.environment["FACET_PACK_TRACES"] != nil

    @Test("are what the recorded landmarks give", arguments: TraceSet.allCases)
    func current(set: TraceSet) throws {
        let names = try Trace.labels(of: set).keys.sorted()
        let recorded = try names.map { try Trace($0, of: set).sightings }
        if Self.isToPack {
            let directory = try TemporaryDirectory()
            let rows = recorded.enumerated().flatMap { trace, seen in seen.flatMap { $0.packed(trace: trace) } }
            let numbers = directory.file("numbers")
            try rows.withUnsafeBytes { try Data($0).write(to: URL(filePath: numbers)) }
            try PackedTraces.pack(numbers, of: set)
        }
        let packed = try PackedTraces.sightings(of: set)
        for (name, sightings) in zip(names, recorded) {
            let others = packed[name] ?? []
            #expect(others.count == sightings.count)
            let farthest = zip(sightings, others).flatMap { one, other in
                zip(one.packed(trace: 0), other.packed(trace: 0)).map { abs($0 - $1) }
            }.max()
            #expect(farthest ?? 0 <= 0.00501, "\(name): pack them anew, see PackedTraces")
        }
    }
}
