import Synchronization

/// What is known of a camera that was in use, kept for its next source: it is found again under another number, and
/// waited for.
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
