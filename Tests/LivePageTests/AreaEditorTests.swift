import CompanionTestSupport
import FaceMetadata
import FacetTestSupport
import Foundation
import Synchronization
import Testing

@testable import Companion
@testable import LivePage

@Suite("Drawn areas")
struct AreaEditorTests {
    private static let drawn =
        "zones:\n  desk:\n    area: [0, 0.4, 0.5, 0.6]\nignore:\n  television: [0.6, 0.2, 0.25, 0.2]\n"

    private func editor(_ path: String?) -> AreaEditor {
        AreaEditor(path: path) { _ in }
    }

    @Test(
        "replace those of a settings file, and leave its comments and everything else",
        arguments: [
            (
                "# mine\nlog: {level: info}  # all\n",
                "# mine\nlog: {level: info}  # all\n\nzones:\n  desk:\n    area: [0, 0.4, 0.5, 0.6]\n\nignore:\n"
                    + "  television: [0.6, 0.2, 0.25, 0.2]\n"
            ),
            (
                "zones:\n  old:  # gone\n    area: [0, 0, 1, 1]\n\n# of the log\nlog:\n  level: info\n",
                "zones:\n  desk:\n    area: [0, 0.4, 0.5, 0.6]\n\n# of the log\nlog:\n  level: info\n\nignore:\n"
                    + "  television: [0.6, 0.2, 0.25, 0.2]\n"
            ),
            (
                "ignore: {a: [0, 0, 1, 1]}\nzones:\nlog: {level: info}\n",
                "ignore:\n  television: [0.6, 0.2, 0.25, 0.2]\nzones:\n  desk:\n    area: [0, 0.4, 0.5, 0.6]\n"
                    + "log: {level: info}\n"
            ),
        ]
    )
    func write(before: String, after: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(before, to: "facetd.yaml")
        let answer = editor(path).save(Self.drawn)
        #expect(answer.status == 200 && answer.words.contains("written to \(path)"), "\(answer)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == after)
        // Without areas their groups are removed from the file, and its other lines stay.
        #expect(editor(path).save("").status == 200)
        let rest = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!rest.contains("desk") && rest.contains("log:"))
    }

    @Test("keep the file's line endings, its mode, its byte order mark and the link that leads to it")
    func kind() throws {
        let directory = try TemporaryDirectory()
        let before =
            "\u{FEFF}log: {level: info}\r\nzones:\r\n  old:\r\n    area: [0, 0, 1, 1]\r\ncamera:\r\n  name: a\r\n"
        let path = try directory.write(before, to: "facetd.yaml")
        #expect(chmod(path, 0o640) == 0)
        let link = directory.file("link.yaml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let answer = editor(link).save("zones:\n  desk:\n    area: [0, 0.4, 0.5, 0.6]\n")
        #expect(answer.status == 200, "\(answer)")
        let after = before.replacing("old", with: "desk").replacing("[0, 0, 1, 1]", with: "[0, 0.4, 0.5, 0.6]")
        // As bytes: a text that is read has no byte order mark any more.
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(after.utf8))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        // Nothing is left beside it.
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
    }

    @Test("are read and written where lines end as YAML ends them", arguments: ["\r", "\u{85}", "\u{2028}"])
    func lineEnds(end: String) throws {
        let directory = try TemporaryDirectory()
        let before = ["log:", "  level: info", "zones:", "  old: {area: [0, 0, 1, 1]}", ""].joined(separator: end)
        let path = try directory.write(before, to: "facetd.yaml")
        let answer = editor(path).save(Self.drawn.replacing("\n", with: end))
        #expect(answer.status == 200, "\(answer)")
        let after = String(decoding: try editor(path).areas(), as: UTF8.self)
        #expect(after.contains("desk") && after.contains("television") && !after.contains("old"))
    }

    @Test(
        "are not written into a file whose other settings that would change, which stays as it is",
        arguments: [
            "{camera: {name: porch}, mqtt: {host: broker.example}, zones: {}}\n",
            "{\"camera\": {\"name\": \"porch\"},\n\"zones\": {}}\n", "{camera: {name: porch}}\n",
        ]
    )
    func otherStyle(before: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(before, to: "facetd.yaml")
        let answer = editor(path).save(Self.drawn)
        #expect(answer.status == 400 && answer.words.contains("do not stand in lines of their own"), "\(answer)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == before)
        #expect(throws: CommandFailure.self) {
            try SettingsText(path: path).changed("look", "direction", to: "[1, 2]")
        }
    }

    @Test("keep the lines of a group in which nothing was drawn anew")
    func untouched() throws {
        let directory = try TemporaryDirectory()
        let before =
            "zones:\n  old:\n    area: [0, 0, 1, 1]\n\n# Nothing yet\nignore:\n  # tv: [0, 0, 0.1, 0.1]\n\nlog: {level: info}\n"
        let path = try directory.write(before, to: "facetd.yaml")
        let answer = editor(path).save("zones:\n  desk:\n    area: [0, 0, 1, 1]\n")
        #expect(answer.status == 200, "\(answer)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == before.replacing("old", with: "desk"))
    }

    @Test("that are all gone leave a file that had nothing else")
    func nothingLeft() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("zones:\n  desk:\n    area: [0, 0, 1, 1]\n", to: "facetd.yaml")
        let answer = editor(path).save("")
        #expect(answer.status == 200, "\(answer)")
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("zones: {}"))
        #expect(try !String(decoding: editor(path).areas(), as: UTF8.self).contains("desk"))
    }

    @Test("that are wrong are refused with the reason, and nothing is written")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let text = "log: {level: info}\n"
        let path = try directory.write(text, to: "facetd.yaml")
        for (drawn, reason) in [
            ("zones:\n  a:\n    area: [0, 0, 1, 1, 1, 0, 0, 0.9]\n", "crosses or touches itself"),
            ("zones:\n  a/b:\n    area: [0, 0, 1, 1]\n", "is not a name for a zone"), ("zones: [", "is not valid YAML"),
        ] {
            let answer = editor(path).save(drawn)
            #expect(answer.status == 400 && answer.words.contains(reason), "\(answer)")
        }
        // Areas on the group's own line would be lost.
        let whole = try directory.write("zones:\n  a:\n    area: [0, 0, 1, 1]\n", to: "whole.yaml")
        let answer = editor(whole).save("zones: {desk: {area: [0, 0.4, 0.5, 0.6]}}\n")
        #expect(answer.status == 400 && answer.words.contains("lines of its own"), "\(answer)")
        #expect(try String(contentsOfFile: whole, encoding: .utf8).contains("  a:\n"))
        // A group over several lines without indentation is not what replacing lines does justice to.
        let odd = try directory.write("zones: {\na: {area: [0, 0, 1, 1]}\n}\n", to: "odd.yaml")
        #expect(editor(odd).save(Self.drawn).status == 400)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        #expect(try String(contentsOfFile: odd, encoding: .utf8).hasPrefix("zones: {"))
    }

    @Test("are given to the page as the file has them, and printed where there is none")
    func areas() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Self.drawn.replacing("0.6]", with: "0.6]\n    dwell: 1500ms"), to: "facetd.yaml")
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(try editor(path).areas())) as? [String: Any]
        )
        let zone = try #require((json["zones"] as? [[String: Any]])?.first)
        #expect(zone["name"] as? String == "desk" && zone["dwell"] as? Double == 1.5)
        #expect((zone["corners"] as? [[String: Double]])?[2] == ["x": 0.5, "y": 1])
        #expect((json["ignore"] as? [[String: Any]])?.first?["name"] as? String == "television")
        let said = SaidWords()
        let answer = AreaEditor(path: nil) { said.add($0) }.save(Self.drawn)
        #expect(answer.status == 200)
        #expect(said.all == [Self.drawn])
        #expect(throws: (any Error).self) { try editor(directory.file("none.yaml")).areas() }
    }
}

private final class SaidWords: Sendable {
    private let words = Mutex<[String]>([])

    var all: [String] { words.withLock(\.self) }

    func add(_ text: String) { words.withLock { $0.append(text) } }
}
