import ArgumentParser
import FaceInference
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MediaFiles

extension Benchmark {
    /// What a room costs in which nothing happens, or into which a face comes.
    struct Room: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Measure the processor time that a camera's frames of a room take, capture and decoding excluded.",
            discussion: """
                The room is made up: see RoomScene. Prints the analysis's processor time as a share of one core at the \
                frame rate, how often the detector ran, and when the first face was found.
                """
        )

        @Option(help: "How many seconds of video.")
        var seconds = 60.0

        @Option(help: "The size of the frames, such as 640x480.")
        var size = "640x480"

        @Option(help: "The noise's standard deviation in grey levels.")
        var noise = 4.0

        @Option(help: "How much the mains make the light flicker, as a share of it.")
        var flicker = 0.0

        @Option(help: "How much brighter the light gets in a minute, as a share of it.")
        var daylight = 0.0

        @Option(help: "The share by which the exposure jumps every five seconds.")
        var jump = 0.0

        @Option(help: "When a face begins to come in, in seconds.")
        var faceAt: Double?

        @Option(help: "The face's width as a share of the frame's.")
        var faceWidth = 0.2

        @Option(help: "How fast the face comes in, in frame widths per second.")
        var faceSpeed = 0.2

        @Option(help: "The face's brightness as a share of the portrait's.")
        var faceBrightness = 1.0

        @Flag(help: "Run the models in every frame, whether or not anything has changed.")
        var everyFrame = false

        func run() throws {
            let scene = try scene()
            var options = FaceAnalyzer.Options()
            options.skipsUnchanged = !everyFrame
            let analyzer = try FaceAnalyzer(options)
            let count = Int(seconds * scene.parameters.rate)
            var (time, searches): (Double, Int) = (0, 0)
            var found: Double?
            for number in 0..<count {
                let frame = scene.frame(number)
                let start = Self.threadTime
                let analysis = try analyzer.analyze(frame)
                // The first frame is part of the start: the models are warmed up by it.
                if number > 0 { time += Self.threadTime - start }
                searches += analysis.ranDetector ? 1 : 0
                if found == nil, !analysis.observations.isEmpty { found = frame.stamp.mediaTime }
            }
            let share = time / (Double(count) / scene.parameters.rate)
            print(
                "\(String(format: "%.2f %% of a core, %.3f ms a frame", 100 * share, 1000 * time / Double(count)));",
                "searches \(searches) in \(count) frames;",
                "face: \(found.map { String(format: "%.3f s", $0) } ?? "none")"
            )
        }

        private func scene() throws -> RoomScene {
            let numbers = size.split(separator: "x").compactMap { Int($0) }
            guard numbers.count == 2 else { throw ValidationError("--size takes WIDTHxHEIGHT, not \"\(size)\"") }
            var parameters = RoomScene.Parameters()
            parameters.size = FrameSize(width: numbers[0], height: numbers[1])
            parameters.noise = noise
            parameters.flicker = flicker
            parameters.daylight = daylight
            parameters.exposureJump = jump
            parameters.faceAt = faceAt
            parameters.faceWidth = faceWidth
            parameters.faceSpeed = faceSpeed
            parameters.faceBrightness = faceBrightness
            guard faceAt != nil else { return RoomScene(parameters) }
            let portrait = try StillPicture.load("/usr/local/share/facet/astronaut.png")
            guard let face = try FaceAnalyzer().analyze(portrait).observations.first?.bounds else {
                throw ValidationError("no face in the portrait; run deploy/setup")
            }
            return RoomScene(parameters, portrait: portrait, face: face)
        }

        /// The processor time of this thread, in seconds.
        private static var threadTime: Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }
}
