/// A control of a camera, such as gain, exposure or power-line frequency.
public struct CameraControl: Hashable, Sendable, CustomStringConvertible {
    /// The kind of value that a control takes.
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
    /// The control's name in settings and messages, in lowerCamelCase.
    public var name: String
    /// The driver's name for the control, for people; it is accepted in settings, too.
    public var label: String
    /// The kind of value that the control takes.
    public var kind = Kind.integer
    /// The range of the control's values.
    public var range: ClosedRange<Int>
    /// The step between values: each value is `range.lowerBound` plus a multiple of it.
    public var step = 1
    /// The driver's default value.
    public var defaultValue = 0
    /// The current value; nil if the driver does not report it.
    public var value: Int?
    /// The names of a menu's choices, by their values.
    public var choices: [Int: String] = [:]
    /// Whether the control can only be read.
    public var isReadOnly = false
    /// Whether another control prevents a change at the moment, as automatic exposure does for exposure.
    public var isInactive = false

    /// The name and the possible values on one line: `gain 0…255`, `powerLineFrequency (disabled, 50 Hz, 60 Hz)`.
    public var description: String {
        switch kind {
        case .boolean: "\(name) (off, on)"
        case .menu: "\(name) (\(choices.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")))"
        case .integer:
            "\(name) \(range.lowerBound)…\(range.upperBound)\(step > 1 ? " in steps of \(step)" : "")"
        }
    }
}

/// The reason why a control cannot be set.
package enum ControlError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknown(name: String, existing: [CameraControl])
    /// The control does not take this value.
    case badValue(String, CameraControl)
    /// The control can only be read.
    case readOnly(CameraControl)
    /// Another control prevents a change at the moment.
    case inactive(CameraControl)

    /// The error, with the values that are possible.
    public var description: String {
        switch self {
        case .unknown(let name, let existing) where existing.isEmpty:
            "there is no control `\(name)`: this camera has no controls at all"
        case .unknown(let name, let existing):
            "there is no control `\(name)`; there are: \(existing.map(\.description).joined(separator: ", "))"
        case .badValue(let value, let control): "`\(value)` is not a value for a control that takes \(control)"
        case .readOnly(let control): "`\(control.name)` can only be read"
        case .inactive(let control):
            "`\(control.name)` has no effect while the camera sets it by itself; switch its automatic control to manual as well"
        }
    }
}

/// A setting for a control, as the user writes it.
struct ControlSetting {
    let name: String
    /// The value: a number, the name of a menu's choice, `on` or `off`.
    let value: String

    /// Finds the control with this name, which may be written `powerLineFrequency` or `Power Line Frequency`.
    func find(in controls: [CameraControl]) throws(ControlError) -> CameraControl {
        let wanted = Self.plain(name)
        guard let found = controls.first(where: { Self.plain($0.name) == wanted || Self.plain($0.label) == wanted })
        else { throw .unknown(name: name, existing: controls) }
        return found
    }

    func number(for control: CameraControl) throws(ControlError) -> Int {
        guard !control.isReadOnly else { throw .readOnly(control) }
        guard !control.isInactive else { throw .inactive(control) }
        let wanted = Self.plain(value)
        // Exact texts come first: the choices of a menu may be numbers, and `plain` drops their signs.
        let choice = control.choices.first { $0.value == value }?.key
        let named = control.choices.first { Self.plain($0.value) == wanted }?.key
        let state = control.kind == .boolean ? Self.states[wanted] : nil
        // The range is checked first, because the subtraction may overflow for a number far outside.
        guard let number = choice ?? Int(value) ?? named ?? state, control.range.contains(number),
            (number - control.range.lowerBound).isMultiple(of: control.step),
            control.kind != .menu || control.choices[number] != nil
        else { throw .badValue(value, control) }
        return number
    }

    private static let states = ["on": 1, "true": 1, "yes": 1, "off": 0, "false": 0, "no": 0]

    /// The name reduced to lower-case letters and digits, for comparisons.
    static func plain(_ name: String) -> String { String(name.lowercased().filter { $0.isLetter || $0.isNumber }) }

    /// The driver's name in lowerCamelCase: `Power Line Frequency` becomes `powerLineFrequency`.
    static func camelCase(_ label: String) -> String {
        let words = label.split { !($0.isLetter || $0.isNumber) }.map { $0.lowercased() }
        let capitalized = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return (words.prefix(1) + capitalized).joined()
    }

    /// The settings in the order in which to make them: automatic modes first, since other settings depend on them.
    static func ordered(_ settings: [String: String]) -> [ControlSetting] {
        let all = settings.sorted { $0.key < $1.key }.map { ControlSetting(name: $0.key, value: $0.value) }
        let isAutomatic = { (setting: ControlSetting) in plain(setting.name).contains("auto") }
        return all.filter(isAutomatic) + all.filter { !isAutomatic($0) }
    }
}
