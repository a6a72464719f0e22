/// One pixel format that a camera offers, with its sizes and rates.
public struct CameraFormat: Hashable, Sendable, CustomStringConvertible {
    /// The format's four-character code.
    public var fourCC: FourCC
    /// The driver's name for the format, for people.
    public var name: String
    /// Whether libv4lconvert makes the format from another one that the camera has.
    public var isEmulated = false
    /// The sizes in the driver's order; empty if the driver does not list them.
    public var sizes: [CameraSize]

    /// The format and its sizes on one line.
    public var description: String {
        let list = sizes.isEmpty ? "sizes not listed by the driver" : sizes.map(\.description).joined(separator: "; ")
        return "\(fourCC)\(isEmulated ? " (converted)" : ""): \(list)"
    }
}
