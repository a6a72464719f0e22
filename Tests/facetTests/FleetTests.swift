import FaceMessages
import FaceMetadata
import Foundation
import Testing

@testable import facet

@Suite("The fleet's table")
struct FleetTests {
    private static let time = Timestamp(nanoseconds: 1_795_234_353_000_000_000)
    private let plain = FleetFormatter(hasColors: false)

    /// A board with a camera that streams, one that is lost, and one whose daemon is gone.
    private func board() throws -> FleetBoard {
        var board = FleetBoard()
        for (name, state) in [("attic", DaemonStatus.CameraState.lost), ("porch", .streaming), ("shed", .streaming)] {
            let encoder = MessageEncoder(camera: name, boot: ULID.make(at: Self.time))
            let status = DaemonStatus(
                state: .online,
                cameraState: state,
                reason: state == .lost ? "unplugged" : nil,
                detail: state == .lost ? "the camera is gone\u{1B}[2J" : nil,
                detect: true,
                version: "1",
                attention: [],
                time: Self.time
            )
            let base = "\(name)/faces"
            for message in [encoder.status(status), encoder.count(2)] {
                _ = try board.take(message.payload, on: message.topic, under: base, isRetained: true, at: Self.time)
            }
        }
        let will = MessageEncoder(camera: "shed", boot: ULID.make(at: Self.time)).status(DaemonStatus(state: .offline))
        let later = Self.time.advanced(bySeconds: 90)
        _ = try board.take(will.payload, on: .status, under: "shed/faces", isRetained: false, at: later)
        return board
    }

    @Test("cameras with a problem come first, and only one that streams has a count")
    func rows() throws {
        let board = try board()
        let now = Self.time.advanced(bySeconds: 100)
        #expect(
            plain.table(board, at: now) == [
                "CAMERA       STATE      FACES    FPS  LAST EVENT             AGE  REASON",
                "attic/faces  lost           –      –  –                    1 min  the camera is gone [2J",
                "shed/faces   offline        –      –  –                     10 s",
                "porch/faces  streaming      2      –  –                    1 min",
            ]
        )
        #expect(plain.summary(board) == "3 cameras: 1 lost, 1 offline, 1 streaming, 2 faces")
        #expect(plain.table(board, columns: 30, rows: 3, at: now).last == "… and 2 more")
        #expect(plain.table(board, columns: 30, at: now).allSatisfy { $0.count <= 30 })
    }

    @Test("a change is reported once, an age alone is none, and a removed status takes the camera away")
    func changes() throws {
        var board = try board()
        let encoder = MessageEncoder(camera: "porch", boot: ULID.make(at: Self.time))
        let three = encoder.count(3).payload
        #expect(try board.take(three, on: .count, under: "porch/faces", isRetained: false, at: Self.time)?.faces == 3)
        #expect(try board.take(three, on: .count, under: "porch/faces", isRetained: false, at: Self.time) == nil)
        _ = try board.take([], on: .status, under: "porch/faces", isRetained: false, at: Self.time)
        #expect(board.cameras.map(\.base) == ["attic/faces", "shed/faces"])
        #expect(throws: (any Error).self) {
            try board.take(Array("no".utf8), on: .status, under: "x/faces", isRetained: false, at: Self.time)
        }
    }

    @Test("a camera as JSON has what is known and leaves out the rest")
    func json() throws {
        let board = try board()
        let lines = try board.cameras.map { try plain.json($0, age: 1.23456) }
        #expect(
            lines.last
                == #"{"age":1.235,"attention":[],"base":"porch/faces","camera":"porch","faces":2,"state":"streaming"}"#
        )
        #expect(lines.first?.contains(#""reason":"unplugged""#) == true)
        #expect(lines.first?.contains("\u{1B}") == false)
    }

    @Test(
        "ages are in the unit that suits them",
        arguments: [(-3.0, "0 s"), (59.9, "59 s"), (61, "1 min"), (7200, "2 h"), (2e5, "2 d")]
    )
    func durations(seconds: Double, text: String) {
        #expect(FleetFormatter.duration(seconds) == text)
    }
}
