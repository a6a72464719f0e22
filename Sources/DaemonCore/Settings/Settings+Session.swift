// The settings as other modules take them.

extension Settings {
    /// The frame source that `camera.source` names.
    var source: FaceSession.Source {
        FaceSession.Source(camera.source, configuration: camera.configuration, options: camera.options)
    }

    /// Whether messages on a topic are published.
    func publishes(_ topic: Topic) -> Bool {
        switch topic {
        case .previewJPEG: preview.enabled
        case .zones, .zoneEnter, .zoneLeave: publish.contains(topic) && !tracking.zones.isEmpty
        default: publish.contains(topic) || !Topic.selectable.contains(topic)
        }
    }

    var sessionOptions: FaceSession.Options {
        var options = FaceSession.Options()
        options.detection = detection.options
        options.tracking = tracking
        options.frames = preview.enabled ? .analysed : .none
        options.maximumFrameRate = preview.rate
        return options
    }
}
