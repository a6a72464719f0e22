package import Companion
import Foundation
package import OverlayRendering
package import TerminalPictures

/// Shows the overlay in the terminal until the person there or the source ends it.
package enum TerminalView {
    /// Shows a clip, or else the pictures of the source that `open` connects to, with a track's messages or else that source's.
    package static func run(
        clip: String?,
        track: MessageTrack?,
        format: TerminalFormat?,
        rate: Int,
        gravity: VideoGravity,
        style: DrawingStyle,
        open: () async throws -> Subscriber
    ) async throws {
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
