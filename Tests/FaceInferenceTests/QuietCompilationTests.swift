import CLiteRT
import Foundation
import Synchronization
import System
import Testing

/// What C's stream `stderr` does while a model is compiled, here by a function that only prints.
@Suite("Standard error while a model is compiled", .serialized)
struct QuietCompilationTests {
    private typealias Compile =
        @convention(c) (
            LiteRtEnvironment, LiteRtModel, LiteRtOptions, UnsafeMutablePointer<LiteRtCompiledModel?>
        ) -> LiteRtStatus

    private static let written = Atomic(0)

    /// Prints to the stream that `stderr` is now.
    /// - Returns: How many bytes it took.
    private static func print(_ text: String) -> Int {
        guard let variable = dlsym(nil, "stderr") else { return -1 }
        let stream = variable.load(as: UnsafeMutablePointer<FILE>.self)
        return fwrite(text, 1, text.utf8.count, stream)
    }

    /// "Compiles" a model with a function.
    private static func compile(_ function: Compile) {
        let functions = UnsafeMutableRawPointer.allocate(byteCount: MemoryLayout<LiteRtFunctions>.size, alignment: 16)
        functions.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<LiteRtFunctions>.size)
        let table = functions.assumingMemoryBound(to: LiteRtFunctions.self)
        table.pointee.create_compiled_model = function
        let none = OpaquePointer(functions)
        var model: LiteRtCompiledModel?
        _ = LiteRtCompileQuietly(table, none, none, none, &model)
        functions.deallocate()
    }

    @Test("what cannot be written is not said to have been")
    func closed() async {
        await #expect(processExitsWith: .success) {
            close(STDERR_FILENO)
            QuietCompilationTests.compile { _, _, _, _ in
                let text = String(repeating: "x", count: 20_000) + "\n"
                QuietCompilationTests.written.store(QuietCompilationTests.print(text), ordering: .relaxed)
                return 0
            }
            exit(QuietCompilationTests.written.load(ordering: .relaxed) == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("only LiteRT's notice is left out; lines that other threads print meanwhile come whole")
    func otherThreads() async {
        await #expect(processExitsWith: .success) {
            var ends: [CInt] = [-1, -1]
            guard pipe(&ends) == 0, dup2(ends[1], STDERR_FILENO) >= 0 else { exit(2) }
            let isOver = Monitor(false)
            let printing = try JoinableThread(named: "printing") {
                for number in 1000..<4000 { _ = QuietCompilationTests.print("line \(number)\n") }
                isOver.update { $0 = true }
            }
            repeat {
                QuietCompilationTests.compile { _, _, _, _ in
                    _ = QuietCompilationTests.print("INFO: Created TensorFlow Lite XNNPACK delegate for CPU.\n")
                    return 0
                }
            } while !isOver.update { $0 }
            printing.join()
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(ends[0], &bytes, bytes.count)
            let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").sorted()
            exit(lines == (1000..<4000).map { "line \($0)" } ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
