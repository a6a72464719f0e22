import ArgumentParser
import FaceInference
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames

extension Benchmark {
    /// What it costs to look for further faces while some are followed.
    struct Search: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Measure the processor time of searches and of landmarks, by the size of the frames and the number of faces."
        )

        @Option(help: "How many seconds of video.")
        var seconds = 10.0

        func run() throws {
            var rows = [
                [
                    "size", "faces", "followed", "searches a second", "ms a search", "landmarks, ms a frame",
                    "share of a core",
                ]
            ]
            let portrait = try Portrait.load("/usr/local/share/facet", count: 1)[0]
            for size in [
                FrameSize(width: 640, height: 480), .init(width: 1280, height: 720), .init(width: 1920, height: 1080),
            ] {
                for count in [0, 1, 2, 4, 8] {
                    let sitters = (0..<count).map { number in
                        portrait.sitter(
                            width: 0.09 * Double(size.width),
                            at: (
                                x: size.width * (2 * (number % 4) + 1) / 8, y: size.height * (number < 4 ? 2 : 5) / 7
                            ),
                            visible: 0..<seconds
                        )
                    }
                    rows.append([size.description, "\(count)"] + (try measure(sitters, size)))
                }
            }
            Benchmark.printTable(rows)
        }

        private func measure(_ sitters: [RoomScene.Sitter], _ size: FrameSize) throws -> [String] {
            var scene = RoomScene.Options()
            scene.size = size
            let room = RoomScene(scene, sitters: sitters)
            // With all wanted faces found, the detector would not search: more are wanted than there are.
            var options = FaceAnalyzer.Options()
            options.maximumFaces = 32
            // People move: their landmarks are computed in every frame.
            options.skipsUnchanged = sitters.isEmpty
            let analyzer = try FaceAnalyzer(options)
            let count = Int(seconds * scene.rate)
            var searches = 0
            var detection = 0.0
            var landmarks = 0.0
            var total = 0.0
            var followed = 0
            for number in 0..<count {
                let frame = room.frame(number)
                let start = Room.threadTime
                let analysis = try analyzer.analyze(frame)
                // In the first second everybody is found.
                guard frame.stamp.mediaTime >= 1 else { continue }
                total += Room.threadTime - start
                landmarks += analysis.landmarkTime / .seconds(1)
                detection += analysis.detectionTime / .seconds(1)
                searches += analysis.ranDetector ? 1 : 0
                followed = analysis.observations.count
            }
            let time = seconds - 1
            return [
                "\(followed)", String(format: "%.1f", Double(searches) / time),
                String(format: "%.2f", 1000 * detection / Double(max(1, searches))),
                String(format: "%.2f", 1000 * landmarks / (time * scene.rate)),
                String(format: "%.1f %%", 100 * total / time),
            ]
        }
    }
}
