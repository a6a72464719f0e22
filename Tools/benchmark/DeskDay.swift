import ArgumentParser
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MediaFiles

extension Benchmark {
    /// Writes the clip of a day at a desk that `Tests/home-assistant` plays.
    struct DeskDay: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "desk-day",
            abstract: "Write a clip of a day at a desk, made of real people, and when somebody is there.",
            discussion: """
                Somebody comes, turns away again and again for 2 to 20 s, leaves, comes back, turns away, leaves for good and \
                is replaced by somebody else, who turns away too and leaves. 640×480 at 10 frames/s, about four minutes. \
                Needs the development clips.
                """
        )

        @Argument(help: "The clip to write.")
        var clip: String

        @Argument(help: "The file for the times, JSON: each visit's begin and end in seconds.")
        var times: String

        struct Visit: Encodable {
            /// When the person has come to the place, in seconds of the clip.
            var begin: Double
            /// When all of the person is out of the picture.
            var end: Double
        }

        func run() throws {
            let rooms = try Hold.rooms()
            let one = try HoldActor("asl/milk.mkv")
            let other = try HoldActor("asl/sister.mkv")
            let writer = try ClipWriter(clip, size: HoldScene.size, rate: HoldScene.rate)
            var visits: [Visit] = []
            var length = 0

            /// Adds a scene and says when it begins.
            func add(
                _ kind: HoldScene.Kind,
                _ person: HoldActor,
                comes: Bool = false,
                hidden: Double? = nil
            ) throws -> (scene: HoldScene, begin: Double) {
                let scene = HoldScene(
                    kind,
                    person,
                    other,
                    rooms: rooms,
                    isRoomKnown: comes,
                    seed: 12,
                    hidden: hidden
                )
                let begin = Double(length) / HoldScene.rate
                for number in 0..<scene.frames {
                    var frame = scene.frame(number)
                    frame.stamp.mediaTime += begin
                    try writer.append(frame)
                }
                length += scene.frames
                return (scene, begin)
            }

            /// Lets a person come and turn away, for each of these numbers of seconds.
            func visit(_ turns: [Double]) throws {
                let (_, begin) = try add(.turn, one, comes: true, hidden: turns[0])
                visits.append(Visit(begin: begin + HoldScene.empty + 1, end: .infinity))
                for turn in turns.dropFirst() { _ = try add(.turn, one, hidden: turn) }
            }

            try visit([5, 2, 8, 20, 3.5, 12])
            let first = try add(.walkOut, one)
            visits[0].end = first.begin + (first.scene.departure ?? 0)
            try visit([4, 16, 2.5, 9])
            let second = try add(.newcomer, one)
            visits[1].end = second.begin + (second.scene.departure ?? 0)
            visits.append(Visit(begin: second.begin + second.scene.arrival + 1, end: .infinity))
            for turn in [3, 14, 6.0] { _ = try add(.turn, other, hidden: turn) }
            let last = try add(.walkOut, other)
            visits[2].end = last.begin + (last.scene.departure ?? 0)
            try writer.finish()
            try JSONEncoder().encode(visits).write(to: URL(filePath: times))
        }
    }
}
