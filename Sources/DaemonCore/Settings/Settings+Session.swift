import FacetKit

// The settings as the options of other modules.

extension Settings {
    /// What `camera.source` names: a camera, or a clip, a still picture or a stream.
    var source: FaceSession.Source {
        let text = camera.source
        let request = camera.configuration.request
        let controls = camera.configuration.controls
        var source: FaceSession.Source
        var options = camera.options
        if FaceSession.Source.isCamera(text) {
            var configuration = camera.configuration
            configuration.device = DeviceSelector(text)
            source = .camera(configuration)
        } else if let pipeline = PipelineDescription(text, size: request.size, rate: request.rate, controls: controls) {
            source = .pipeline(pipeline)
        } else {
            source = .file(text)
            // A command's pictures have no header if a format without one is set.
            options.rawPictures = request.format.flatMap(\.rawPixels)
                .map { FrameSourceOptions.RawPictures(size: request.size ?? .usual, format: $0, rate: request.rate) }
        }
        source.options = options
        return source
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
