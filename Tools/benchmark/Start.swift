import ArgumentParser
import Foundation

extension Benchmark {
    /// How long the daemon takes until it says something about faces.
    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Time facetd from its start to its first metadata.",
            discussion: "The time is that on the wall: run it on a machine that does nothing else."
        )

        @Argument(help: "A picture or a clip with a face in its first frame.", completion: .file())
        var source: String

        @Option(help: "How often.")
        var runs = 15

        func run() throws {
            var times = try (0..<runs).map { _ in try time() }
            times.sort()
            let figures = [times[runs / 2], times[0], times[runs - 1]].map { String(format: "%.1f", $0 * 1000) }
            print("start to first metadata of \(source): median \(figures[0]) ms (\(figures[1]) … \(figures[2]))")
        }

        private func time() throws -> Double {
            let process = Process()
            process.executableURL = URL(filePath: Benchmark.facetd)
            process.arguments = ["--source", source, "--no-mqtt", "--print", "--set", "log.level=error"]
            let output = Pipe()
            process.standardOutput = output
            let start = ContinuousClock.now
            try process.run()
            defer {
                process.terminate()
                process.waitUntilExit()
            }
            var text = ""
            while true {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { throw ValidationError("facetd reported no faces in \(source)") }
                text += String(decoding: data, as: UTF8.self)
                // The first metadata after the start can be the empty set.
                if text.contains("/metadata\"") { return (ContinuousClock.now - start) / .seconds(1) }
            }
        }
    }
}
