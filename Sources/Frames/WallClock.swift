public import FaceMetadata
import FoundationEssentials

extension Timestamp {
    /// What the wall clock shows, to about a microsecond. Only sources and senders of messages ask it.
    public static func wallClock() -> Timestamp {
        Timestamp(nanoseconds: 0).advanced(bySeconds: Date().timeIntervalSince1970)
    }
}
