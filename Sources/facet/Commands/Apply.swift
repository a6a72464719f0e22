import ArgumentParser
import FaceMessages
import FacetKit
import Foundation
import MediaFiles
import OverlayRendering
import System

struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draws the overlay over clips and pictures, in one step.",
        discussion: """
            Finds the faces itself: no daemon and no broker is needed. A clip becomes a clip and a picture becomes a \
            picture, in the format that the ending of the output's name stands for. A directory becomes a directory \
            with all its clips and pictures; a clip in a format that is only read, such as a.mpg, becomes a.mpg.mp4. The sound of a clip is copied unchanged where the format can hold it. The \
            output appears under its name when it is complete; Ctrl-C ends a clip early, keeps what is there, \
            leaves out what is left of a directory, and ends with status 130.

            It looks ahead: a face is drawn over from the first frame in which it is seen to the last, and nothing is drawn \
            after a cut. With an overlay that hides faces, all that the detector takes for a face is hidden, and for a moment \
            before and after too. Status 3, with a warning, means that there were more faces than --maximum-faces, or that a \
            face that was to be hidden was lost inside the picture, as of a person who turns away.

            Examples:
              facet apply clip.mp4 --overlay santa -o party.mp4
              facet apply portrait.jpg --overlay hearts -o hearts.png
              facet apply holidays -o holidays-with-hats --overlay santa
              facet apply clip.mp4 --overlay party.yaml -o party.mp4    one of your own
              facet apply street.mp4 --overlay silhouette --strict -o hidden.mp4
            """
    )

    @Argument(help: "The clip, the picture or the directory.", completion: .file())
    var input: String

    @Option(name: .shortAndLong, help: "The file or the directory to write.", completion: .file())
    var output: String

    @Option(help: "How many faces are followed at the same time.", transform: number(1...1000))
    var maximumFaces = 32

    @Flag(help: "Look for faces that lie on their side or upside down too, in the first frame of each scene.")
    var turned = false

    @Flag(help: "Fail, and write nothing, where a warning would be given.")
    var strict = false

    @OptionGroup var drawing: DrawingOptions

    func run() async throws {
        let interruption = Interruption()
        defer { interruption.cancel() }
        let warned = try await applyToAll(interruption)
        guard !interruption.isRaised else {
            StandardOutput.note("interrupted: the last file ends early or is not written, nor is what comes after it")
            throw ExitCode(128 + interruption.number)
        }
        if warned { throw ExitCode(3) }
    }

    /// - Returns: Whether there was a warning.
    private func applyToAll(_ interruption: Interruption) async throws -> Bool {
        let overlaid = try OverlayPicture(drawing)
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: input, isDirectory: &isDirectory) else {
            throw CommandFailure("cannot read \(input.withoutPasswords): there is no such file")
        }
        guard isDirectory.boolValue else {
            var work = try OverlaidFile(input, to: output, self, overlaid, interruption)
            return try await work.draw()
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: input).sorted()
        let names = files.filter { OutputPath.isPicture($0) || OutputPath.isClip($0) || Self.isReadable($0) }
        guard !names.isEmpty else { throw CommandFailure("there is no clip and no picture in \(input)") }
        let others = files.filter { !names.contains($0) }.joined(separator: ", ")
        if !others.isEmpty {
            StandardOutput.note("left out, by their names no clip and no picture: \(others.printable)")
        }
        do {
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure("cannot make the directory \(output): \(SystemReason(error))")
        }
        var (failures, warned) = (0, false)
        for name in names where !interruption.isRaised {
            let written = "\(output)/\(name)\(Self.isReadable(name) ? ".mp4" : "")"
            do {
                var work = try OverlaidFile("\(input)/\(name)", to: written, self, overlaid, interruption)
                warned = try await work.draw() || warned
            } catch {
                // One damaged file must not keep the others from being drawn.
                StandardOutput.note("\(error)")
                failures += 1
            }
        }
        if failures > 0 { throw CommandFailure("\(failures) of \(names.count) files could not be drawn over") }
        return warned
    }

    /// Whether a file has a name of clips that can be read and not written.
    private static func isReadable(_ name: String) -> Bool {
        ["3gp", "flv", "m2ts", "m4v", "mpeg", "mpg", "mts", "ogv", "ts", "vob", "wmv"]
            .contains(URL(filePath: name).pathExtension.lowercased())
    }

    /// How faces are looked for.
    func session(hidesFaces: Bool) -> FaceSession.Options {
        var options = FaceSession.Options()
        options.frames = .full
        options.landmarks = drawing.overlay == .builtIn(.mesh)
        options.detection.isThorough = true
        options.detection.isForHiding = hidesFaces
        options.detection.findsTurned = turned
        options.detection.maximumFaces = maximumFaces
        return options
    }
}
