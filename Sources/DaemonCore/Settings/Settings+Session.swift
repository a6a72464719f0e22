import FacetKit

// The settings as the options of other modules.

extension Settings {
    /// What `camera.source` names: a camera, or a clip, a still picture or a stream.
    var source: FaceSession.Source {
        var configuration = camera.configuration
        if camera.mirror { configuration.orientation = configuration.orientation.mirrored }
        let request = configuration.request
        if FaceSession.Source.isCamera(camera.source) {
            configuration.device = DeviceSelector(camera.source)
            configuration.controls = camera.controls.mapValues { .text($0) }
            return .camera(configuration)
        }
        let (device, controls) = (camera.source, camera.controls)
        if let pipeline = PipelineDescription(device, size: request.size, rate: request.rate, controls: controls) {
            return .pipeline(
                pipeline,
                pace: clip.pace,
                loops: clip.loop,
                orientation: configuration.orientation,
                stallTimeout: configuration.stallTimeout,
                maximumPixels: camera.maximumPixels
            )
        }
        // A command's pictures have no header if a format without one is set.
        let raw = request.format.flatMap(\.rawPixels)
            .map { RawPictures(size: request.size ?? .usual, format: $0, rate: request.rate) }
        return .file(
            camera.source,
            pace: clip.pace,
            loops: clip.loop,
            rawPictures: raw,
            orientation: configuration.orientation,
            stallTimeout: configuration.stallTimeout,
            maximumPixels: camera.maximumPixels,
            idleDecoding: camera.idleDecoding,
            verifiesCertificate: camera.verifiesCertificate
        )
    }

    var sessionOptions: FaceSession.Options {
        var options = FaceSession.Options()
        options.detection = detection.options
        options.tracking = tracking
        options.tracking.isMirrored = camera.mirror
        options.frames = preview.enabled ? .analysed : .none
        options.maximumFrameRate = preview.rate
        return options
    }
}
