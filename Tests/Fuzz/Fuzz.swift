// Feeds bytes that nobody has thought of to everything that reads bytes from outside.
//
//   deploy/fuzz [seconds]                 builds this with libFuzzer and lets each target run
//   swift run fuzz TARGET FILE…           without libFuzzer: runs a target on files or directories of files
//   swift run fuzz TARGET --seeds DIR     writes the pictures and clips that a target starts from
import Foundation

/// One input, read from outside; crashes and hangs are what is looked for, so results are dropped.
typealias Target = @Sendable (UnsafeRawBufferPointer) -> Void

@main
struct Fuzz {
    /// Every reader of foreign bytes. The pure ones take microseconds, the others open files or connections.
    static let targets: [String: Target] = [
        "settings": Parsers.settings,
        "messages": Parsers.messages,
        "names": Parsers.names,
        "preview": Media.preview,
        "clip": Media.clip,
        "http": Media.http,
        "outbox": Broker.outbox,
        "mqtt": Broker.mqtt,
    ]

    nonisolated(unsafe) private static var target: Target = { _ in }

    static func main() {
        // A server that closes early is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        var arguments = CommandLine.arguments
        let chosenName = arguments.count > 1 ? arguments.remove(at: 1) : ""
        guard let chosen = targets[chosenName] else {
            print("usage: fuzz \(targets.keys.sorted().joined(separator: "|")) FILE…")
            exit(2)
        }
        target = chosen
        if arguments.count == 3, arguments[1] == "--seeds" {
            Media.writeSeeds(into: arguments[2], for: chosenName)
            return
        }
        #if FUZZER
            var count = Int32(arguments.count)
            var texts: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = .allocate(capacity: arguments.count + 1)
            for (index, argument) in arguments.enumerated() { texts?[index] = strdup(argument) }
            texts?[arguments.count] = nil
            exit(
                runFuzzer(&count, &texts) { bytes, count in
                    Fuzz.target(UnsafeRawBufferPointer(start: bytes, count: count))
                    return 0
                }
            )
        #else
            let files = arguments.dropFirst().flatMap(files)
            for file in files {
                guard let data = FileManager.default.contents(atPath: file) else { continue }
                data.withUnsafeBytes(target)
            }
            print("\(files.count) inputs")
        #endif
    }

    private static func files(in path: String) -> [String] {
        guard let names = try? FileManager.default.subpathsOfDirectory(atPath: path) else { return [path] }
        return names.map { path + "/" + $0 }
    }
}

#if FUZZER
    /// libFuzzer's main function, which `-sanitize=fuzzer` links.
    @_silgen_name("LLVMFuzzerRunDriver")
    private func runFuzzer(
        _ count: UnsafeMutablePointer<Int32>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
        _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32
#endif
