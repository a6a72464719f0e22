import Foundation

/// What was right of something in one clip, or with one person: a line that `Tools/benchmark/resample.py` reads.
public struct ClipCount: Encodable {
    /// What is counted: `blinks`.
    let figure: String
    /// The clip or the picture, from which the script knows the person.
    let clip: String
    /// How many there are, or seconds.
    let of: Double
    let right: Double
    /// How many were found that are not there; nil where this cannot be.
    let wrong: Double?
    /// What the clip has in common with others: a size of faces.
    let group: String?

    /// Notes what was right of something in a clip.
    public init(
        _ figure: String,
        in clip: String,
        of: Double,
        right: Double,
        wrong: Double? = nil,
        group: String? = nil
    ) {
        self.figure = figure
        self.clip = clip
        self.of = of
        self.right = right
        self.wrong = wrong
        self.group = group
    }

    /// Prints the line where the environment asks for it: `PRINT_COUNTS=1`.
    public func print() {
        guard ProcessInfo.processInfo.environment["PRINT_COUNTS"] == "1", let line = try? JSONEncoder().encode(self)
        else { return }
        Swift.print("count: " + String(decoding: line, as: UTF8.self))
    }
}
