/// The reason why a message cannot be decoded or must not be used.
public enum MessageDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The payload does not have the form that the topic requires.
    case malformed(topic: Topic, reason: String)
    /// The broker retained the message. On its topic this is not allowed, because the message may be of any age.
    case retained(topic: Topic)
    /// The payload has a version of the message format that this program does not know.
    case unknownSchema(Int)

    /// What is wrong, and what to do about it.
    public var description: String {
        switch self {
        case .malformed(let topic, let reason):
            "the message on \(topic.rawValue) cannot be read: \(reason); does another program publish there?"
        case .retained(let topic):
            "the message on \(topic.rawValue) was kept by the broker and may be of any age, so it is passed over; "
                + "remove it with mosquitto_pub -r -n"
        case .unknownSchema(let version):
            "the message has schema \(version), this program knows schema \(schemaVersion): "
                + "use the same version of facet and facetd"
        }
    }
}
