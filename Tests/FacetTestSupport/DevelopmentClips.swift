public import Foundation

/// The development clips beside the checkout, where they are; the product never needs them.
///
/// A test that uses one is enabled by `DevelopmentClips.areHere`, so that without them it is reported as skipped.
public enum DevelopmentClips {
    /// `../shared/clips` as seen from the checkout.
    public static let directory = DevelopmentFiles.directory("clips")

    /// Whether the clips are on this machine.
    public static let areHere = FileManager.default.fileExists(atPath: directory.path)

    /// The path of a clip, named relative to the clips' directory.
    public static func path(_ name: String) -> String {
        directory.appending(path: name).path
    }
}

/// Recorded landmarks of labelled clips beside the checkout, used like the clips.
public enum TraceSet: String, CaseIterable, Sendable {
    case accuracy
    /// Clips for smiles and talk, with labels in the same form.
    case smiles

    /// `../shared/accuracy` or `../shared/smiles` as seen from the checkout.
    public var directory: URL { DevelopmentFiles.directory(rawValue) }

    /// The file with the clips' labels.
    public var index: URL { directory.appending(path: "index.json") }

    /// Whether the traces are on this machine.
    public var isHere: Bool { FileManager.default.fileExists(atPath: index.path) }
}

/// What lies in `../shared`.
private enum DevelopmentFiles {
    static func directory(_ name: String) -> URL {
        URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "../shared/\(name)").standardizedFileURL
    }
}
