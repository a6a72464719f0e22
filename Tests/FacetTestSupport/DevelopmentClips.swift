public import Foundation

/// The development clips beside the checkout, where they are; the product never needs them.
///
/// A test that uses one is enabled by `DevelopmentClips.areHere`, so that without them it is reported as skipped.
public enum DevelopmentClips {
    /// `../shared/clips` as seen from the checkout.
    public static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "../shared/clips").standardizedFileURL

    /// Whether the clips are on this machine.
    public static let areHere = FileManager.default.fileExists(atPath: directory.path)

    /// The path of a clip, named relative to the clips' directory.
    public static func path(_ name: String) -> String {
        directory.appending(path: name).path
    }
}
