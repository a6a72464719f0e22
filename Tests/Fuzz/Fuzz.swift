// Feeds mutated bytes to everything that reads bytes from outside. deploy/fuzz builds and runs it.
//
//   fuzz TARGET [-seconds N] [-runs N] [libFuzzer's options] CORPUS…   with libFuzzer: mutates, guided by coverage
//   fuzz TARGET [-seconds N] [-seed N] FILE…                           without: runs the target on files and
//                                                                      directories, then on random changes of them
//   fuzz TARGET --seeds DIRECTORY                                      writes the files that a target starts from
import Foundation
import System

/// Takes one input. Results are dropped, since crashes, hangs and failed preconditions are looked for; no input shares
/// its secrets with another.
typealias Target = @Sendable (UnsafeRawBufferPointer) -> Void

enum Fuzz {
    /// Every reader of bytes from outside. The pure ones take microseconds, the others open files or connections.
    private static let targets: [String: Target] = [
        "settings": Parsers.settings,
        "overlay": Parsers.overlay,
        "messages": Parsers.messages,
        "track": Parsers.track,
        "names": Parsers.names,
        "addresses": Parsers.addresses,
        "times": Parsers.times,
        "form": Parsers.form,
        "packets": Broker.packets,
        "preview": Media.preview,
        "pictures": Media.pictures,
        "clip": Media.clip,
        "http": Media.http,
        "outbox": DamagedOutbox.file,
        "mqtt": Broker.mqtt,
        "exec": Media.exec,
        "page": Companion.page,
        "areas": Companion.areas,
        "post": Companion.post,
    ]

    nonisolated(unsafe) static var target: Target = { _ in }

    /// Chooses the target that the first argument names.
    ///
    /// - Returns: the other arguments.
    static func prepare(_ arguments: [String]) -> [String] {
        // A server that closes early is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        var arguments = arguments
        let name = arguments.isEmpty ? "" : arguments.removeFirst()
        guard let chosen = targets[name] else {
            print("usage: fuzz \(targets.keys.sorted().joined(separator: "|")) …; see Tests/Fuzz/Fuzz.swift")
            exit(2)
        }
        target = chosen
        if arguments.count == 2, arguments[0] == "--seeds" {
            Media.writeSeeds(into: arguments[1], for: name)
            exit(0)
        }
        return arguments
    }
}

#if FUZZER
    /// libFuzzer's main function calls this first, with the program's arguments.
    @_cdecl("LLVMFuzzerInitialize")
    func initialize(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
    ) -> CInt {
        var rest = Fuzz.prepare(Array(CommandLine.arguments.dropFirst()))[...]
        var options = [CommandLine.arguments[0]]
        while let option = rest.popFirst() {
            let name = ["-seconds": "-max_total_time", "-runs": "-runs"][option]
            options.append(name.flatMap { name in rest.popFirst().map { "\(name)=\($0)" } } ?? option)
        }
        // No more than there were, so that they fit where those are.
        for (index, option) in options.enumerated() { arguments.pointee[index] = strdup(option) }
        arguments.pointee[options.count] = nil
        count.pointee = CInt(options.count)
        return 0
    }

    /// And this with each input.
    @_cdecl("LLVMFuzzerTestOneInput")
    func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        let input = UnsafeRawBufferPointer(start: bytes, count: count)
        Secrets.alone { Fuzz.target(input) }
        return 0
    }
#else
    @main
    struct Program {
        static func main() {
            var rest = Fuzz.prepare(Array(CommandLine.arguments.dropFirst()))[...]
            var seconds = 0.0
            var seed = UInt64(getpid())
            var files = [String]()
            while let argument = rest.popFirst() {
                switch argument {
                case "-seconds": seconds = rest.popFirst().flatMap(Double.init) ?? 0
                case "-seed": seed = rest.popFirst().flatMap(UInt64.init) ?? 0
                default: files += Self.files(in: argument)
                }
            }
            let seeds = files.compactMap { FileManager.default.contents(atPath: $0).map { [UInt8]($0) } }
            // Printed before the first input: one that ends the program is found again by its number.
            FileHandle.standardOutput.write(Data("seed \(seed)\n".utf8))
            seeds.forEach(run)
            var mutation = Mutation(of: seeds, seed: seed)
            var count = seeds.count
            let end = ContinuousClock.now + .seconds(seconds)
            while ContinuousClock.now < end {
                run(mutation.next())
                count += 1
            }
            print("\(count) inputs")
        }

        private static func run(_ input: [UInt8]) {
            // An input that takes that long hangs.
            alarm(20)
            input.withUnsafeBytes { bytes in Secrets.alone { Fuzz.target(bytes) } }
        }

        private static func files(in path: String) -> [String] {
            guard let names = try? FileManager.default.subpathsOfDirectory(atPath: path) else { return [path] }
            return names.sorted().map { path + "/" + $0 }
        }
    }
#endif
