import CV4L2
import System
import SystemPackage

extension V4L2Device {
    /// The maximum number of controls that are listed, in case a driver's list never ends.
    private static let mostControls = 512

    func controls() throws(V4L2Error) -> [CameraControl] {
        var controls: [CameraControl] = []
        var id: UInt32 = 0
        for _ in 0..<Self.mostControls {
            var entry = v4l2_queryctrl()
            entry.id = id | UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
            // The list ends, or has a control that the camera cannot describe and that cannot be skipped.
            let refusals = Self.lacking + [.ioError]
            guard try request(.queryControl, &entry, for: .listControls, refusals: refusals) else { break }
            id = entry.id
            if let control = try control(entry) { controls.append(control) }
        }
        return controls
    }

    /// Applies settings to controls, automatic modes first; stops at the first failure.
    func apply(_ settings: [String: String]) throws(V4L2Error) {
        for setting in ControlSetting.ordered(settings) {
            // Listed anew each time, because a control changes which others are active.
            let controls = try controls()
            let (control, number) = try failing(as: { V4L2Error.control(device: path, $0) }) {
                () throws(ControlError) in
                let control = try setting.find(in: controls)
                return (control, try setting.number(for: control))
            }
            var argument = v4l2_control(id: control.id, value: Int32(clamping: number))
            let refusals: [Errno] = [.invalidArgument, .outOfRange]
            do throws(V4L2Error) {
                guard try request(.setControl, &argument, for: .setControl, refusals: refusals) else {
                    throw .control(device: path, .badValue("\(number)", control))
                }
            } catch .permissionDenied {
                // The node is open: the camera refuses the control in its present state.
                throw .control(device: path, .inactive(control))
            }
        }
    }

    private func control(_ entry: v4l2_queryctrl) throws(V4L2Error) -> CameraControl? {
        let kinds: [UInt32: CameraControl.Kind] = [
            V4L2_CTRL_TYPE_INTEGER.rawValue: .integer, V4L2_CTRL_TYPE_BOOLEAN.rawValue: .boolean,
            V4L2_CTRL_TYPE_MENU.rawValue: .menu, V4L2_CTRL_TYPE_INTEGER_MENU.rawValue: .menu,
        ]
        let flags = Int(entry.flags)
        guard let kind = kinds[entry.type], flags & Int(V4L2_CTRL_FLAG_DISABLED) == 0, entry.minimum <= entry.maximum
        else { return nil }
        let label = cString(entry.name)
        return CameraControl(
            id: entry.id,
            name: Self.standardNames[entry.id] ?? ControlSetting.camelCase(label),
            label: label,
            kind: kind,
            range: Int(entry.minimum)...Int(entry.maximum),
            step: max(1, Int(entry.step)),
            defaultValue: Int(entry.default_value),
            value: value(of: entry.id),
            choices: kind == .menu ? choices(entry) : [:],
            isReadOnly: flags & Int(V4L2_CTRL_FLAG_READ_ONLY) != 0,
            isInactive: flags & Int(V4L2_CTRL_FLAG_INACTIVE | V4L2_CTRL_FLAG_GRABBED) != 0
        )
    }

    private func value(of id: UInt32) -> Int? {
        var argument = v4l2_control(id: id, value: 0)
        // A control may be unreadable for a while (write-only, or the camera is busy); it is listed without its value.
        guard (try? request(.getControl, &argument, for: .listControls)) != nil else { return nil }
        return Int(argument.value)
    }

    private func choices(_ control: v4l2_queryctrl) -> [Int: String] {
        var choices: [Int: String] = [:]
        let first = Int(control.minimum)
        for index in first...min(Int(control.maximum), first + 255) {
            var item = v4l2_querymenu()
            item.id = control.id
            item.index = UInt32(truncatingIfNeeded: index)
            // A menu may have holes: the driver refuses those indices.
            guard (try? request(.queryMenu, &item, for: .listControls)) != nil else { continue }
            let isNumber = control.type == V4L2_CTRL_TYPE_INTEGER_MENU.rawValue
            choices[index] = isNumber ? "\(item.value)" : cString(item.name)
        }
        return choices
    }

    /// The names of common controls whose labels differ between kernels; other controls are named after their label.
    private static let standardNames: [UInt32: String] = [
        UInt32(V4L2_CID_AUTOGAIN): "autoGain",
        UInt32(V4L2_CID_EXPOSURE_AUTO): "autoExposure",
        UInt32(V4L2_CID_EXPOSURE_ABSOLUTE): "exposure",
        UInt32(V4L2_CID_EXPOSURE_AUTO_PRIORITY): "exposureDynamicFramerate",
        UInt32(V4L2_CID_AUTO_WHITE_BALANCE): "autoWhiteBalance",
        UInt32(V4L2_CID_FOCUS_AUTO): "autoFocus",
        UInt32(V4L2_CID_FOCUS_ABSOLUTE): "focus",
        UInt32(V4L2_CID_ZOOM_ABSOLUTE): "zoom",
        UInt32(V4L2_CID_PAN_ABSOLUTE): "pan",
        UInt32(V4L2_CID_TILT_ABSOLUTE): "tilt",
    ]
}
