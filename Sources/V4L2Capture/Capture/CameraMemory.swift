import Synchronization

/// The facts about the camera that was last used, so that the next source finds the camera again or waits for it.
package final class CameraMemory: Sendable {
    struct Content: Sendable {
        /// The configuration with which the camera last streamed.
        var configuration: CameraConfiguration?
        var identity: V4L2Device.Identity?
        var timeline = FrameTimeline()
    }

    let content = Mutex(Content())

    package init() {}
}
