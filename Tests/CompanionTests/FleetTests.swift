import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import MQTT
import System
import Testing

@testable import Companion

@Suite("The fleet's table")
struct FleetTests {
    private static let time = Timestamp(nanoseconds: 1_795_234_353_000_000_000)
    private let plain = FleetFormatter(hasColors: false)

    /// A camera that streams, one that is lost, and one whose daemon is gone.
    private func table() -> CameraTable {
        var table = CameraTable()
        for (name, state) in [("attic", DaemonStatus.CameraState.lost), ("porch", .streaming), ("shed", .streaming)] {
            let encoder = MessageEncoder(camera: name, boot: name)
            var status = DaemonStatus(
                state: .online,
                cameraState: state,
                reason: state == .lost ? "unplugged" : nil,
                detail: state == .lost ? "the camera is gone\u{1B}[2J" : nil
            )
            (status.detect, status.version, status.attention, status.time) = (true, "1", [], Self.time)
            for message in [encoder.status(status), encoder.count(2)] {
                _ = table.take(occurrence(message, under: "\(name)/faces", retained: true), at: Self.time)
            }
        }
        let will = MessageEncoder(camera: "shed", boot: "shed").status(DaemonStatus(state: .offline))
        _ = table.take(occurrence(will, under: "shed/faces"), at: Self.time.advanced(bySeconds: 90))
        return table
    }

    @Test("cameras with a problem come first, and only one that streams has a count")
    func rows() {
        var table = table()
        let now = Self.time.advanced(bySeconds: 100)
        #expect(
            plain.rows(table, at: now) == [
                "CAMERA       STATE      FACES    FPS  DECODE  ANALYSE  LAST EVENT             AGE  REASON",
                "attic/faces  lost           –      –       –        –  –                    1 min  the camera is gone [2J",
                "shed/faces   offline        –      –       –        –  –                     10 s",
                // Only retained messages came of it so far, of unknown age.
                "porch/faces  streaming      2      –       –        –  –                        –",
            ]
        )
        #expect(plain.summary(table) == "3 cameras: 1 lost, 1 offline, 1 streaming, 2 faces")
        #expect(plain.rows(table, columns: 30, rows: 3, at: now).last == "… and 2 more")
        #expect(plain.rows(table, columns: 30, at: now).allSatisfy { $0.count <= 30 })
        let stats = MessageEncoder(camera: "porch", boot: "porch").stats(figures)
        _ = table.take(occurrence(stats, under: "porch/faces"), at: Self.time.advanced(bySeconds: 96))
        #expect(
            plain.rows(table, at: now).last
                == "porch/faces  streaming      2   29.5      8%       3%  –                      4 s"
        )
    }

    @Test("a camera is called by its name, with the base of its topics where that says something else")
    func names() {
        var table = CameraTable()
        for (name, base) in [("desk", "faces"), ("porch", "porch/faces"), ("", "yard/faces")] {
            let status = MessageEncoder(camera: name, boot: "1").status(DaemonStatus(state: .offline))
            _ = table.take(occurrence(status, under: base), at: Self.time)
        }
        let names = plain.rows(table, at: Self.time).dropFirst().map { String($0.prefix(12)) }
        #expect(names == ["desk (faces)", "porch/faces ", "yard/faces  "])
    }

    @Test("a change is reported once, an age alone is none, and a removed status takes the camera away")
    func changes() {
        var table = table()
        let encoder = MessageEncoder(camera: "porch", boot: "porch")
        let three = table.take(occurrence(encoder.count(3), under: "porch/faces"), at: Self.time)
        #expect(three?.base == "porch/faces" && three?.change == .count)
        #expect(table.take(occurrence(encoder.count(3), under: "porch/faces"), at: Self.time) == nil)
        let removal = MQTTMessage(topic: "porch/faces/status", payload: [])
        #expect(table.take(occurrence(removal), at: Self.time) != nil)
        #expect(table.problemsFirst.map(\.base) == ["attic/faces", "shed/faces"])
        #expect(table.take(connected) == nil && table.cameras.count == 2)
        // The connection's own report may be taken after the first messages that it brought.
        _ = table.take(.connection(.connecting))
        #expect(table.cameras.count == 2)
        _ = table.take(.connection(.disconnected("gone")))
        #expect(table.cameras.isEmpty)
    }

    @Test(
        "a hostile count ends nothing, is shown nowhere and is counted",
        arguments: ["9223372036854775807", "-5", "x"]
    )
    func hostileCount(count: String) {
        var table = table()
        let message = MQTTMessage(topic: "porch/faces/count", payload: Array(count.utf8))
        #expect(table.take(occurrence(message), at: Self.time) == nil)
        #expect(table.faceCount == 2 && table.refused == 1)
        #expect(plain.summary(table).hasSuffix("2 faces, 1 messages refused"))
    }

    @Test("cameras that come from whoever may publish are limited, and counted")
    func flood() {
        var table = CameraTable()
        for number in 0..<2000 { _ = table.take(occurrence(encoder.count(1), under: "\(number)/faces"), at: Self.time) }
        #expect(table.cameras.count == 1024 && table.refused == 976)
        table = CameraTable(bases: ["faces"])
        let picture = encoder.preview([0xFF, 0xD8], of: stamp(3))
        for base in ["faces", "x/faces"] { _ = table.take(occurrence(picture, under: base), at: Self.time) }
        #expect(table.age(of: "faces", at: Self.time) == 0 && table.age(of: "x/faces", at: Self.time) == nil)
    }

    @Test("a camera as JSON has what is known and leaves out the rest")
    func json() throws {
        let table = table()
        let now = Self.time.advanced(bySeconds: 91.2345)
        let lines = table.problemsFirst.map { plain.json($0.base, table, at: now) }
        #expect(
            lines.last == #"{"attention":[],"base":"porch/faces","camera":"porch","faces":2,"state":"streaming"}"#
        )
        #expect(lines[1] == #"{"age":1.235,"base":"shed/faces","camera":"shed","state":"offline"}"#)
        #expect(lines.first?.contains(#""reason":"unplugged""#) == true)
        #expect(lines.first?.contains("\u{1B}") == false)
    }

    @Test("the hours of today are lines of CSV, whatever a name holds")
    func hours() {
        var table = table()
        var today = DayTotals(since: Self.time)
        var visit = Visit()
        (visit.looks, visit.lookingSeconds, visit.smiles) = (2, 1.5, 1)
        for hour in [9, 9, 17] { today.add(visit, hasEnded: true, at: Timestamp(nanoseconds: 0)) { _ in hour * 3600 } }
        for (name, base) in [("porch", "porch/faces"), ("=a \"b\",\n", "x,\"\u{301}/faces")] {
            let encoder = MessageEncoder(camera: name, boot: name)
            for message in [encoder.status(DaemonStatus(state: .offline)), encoder.today(today)] {
                _ = table.take(occurrence(message, under: base, retained: true), at: Self.time)
            }
        }
        let numbers = "2026-11-21T04:12:33.000000Z,9,2,4,3.000,2"
        let lines = FleetFormatter.hours(table)
        #expect(
            lines.prefix(2) == [
                "base,camera,since,hour,visits,looks,lookingSeconds,smiles", "\"porch/faces\",\"porch\",\(numbers)",
            ]
        )
        #expect(lines.dropFirst(3).first == "\"x,\"\"\u{301}/faces\",\"'=a \"\"b\"\", \",\(numbers)")
        #expect(lines.count == 5)
    }
}
