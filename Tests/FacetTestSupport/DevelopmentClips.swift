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
public enum DevelopmentTraces {
    /// `../shared/accuracy` as seen from the checkout.
    public static let directory = DevelopmentFiles.directory("accuracy")

    /// `../shared/smiles`: more traces in the same form, for smiles and talk.
    public static let smiles = DevelopmentFiles.directory("smiles")

    /// Whether the traces of both are on this machine.
    public static let areAllHere =
        areHere && FileManager.default.fileExists(atPath: smiles.appending(path: "index.json").path)

    /// Whether the traces are on this machine.
    public static let areHere = FileManager.default.fileExists(atPath: directory.appending(path: "index.json").path)

    /// Scores messages against labels.
    public static let scorer = DevelopmentFiles.directory("tools").appending(path: "score.py")
}

/// What lies in `../shared`.
private enum DevelopmentFiles {
    static func directory(_ name: String) -> URL {
        URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "../shared/\(name)").standardizedFileURL
    }
}
