import ArgumentParser
import Foundation

extension Benchmark {
    /// What the daemon costs as a whole, seen from outside.
    struct Program: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Measure facetd on clips: start, processor time per frame, memory, libraries.",
            discussion: """
                Runs each program in turn on each source, and prints medians, and ratios to the first program. The processor \
                time is that from the 20th frame to the last, so the start is not in it; that of the thread that decodes the \
                clip is printed by itself and left out of the ratio. The time to the first metadata, and how many of the same \
                frames come in a second, are wall-clock times: measure them on a machine that does nothing else.
                """
        )

        @Argument(help: "Clips and pictures; none for a daemon that waits for a camera that is not there.")
        var sources: [String] = []

        @Option(help: "A facetd; give it again to compare several. Without it, the one beside this program.")
        var program: [String] = []

        @Option(help: "How often each program runs on each source.")
        var rounds = 5

        @Flag(help: "Play clips in real time, as a camera would deliver them.")
        var realtime = false

        func validate() throws {
            guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more, not \(rounds)") }
        }

        func run() throws {
            let programs = program.isEmpty ? [Benchmark.facetd] : program
            for source in sources.isEmpty ? [nil] : sources.map(Optional.some) {
                print(source ?? "waiting for a camera")
                var runs = [[Measurement]](repeating: [], count: programs.count)
                for _ in 0..<rounds {
                    for (index, program) in programs.enumerated() {
                        runs[index].append(try measure(program, source))
                    }
                }
                for (program, runs) in zip(programs, runs) { report(program, runs) }
                let baseline = median(runs[0].compactMap(\.analysis))
                for (program, runs) in zip(programs, runs).dropFirst() where baseline > 0 {
                    let ratio = median(runs.compactMap(\.analysis)) / baseline
                    print(String(format: "  %.3f of the first program's processor time: %@", ratio, program))
                }
            }
        }

        private func measure(_ program: String, _ source: String?) throws -> Measurement {
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = ["--no-mqtt", "--print"]
            if let source {
                process.arguments? += ["--source", source, "--pace", realtime ? "realtime" : "asap"]
            }
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            let start = ContinuousClock.now
            try process.run()
            defer {
                process.terminate()
                process.waitUntilExit()
            }
            var measurement = Measurement()
            guard source != nil else {
                // Long enough for the models and the first search for a camera.
                Thread.sleep(forTimeInterval: 3)
                measurement.readMemory(of: process.processIdentifier)
                return measurement
            }
            var lines = Lines(output.fileHandleForReading)
            while let line = lines.next() {
                guard line.contains("/metadata\""), let frame = Self.frame(in: line) else { continue }
                if measurement.firstMetadata == nil { measurement.firstMetadata = (.now - start) / .milliseconds(1) }
                measurement.note(frame, of: process.processIdentifier)
            }
            return measurement
        }

        /// The number of the frame that a message is about.
        private static func frame(in line: String) -> Int? {
            line.firstRange(of: "\"frame\":").flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) }
        }

        private func report(_ program: String, _ runs: [Measurement]) {
            func text(_ format: String, _ values: [Double]) -> String {
                values.isEmpty ? "" : String(format: format, median(values))
            }
            print(
                " ",
                program,
                text("first metadata after %.0f ms;", runs.compactMap(\.firstMetadata)),
                text("%.3f ms a frame", runs.compactMap(\.analysis)),
                text("and %.3f ms to decode it;", runs.compactMap(\.decoding)),
                text("%.0f frames in a second;", runs.compactMap(\.rate)),
                text("resident %.1f MB,", runs.map(\.resident)),
                text("not from files %.1f MB,", runs.map(\.anonymous)),
                text("%.0f libraries", runs.map(\.libraries))
            )
        }

        private func median(_ values: [Double]) -> Double {
            values.isEmpty ? 0 : values.sorted()[values.count / 2]
        }
    }
}

/// One run of a program.
private struct Measurement {
    /// Milliseconds from the program's start.
    var firstMetadata: Double?
    private(set) var resident = 0.0
    private(set) var anonymous = 0.0
    private(set) var libraries = 0.0
    private typealias Point = (frame: Int, times: [String: Double], at: ContinuousClock.Instant)
    private var first: Point?
    private var last: Point?

    /// Frames in a second of wall-clock time.
    var rate: Double? {
        guard let first, let last, last.at > first.at else { return nil }
        return Double(last.frame - first.frame) / ((last.at - first.at) / .seconds(1))
    }

    /// Milliseconds of processor time per frame on the thread that reads the source.
    var decoding: Double? { perFrame { $0 == "capture" || $0.hasPrefix("av:") } }
    /// The same on all other threads.
    var analysis: Double? { perFrame { $0 != "capture" && !$0.hasPrefix("av:") } }

    private func perFrame(_ isCounted: (String) -> Bool) -> Double? {
        guard let first, let last, last.frame > first.frame else { return nil }
        let sum = last.times.filter { isCounted($0.key) }.reduce(0) { $0 + $1.value - (first.times[$1.key] ?? 0) }
        return sum / Double(last.frame - first.frame)
    }

    mutating func note(_ frame: Int, of identifier: Int32) {
        let times = Self.times(of: identifier)
        // What comes after the clip's end is published when its thread is gone.
        guard times["capture"] != nil else { return }
        if first == nil, frame >= 20 { first = (frame, times, .now) }
        last = (frame, times, .now)
        if frame % 50 < 10 { readMemory(of: identifier) }
    }

    mutating func readMemory(of identifier: Int32) {
        guard let status = try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8),
            // Not by path: /proc claims that its files are empty, and then only the first page is read.
            let file = FileHandle(forReadingAtPath: "/proc/\(identifier)/maps"), let maps = try? file.readToEnd()
        else { return }
        func megabytes(_ name: String) -> Double? {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Double($0.split(whereSeparator: \.isWhitespace)[1]) }.map { $0 * 1024 / 1e6 }
        }
        guard let all = megabytes("VmRSS"), all > 0 else { return }
        resident = all
        anonymous = megabytes("RssAnon") ?? 0
        let paths = String(decoding: maps, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.firstIndex(of: "/").map { line[$0...] }
        }
        libraries = Double(Set(paths.filter { $0.contains(".so") }).count)
    }

    /// The processor time of each thread by name, in milliseconds.
    private static func times(of identifier: Int32) -> [String: Double] {
        let tasks = "/proc/\(identifier)/task"
        var times: [String: Double] = [:]
        for task in (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? [] {
            guard let name = try? String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8),
                let text = try? String(contentsOfFile: "\(tasks)/\(task)/schedstat", encoding: .utf8),
                let time = text.split(separator: " ").first.flatMap({ Double($0) })
            else { continue }
            times[String(name.dropLast()), default: 0] += time / 1e6
        }
        return times
    }
}

/// The lines that come out of a pipe, as soon as they come.
private struct Lines: IteratorProtocol {
    private let handle: FileHandle
    private var rest: [UInt8] = []

    init(_ handle: FileHandle) { self.handle = handle }

    mutating func next() -> String? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let count = read(handle.fileDescriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            rest += buffer.prefix(count)
        }
    }
}
