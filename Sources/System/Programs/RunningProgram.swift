import FoundationEssentials

/// The location of the running program.
package enum RunningProgram {
    /// The path of the program's file, with links resolved; nil if unknown.
    package static var path: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }
    /// The directory of the program's file, in which Facet's other programs are too.
    package static var directory: String { URL(filePath: path ?? "").deletingLastPathComponent().path }
    /// The directory of installed data: `share/facet`, beside the program's directory.
    package static var data: String { URL(filePath: directory).deletingLastPathComponent().path + "/share/facet" }
}
