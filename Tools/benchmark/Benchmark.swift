import ArgumentParser
import Foundation

/// Times the parts that have to be fast, each against something that does less of the same work.
///
/// Both of a pair run in turn in one process, so that a noisy machine disturbs both alike. The figure to quote is the
/// median ratio of processor times.
@main
struct Benchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark",
        abstract: "Time what has to be fast, as ratios within one run.",
        subcommands: [Tracking.self, Program.self, Delivery.self, Fleet.self, Room.self]
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

    private static func format(_ number: Double) -> String { String(format: "%.3f", number) }

    /// The processor time of the whole process while `body` runs, in seconds.
    private static func processorTime(_ body: () async throws -> Void) async rethrows -> Double {
        let start = clock()
        try await body()
        return Double(clock() - start) / Double(CLOCKS_PER_SEC)
    }
}
