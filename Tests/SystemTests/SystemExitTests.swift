import FacetTestSupport
import Foundation
import Testing

@testable import System

/// Tests that change the whole process; each runs in a process of its own.
@Suite("System, in a process of its own", .serialized)
struct SystemExitTests {
    @Test("signals are as before once they are not noted any more: a hangup that nohup ignores stays ignored")
    func interruption() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP, SIG_IGN)
            signal(SIGINT, SIG_IGN)
            let interruption = Interruption()
            interruption.cancel()
            #expect(isIgnored(SIGHUP) && isIgnored(SIGINT) && !isIgnored(SIGTERM))
        }
        await #expect(processExitsWith: .success) {
            signal(SIGHUP, SIG_DFL)
            Interruption().cancel()
            var action = sigaction()
            sigaction(SIGHUP, nil, &action)
            #expect(unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0)
        }
    }

    @Test("a file for which no descriptor is left is refused with that reason")
    func noDescriptors() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) { [path = directory.file("file") as String] in
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            // The first free number that has only free ones above it.
            var next = dup(STDIN_FILENO)
            while next < 200 { next = dup(STDIN_FILENO) }
            close(next)
            var reasons: [String] = []
            // The process itself may take one meanwhile.
            for left in 0...8 where reasons.count == left {
                limit.rlim_cur = rlim_t(Int(next) + left)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                do { try Array("new".utf8).withUnsafeBytes { try PendingFile.write($0, to: path) } } catch {
                    reasons.append("\(error)")
                }
            }
            #expect(2...8 ~= reasons.count && reasons.allSatisfy { $0.contains("Too many open files") }, "\(reasons)")
        }
    }

    @Test("a command's output and errors go where they should, whichever standard descriptors the process has closed")
    func closedDescriptors() async {
        for closed in 0..<8 {
            await #expect(processExitsWith: .success) { [closed = closed as Int] in
                for descriptor in 0..<3 where closed >> descriptor & 1 == 1 { close(CInt(descriptor)) }
                var out: [CInt] = [-1, -1]
                var err: [CInt] = [-1, -1]
                guard ShellCommand.makePipe(&out), ShellCommand.makePipe(&err) else { exit(2) }
                let shell = ShellCommand(
                    text: "echo out; echo err >&2",
                    environment: [:],
                    output: out[1],
                    errors: err[1]
                )
                var process: pid_t = 0
                guard shell.start(&process) == 0 else { exit(3) }
                ShellCommand.wait(for: process)
                func text(_ descriptor: CInt) -> String {
                    var bytes = [UInt8](repeating: 0, count: 10)
                    let count = read(descriptor, &bytes, 10)
                    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                }
                for end in [out[1], err[1]] { close(end) }
                exit(text(out[0]) == "out\n" && text(err[0]) == "err\n" ? EXIT_SUCCESS : EXIT_FAILURE)
            }
        }
    }
}
