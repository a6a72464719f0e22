package import FaceMessages
package import FaceMetadata

extension DecodedMessage {
    /// The frame it comes from; nil if it does not come from one.
    package var stamp: FrameStamp? {
        switch self {
        case .metadata(let message): message.stamp
        case .event(let message): message.event.stamp
        case .count, .status, .stats, .detectState: nil
        }
    }

    /// Who sent it; nil if it does not say.
    package var origin: MessageOrigin? {
        switch self {
        case .metadata(let message): message.origin
        case .event(let message): message.origin
        case .status(let message): message.origin
        case .count, .stats, .detectState: nil
        }
    }
}

extension Topic {
    /// The topic that a full name such as `porch/faces/detect/state` ends in; nil if it is none of the contract's.
    package init?(name: String) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        for count in [2, 1] where parts.count > count {
            if let topic = Topic(rawValue: parts.suffix(count).joined(separator: "/")) {
                self = topic
                return
            }
        }
        return nil
    }
}
