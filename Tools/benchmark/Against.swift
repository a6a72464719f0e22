import ArgumentParser
import Foundation

extension Benchmark {
    /// The daemon's processor time per frame against that of another program that does the same.
    struct Against: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compare the daemon's processor time per frame with MediaPipe's, or that of any other program.",
            discussion: """
                Runs both in turn on the first frames of each labelled clip of a folder, decoded beforehand. The other \
                program is started with the clip, the number of frames and that of people as arguments; for each line that \
                it reads it looks at all frames and writes how many seconds of processor time that took and how many \
                frames there are. Tools/benchmark/face-mesh.py does so with MediaPipe. Neither side's start counts.
                """
        )

        @Argument(help: "The folder of clips; see `benchmark accuracy`.", completion: .directory)
        var folder: String

        @Option(help: "The other program, with its arguments, separated by spaces.")
        var program = "python3 Tools/benchmark/face-mesh.py"

        @Option(help: "How often each runs on a clip.")
        var rounds = 3

        @Option(help: "Only clips whose names contain this.")
        var only: String?

        func run() async throws {
            let folder = URL(filePath: folder)
            var rows = [["clip", "frames", "facetd, ms a frame", "other, ms a frame", "ratio"]]
            var ratios: [Double] = []
            for (name, labels) in try Labels.load(folder) where only.map(name.contains) ?? true {
                let path = folder.appending(path: name).path
                let frames = try RecordedFrames(path)
                let other = try OtherProgram(
                    program,
                    clip: path,
                    frames: frames.frames.count,
                    people: labels.faces?.count ?? 1
                )
                let daemon = try DaemonUnderTest(frames, brokerPort: nil)
                // The first round is each one's start.
                try daemon.run(round: 0)
                _ = try other.secondsPerFrame()
                var pairs: [(Double, Double)] = []
                for round in 1...rounds {
                    let time = try await Benchmark.processorTime { try daemon.run(round: round) }
                    pairs.append((time / Double(frames.frames.count), try other.secondsPerFrame()))
                }
                let ratio = median(pairs.map { $0.0 / $0.1 })
                ratios.append(ratio)
                rows.append(
                    [name, "\(frames.frames.count)"]
                        + [1000 * median(pairs.map(\.0)), 1000 * median(pairs.map(\.1)), ratio].map {
                            String(format: "%.3f", $0)
                        }
                )
            }
            guard !ratios.isEmpty else {
                throw ValidationError("no clip that \(folder.path)/truth.json names is there")
            }
            Benchmark.printTable(rows)
            print("median ratio over \(ratios.count) clips: \(String(format: "%.3f", median(ratios)))")
        }

        private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    }
}

/// A program that looks at a clip's frames whenever it is told to, and measures its own processor time.
private final class OtherProgram {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ command: String, clip: String, frames: Int, people: Int) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command.split(separator: " ").map(String.init) + [clip, "\(frames)", "\(max(1, people))"]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func secondsPerFrame() throws -> Double {
        input.fileHandleForWriting.write(Data("again\n".utf8))
        var answer = Data()
        while answer.last != UInt8(ascii: "\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else {
                let command = process.arguments?.joined(separator: " ") ?? ""
                throw ValidationError("\(command) ended: run it by itself to see why, and give --program")
            }
            answer += data
        }
        let numbers = String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap {
            Double($0)
        }
        guard numbers.count == 2, numbers[1] > 0 else {
            throw ValidationError("the other program must write two numbers")
        }
        return numbers[0] / numbers[1]
    }
}
