import ArgumentParser
import FaceInference
import FaceMetadata
import Foundation
import Frames
import Glibc
import MediaFiles

/// Makes the demo's clip: a person comes in, tilts the head, smiles, blinks twice and leaves.
@main
struct DemoClip: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-clip",
        abstract: "Animate a portrait into a short clip, and write down what happens when.",
        discussion: """
            The portrait should smile with open eyes, look into the camera and wear no glasses. The clip's smile is the \
            portrait's own; the resting face and the blinks are made by warping it.
            """
    )

    @Option(help: "The portrait.")
    var portrait = "/usr/local/share/facet/astronaut.png"

    @Option(help: "The file for the timeline, JSON. (default: beside the clip, its ending replaced by .json)")
    var timeline: String?

    @Flag(help: "Only five seconds, for packages: the person comes in, smiles and blinks twice. Writes no timeline.")
    var short = false

    @Argument(help: "The clip to write; H.264 for .mp4.")
    var output: String

    func run() throws {
        let portrait = try Portrait(self.portrait)
        var actor = try Actor(portrait)
        var stage = Stage(portrait)
        let writer = try ClipWriter(output, size: Stage.size, rate: Double(Script.framesPerSecond))
        let progress = ProgressLine()
        let frames = short ? Script.shortFrames : Array(0..<Script.frames)
        for (index, frame) in frames.enumerated() {
            let pose = Script.pose(at: frame)
            actor.show(pose.expression)
            stage.draw(actor.picture, pose)
            let seconds = Double(index) / Double(Script.framesPerSecond)
            let stamp = FrameStamp(frame: index, time: .wallClock(), mediaTime: seconds)
            try writer.append(try Frame(copying: stage.pixels, size: Stage.size, format: .rgb24, stamp: stamp))
            progress.show("frame \(index + 1) of \(frames.count)")
        }
        try writer.finish()
        progress.end()
        if !short { try writeTimeline() }
    }

    private func writeTimeline() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let url =
            timeline.map { URL(filePath: $0) }
            ?? URL(filePath: output).deletingPathExtension().appendingPathExtension("json")
        do {
            try encoder.encode(Script.timeline).write(to: url, options: .atomic)
        } catch {
            throw Portrait.Problem(
                description:
                    "cannot write the timeline to \(url.path); check that the directory exists and may be written to."
            )
        }
    }
}

/// One line on the terminal that is written over and over; silent where there is no terminal.
struct ProgressLine {
    private let isTerminal = isatty(STDERR_FILENO) == 1

    func show(_ text: String) {
        guard isTerminal else { return }
        FileHandle.standardError.write(Data("\r\(text)\u{1B}[K".utf8))
    }

    func end() {
        guard isTerminal else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }
}
