package import Companion
import FaceMetadata
import Frames
package import OverlayRendering
import System

/// Records pictures with the overlay as a clip.
package enum OverlayRecording {
    /// Records over a clip, for some seconds if not to its end; `metadata` names in errors where the track is from.
    package static func run(
        _ output: String,
        _ style: DrawingStyle?,
        seconds: Double?,
        over clip: String,
        _ track: MessageTrack?,
        metadata: String?
    ) throws {
        let drawing = try OverlayPicture(style)
        let frames = try ClipFrames(clip)
        let interruption = Interruption()
        defer { interruption.cancel() }
        var recorder = OverlayRecorder(output, drawing, rate: frames.description?.rate ?? 30, soundSource: clip)
        var playback = track.map(MessagePlayback.init)
        let picture = Picture()
        while !interruption.isRaised, let frame = try frames.next() {
            let time = frame.stamp.mediaTime
            if let seconds, time >= seconds { break }
            playback?.advance(to: time)
            try picture.update(from: frame)
            try recorder.add(picture, scene: playback?.scene ?? Scene(), mediaTime: time)
        }
        // Messages whose times lie behind the end of the clip are about another clip.
        if let track, seconds == nil, frames.isFinished, track.end > recorder.end + 1 {
            func seconds(_ value: Double) -> String { "\((value * 100).rounded() / 100) s" }
            let reason = "it reaches to \(seconds(track.end)) but the clip ends at \(seconds(recorder.end))"
            throw CommandFailure(
                "cannot use the metadata in \(metadata ?? "-"): \(reason): it belongs to another clip"
            )
        }
        try recorder.finish(isWhole: frames.isFinished)
    }

    /// Records live pictures, for some seconds or until Ctrl-C.
    package static func run(
        _ output: String,
        _ style: DrawingStyle?,
        seconds: Double?,
        _ subscriber: Subscriber
    ) async throws {
        let drawing = try OverlayPicture(style)
        var recorder = OverlayRecorder(output, drawing, rate: 15)
        var start: Double?
        try await LivePictures.show(subscriber, hidesFaces: drawing.hidesFaces, for: seconds ?? .infinity) {
            start = start ?? $2
            try recorder.add($0, scene: $1, mediaTime: $2 - (start ?? $2), at: $2)
        }
        try recorder.finish()
    }
}
