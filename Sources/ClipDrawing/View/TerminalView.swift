package import Companion
import Foundation
package import OverlayRendering
package import TerminalPictures

/// Shows the overlay in the terminal until the person there or the source ends it.
package struct TerminalView {
    /// How the terminal shows pixels; nil to find out.
    package var format: TerminalFormat?
    /// The most redraws a second.
    package var rate: Int
    package var gravity: VideoGravity
    package var style: DrawingStyle

    package init(format: TerminalFormat?, rate: Int, gravity: VideoGravity, style: DrawingStyle) {
        self.format = format
        self.rate = rate
        self.gravity = gravity
        self.style = style
    }

    /// Shows the pictures of a clip, or else those of the source that `open` connects to, with the messages of a track, or else
    /// that source's.
    package func run(clip: String?, track: MessageTrack?, open: () async throws -> Subscriber) async throws {
        let overlays = try style.overlays()
        let source = try ViewPicture(clip: clip)
        let subscriber = track == nil ? try await open() : Subscriber()
        let encoder = try TerminalPicture(format: format, environment: ProcessInfo.processInfo.environment)
        let terminal = try Terminal(format: encoder.format)
        defer { terminal.release() }
        let session = ViewSession(
            controls: ViewControls(style, overlays: overlays, gravity: gravity),
            overlays: overlays,
            broker: subscriber.isLocal ? nil : subscriber.address,
            track: track,
            source: source,
            terminal: terminal,
            encoder: encoder
        )
        // Looked at more often than drawn: what came right after a redraw then waits no longer than it must.
        let interval = 1 / Double(rate)
        var nextDraw = 0.0
        var lastDraw = 0.0
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
