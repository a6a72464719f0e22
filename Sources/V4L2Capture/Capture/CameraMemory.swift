import Synchronization

/// The memory of a camera that was in use, by which the next source finds it again or waits for it.
package final class CameraMemory: Sendable {
    struct Content: Sendable {
        /// The configuration with which it last streamed.
        var configuration: CameraConfiguration?
        var identity: V4L2Device.Identity?
        var timeline = FrameTimeline()
    }

    let content = Mutex(Content())

    package init() {}
}
