/// A value for a camera's control, as settings give it.
public enum ControlValue: Hashable, Sendable {
    /// A number.
    case number(Int)
    /// The name of a menu's choice, or `on` and `off`.
    case text(String)
}

extension ControlValue: CustomStringConvertible {
    /// The value as the settings have it.
    public var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text): text
        }
    }
}

/// Finds the control that a setting means, and the number that its value stands for.
struct ControlSetting {
    let name: String
    let value: ControlValue

    /// The control of that name, whichever way the name is written: `powerLineFrequency`, `Power Line Frequency`.
    func find(in controls: [CameraControl]) throws(ControlError) -> CameraControl {
        let wanted = Self.plain(name)
        guard let found = controls.first(where: { Self.plain($0.name) == wanted || Self.plain($0.label) == wanted })
        else { throw .unknown(name: name, existing: controls) }
        return found
    }

    /// The number to give to the driver.
    func number(for control: CameraControl) throws(ControlError) -> Int {
        guard !control.isReadOnly else { throw .readOnly(control) }
        guard !control.isInactive else { throw .inactive(control) }
        let number = try rawNumber(for: control)
        // The range first: the distance from its end to a number far outside may be more than an Int holds.
        guard control.range.contains(number) else { throw .badValue(value.description, control) }
        let isOnStep = control.step <= 1 || (number - control.range.lowerBound) % control.step == 0
        guard isOnStep else { throw .badValue(value.description, control) }
        if control.kind == .menu, control.choices[number] == nil { throw .badValue(value.description, control) }
        return number
    }

    private func rawNumber(for control: CameraControl) throws(ControlError) -> Int {
        switch value {
        case .number(let number): return number
        case .text(let text):
            if let number = Int(text) { return number }
            let wanted = Self.plain(text)
            switch control.kind {
            case .boolean where ["on", "true", "yes"].contains(wanted): return 1
            case .boolean where ["off", "false", "no"].contains(wanted): return 0
            case .menu:
                if let choice = control.choices.first(where: { Self.plain($0.value) == wanted }) { return choice.key }
            default: break
            }
            throw .badValue(text, control)
        }
    }

    /// Letters and digits only, in lower case.
    static func plain(_ name: String) -> String {
        String(name.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    /// The driver's name in lowerCamelCase: `Power Line Frequency` becomes `powerLineFrequency`.
    static func camelCase(_ label: String) -> String {
        let words = label.split { !($0.isLetter || $0.isNumber) }.map { $0.lowercased() }
        return words.enumerated().map {
            $0.offset == 0 ? $0.element : $0.element.prefix(1).uppercased() + $0.element.dropFirst()
        }
        .joined()
    }

    /// Settings in the order in which to make them: automatic modes first, because they decide what else can be set.
    static func ordered(_ settings: [String: ControlValue]) -> [ControlSetting] {
        let all = settings.sorted { $0.key < $1.key }.map { ControlSetting(name: $0.key, value: $0.value) }
        let isAutomatic = { (setting: ControlSetting) in plain(setting.name).contains("auto") }
        return all.filter(isAutomatic) + all.filter { !isAutomatic($0) }
    }
}
