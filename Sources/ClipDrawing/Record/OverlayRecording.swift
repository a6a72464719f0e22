package import Companion
import FaceMessages
import Frames
package import OverlayRendering

/// Records pictures with the overlay as a clip.
package struct OverlayRecording {
    private let output: String
    private let drawing: OverlayPicture
    private let seconds: Double?

    /// Makes it.
    ///
    /// - Parameters:
    ///   - output: the clip to write.
    ///   - style: how faces are drawn; nil leaves them out.
    ///   - seconds: for how long; nil until Ctrl-C or the source's end.
    /// - Throws: `CommandFailure` if the overlay is a file that cannot be used.
    package init(_ output: String, _ style: DrawingStyle?, seconds: Double?) throws {
        self.output = output
        self.seconds = seconds
        drawing = try OverlayPicture(style)
    }

    /// Records over a clip; `metadata` names in errors where the track is from.
    package func run(over clip: String, _ track: MessageTrack?, metadata: String?) throws {
        let frames = try ClipFrames(clip)
        let interruption = Interruption()
        defer { interruption.cancel() }
        var recorder = OverlayRecorder(
            output: output,
            drawing: drawing,
            rate: frames.description?.rate ?? 30,
            soundSource: clip
        )
        var playback = track.map(MessagePlayback.init)
        let picture = Picture()
        while !interruption.isRaised, let frame = try frames.next() {
            let time = frame.stamp.mediaTime
            if let seconds, time >= seconds { break }
            playback?.advance(to: time)
            try picture.update(from: frame)
            try recorder.add(picture, scene: playback?.scene ?? Scene(), mediaTime: time)
        }
        // Messages about later times than the clip has are about another one.
        if let track, seconds == nil, frames.isFinished, track.end > recorder.end + 1 {
            let error = MessageTrackError.longerThanClip(metadataEnd: track.end, clipEnd: recorder.end)
            throw CommandFailure("cannot use the metadata in \(metadata ?? "-"): \(error)")
        }
        try recorder.finish(isWhole: frames.isFinished)
    }

    package func run(_ subscriber: Subscriber) async throws {
        var recorder = OverlayRecorder(output: output, drawing: drawing, rate: 15)
        var start: Double?
        try await LivePictures.show(subscriber, hidesFaces: drawing.hidesFaces, for: seconds ?? .infinity) {
            start = start ?? $2
            try recorder.add($0, scene: $1, mediaTime: $2 - (start ?? $2), at: $2)
        }
        try recorder.finish()
    }
}
