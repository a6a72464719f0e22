/// One pixel format that a camera offers, with its sizes and rates.
public struct CameraFormat: Hashable, Sendable, CustomStringConvertible {
    /// The format's name.
    public var fourCC: FourCC
    /// The driver's name for the format, for people.
    public var name: String
    /// Whether libv4lconvert converts another format into it.
    public var isEmulated = false
    /// The sizes in the driver's order; empty if the driver does not list them.
    public var sizes: [CameraSize]

    /// The format and its sizes on one line.
    public var description: String {
        let list = sizes.isEmpty ? "sizes not listed by the driver" : sizes.map(\.description).joined(separator: "; ")
        return "\(fourCC)\(isEmulated ? " (converted)" : ""): \(list)"
    }
}
