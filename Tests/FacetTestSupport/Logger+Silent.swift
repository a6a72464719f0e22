public import Logging

extension Logger {
    /// Logs nothing.
    public static let silent = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
}
