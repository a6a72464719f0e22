import FaceInference
import FaceTracking
import FacetKit
import Frames
import GStreamerCapture
import V4L2Capture

// The settings as the options of other modules.

extension Settings {
    /// What `camera.device` names: a camera, or a clip, a still picture or a stream.
    var source: FaceSession.Source {
        if FaceSession.Source.isCamera(camera.device) { return .camera(CameraConfiguration(camera)) }
        let (size, rate) = (camera.size, camera.rate)
        if let pipeline = PipelineDescription(camera.device, size: size, rate: rate, controls: camera.controls) {
            return .pipeline(
                pipeline,
                pace: clip.pace,
                loops: clip.loop,
                orientation: camera.mirror ? camera.orientation.mirrored : camera.orientation,
                stallTimeout: camera.stallTimeout
            )
        }
        // A command's pictures have no header if a format without one is set.
        let raw = camera.format.flatMap { FourCC($0) }.flatMap(\.rawPixels)
            .map { RawPictures(size: size ?? .usual, format: $0, rate: rate) }
        return .file(
            camera.device,
            pace: clip.pace,
            loops: clip.loop,
            rawPictures: raw,
            orientation: camera.orientation,
            isMirrored: camera.mirror,
            stallTimeout: camera.stallTimeout,
            maximumPixels: camera.maximumPixels
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

extension CameraConfiguration {
    init(_ settings: Settings.Camera) {
        self.init(
            device: DeviceSelector(settings.device),
            request: CaptureRequest(
                size: settings.size,
                rate: settings.rate,
                format: settings.format.flatMap { FourCC($0) }
            ),
            bufferCount: settings.buffers,
            stallTimeout: settings.stallTimeout,
            orientation: settings.mirror ? settings.orientation.mirrored : settings.orientation,
            controls: settings.controls.mapValues { .text($0) }
        )
    }
}
