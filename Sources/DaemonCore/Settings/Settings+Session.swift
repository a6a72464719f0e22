import FaceInference
import FaceTracking
import FacetKit
import Frames
import V4L2Capture

// The settings as the options of other modules.

extension Settings {
    /// What `camera.device` names: a camera, or a clip, a still picture or a stream.
    var source: FaceSession.Source {
        if FaceSession.Source.isCamera(camera.device) { return .camera(CameraConfiguration(camera)) }
        return .file(
            camera.device,
            pace: clip.pace == .asap ? .asap : .realtime,
            loops: clip.loop,
            orientation: camera.orientation,
            isMirrored: camera.mirror,
            stallTimeout: camera.stallTimeout,
            maximumPixels: camera.maximumPixels
        )
    }

    var sessionOptions: FaceSession.Options {
        var options = FaceSession.Options()
        options.detection = FaceAnalyzer.Options(detection)
        options.tracking = FaceTracker.Parameters(tracking, look, fieldOfView: camera.fieldOfView)
        options.frames = preview.enabled ? .analysed : .none
        options.maximumFrameRate = preview.rate
        return options
    }
}

extension FaceAnalyzer.Options {
    init(_ settings: Settings.Detection) {
        self.init()
        modelDirectory = settings.modelDirectory
        accuracy =
            switch settings.accuracy {
            case .standard: .standard
            case .high: .high
            }
        maximumFaces = settings.maximumFaces
        minimumSize = settings.minimumSize
        region = settings.region
        searchInterval = settings.searchInterval.seconds
        cpuBudget = settings.cpuBudget
    }
}

extension FaceTracker.Parameters {
    init(_ settings: Settings.Tracking, _ look: Settings.Look, fieldOfView: Double) {
        self.init()
        self.fieldOfView = fieldOfView
        self.look.cone = look.cone
        self.look.hold = look.hold.seconds
        self.look.release = look.release.seconds
        self.look.near = look.near
        self.look.direction = look.direction
        enterDelay = settings.enterDelay.seconds
        patience = settings.patience.seconds
        smileMerge = settings.smileMerge.seconds
    }
}

extension ChangeGate.Parameters {
    init(_ settings: Settings.Metadata) {
        self.init()
        maximumRate = settings.maxRate
        position = settings.positionDeadband
        angle = settings.angleDeadband
        gaze = 2.5 * settings.angleDeadband
    }
}

extension CameraConfiguration {
    /// The camera that the settings mean.
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
