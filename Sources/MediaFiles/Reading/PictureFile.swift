/// Decodes single pictures from files.
package enum PictureFile {
    /// Decodes a picture file, or the first frame of a clip at or after a media time in seconds. Blocks meanwhile.
    ///
    /// A PNG becomes `rgb24`, `rgba` or `gray`. A JPEG becomes planar YUV with full range. The frame has the
    /// orientation that the file states, its index and media time in the clip, and the time of the call.
    /// - Throws: `SourceFailure` if the file cannot be opened, is damaged, or the clip ends before that time.
    package static func load(_ path: String, at mediaTime: Double = 0) throws(SourceFailure) -> Frame {
        let location = try MediaLocation(path)
        let reader = try ClipReader(location, interrupt: Interrupt(), options: FrameSourceOptions(pace: .asap))
        var timeline = PresentationTimeline(rate: reader.input.rate)
        var index = 0
        while true {
            switch reader.next() {
            case .picture(var frame, let presentation):
                let reached = timeline.mediaTime(presentation: presentation)
                frame.stamp = FrameStamp(frame: index, time: .wallClock(), mediaTime: reached)
                index += 1
                // The wanted time may have been rounded in a message, and the reached time by the container.
                guard reached + 0.002 > mediaTime || reader.input.isPicture else { continue }
                return frame
            case .damaged: index += 1
            case .end:
                guard reader.completeness.decoded > 0, reader.completeness.readError == nil else {
                    let reason = reader.completeness.problem ?? "its pictures cannot be represented"
                    throw .undecodable(location, reason)
                }
                let attempt = "take a picture from \(location.name) at \(mediaTime) s"
                throw .init(.noVideo, attempt, "the clip ends before", "name an earlier time")
            }
        }
    }
}
