import ArgumentParser
import FaceInference
import FaceMetadata
import FacetKit
import FacetTestSupport
import Foundation
import Frames
import System

extension Benchmark {
    /// How soon people who appear and vanish from one frame to the next are reported.
    struct Presence: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show people who come and go by hard cuts, one after the other, and time enter and leave.",
            discussion: """
                The people sit in a made-up room (see RoomScene). Times are seconds of video at 30 frames/s from the first \
                frame with the face to the enter, and from the first one without to the leave.
                """
        )

        @Option(help: "A folder of portraits; those that come first in the order of their names are taken.")
        var portraits: String

        @Option(help: "How many people.")
        var people = 5

        @Option(help: "The width of each face as a share of the frame's.")
        var faceWidth = 0.05

        @Option(help: "The sizes of the frames, separated by commas.")
        var sizes = "640x480,1280x720,1280x480"

        @Flag(help: "Look with detection.accuracy: high.")
        var high = false

        func run() throws {
            var rows = [["size", "people", "identities", "enters after", "leaves after"]]
            let portraits = try Portrait.load(self.portraits, count: people)
            for size in sizes.split(separator: ",") {
                let numbers = size.split(separator: "x").compactMap { Int($0) }
                guard numbers.count == 2 else { throw ValidationError("--sizes takes WIDTHxHEIGHT, not \"\(size)\"") }
                let stays = (0..<people).map { 1 + 1.37 * Double($0)..<2.5 + 1.37 * Double(people + $0) }
                let events = try events(in: room(portraits, FrameSize(width: numbers[0], height: numbers[1]), stays))
                let enters = events.filter { $0.kind == .enter }
                let leaves = events.filter { if case .leave = $0.kind { true } else { false } }
                rows.append([
                    String(size), "\(people)", "\(Set(enters.map(\.face.faceID)).count)",
                    delays(of: enters, after: stays.map(\.lowerBound)),
                    delays(of: leaves, after: stays.map(\.upperBound)),
                ])
            }
            Benchmark.printTable(rows)
        }

        /// How long after each time the first event came, and no other time was nearer.
        private func delays(of events: [FaceEvent], after times: [Double]) -> String {
            times.indices.map { index in
                let end = index + 1 < times.count ? times[index + 1] : .infinity
                let event = events.first { times[index]..<end ~= $0.stamp.mediaTime }
                return event.map { String(format: "%.2f", $0.stamp.mediaTime - times[index]) } ?? "never"
            }.joined(separator: " ")
        }

        private func events(in room: RoomScene) throws -> [FaceEvent] {
            var options = FaceSession.Options()
            options.detection.accuracy = high ? .high : .standard
            let count = Int((2.74 * Double(people) + 4) * room.parameters.rate)
            var events: [FaceEvent] = []
            try FaceSession(source: .custom(RoomSource(room, count: count)), options: options).run {
                events += $0.events
            }
            return events
        }

        /// Everybody in a row through the middle, turned as in the portrait.
        private func room(_ portraits: [Portrait], _ size: FrameSize, _ stays: [Range<Double>]) -> RoomScene {
            var parameters = RoomScene.Parameters()
            parameters.size = size
            return RoomScene(
                parameters,
                sitters: stays.enumerated().map { number, stay in
                    portraits[number].sitter(
                        width: faceWidth * Double(size.width),
                        at: (x: size.width * (2 * number + 1) / (2 * people), y: size.height * (2 + number % 2) / 5),
                        visible: stay
                    )
                }
            )
        }
    }
}

/// A room's frames, as fast as they are taken.
private final class RoomSource: FrameSource {
    private let room: RoomScene
    private let count: Int
    private let isStopped = Monitor(false)

    init(_ room: RoomScene, count: Int) { (self.room, self.count) = (room, count) }

    func run(into mailbox: FrameMailbox) {
        for number in 0..<count where !isStopped.update({ $0 }) { mailbox.put(.frame(room.frame(number))) }
        mailbox.put(.ended(.finished))
    }

    func stop() { isStopped.update { $0 = true } }
}
