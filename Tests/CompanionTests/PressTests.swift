import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Testing

@testable import Companion
@testable import KeyPressing

@Suite("facet press", .serialized)
struct PressTests {
    @Test(
        "keys have the kernel's names, with and without what they begin with, in any case",
        arguments: [
            ("SPACE", 57), ("space", 57), ("KEY_SPACE", 57), ("Return", 28), ("enter", 28), ("Escape", 1), ("a", 30),
            ("1", 2), ("F13", 183), ("BTN_LEFT", 272), ("btn_left", 272), ("LEFT", 105),
        ] as [(String, UInt32)]
    )
    func keys(name: String, code: UInt32) {
        #expect(KeyName(name)?.code == code)
    }

    @Test("there are hundreds of keys, each with a name of its own that finds it")
    func names() {
        #expect(KeyName.all.count > 400)
        #expect(Set(KeyName.all).count == KeyName.all.count)
        #expect(KeyName.all.allSatisfy { KeyName($0) != nil })
    }

    @Test("a binding fits its own event, and of signs its own kind only")
    func triggers() throws {
        let wink = try KeyBinding("wink_right=BTN_LEFT")
        #expect(wink.event.topic == .sign && wink.keys.map(\.code) == [272])
        #expect(wink.event.fits(.sign(.winkRight)))
        #expect(!wink.event.fits(.sign(.winkLeft)) && !wink.event.fits(.smile))
        let smile = try KeyBinding("smile=leftctrl+c")
        #expect(smile.event.topic == .smile && smile.keys.map(\.code) == [29, 46])
        #expect(smile.event.fits(.smile) && !smile.event.fits(.smileEnd(duration: 1, peak: 1)))
        #expect(try KeyBinding("sign=A").event.fits(.sign(.nod)))
    }

    @Test("a key that is still down is released and pressed anew, and then stays down for its own time")
    func repeatedKey() throws {
        var changes: [String] = []
        var held = HeldKeys { keys, isDown in changes += keys.map { "\($0.code)\(isDown ? "+" : "-")" } }
        let copy = try KeyBinding("smile=leftctrl+c").keys
        try held.press(copy, at: 0)
        try held.press([copy[1]], at: 0.03)
        #expect(changes == ["29+", "46+", "29-", "46-", "46+"])
        try held.release { 0.06 >= $0.until }
        #expect(changes.count == 5)
        try held.release { 0.09 >= $0.until }
        #expect(changes.last == "46-")
    }

    @Test(
        "says what to load where the kernel has no uinput",
        .enabled(if: !FileManager.default.fileExists(atPath: "/dev/uinput"), "this machine has /dev/uinput")
    )
    func missing() async throws {
        let program = try await ChildProcess(BuildProducts.program("facet"), ["press", "smile=SPACE"])
        await program.waitUntilEnded()
        #expect(program.exitStatus == 1)
        #expect(program.output.contains("/dev/uinput: No such file or directory; load the kernel's module for it"))
    }
}
