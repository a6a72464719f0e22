import FaceMetadata
import Frames

/// Makes the pictures that subscribers may see, if the owner switched that on: no more often than asked for.
final class Preview {
    private let encoder: JPEGEncoder
    private let interval: Double
    private var lastTime: Double?

    /// Nil if the preview is off.
    init?(_ settings: Settings.Preview) throws {
        guard settings.enabled else { return nil }
        encoder = try JPEGEncoder(quality: settings.quality, maximumWidth: settings.width)
        interval = 1 / settings.rate
    }

    /// Whether it is time for a picture.
    func isDue(at time: Double) -> Bool {
        // A tenth of slack: a camera's jitter must not halve the rate.
        guard let lastTime, time >= lastTime else { return true }
        return time - lastTime >= 0.9 * interval
    }

    /// The frame as a JPEG; nil if it is not time for one, or if its pixels cannot be encoded.
    func picture(of frame: Frame) -> [UInt8]? {
        guard isDue(at: frame.stamp.mediaTime) else { return nil }
        lastTime = frame.stamp.mediaTime
        return try? encoder.encode(frame)
    }
}
