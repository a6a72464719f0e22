import Companion
import Foundation
import Frames
import MediaFiles
import OverlayRendering

/// Draws pictures with their scenes and writes them as a clip, in the size of the first one.
struct OverlayRecorder {
    private let output: String
    private var drawing: OverlayPicture
    private let rate: Double
    private let soundSource: String?
    private var writer: ClipWriter?
    /// The length of the clip that is read, in seconds, if it is known.
    private let length: Double?
    private let start = ContinuousClock.now
    private var lastProgress = ContinuousClock.now
    /// The time of the last picture, in seconds of the clip.
    private(set) var end = 0.0

    /// Makes a recorder; `length` is that of the clip that is read, in seconds.
    init(_ output: String, _ drawing: OverlayPicture, rate: Double, soundSource: String? = nil, length: Double? = nil) {
        (self.output, self.drawing, self.rate) = (output, drawing, rate)
        (self.soundSource, self.length) = (soundSource, length)
    }

    /// Adds a picture that is shown at a time of the clip; the scene's own time is another one in a live recording.
    mutating func add(_ picture: Picture, scene: Scene, mediaTime: Double, at seconds: Double? = nil) throws {
        let canvas = try drawing.draw(picture, scene: scene, at: seconds ?? mediaTime)
        let writer = try writer ?? begin(canvas.pixelSize)
        try canvas.withFrame(mediaTime: mediaTime) { try writer.append($0) }
        end = mediaTime
        report(writer.frames)
    }

    /// Ends the clip and gives the file its name; `isWhole` is whether the pictures reach the end of the sound's clip.
    mutating func finish(isWhole: Bool = true) throws {
        if StandardOutput.showsProgress { StandardOutput.progress("") }
        guard let writer else { throw CommandFailure("there was no picture to record; \(output) was not written") }
        try writer.finish(isWhole: isWhole)
        StandardOutput.note("wrote \(output): \(Self.seconds(end)), \(writer.frames.counted("frame"))")
    }

    private mutating func begin(_ size: FrameSize) throws -> ClipWriter {
        let begun = try ClipWriter(output, size: size, rate: rate, soundSource: soundSource)
        if !begun.omittedSound.isEmpty {
            let codecs = begun.omittedSound.joined(separator: ", ")
            StandardOutput.note("the sound (\(codecs)) is left out: \(output) cannot hold it; .mkv or .mp4 can")
        }
        writer = begun
        return begun
    }

    private mutating func report(_ frames: Int) {
        guard StandardOutput.showsProgress, lastProgress.duration(to: .now) > .milliseconds(200) else { return }
        lastProgress = .now
        let elapsed = start.duration(to: .now) / .seconds(1)
        StandardOutput.progress(Self.progress(end, frames, of: length, after: elapsed))
    }

    /// What is done: `12.5 s, 375 frames, 50%, 8 s left`; the last two of a clip whose length is known.
    static func progress(_ end: Double, _ frames: Int, of length: Double?, after elapsed: Double) -> String {
        let done = "\(seconds(end)), \(frames.counted("frame"))"
        guard let length, end > 0, length > 0 else { return done }
        let share = min(end / length, 1)
        return "\(done), \(Int(100 * share))%, \(FleetFormatter.duration(elapsed * (1 - share) / share)) left"
    }

    static func seconds(_ value: Double) -> String { "\((value * 10).rounded() / 10) s" }
}
