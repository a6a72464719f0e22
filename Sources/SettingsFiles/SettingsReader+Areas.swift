package import FaceMetadata
import Foundation

extension SettingsReader {
    /// Reads the areas under `ignore`, in which no new face is followed. Their names are only for people.
    package mutating func readIgnored() -> [(name: String, area: PictureArea)] {
        areaNames(in: "ignore").compactMap { name in readArea("ignore.\(name)").map { (name, $0) } }
    }

    package mutating func readZones() -> [Zone] {
        areaNames(in: "zones").compactMap { name in
            let key = "zones.\(name)"
            let composed = name.precomposedStringWithCanonicalMapping
            let isName = composed.unicodeScalars.allSatisfy {
                // Many scripts write vowels and tones as marks.
                $0.properties.isAlphabetic || "0123456789_- ".unicodeScalars.contains($0)
                    || [.nonspacingMark, .spacingMark].contains($0.properties.generalCategory)
            }
            if !isName { refuse(key, "is not a name for a zone: use letters, digits, spaces, _ and -") }
            let area = readArea(key + ".area")
            if area == nil, !hasProblem(with: key + ".area") {
                refuse(key, "needs an area: x, y, width and height, or the corners of a polygon")
            }
            var dwell = 0.0
            var minimumSize = 0.0
            var anchor = Zone.Anchor.center
            read(key + ".dwell", seconds: &dwell, in: .zero ... .seconds(3600))
            read(key + ".minimumSize", &minimumSize, in: 0...1)
            read(key + ".anchor", &anchor)
            return area.map { Zone(composed, $0, dwell: dwell, minimumSize: minimumSize, anchor: anchor) }
        }
    }

    private mutating func areaNames(in group: String) -> [String] {
        let names = names(in: group)
        // Each area costs some time for each face in each frame.
        if names.count > 32 { refuse(group, "has \(names.count) areas: at most 32 are allowed") }
        return names
    }

    /// Reads an area, given by the numbers of a rectangle or of a polygon's corners; nil if it is missing or wrong.
    private mutating func readArea(_ key: String) -> PictureArea? {
        guard let numbers = readList(key, "a number", { Double($0) }), !hasProblem(with: key) else { return nil }
        do throws(PictureArea.Failure) {
            return try PictureArea(numbers: numbers)
        } catch {
            refuse(key, "\(error)")
            return nil
        }
    }
}
