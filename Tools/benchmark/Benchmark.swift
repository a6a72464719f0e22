import ArgumentParser
import Foundation
import System

/// Measures the daemon and its parts; `deploy/bench` runs it.
///
/// Where two ways to do something are compared, they run in turn in one process, so that a noisy machine disturbs both
/// alike. The figure to quote is the median ratio of processor times.
@main
struct Benchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark",
        abstract: "Measure how accurate, fast and small the daemon is.",
        subcommands: [
            Accuracy.self, Presence.self, Hold.self, DeskDay.self, Posters.self, Tracking.self, Against.self,
            Search.self, Program.self, Room.self,
            Fleet.self, Delivery.self, OverlaySheets.self,
        ]
    )

    static let rounds = 9

    /// One of two ways to do something.
    struct Contender {
        let name: String
        let run: (_ round: Int) async throws -> Void

        init(_ name: String, _ run: @escaping (_ round: Int) async throws -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Runs two contenders in turn and prints their times per item and the ratio of the second to the first.
    static func compare(_ first: Contender, _ second: Contender, items: Int) async throws {
        var ratios: [Double] = []
        for round in 0..<rounds {
            let times = (
                try await processorTime { try await first.run(round) },
                try await processorTime { try await second.run(round) }
            )
            ratios.append(times.1 / times.0)
            let perItem = [(first.name, times.0), (second.name, times.1)]
                .map { name, time in "\(name) \(format(time / Double(items) * 1000)) ms" }
            print("round \(round + 1)  \(perItem.joined(separator: "  "))  ratio \(format(times.1 / times.0))")
        }
        ratios.sort()
        print("median ratio \(format(ratios[rounds / 2])) (\(format(ratios[0])) … \(format(ratios[rounds - 1])))")
    }

    /// The facetd that was built with this program.
    static let facetd = RunningProgram.directory + "/facetd"

    /// Prints a table in Markdown; the first row is its heading.
    static func printTable(_ rows: [[String]]) {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        for (number, row) in rows.enumerated() {
            print(line(zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }))
            if number == 0 { print(line(widths.map { String(repeating: "-", count: max(3, $0)) })) }
        }
    }

    private static func format(_ number: Double) -> String { String(format: "%.3f", number) }

    /// The processor time of the whole process while `body` runs, in seconds.
    static func processorTime(_ body: () async throws -> Void) async rethrows -> Double {
        let start = clock()
        try await body()
        return Double(clock() - start) / Double(CLOCKS_PER_SEC)
    }
}
