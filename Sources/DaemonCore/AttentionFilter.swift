import FaceMessages

/// Tells why some events cannot fire only once that has been so for a while, so that status does not flicker.
struct AttentionFilter {
    /// Two seconds: longer than a glance aside or a shadow, short for somebody who looks for the reason.
    private static let settling = 2.0

    private var settled: [DaemonStatus.Attention] = []
    private var candidate: [DaemonStatus.Attention] = []
    private var since: Double?

    /// Takes a frame's reasons at a time in seconds; returns them when they have newly settled.
    mutating func advance(_ attention: [DaemonStatus.Attention], at time: Double) -> [DaemonStatus.Attention]? {
        if attention != candidate || since == nil {
            candidate = attention
            since = time
        }
        guard candidate != settled, let since, time - since >= Self.settling else { return nil }
        settled = candidate
        return settled
    }
}
