/// The camera to use, and the way to use it.
public struct CameraConfiguration: Hashable, Sendable {
    /// The camera, by its name or place.
    public var device: DeviceSelector
    /// The size, the rate and the format; nil values are left to the negotiation.
    public var request: CaptureRequest

    /// The number of buffers that the driver fills in turn, at least 2.
    ///
    /// The default is 5: one is being read, one waits for that, one has just come, and the driver needs two to fill.
    public var bufferCount: Int
    /// Settings for the camera's controls, by name.
    public var controls: [String: String]

    /// Whether to wait for a camera that is away, busy or forbidden at the start.
    ///
    /// The default is true: an unattended machine may boot before its camera is there. Settings that the camera can't
    /// fulfil and nodes that are no cameras are mistakes, which end the source at the start either way. Once frames
    /// have come, every failure is waited out: the next camera that is plugged in may be the right one.
    public var waitsForCamera: Bool

    /// Makes a configuration; by default, for the first camera, in the mode that suits best.
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
