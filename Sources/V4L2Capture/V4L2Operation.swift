/// What was tried on a device when it failed.
public enum V4L2Operation: String, Hashable, Sendable {
    /// Opening the node.
    case open
    /// Asking what the device is.
    case queryCapabilities = "ask for the capabilities of"
    /// Putting libv4lconvert before it.
    case convert = "convert the format of"
    /// Listing formats, sizes and rates.
    case enumerate = "list the formats of"
    /// Setting the pixel format and the size.
    case setFormat = "set the format of"
    /// Setting the frame rate.
    case setRate = "set the frame rate of"
    /// Making or mapping buffers.
    case makeBuffers = "make buffers for"
    /// Giving a buffer to the driver.
    case queueBuffer = "queue a buffer to"
    /// Starting the stream.
    case startStreaming = "start streaming from"
    /// Waiting for a frame.
    case wait = "wait for"
    /// Taking a frame.
    case dequeueBuffer = "take a frame from"
    /// Listing controls.
    case listControls = "list the controls of"
    /// Setting a control.
    case setControl = "set a control of"
}
