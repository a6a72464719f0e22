public import Foundation

/// Runs a command that ends by itself.
public enum Tool {
    /// Why a command was of no use.
    public struct Failure: Error, CustomStringConvertible {
        /// The command and what it wrote.
        public let description: String
    }

    /// Runs a command to its end.
    ///
    /// - Returns: What it wrote, errors included.
    /// - Throws: `Failure` with what it wrote, unless it ends with 0.
    @discardableResult
    public static func run(_ executable: String, _ arguments: [String]) throws -> Data {
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
        return text
    }
}
