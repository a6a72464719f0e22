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

        @Option(help: "How many portraits hang there as posters, up to 8, which are still already.")
        var posters = 0

        @Option(help: "The folder of the portraits.")
        var portraits = "../shared/clips/smiles"

        @Flag(help: "Give the frames as JPEGs, as MJPG cameras do, and count the decoding separately.")
        var jpeg = false

        @Flag(help: "Run the models in every frame, whether or not anything has changed.")
        var everyFrame = false

        func run() throws {
            let scene = try scene()
            var options = FaceAnalyzer.Options()
            options.skipsUnchanged = !everyFrame
            let camera = try Camera(analyzer: FaceAnalyzer(options), givesJPEG: jpeg)
            if posters > 0 {
                // Until all are found, and their first moment is over.
                var found: Set<Int> = []
                for number in 0..<120 {
                    let frame = try camera.captured(scene.frame(number))
                    found.formUnion(try camera.analyze(frame).0.observations.map(\.lineage))
                    if number == 119 { camera.analyzer.setAside(Array(found), in: frame) }
                }
                print("\(found.count) of \(posters) posters found")
            }
            let first = posters > 0 ? 150 : 0
            let count = Int(seconds * scene.options.rate)
            var time = 0.0
            var decoding = 0.0
            var searches = 0
            let runsBefore = camera.analyzer.landmarkModel.runs
            var found: Double?
            for number in first..<first + count {
                let frame = try camera.captured(scene.frame(number))
                let start = Self.threadTime
                let (analysis, decodingTime) = try camera.analyze(frame)
                // The first frame is part of the start: the models are warmed up by it.
                if number > first {
                    time += Self.threadTime - start - decodingTime
                    decoding += decodingTime
                }
                searches += analysis.ranDetector ? 1 : 0
                if found == nil, !analysis.observations.isEmpty { found = frame.stamp.mediaTime }
            }
            let runs = camera.analyzer.landmarkModel.runs - runsBefore
            func text(_ time: Double) -> String {
                let share = time / (Double(count) / scene.options.rate)
                return String(format: "%.2f %% of a core, %.3f ms a frame", 100 * share, 1000 * time / Double(count))
            }
            print(
                "\(text(time)); decoding \(text(decoding)); searches \(searches) and landmarks \(runs) in \(count) frames;",
                "face: \(found.map { String(format: "%.3f s", $0) } ?? "none")"
            )
        }

        /// Gives frames to the analyzer as the pipeline does.
        private final class Camera {
            let analyzer: FaceAnalyzer
            private let decoder = try? JPEGDecoder()
            private let encoder: JPEGEncoder?

            init(analyzer: FaceAnalyzer, givesJPEG: Bool) throws {
                self.analyzer = analyzer
                encoder = givesJPEG ? try JPEGEncoder(quality: 85, maximumWidth: 4096) : nil
            }

            /// The frame as the camera delivers it.
            func captured(_ frame: Frame) throws -> Frame {
                guard let encoder else { return frame }
                let bytes = Bytes(try encoder.encode(frame))
                var jpeg = frame
                jpeg.format = .jpeg
                jpeg.planes = Frame.Planes(Frame.Plane(base: UnsafeRawPointer(bytes.base), bytesPerRow: bytes.count))
                jpeg.lease = bytes
                return jpeg
            }

            /// Analyses a frame, and measures the processor time that went into decoding it.
            func analyze(_ frame: Frame) throws -> (FaceAnalysis, decoding: Double) {
                guard frame.format == .jpeg, let decoder else { return (try analyzer.analyze(frame), 0) }
                let start = Room.threadTime
                var decoding = 0.0
                if let scale = analyzer.glanceScale(for: frame.size) {
                    let small = try decoder.decode(frame, decimation: scale, isGray: true)
                    decoding = Room.threadTime - start
                    if let analysis = analyzer.glance(at: small) { return (analysis, decoding) }
                }
                let again = Room.threadTime
                let picture = try decoder.decode(frame, decimation: analyzer.usefulScale(for: frame.size))
                decoding += Room.threadTime - again
                return (try analyzer.analyze(picture), decoding)
            }
        }

        /// A JPEG's bytes; they do not change once it is made.
        private final class Bytes: @unchecked Sendable {
            let base: UnsafeMutablePointer<UInt8>
            let count: Int

            init(_ bytes: [UInt8]) {
                count = bytes.count
                base = .allocate(capacity: count)
                base.initialize(from: bytes, count: count)
            }

            deinit { base.deallocate() }
        }

        private func scene() throws -> RoomScene {
            let numbers = size.split(separator: "x").compactMap { Int($0) }
            guard numbers.count == 2 else { throw ValidationError("--size takes WIDTHxHEIGHT, not \"\(size)\"") }
            var options = RoomScene.Options()
            options.size = FrameSize(width: numbers[0], height: numbers[1])
            options.noise = noise
            options.flicker = flicker
            options.daylight = daylight
            options.exposureJump = jump
            options.faceAt = faceAt
            options.faceWidth = faceWidth
            options.faceSpeed = faceSpeed
            options.faceBrightness = faceBrightness
            let (width, height) = (numbers[0], numbers[1])
            let sitters =
                try posters == 0
                ? []
                : Portrait.load(portraits, count: posters).enumerated().map { index, face in
                    face.sitter(
                        width: 0.11 * Double(width),
                        at: (x: width * (2 * (index % 4) + 1) / 8, y: height * (2 * (index / 4) + 1) / 4),
                        visible: 0..<1e9
                    )
                }
            guard faceAt != nil else { return RoomScene(options, sitters: sitters) }
            let portrait = try Portrait.load("/usr/local/share/facet", count: 1)[0]
            return RoomScene(options, portrait: portrait.picture, face: portrait.face)
        }

        /// The processor time of this thread, in seconds.
        static var threadTime: Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }
}
