import FacetTestSupport
import Foundation
import Testing

@testable import MQTT

@Suite("SQLite")
struct SQLiteConnectionTests {
    private let directory: TemporaryDirectory
    private let connection: SQLiteConnection

    init() throws {
        directory = try TemporaryDirectory()
        connection = try SQLiteConnection(path: directory.file("test.sqlite"))
        try connection.execute("CREATE TABLE cell (value); INSERT INTO cell VALUES ('first')")
    }

    private func texts() throws -> [String] {
        try connection.execute("SELECT value FROM cell").map { if case .text(let text) = $0[0] { text } else { "?" } }
    }

    @Test("a value comes back with its type, empty bytes too, and what is no UTF-8 as text")
    func values() throws {
        let row = try connection.execute(
            "SELECT ?, ?, ?, ?, ?, ?, CAST(x'61ff' AS TEXT)",
            [.null, .integer(.min), .real(0.5), .text("Größe"), .blob([]), .blob([0, 255])]
        )[0]
        guard case .null = row[0], case .integer(.min) = row[1], case .real(0.5) = row[2],
            case .text("Größe") = row[3], case .blob([]) = row[4], case .blob([0, 255]) = row[5],
            case .text("a\u{FFFD}") = row[6]
        else {
            Issue.record("\(row)")
            return
        }
    }

    @Test("a transaction that throws changes nothing, and the next one works")
    func transactions() throws {
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try connection.transaction {
                try connection.execute("DELETE FROM cell")
                throw Failure()
            }
        }
        #expect(try texts() == ["first"])
        try connection.transaction { try connection.execute("INSERT INTO cell VALUES (?)", [.text("second")]) }
        #expect(try texts() == ["first", "second"])
    }

    @Test("an error has SQLite's code and words; what stood before it is done")
    func errors() throws {
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO cell VALUES ('second'); INSERT INTO missing VALUES (1)")
        }
        #expect(error?.primaryCode == 1 && error?.message == "no such table: missing")
        #expect(try texts() == ["first", "second"])
        #expect(throws: SQLiteError.self) { try SQLiteConnection(path: directory.file("none/test.sqlite")) }
    }
}
