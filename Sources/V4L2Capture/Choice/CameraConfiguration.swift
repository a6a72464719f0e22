/// The choice of a camera, with the settings for capturing from it.
public struct CameraConfiguration: Hashable, Sendable {
    /// The way to find the camera: the first one, or a path.
    public var device: DeviceSelector
    /// The size, the frame rate and the pixel format; nil values are chosen automatically.
    public var request: CaptureRequest

    /// The number of buffers that the driver fills in turn, at least 2. The default is 5: one is being read, one waits
    /// to be read, one has just been filled, and the driver needs two to fill.
    public var bufferCount: Int
    /// The values to set for the camera's controls, by the controls' names.
    public var controls: [String: String]

    /// Whether to wait for a camera that is missing, busy or not permitted at the start.
    ///
    /// The default is true, because an unattended machine may boot before its camera is ready. Settings that the camera
    /// cannot fulfil and nodes that are no cameras end the source in either case, unless frames have come before.
    public var waitsForCamera: Bool

    /// Makes a configuration; the default is the first camera in its most suitable mode.
    public init(
        device: DeviceSelector = .automatic,
        request: CaptureRequest = CaptureRequest(),
        bufferCount: Int = 5,
        controls: [String: String] = [:],
        waitsForCamera: Bool = true
    ) {
        (self.device, self.request, self.bufferCount, self.controls) = (device, request, bufferCount, controls)
        self.waitsForCamera = waitsForCamera
    }
}
