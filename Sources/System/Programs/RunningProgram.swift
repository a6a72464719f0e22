import FoundationEssentials

/// The running program.
package enum RunningProgram {
    /// The path of the program's file, with links followed; nil if the system does not know it.
    package static var path: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }
    /// The directory of that file, in which the other programs are too.
    package static var directory: String { URL(filePath: path ?? "").deletingLastPathComponent().path }
    /// The directory `share/facet` beside that directory, in which the installed data is.
    package static var data: String { URL(filePath: directory).deletingLastPathComponent().path + "/share/facet" }
}
