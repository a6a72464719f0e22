import FoundationEssentials

/// The program that runs.
package enum RunningProgram {
    /// Its file, with links followed; nil if the system does not know it.
    package static var path: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }
}
