import ArgumentParser
import FacetTestSupport
import Foundation

extension Benchmark {
    /// How well the daemon reports what is labelled in clips.
    struct Accuracy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Run facetd on labelled clips, and compare what it reports with the labels.",
            discussion: """
                The folder holds the clips and truth.json, whose object `clips` has labels by file name: `fps`; `faces` by \
                person, with `visible` in seconds; `smiles` by person, with `clear` and `ambiguous` stretches in seconds; \
                `blinks`, the first and last frame with closed eyes, by person. A smile counts as found if it is reported \
                within it (0.5 s of slack), a blink if the reported one overlaps it (3 frames of slack). Processor time is \
                that of the whole program, decoding and start included. A smile of anybody counts for \
                whoever is labelled; as an own smile only one of the person who smiled does, which needs --people for clips \
                with several people.
                """
        )

        @Argument(help: "The folder.", completion: .directory)
        var folder: String

        @Option(
            name: .customLong("set"),
            help: ArgumentHelp("A setting for facetd; repeatable.", valueName: "key=value")
        )
        var assignments: [String] = []

        @Option(
            help: ArgumentHelp(
                "Where the labelled people are, in shares of the picture: {CLIP: {PERSON: [[s, x, y, width, height], …]}}.",
                valueName: "file"
            )
        )
        var people: String?

        @Option(help: "Only clips whose names contain this.")
        var only: String?

        @Option(help: "Keep what facetd prints in this directory.", completion: .directory)
        var keep: String?

        func run() async throws {
            let folder = URL(filePath: folder)
            let clips = try Labels.load(folder).filter { only.map($0.name.contains) ?? true }
            guard !clips.isEmpty else { throw ValidationError("no clip that \(folder.path)/truth.json names is there") }
            var rows = [
                [
                    "clip", "people", "identities", "false enters", "blinks", "smiles", "own smiles", "frames",
                    "ms a frame",
                ]
            ]
            var blinks = Score.Count()
            var smiles = Score.Count()
            var ownSmiles = Score.Count()
            var unplaced: [String] = []
            let places = try Score.places(in: self.people)
            var identities = 0
            var people = 0
            var wrongEnters = 0
            for (name, labels) in clips {
                let before = Self.childrensTime()
                let messages = try printed(folder.appending(path: name).path, as: name)
                let time = Self.childrensTime() - before
                let score = Score(of: messages.lines, against: labels, places: places[name])
                identities = identities + score.identities
                people = people + (score.people ?? score.identities)
                wrongEnters += score.wrongEnters
                for (figure, count) in [
                    ("blinks", score.blinks), ("smiles", score.smiles), ("own smiles", score.ownSmiles),
                ] {
                    guard let count else { continue }
                    let found = Double(count.found)
                    let wrong = Double(count.wrong)
                    ClipCount(figure, in: name, of: Double(count.labelled), right: found, wrong: wrong).print()
                }
                blinks = blinks + (score.blinks ?? Score.Count())
                smiles = smiles + (score.smiles ?? Score.Count())
                ownSmiles = ownSmiles + (score.ownSmiles ?? Score.Count())
                if score.smiles != nil, score.ownSmiles == nil { unplaced.append(name) }
                rows.append([
                    name, score.people.map(String.init) ?? "", "\(score.identities)", "\(score.wrongEnters)",
                    Self.text(score.blinks), Self.text(score.smiles), Self.text(score.ownSmiles), "\(messages.frames)",
                    String(format: "%.2f", 1000 * time / Double(max(1, messages.frames))),
                ])
            }
            rows.append([
                "all", "\(people)", "\(identities)", "\(wrongEnters)", Self.text(blinks), Self.text(smiles),
                Self.text(ownSmiles), "", "",
            ])
            Benchmark.printTable(rows)
            if !unplaced.isEmpty {
                let names = unplaced.joined(separator: ", ")
                print("own smiles: without \(names), since it is not known where their people are; see --people")
            }
            print(
                String(
                    format: "F1: blinks %.3f, smiles %.3f; most memory of any run: %.1f MB",
                    blinks.harmonicMean,
                    smiles.harmonicMean,
                    Self.childrensMemory() / 1e6
                )
            )
        }

        private static func text(_ count: Score.Count?) -> String {
            guard let count else { return "" }
            let further = [(count.wrong, "false"), (count.repeated, "repeated")].filter { $0.0 > 0 }
            return (["\(count.found) of \(count.labelled)"] + further.map { "\($0) \($1)" }).joined(separator: ", ")
        }

        /// What facetd prints about a clip, and how many frames it analysed.
        private func printed(_ path: String, as name: String) throws -> (lines: [Score.Message], frames: Int) {
            let arguments =
                ["--source", path, "--pace", "asap", "--no-mqtt", "--print"] + assignments.flatMap { ["--set", $0] }
            let process = Process()
            process.executableURL = URL(filePath: Benchmark.facetd)
            process.arguments = arguments
            let output = Pipe()
            let errors = try TemporaryDirectory()
            let log = try errors.write("", to: "log")
            process.standardOutput = output
            process.standardError = FileHandle(forWritingAtPath: log)
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let text = try String(contentsOfFile: log, encoding: .utf8)
            guard process.terminationStatus == 0 else { throw ValidationError("facetd failed on \(name): \(text)") }
            if let keep {
                let file = URL(filePath: keep).appending(path: name.replacing("/", with: "__") + ".jsonl")
                try FileManager.default.createDirectory(atPath: keep, withIntermediateDirectories: true)
                try data.write(to: file)
            }
            let lines = try data.split(separator: UInt8(ascii: "\n")).map {
                try JSONDecoder().decode(Score.Message.self, from: $0)
            }
            let count = text.firstMatch(of: /analysed=(\d+)/).flatMap { Int($0.output.1) }
            return (lines, count ?? 0)
        }

        /// The processor time of all programs that were run and have ended, in seconds.
        private static func childrensTime() -> Double {
            let usage = childrensUsage()
            return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        }

        /// The largest memory that any of them took, in bytes.
        private static func childrensMemory() -> Double { Double(childrensUsage().ru_maxrss) * 1024 }

        private static func childrensUsage() -> rusage {
            var usage = rusage()
            getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
            return usage
        }
    }
}
