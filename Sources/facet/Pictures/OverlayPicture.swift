import Foundation
import Frames
import MediaFiles
import OverlayRendering

/// Draws a scene over a picture.
struct OverlayPicture {
    /// How faces are drawn; nil leaves them out.
    private let overlay: (any Overlay)?

    private let isMirrored: Bool
    private let hasEvenSides: Bool
    private var canvas: Canvas?

    /// Whether it makes the faces in pictures unrecognisable.
    var hidesFaces: Bool { overlay?.hidesFaces ?? false }

    /// Draws as the options ask.
    ///
    /// - Throws: `CommandFailure` if the overlay is a file that cannot be used.
    init(_ options: DrawingOptions, isPlain: Bool = false, hasEvenSides: Bool = false) throws {
        overlay = isPlain ? nil : try options.overlays()[options.overlay.name]
        (isMirrored, self.hasEvenSides) = (options.mirror, hasEvenSides)
    }

    /// Draws a picture with the scene over it, as large as the first picture was; one of another shape gets bars.
    ///
    /// - Returns: The canvas, which is used again for the next picture.
    mutating func draw(_ picture: Picture, scene: Scene, at seconds: Double) throws -> Canvas {
        guard let size = picture.uprightSize else { throw CommandFailure("there is no picture to draw over") }
        let even = FrameSize(width: size.width & ~1, height: size.height & ~1)
        let canvas = try canvas ?? Canvas(pixelSize: hasEvenSides ? even : size)
        self.canvas = canvas
        guard let geometry = PreviewLayerGeometry(size: canvas.size, pictureSize: size, isMirrored: isMirrored) else {
            throw CommandFailure("the picture has no area to draw over")
        }
        canvas.clear(.black)
        canvas.draw(picture, geometry)
        if let overlay { canvas.draw(scene, geometry, overlay: overlay, at: seconds) }
        try canvas.check()
        return canvas
    }
}

/// Draws pictures with their scenes and writes them as a clip, in the size of the first one.
struct OverlayRecorder {
    private let output: String
    private var drawing: OverlayPicture
    private let rate: Double
    private let soundSource: String?
    private let showsProgress = isatty(STDERR_FILENO) == 1
    private var writer: ClipWriter?
    private var lastProgress = ContinuousClock.now

    /// The time of the last picture, in seconds of the clip.
    private(set) var end = 0.0

    init(output: String, drawing: OverlayPicture, rate: Double, soundSource: String? = nil) {
        (self.output, self.drawing, self.rate, self.soundSource) = (output, drawing, rate, soundSource)
    }

    /// Adds a picture that is shown at a time of the clip; the scene's own time is another one in a live recording.
    mutating func add(_ picture: Picture, scene: Scene, mediaTime: Double, at seconds: Double? = nil) throws {
        let canvas = try drawing.draw(picture, scene: scene, at: seconds ?? mediaTime)
        let writer = try writer ?? begin(canvas.pixelSize)
        try canvas.withFrame(mediaTime: mediaTime) { try writer.append($0) }
        end = mediaTime
        report()
    }

    /// Ends the clip and gives the file its name.
    ///
    /// - Parameter isWhole: whether the pictures go on to the end of the clip whose sound is copied.
    /// - Throws: `CommandFailure` if there was no picture, or the file cannot be written.
    mutating func finish(isWhole: Bool = true) throws {
        if showsProgress { StandardOutput.progress("") }
        guard let writer else { throw CommandFailure("there was no picture to record; \(output) was not written") }
        try writer.finish(isWhole: isWhole)
        StandardOutput.note("wrote \(output): \(Self.seconds(end)), \(writer.frames) pictures")
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

    private mutating func report() {
        guard showsProgress, lastProgress.duration(to: .now) > .milliseconds(200) else { return }
        lastProgress = .now
        StandardOutput.progress("\(Self.seconds(end)), \(writer?.frames ?? 0) pictures")
    }

    private static func seconds(_ value: Double) -> String { "\((value * 10).rounded() / 10) s" }
}

final class PreviewDecoder {
    /// The newest picture.
    let picture = Picture()

    private let decoder: JPEGDecoder

    init() throws { decoder = try JPEGDecoder() }

    func decode(_ new: PreviewPicture, target: FrameSize? = nil) throws {
        switch new.content {
        case .jpeg(let bytes): try picture.update(from: try decoder.decode(bytes, for: target), target: target)
        case .frame(let frame): try picture.update(from: frame, target: target)
        }
    }
}

extension Canvas {
    /// Lends what was drawn as a frame, while `body` runs.
    func withFrame<Result>(mediaTime: Double = 0, _ body: (Frame) throws -> Result) throws -> Result {
        try check()
        return try withPixels { pixels, bytesPerRow in
            guard let base = pixels.baseAddress else { throw CanvasError.drawing(reason: "there is no memory") }
            let plane = Frame.Plane(base: base, bytesPerRow: bytesPerRow)
            return try body(Frame(borrowing: plane, size: pixelSize, format: .bgra, mediaTime: mediaTime))
        }
    }
}
