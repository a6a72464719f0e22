import CV4L2
import Frames
import SystemPackage
import Testing

@testable import V4L2Capture

@Suite("Camera controls")
struct ControlSettingTests {
    static let gain = CameraControl(id: UInt32(V4L2_CID_GAIN), name: "gain", label: "Gain", range: 0...255, step: 5)
    static let line = CameraControl(
        id: UInt32(V4L2_CID_POWER_LINE_FREQUENCY),
        name: "powerLineFrequency",
        label: "Power Line Frequency",
        kind: .menu,
        range: 0...3,
        choices: [0: "Disabled", 1: "50 Hz", 2: "60 Hz"]
    )
    static let automatic = CameraControl(
        id: UInt32(V4L2_CID_EXPOSURE_AUTO),
        name: "autoExposure",
        label: "Exposure, Auto",
        kind: .menu,
        range: 0...3,
        choices: [1: "Manual Mode", 3: "Aperture Priority Mode"]
    )
    static let exposure = CameraControl(
        id: UInt32(V4L2_CID_EXPOSURE_ABSOLUTE),
        name: "exposure",
        label: "Exposure (Absolute)",
        range: 3...2047,
        isInactive: true
    )
    static let mirror = CameraControl(
        id: 1,
        name: "horizontalFlip",
        label: "Horizontal Flip",
        kind: .boolean,
        range: 0...1
    )
    static let pan = CameraControl(id: 2, name: "pan", label: "Pan", range: -36000...36000, step: 3600)
    static let all = [gain, line, automatic, exposure, mirror, pan]

    func number(_ name: String, _ value: String) throws(ControlError) -> Int {
        let setting = ControlSetting(name: name, value: value)
        return try setting.number(for: try setting.find(in: Self.all))
    }

    @Test(
        "finds a control by either name, however written, and its value by number or name",
        arguments: [
            ("gain", "50", 50), ("Gain", "50", 50), ("power_line_frequency", "50 Hz", 1),
            ("powerLineFrequency", "60hz", 2), ("Power Line Frequency", "0", 0),
            ("horizontalFlip", "on", 1), ("horizontalFlip", "off", 0),
            ("Exposure, Auto", "manual mode", 1),
        ] as [(String, String, Int)]
    )
    func finds(_ name: String, _ value: String, _ expected: Int) throws {
        #expect(try number(name, value) == expected)
    }

    @Test(
        "a number is the choice that is listed so, and else the number of a choice",
        arguments: [("-1000", 0), ("1000", 3), ("200", 2), ("1", 1)]
    )
    func findsNumbers(_ value: String, _ expected: Int) throws {
        let choices = [0: "-1000", 1: "100", 2: "200", 3: "1000"]
        let control = CameraControl(id: 3, name: "iso", label: "ISO", kind: .menu, range: 0...3, choices: choices)
        #expect(try ControlSetting(name: "iso", value: value).number(for: control) == expected)
    }

    @Test(
        "refuses values that the control does not take",
        arguments: [
            ("gain", "256"), ("gain", "51"), ("gain", "high"),
            ("powerLineFrequency", "3"), ("powerLineFrequency", "100 Hz"), ("horizontalFlip", "2"),
            ("pan", "9223372036854775807"), ("pan", "-9223372036854775808"),
        ] as [(String, String)]
    )
    func refusesValues(_ name: String, _ value: String) {
        let error = #expect(throws: ControlError.self) { try number(name, value) }
        guard case .badValue = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("an unknown control is refused with the list of what there is")
    func refusesUnknown() {
        let error = #expect(throws: ControlError.self) { try number("snapshotFlash", "1") }
        #expect(
            error?.description == "there is no control `snapshotFlash`; there are: gain 0…255 in steps of 5, "
                + "powerLineFrequency (Disabled, 50 Hz, 60 Hz), autoExposure (Manual Mode, Aperture Priority Mode), "
                + "exposure 3…2047, horizontalFlip (off, on), pan -36000…36000 in steps of 3600"
        )
    }

    @Test("a control that only reports, or has no say at the moment, is refused with the reason")
    func refusesReadOnly() {
        var control = Self.gain
        control.isReadOnly = true
        let setting = ControlSetting(name: "gain", value: "5")
        #expect(throws: ControlError.readOnly(control)) { try setting.number(for: control) }
        #expect(throws: ControlError.inactive(Self.exposure)) { try number("exposure", "100") }
    }

    @Test("a menu at the end of the driver's numbers is listed", arguments: [Int(Int32.max) - 1, Int(Int32.min)])
    func extremeMenu(first: Int) throws {
        let kernel = ScriptedV4L2 {
            let choices = [first: "One", first + 1: "Two"]
            $0.nodes["/dev/video0"]?.controls = [
                CameraControl(
                    id: 7,
                    name: "mode",
                    label: "Mode",
                    kind: .menu,
                    range: first...Int(Int32.max),
                    choices: choices
                )
            ]
        }
        let controls = try V4L2Device(path: "/dev/video0", calls: kernel).controls()
        #expect(controls.map(\.choices) == [[first: "One", first + 1: "Two"]])
    }

    @Test("automatic modes are set first, so that what they lock can be set after them")
    func ordersSettings() throws {
        let kernel = ScriptedV4L2([.buffers([.init(sequence: 0)])]) {
            $0.nodes["/dev/video0"]?.controls = Self.all.sorted { $0.id < $1.id }
        }
        var configuration = CameraConfiguration()
        configuration.controls = ["exposure": "300", "autoExposure": "Manual Mode", "gain": "10"]
        _ = try CameraSourceTests().run(kernel, configuration)
        let set = kernel.state.withLock { $0.controlsSet }
        #expect(set == [Self.exposure.id: 300, Self.automatic.id: 1, Self.gain.id: 10])
    }

    @Test("a control that can't be set ends the source at the start")
    func endsSource() throws {
        let kernel = ScriptedV4L2()
        let events = try CameraSourceTests().run(kernel, CameraConfiguration(controls: ["gain": "1"]))
        guard case .ended(.failed(let failure)) = events.first else { return #expect(Bool(false), "\(events)") }
        #expect(failure.reason == .unsupportedControl)
        #expect(failure.description.hasSuffix("there is no control `gain`: this camera has no controls at all"))
    }

    @Test(
        "a control that the camera refuses is named, and not tried again",
        arguments: [(Errno.permissionDenied, "`gain` has no effect"), (.outOfRange, "that takes gain 0…255")]
    )
    func namesRefused(_ errno: Errno, _ words: String) throws {
        let kernel = ScriptedV4L2 {
            $0.nodes["/dev/video0"]?.controls = [Self.gain]
            $0.nodes["/dev/video0"]?.failures[.setControl] = errno
        }
        let events = try CameraSourceTests().run(kernel, CameraConfiguration(controls: ["gain": "10"]))
        guard case .ended(.failed(let failure)) = events.first else { return #expect(Bool(false), "\(events)") }
        #expect(failure.reason == .unsupportedControl && failure.description.contains(words), "\(failure)")
    }

    @Test(
        "a driver's name becomes one that fits the settings",
        arguments: [
            ("Power Line Frequency", "powerLineFrequency"), ("White Balance, Automatic", "whiteBalanceAutomatic"),
            ("Gain", "gain"),
        ]
    )
    func namesControls(_ label: String, _ expected: String) {
        #expect(ControlSetting.camelCase(label) == expected)
    }
}
