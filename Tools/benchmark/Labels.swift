import Foundation

/// What is known to happen in a clip: an entry of `clips` in a truth file.
///
/// Times are seconds from the first frame, frames are counted from 0, ranges include both ends. Keys that are not read
/// here are left alone.
struct Labels: Decodable {
    /// Ranges, for one person, for each person, or for the whole clip.
    struct Ranges: Decodable {
        var all: [ClosedRange<Double>] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if (try? container.decode(String.self)) != nil {
                all = [0...Double.infinity]
            } else if let people = try? container.decode([String: [[Double]]].self) {
                all = people.values.flatMap { $0.map { $0[0]...$0[1] } }
            } else {
                all = try container.decode([[Double]].self).map { $0[0]...$0[1] }
            }
        }
    }

    struct Face: Decodable {
        /// When the face is to be seen; a text means in the whole clip.
        var visible: Ranges?
    }

    struct Smiles: Decodable {
        var clear: Ranges?
        /// Smiles that count neither when found nor when missed.
        var ambiguous: Ranges?
    }

    /// The clip's frames per second; 30 unless given.
    var fps: Double?
    /// The face of each labelled person; nil if the clip shows no face.
    var faces: [String: Face]?
    /// The number of people, where it is not that of `faces`.
    var people: Int?
    /// When there is no face.
    var noFace: Ranges?
    /// The smiles of each labelled person.
    var smiles: [String: Smiles]?
    /// The part of the clip in which smiles are labelled.
    var smilesScored: [Double]?
    /// First and last frame with closed eyes.
    var blinks: Ranges?
    /// Whether all blinks are labelled.
    var blinksAreComplete: Bool?
    /// The frames in which blinks are labelled.
    var blinksScored: [Double]?
    var ambiguousBlinks: Ranges?
    var unlabelledBlinks: Ranges?

    enum CodingKeys: String, CodingKey {
        case fps, faces, smiles, blinks
        case people = "distinct_people"
        case noFace = "no_face_s"
        case smilesScored = "smile_scored_s"
        case blinksAreComplete = "blinks_complete"
        case blinksScored = "blink_scored_frames"
        case ambiguousBlinks = "ambiguous_blinks"
        case unlabelledBlinks = "blink_unlabelled_frames"
    }

    private struct File: Decodable {
        var clips: [String: Labels]
    }

    /// The labels of a clip with those of one person's smiles alone.
    static func onlySmiles(of person: Smiles, in labels: Labels) -> Labels {
        var labels = labels
        labels.smiles = ["": person]
        return labels
    }

    /// The labels of all clips that a truth file names and that lie beside it, by name.
    static func load(_ folder: URL) throws -> [(name: String, labels: Labels)] {
        let data = try Data(contentsOf: folder.appending(path: "truth.json"))
        return try JSONDecoder().decode(File.self, from: data).clips
            .filter { FileManager.default.fileExists(atPath: folder.appending(path: $0.key).path) }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

/// How well what the daemon printed agrees with labels.
struct Score {
    /// Events of one kind.
    struct Count {
        var labelled = 0
        var found = 0
        var wrong = 0
        var repeated = 0

        /// The harmonic mean of the share of labels found and the share of reports that are right.
        var harmonicMean: Double {
            labelled + found + wrong > 0 ? 2 * Double(found) / Double(labelled + found + wrong) : 1
        }

        static func + (one: Count, other: Count) -> Count {
            Count(
                labelled: one.labelled + other.labelled,
                found: one.found + other.found,
                wrong: one.wrong + other.wrong,
                repeated: one.repeated + other.repeated
            )
        }
    }

    /// A line that the daemon printed.
    struct Message: Decodable {
        struct Payload: Decodable {
            var mediaTime: Double?
            var faceID: Int?
            var duration: Double?
            var eyes: String?
            var bounds: Bounds?
        }
        struct Bounds: Decodable {
            var x, y, width, height: Double
        }
        private enum CodingKeys: CodingKey { case topic, payload }

        var topic: String
        /// Nil if the payload is no object, as that of `count`.
        var payload: Payload?

        var kind: Substring { topic.split(separator: "/").last ?? "" }
        var time: Double { payload?.mediaTime ?? 0 }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            topic = try container.decode(String.self, forKey: .topic)
            payload = try? container.decode(Payload.self, forKey: .payload)
        }
    }

    /// How many people the labels say there are; nil if they do not.
    private(set) var people: Int?
    /// How many identities were given.
    private(set) var identities = 0
    /// Faces that entered where there is none.
    private(set) var wrongEnters = 0
    /// Nil if they are not labelled.
    private(set) var blinks: Count?
    private(set) var smiles: Count?
    /// The same, where a smile counts for the person who smiled only; nil if it is not known who is where.
    private(set) var ownSmiles: Count?

    /// The slack around a smile, in seconds.
    private static let smileSlack = 0.5
    /// The slack around a blink, in frames.
    private static let blinkSlack = 3.0

    init(of messages: [Message], against labels: Labels, places: Places?) {
        let enters = messages.filter { $0.kind == "enter" }
        identities = Set(enters.compactMap(\.payload?.faceID)).count
        people = labels.people ?? labels.faces?.count
        let empty = labels.noFace?.all ?? (labels.faces?.isEmpty == true ? [0...Double.infinity] : [])
        wrongEnters = enters.count { Self.isInside($0.time, empty, slack: -0.3) }
        if labels.smiles != nil {
            let told = messages.filter { $0.kind == "smile" }
            smiles = Self.smiles(told, labels)
            // Of one person everything is their own.
            ownSmiles = places.map { Self.smilesByPerson(told, labels, $0) } ?? (people == 1 ? smiles : nil)
        }
        if labels.blinks != nil, labels.blinksAreComplete != false {
            blinks = Self.blinks(
                messages.filter { $0.kind == "blink" && ($0.payload?.eyes ?? "both") == "both" },
                labels
            )
        }
    }

    private static func isInside(_ time: Double, _ ranges: [ClosedRange<Double>], slack: Double) -> Bool {
        ranges.contains { $0.lowerBound - slack <= time && time <= $0.upperBound + slack }
    }

    /// A smile is found if it is reported within it, of whomever. One in an ambiguous stretch does not count, another
    /// one is wrong.
    static func smiles(_ messages: [Message], _ labels: Labels) -> Count {
        let scored = labels.smilesScored ?? [0, .infinity]
        let people = labels.smiles.map { Array($0.values) } ?? []
        let clear = people.flatMap { $0.clear?.all ?? [] }.filter { $0.lowerBound <= scored[1] }
        let ambiguous = people.flatMap { $0.ambiguous?.all ?? [] }
        let times = messages.map(\.time).filter { scored[0] <= $0 && $0 <= scored[1] }
        let found = clear.count { smile in times.contains { isInside($0, [smile], slack: smileSlack) } }
        return Count(
            labelled: clear.count,
            found: found,
            wrong: times.count { !isInside($0, clear + ambiguous, slack: smileSlack) },
            repeated: max(0, times.count { isInside($0, clear, slack: smileSlack) } - found)
        )
    }

    /// A blink is found if it overlaps the reported one, each label by one report only.
    private static func blinks(_ messages: [Message], _ labels: Labels) -> Count {
        var open = labels.blinks?.all ?? []
        let ignored = (labels.ambiguousBlinks?.all ?? []) + (labels.unlabelledBlinks?.all ?? [])
        let scored = labels.blinksScored ?? [0, .infinity]
        let rate = labels.fps ?? 30
        var count = Count(labelled: open.count)
        for message in messages {
            let end = message.time * rate
            let start = end - (message.payload?.duration ?? 0.2) * rate
            guard end >= scored[0], start <= scored[1] else { continue }
            func overlaps(_ blink: ClosedRange<Double>) -> Bool {
                start <= blink.upperBound + blinkSlack && end >= blink.lowerBound - blinkSlack
            }
            if let label = open.firstIndex(where: overlaps) {
                open.remove(at: label)
                count.found += 1
            } else if !ignored.contains(where: overlaps) {
                count.wrong += 1
            }
        }
        return count
    }
}
