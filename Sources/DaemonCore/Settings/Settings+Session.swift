import FaceInference
import FaceTracking
import Frames
import Logging
import MediaFiles
import V4L2Capture

// The settings as the options of other modules.

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
    }
}

extension FaceTracker.Parameters {
    init(_ settings: Settings.Tracking) {
        self.init()
        enterDelay = settings.enterDelay.seconds
        patience = settings.patience.seconds
    }
}

extension ChangeGate.Parameters {
    init(_ settings: Settings.Metadata) {
        self.init()
        maximumRate = settings.maxRate
        position = settings.positionDeadband
        angle = settings.angleDeadband
    }
}

extension Settings {
    /// Whether pictures come from a camera, not from a clip, a still picture or a stream.
    var isCamera: Bool {
        camera.device == "auto" || camera.device.hasPrefix("/dev/")
    }

    /// Live sources must not wait for the pipeline; a clip played as fast as possible must.
    var mailboxPolicy: FrameMailbox.Policy {
        !isCamera && clip.pace == .asap ? .every(capacity: 2) : .newest
    }

    /// Opens what `camera.device` names.
    ///
    /// - Throws: An error that says why it cannot be opened, and what to do.
    func makeSource(logger: Logger) throws -> any FrameSource {
        if isCamera { return try CameraSource(CameraConfiguration(camera)) }
        var options = ClipSource.Options(pace: clip.pace == .asap ? .asap : .realtime, loops: clip.loop)
        options.orientation = camera.orientation
        options.isMirrored = camera.mirror
        return try ClipSource(camera.device, options: options)
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
