import ArgumentParser
import FaceMessages
import FaceMetadata
import Foundation
import Frames
import MediaFiles
import OverlayRendering

/// `facet apply`: clips and pictures in, the same with the overlay out, in one step.
struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draws the overlay over clips and pictures, in one step.",
        discussion: """
            Finds the faces itself: no daemon and no broker is needed. A clip becomes a clip and a picture becomes a \
            picture, in the format that the ending of the output's name stands for. A directory becomes a directory \
            with all its clips and pictures. The sound of a clip is copied unchanged where the format can hold it. The \
            output appears under its name when it is complete; Ctrl-C ends a clip early and keeps what is there.

            Examples:
              facet apply clip.mp4 --look santa -o party.mp4
              facet apply portrait.jpg --look hearts -o hearts.png
              facet apply holidays -o holidays-with-hats --look santa
              facet apply clip.mp4 --look party.yaml -o party.mp4    a look of your own
            """
    )

    @Argument(help: "The clip, the picture or the directory.", completion: .file())
    var input: String

    @Option(name: .shortAndLong, help: "The file or the directory to write.", completion: .file())
    var output: String

    @OptionGroup var overlay: OverlayOptions

    func run() async throws {
        let drawing = try OverlayPicture(overlay)
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: input, isDirectory: &isDirectory) else {
            throw CommandFailure("cannot read \(input): there is no such file")
        }
        guard isDirectory.boolValue else { return try apply(input, to: output, drawing) }
        let names = try FileManager.default.contentsOfDirectory(atPath: input).sorted()
            .filter { OutputPath.isPicture($0) || OutputPath.isClip($0) }
        guard !names.isEmpty else { throw CommandFailure("there is no clip and no picture in \(input)") }
        do {
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure("cannot make the directory \(output): \(SystemReason(error))")
        }
        var failures = 0
        for name in names {
            do {
                try apply(input + "/" + name, to: output + "/" + name, drawing)
            } catch let failure as CommandFailure {
                // One damaged file must not keep the others from being drawn.
                StandardOutput.note(failure.description)
                failures += 1
            }
        }
        if failures > 0 { throw CommandFailure("\(failures) of \(names.count) files could not be drawn over") }
    }

    private func apply(_ input: String, to output: String, _ drawing: OverlayPicture) throws {
        try OutputPath.checkIsNot(output, input)
        if OutputPath.isPicture(output) {
            try applyToPicture(input, output, drawing)
        } else {
            try OutputPath.check(output, endings: ClipWriter.knownEndings, what: "a clip")
            try applyToClip(input, output, drawing)
        }
    }

    private func applyToClip(_ input: String, _ output: String, _ drawing: OverlayPicture) throws {
        let frames = try AnalysedFrames(input)
        let interruption = Interruption(frames.stop)
        defer { interruption.cancel() }
        var recorder = OverlayRecorder(
            output: output,
            drawing: drawing,
            rate: frames.description?.rate ?? 30,
            soundSource: input
        )
        var scene = Scene()
        let picture = Picture()
        var hasFace = false
        while let analysed = try frames.next() {
            let time = analysed.frame.stamp.mediaTime
            analysed.apply(to: &scene)
            hasFace = hasFace || !analysed.faces.isEmpty
            scene.advance(to: time)
            try picture.update(from: analysed.frame)
            try recorder.add(picture, scene: scene, mediaTime: time)
        }
        try recorder.finish(isWhole: frames.isFinished)
        if !hasFace { StandardOutput.note("there is no face in \(input)") }
    }

    private func applyToPicture(_ input: String, _ output: String, _ drawing: OverlayPicture) throws {
        let file = try PictureFile(output)
        let frame: Frame
        do {
            frame = try StillPicture.load(input)
        } catch {
            throw CommandFailure("\(error)")
        }
        var scene = Scene()
        try FrameAnalyser().analyse(still: frame).apply(to: &scene)
        let picture = Picture()
        try picture.update(from: frame)
        if scene.layers.isEmpty { StandardOutput.note("there is no face in \(input)") }
        try file.write(try drawing.draw(picture, scene: scene, at: 0))
        StandardOutput.note("wrote \(output)")
    }
}
