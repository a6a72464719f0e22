/// Provides the zones and ignored areas for the page of `facet zones`, and saves those that the user draws there.
package struct AreaEditor: Sendable {
    /// The maximum size of a request in bytes: enough for 32 zones and 32 ignored areas with 64 corners each.
    static let longestBody = 128 << 10
    /// The settings file from which areas are read and into which drawn ones are saved; nil to only print drawn areas.
    package let path: String?
    /// Prints a text in the terminal.
    package let say: @Sendable (String) -> Void

    package init(path: String?, say: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.say = say
    }

    /// Returns the settings file's areas as JSON. Throws `SettingsError` if the file or an area in it is wrong.
    package func areas() throws -> [UInt8] { try Self.areas(in: try path.map { try SettingsFile(path: $0) }, path) }

    /// Returns a settings file's path and areas as JSON. `group`, if given, limits the areas to `zones` or to `ignore`.
    private static func areas(in file: SettingsFile?, _ path: String?, only group: String? = nil) throws -> [UInt8] {
        var reader = SettingsReader(file: file)
        let zones = reader.readZones()
        let ignored = reader.readIgnored()
        if !reader.problems.isEmpty { throw SettingsError(problems: reader.problems) }
        return JSONWriter.object { json in
            json.field("file", path)
            json.array("zones", group == "ignore" ? [] : zones) { json, zone in
                json.field("name", zone.name)
                write(zone.area, &json)
                json.field("dwell", zone.dwell, decimals: 3)
                json.field("minimumSize", zone.minimumSize, decimals: 3)
                json.field("anchor", zone.anchor.rawValue)
            }
            json.array("ignore", group == "zones" ? [] : ignored) { json, area in
                json.field("name", area.name)
                write(area.area, &json)
            }
        }
    }

    private static func write(_ area: PictureArea, _ json: inout JSONWriter) {
        json.array("corners", area.corners) { json, corner in
            json.field("x", corner.x, decimals: 4)
            json.field("y", corner.y, decimals: 4)
        }
    }

    /// Saves the settings that the page sent: `zones`, `ignore`, both or neither. Returns an HTTP status and a message.
    func save(_ text: String) -> (status: Int, words: String) {
        do {
            let drawn = text.allSatisfy(\.isWhitespace) ? nil : try SettingsText(path: "the page", text: text)
            let wanted = try Self.areas(in: drawn?.file, nil)
            guard let path else {
                say(text)
                return (200, "printed in the terminal")
            }
            var file = try SettingsText(path: path)
            // Groups that did not change keep their lines and comments.
            for group in ["zones", "ignore"]
            where try Self.areas(in: file.file, nil, only: group) != Self.areas(in: drawn?.file, nil, only: group) {
                file = try file.changed(group, to: drawn?.body(of: group) ?? [])
            }
            guard try Self.areas(in: file.file, nil) == wanted else {
                let form = "as `zones:` and below it `  door: {area: [0, 0, 1, 1]}`"
                return (400, "cannot write the areas into \(path): each must have lines of its own, \(form)")
            }
            let words = try file.write()
            say(words)
            return (200, words)
        } catch {
            return (400, "\(error)")
        }
    }
}

extension SettingsText {
    /// Returns the lines of the settings text that are inside a top-level group, which are indented.
    fileprivate func body(of group: String) -> [String] {
        file.lines[group].map { line in lines[line...].prefix { $0.first == " " }.map(String.init) } ?? []
    }
}
