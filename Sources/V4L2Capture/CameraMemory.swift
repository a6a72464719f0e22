import Synchronization

/// What is known of a camera that was in use, for the next source that is made for it.
///
/// So a camera that was closed for a while is found again under another number, and waited for as after a loss.
package final class CameraMemory: Sendable {
    struct Content: Sendable {
        /// What was asked for when it streamed last.
        var configuration: CameraConfiguration?
        var identity: V4L2Device.Identity?
        var timeline = FrameTimeline()
    }

    let content = Mutex(Content())

    package init() {}
}
