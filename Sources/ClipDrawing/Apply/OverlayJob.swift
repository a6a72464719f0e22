package import Companion
import FaceMessages
import FacetKit
import Foundation
import OverlayRendering
package import System

/// Draws overlays over one file, or over all clips and pictures of a directory.
package struct OverlayJob {
    var drawing: OverlayPicture
    private(set) var options = FaceSession.Options()
    let isStrict: Bool

    /// Makes a job; strict, it writes nothing where a warning would be given.
    package init(_ style: DrawingStyle, maximumFaces: Int, findsTurned: Bool, isStrict: Bool) throws {
        drawing = try OverlayPicture(style)
        options.frames = .full
        options.landmarks = style.overlay == .builtIn(.mesh)
        options.detection.isThorough = true
        // Nothing is drawn on a face that is not seen.
        options.tracking.hold = 0
        options.detection.isForHiding = drawing.hidesFaces
        options.detection.findsTurned = findsTurned
        options.detection.maximumFaces = maximumFaces
        self.isStrict = isStrict
    }

    /// The output's name where none is given: `clip.santa.mp4` beside `clip.mp4`. Throws `CommandFailure` if there is
    /// such a file already: it is not overwritten.
    package static func output(for input: String, _ overlay: OverlayChoice) throws -> String {
        let name = input.hasSuffix("/") ? String(input.dropLast()) : input
        let ending = URL(filePath: name).pathExtension
        let stem = ending.isEmpty ? name : String(name.dropLast(ending.count + 1))
        let end = ".\(overlay.name)" + (ending.isEmpty ? "" : "." + ending) + (isReadable(name) ? ".mp4" : "")
        // The file system limits a name to 255 bytes.
        let place = stem.lastIndex(of: "/").map { stem.index(after: $0) } ?? stem.startIndex
        let output = String(stem[..<place]) + String(stem[place...].prefix(bytes: 255 - end.utf8.count)) + end
        guard !fileExists(output) else {
            throw CommandFailure("\(output) is there already; name another output with -o")
        }
        return output
    }

    /// Draws over a file, or over those of a directory, whose files that cannot be drawn over keep none of the others
    /// from it. Returns whether there was a warning. Throws `CommandFailure` if a file could not be read or written.
    package func run(_ input: String, to output: String, until interruption: Interruption) async throws -> Bool {
        guard fileExists(input) else {
            throw CommandFailure("cannot read \(input.shownSource): there is no such file")
        }
        guard isDirectory(input) else {
            var work = try OverlaidFile(input, to: output, self, interruption)
            return try await work.draw()
        }
        let files = System.names(in: input).sorted()
        let names = files.filter { OutputPath.isPicture($0) || OutputPath.isClip($0) || Self.isReadable($0) }
        guard !names.isEmpty else { throw CommandFailure("there is no clip and no picture in \(input)") }
        let others = files.filter { !names.contains($0) }.joined(separator: ", ")
        if !others.isEmpty {
            StandardOutput.note("left out, because their names are not those of clips or pictures: \(others.printable)")
        }
        guard makeDirectories(output) == 0 else {
            throw CommandFailure("cannot make the directory \(output): \(String(cString: strerror(errno)))")
        }
        var failures = 0
        var hasWarned = false
        for name in names where !interruption.isRaised {
            let written = "\(output)/\(name)\(Self.isReadable(name) ? ".mp4" : "")"
            do {
                var work = try OverlaidFile("\(input)/\(name)", to: written, self, interruption)
                hasWarned = try await work.draw() || hasWarned
            } catch {
                StandardOutput.note("\(error)")
                failures += 1
            }
        }
        if failures > 0 { throw CommandFailure("\(failures) of \(names.count) files could not be drawn over") }
        return hasWarned
    }

    /// Whether a file has a name of clips that can be read and not written.
    private static func isReadable(_ name: String) -> Bool {
        ["3gp", "flv", "m2ts", "m4v", "mpeg", "mpg", "mts", "ogv", "ts", "vob", "wmv"]
            .contains(URL(filePath: name).pathExtension.lowercased())
    }
}
