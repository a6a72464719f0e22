import Foundation

/// The places of each labelled person of a clip: rows of seconds, x, y, width and height in shares of the picture.
typealias Places = [String: [[Double]]]

extension Score {
    /// The least overlap of an event's bounds with a person's place, as a share of both together.
    private static let leastOverlap = 0.15
    /// How many seconds a place is known before and after it was labelled.
    private static let longestWait = 2.0

    /// The places that a file says, by clip and person: what `--people` of `score.py` takes.
    static func places(in file: String?) throws -> [String: Places] {
        guard let file else { return [:] }
        return try JSONDecoder().decode([String: Places].self, from: Data(contentsOf: URL(filePath: file)))
    }

    /// Smiles that count only for the person at whose place they were reported; one at no person's place is wrong.
    static func smilesByPerson(_ messages: [Message], _ labels: Labels, _ places: Places) -> Count {
        let scored = labels.smilesScored ?? [0, .infinity]
        let told = messages.filter { scored[0] <= $0.time && $0.time <= scored[1] }
        var left = Dictionary(grouping: told) { person(of: $0, places) }
        var count = Count()
        for (person, own) in labels.smiles ?? [:] {
            let only = Labels.onlySmiles(of: own, in: labels)
            count = count + smiles(left.removeValue(forKey: person) ?? [], only)
        }
        count.wrong += left.values.reduce(0) { $0 + $1.count }
        return count
    }

    /// The person whose place at that time overlaps an event's bounds most; nil if none does.
    private static func person(of message: Message, _ places: Places) -> String? {
        guard let bounds = message.payload?.bounds else { return nil }
        let overlaps = places.compactMapValues { rows -> Double? in
            let nearest = rows.min { abs($0[0] - message.time) < abs($1[0] - message.time) }
            guard let nearest, abs(nearest[0] - message.time) < longestWait else { return nil }
            return overlap([bounds.x, bounds.y, bounds.width, bounds.height], Array(nearest.dropFirst()))
        }
        return overlaps.filter { $0.value > leastOverlap }.max { $0.value < $1.value }?.key
    }

    private static func overlap(_ one: [Double], _ other: [Double]) -> Double {
        let width = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
        let height = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
        guard width > 0, height > 0 else { return 0 }
        return width * height / (one[2] * one[3] + other[2] * other[3] - width * height)
    }
}
