/// The picture that `facet view` draws over: one from the preview or from a clip, or none. Only drawing code uses it.
final class ViewPicture {
    var picture: Picture { preview.picture }
    private let preview: PreviewDecoder
    private let clip: String?
    private var frames: ClipFrames?
    private var reached = 0.0
    private var waiting: PreviewPicture?
    private var shown: PreviewPicture?
    /// The times at which the last 120 pictures were decoded. At a view's maximum rate, these take two seconds.
    private var moments: [ContinuousClock.Instant] = []

    init(clip: String?) throws {
        preview = try PreviewDecoder()
        self.clip = clip
        frames = try clip.map { try ClipFrames($0) }
    }

    var isClip: Bool { clip != nil }
    /// The newest picture of the camera; nil for a clip, or if there is none.
    var newest: PreviewPicture? { isClip ? nil : waiting ?? shown }

    /// Accepts a new preview picture, which is decoded only when it is to be drawn.
    func offer(_ picture: PreviewPicture) { if !isClip { waiting = picture } }

    /// Forgets the preview picture, which is out of date.
    func forget() {
        guard newest != nil else { return }
        waiting = nil
        shown = nil
        preview.picture.forget()
    }

    /// Decodes the picture to draw, about as large as `target`: a clip's frame at `mediaTime` if that is known, or else
    /// the newest preview picture. Returns whether there was a new picture.
    @discardableResult
    func update(mediaTime: Double?, target: FrameSize) throws -> Bool {
        if let mediaTime, let clip {
            if mediaTime < reached { frames = try ClipFrames(clip) }
            reached = mediaTime
            waiting = try frames?.frame(upTo: mediaTime + MessageTrack.rounding).map(PreviewPicture.init)
        }
        guard let new = waiting else { return false }
        waiting = nil
        do {
            try preview.decode(new, target: target)
        } catch  where !isClip {
            // A damaged picture is skipped, since the next one comes soon.
            return false
        }
        shown = new
        moments = moments.suffix(119) + [.now]
        return true
    }

    /// The number of pictures a second over the last two seconds, or over the last three pictures if those took longer;
    /// nil if there is no picture, or none was decoded for twelve seconds.
    var rate: Double? {
        let now = ContinuousClock.now
        guard newest != nil || isClip, let last = moments.last,
            last.duration(to: now) < .seconds(12)
        else { return nil }
        let recent = moments.filter { $0.duration(to: now) < .seconds(2) }
        let counted = recent.count >= 3 ? recent : Array(moments.suffix(3))
        guard let first = counted.first, first < last else { return 0 }
        return Double(counted.count - 1) / (first.duration(to: last) / .seconds(1))
    }

    /// Decodes the shown preview picture again in full size.
    func refine() throws { if let shown { try preview.decode(shown) } }

    var isFinished: Bool { frames?.isFinished ?? false }
}
