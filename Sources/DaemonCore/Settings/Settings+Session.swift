import FacetKit

// The settings as the options of other modules.

extension Settings {
    /// What `camera.source` names.
    var source: FaceSession.Source {
        FaceSession.Source(camera.source, configuration: camera.configuration, options: camera.options)
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
