import FaceMessages
import FaceMetadata
import Foundation
import HTTPServing
import SettingsFiles
import Synchronization

/// What `facet zones` gives its page, and does with the areas that were drawn there.
struct AreaEditor: Sendable {
    /// Bytes of the longest request: 32 zones and 32 ignored areas of 64 corners.
    static let longestBody = 128 << 10

    /// The settings file that the areas are from, and are written to; nil prints them.
    let path: String?
    /// Takes what is to be said in the terminal.
    let say: @Sendable (String) -> Void

    /// The areas of the file, as JSON.
    ///
    /// - Throws: What is wrong with the file.
    func areas() throws -> [UInt8] {
        var reader = SettingsReader(file: try path.map { try SettingsFile(path: $0, example: SettingsText.example) })
        let (zones, ignored) = (reader.readZones(), reader.readIgnored())
        if !reader.problems.isEmpty { throw SettingsError(problems: reader.problems) }
        return JSONWriter.object { json in
            json.field("file", path)
            json.array("zones", zones) { json, zone in
                json.field("name", zone.name)
                Self.write(zone.area, &json)
                json.field("dwell", zone.dwell, decimals: 3)
                json.field("minimumSize", zone.minimumSize, decimals: 3)
                json.field("anchor", zone.anchor.rawValue)
            }
            json.array("ignore", ignored) { json, area in
                json.field("name", area.name)
                Self.write(area.area, &json)
            }
        }
    }

    private static func write(_ area: PictureArea, _ json: inout JSONWriter) {
        json.array("corners", area.corners) { json, corner in
            json.field("x", corner.x, decimals: 4)
            json.field("y", corner.y, decimals: 4)
        }
    }

    /// Takes the settings that the page wrote: the groups `zones` and `ignore`, or one of them, or nothing.
    ///
    /// - Returns: What was done, or what is wrong.
    func take(_ text: String) -> (status: Int, words: String) {
        do {
            let drawn = text.allSatisfy(\.isWhitespace) ? nil : try Self.checked("the page", text)
            guard let path else {
                say(text)
                return (200, "printed in the terminal")
            }
            var file = try SettingsText(path: path)
            for group in ["zones", "ignore"] {
                file = try SettingsText(path: path, text: file.text(with: drawn?.body(of: group) ?? [], as: group))
            }
            let whole = file.lines.joined(separator: "\n")
            // The file's own way of writing may be one that replacing lines does not do justice to.
            _ = try Self.checked(path, whole)
            let words = try file.write(whole)
            say(words)
            return (200, words)
        } catch {
            return (400, "\(error)")
        }
    }

    private static func checked(_ name: String, _ text: String) throws -> SettingsText {
        var reader = SettingsReader(file: try SettingsFile(path: name, text: text, example: SettingsText.example))
        _ = (reader.readZones(), reader.readIgnored())
        if !reader.problems.isEmpty { throw SettingsError(problems: reader.problems) }
        return try SettingsText(path: name, text: text)
    }
}

extension SettingsText {
    /// The lines below a group without a group around it.
    fileprivate func body(of group: String) -> [String] {
        places[group].map { line in lines[line...].prefix { $0.first == " " }.map(String.init) } ?? []
    }
}
