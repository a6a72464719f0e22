import Frames

/// Decides when a loss is told: at once when it happens, and again only if it turns out to need somebody's hand.
///
/// While a camera is away each try fails anew, for reasons that follow from one another (unplugged, not found) or pass
/// by themselves (no permission yet, because udev is still at work). Those stay quiet.
struct LossReport {
    /// How long another reason must hold before it is told, in nanoseconds.
    static let settling: Int64 = 3_000_000_000

    /// Reasons that do not go away by themselves.
    private static let needsHand: Set<String> = [
        "permission_denied", "busy", "not_a_camera", "unsupported_mode", "unsupported_control",
    ]

    private var told: String?
    private var pending: (reason: String, since: Int64)?

    /// Frames flow again, or for the first time.
    mutating func streaming() {
        told = nil
        pending = nil
    }

    /// The camera was lost, or a try to get it back failed.
    ///
    /// - Parameters:
    ///   - reason: the failure's stable word.
    ///   - now: the monotonic clock in nanoseconds.
    /// - Returns: whether to tell it.
    mutating func failed(_ reason: String, now: Int64) -> Bool {
        guard let told else {
            self.told = reason
            return true
        }
        guard reason != told, Self.needsHand.contains(reason) else {
            pending = nil
            return false
        }
        guard let pending, pending.reason == reason else {
            pending = (reason, now)
            return false
        }
        guard now - pending.since >= Self.settling else { return false }
        self.told = reason
        self.pending = nil
        return true
    }
}
