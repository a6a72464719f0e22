import ArgumentParser
import FaceMessages
import Foundation
import OverlayRendering
import TerminalPictures

struct View: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the live overlay in the terminal.",
        discussion: """
            Over the daemon's preview if its owner switched that on, else on a plain ground. With --over alone, over a \
            clip that the daemon plays, by the messages' mediaTime; with --metadata too, without any broker. As pixels \
            where the terminal can show them (kitty, sixel), else in coloured cells; sized to the window.

            Keys: \(ViewControls.help).

            Examples:
              facet view --overlay santa --mirror
              facet view --mqtt mqtt://camera.local --topic porch/faces
              facet view --camera porch          by its name, where there are several
              facet view --source /dev/video0    without a daemon, to aim the camera
              facet view --over clip.mp4 --metadata clip.jsonl --overlay mesh
            """
    )

    @Option(help: "How the terminal shows pixels: kitty, sixel or cells. Found out by itself if left out.")
    var format: TerminalFormat?

    @Option(help: "The most redraws a second, 1…60.", transform: number(1...60))
    var rate = 25

    @Option(
        help: """
            How the picture fills the terminal: resizeAspect (whole, with bars), resizeAspectFill (filled, two sides cut \
            off) or resize (stretched).
            """
    )
    var gravity = VideoGravity.resizeAspect

    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var clip: ClipOptions
    @OptionGroup var live: SourceOptions

    func run() async throws {
        let overlays = try drawing.overlays()
        let recorded = try clip.load(needsMetadata: false)
        let source = try ViewPicture(clip: recorded?.clip)
        let subscriber =
            recorded?.track == nil ? try await live.subscriber(command: "view", capacity: 64) : Subscriber()
        let encoder = try TerminalPicture(format: format, environment: ProcessInfo.processInfo.environment)
        let terminal = try Terminal(format: encoder.format)
        defer { terminal.release() }
        let session = ViewSession(
            controls: ViewControls(drawing, overlays: overlays, gravity: gravity),
            overlays: overlays,
            broker: subscriber.isLocal ? nil : subscriber.address,
            track: recorded?.track,
            source: source,
            terminal: terminal,
            encoder: encoder
        )
        // Looked at more often than drawn: what came right after a redraw then waits no longer than it must.
        let interval = 1 / Double(rate)
        var (nextDraw, lastDraw) = (0.0, 0.0)
        try await subscriber.follow(terminal, every: .seconds(interval / 4), interruptible: false) { input in
            if case .occurrence(let occurrence) = input.content { session.take(occurrence) }
            if case .key(let key) = input.content { session.press(key) }
            // What came during a slow redraw is taken before the next one, or every message would wait for a redraw of
            // its own and every key for all of them; but messages without end must not keep the picture from changing.
            let begin = session.seconds
            guard begin >= nextDraw, input.isLast || begin >= lastDraw + 1 else { return true }
            if try session.drawIfNeeded() { (nextDraw, lastDraw) = (begin + interval * 0.9, session.seconds) }
            return true
        }
    }
}
