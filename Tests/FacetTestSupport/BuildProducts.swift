import Foundation

/// What the build has made beside the tests.
public enum BuildProducts {
    /// The directory of the programs: the one of the test bundle's executable.
    public static let directory =
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

    /// A program of the package.
    public static func program(_ name: String) -> String { directory + "/" + name }
}
