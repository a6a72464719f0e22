import Foundation

/// Runs a command that ends by itself.
enum Tool {
    /// Why a command was of no use.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a command to its end.
    ///
    /// - Throws: `Failure` with what it wrote, unless it ends with 0.
    static func run(_ executable: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(executable) \(arguments): \(String(decoding: text, as: UTF8.self))")
        }
    }
}
