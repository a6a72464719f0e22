/// One thing that can be set on a camera: gain, exposure, power-line frequency.
public struct CameraControl: Hashable, Sendable {
    /// What values the control takes.
    public enum Kind: Hashable, Sendable {
        /// A whole number.
        case integer
        /// Off or on, 0 or 1.
        case boolean
        /// One of the control's `choices`.
        case menu
    }

    /// The driver's number for the control.
    public var id: UInt32

    /// The name in settings and messages, lowerCamelCase.
    public var name: String

    /// The driver's own name, for people; it is accepted in settings too.
    public var label: String

    /// What values it takes.
    public var kind: Kind

    /// The values it takes, at both ends included.
    public var range: ClosedRange<Int>

    /// Values are `range.lowerBound` plus multiples of this.
    public var step: Int

    /// The value after a reset.
    public var defaultValue: Int

    /// The value now; nil if the driver does not tell.
    public var value: Int?

    /// The names of a menu's values.
    public var choices: [Int: String]

    /// Whether it can't be set at all.
    public var isReadOnly: Bool

    /// Whether it can't be set because of another control, as exposure while the camera exposes by itself.
    public var isInactive: Bool

    /// Makes a control from its parts.
    public init(
        id: UInt32,
        name: String,
        label: String,
        kind: Kind = .integer,
        range: ClosedRange<Int>,
        step: Int = 1,
        defaultValue: Int = 0,
        value: Int? = nil,
        choices: [Int: String] = [:],
        isReadOnly: Bool = false,
        isInactive: Bool = false
    ) {
        self.id = id
        self.name = name
        self.label = label
        self.kind = kind
        self.range = range
        self.step = step
        self.defaultValue = defaultValue
        self.value = value
        self.choices = choices
        self.isReadOnly = isReadOnly
        self.isInactive = isInactive
    }
}

extension CameraControl: CustomStringConvertible {
    /// Name and values on one line: `gain 0…255`, `powerLineFrequency (disabled, 50 Hz, 60 Hz)`.
    public var description: String {
        switch kind {
        case .boolean: "\(name) (off, on)"
        case .menu: "\(name) (\(choices.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")))"
        case .integer:
            "\(name) \(range.lowerBound)…\(range.upperBound)\(step > 1 ? " in steps of \(step)" : "")"
        }
    }
}

/// Why a control can't be set.
public enum ControlError: Error, Hashable, Sendable {
    /// The camera has no control of that name.
    case unknown(name: String, existing: [CameraControl])
    /// The value is out of range, or not one of the menu's.
    case badValue(String, CameraControl)
    /// The control only reports.
    case readOnly(CameraControl)
    /// Another control has the say at the moment.
    case inactive(CameraControl)
}

extension ControlError: CustomStringConvertible {
    /// What is wrong, and what would be right.
    public var description: String {
        switch self {
        case .unknown(let name, let existing) where existing.isEmpty:
            "there is no control `\(name)`: this camera has no controls at all"
        case .unknown(let name, let existing):
            "there is no control `\(name)`; there are: \(existing.map(\.description).joined(separator: ", "))"
        case .badValue(let value, let control): "`\(value)` is no value for a control that takes \(control)"
        case .readOnly(let control): "`\(control.name)` can only be read"
        case .inactive(let control):
            "`\(control.name)` has no effect while the camera sets it by itself; set the automatic one to manual as well"
        }
    }
}
