import Foundation
import Frames
import SystemPackage
import Testing

@testable import V4L2Capture

@Suite("Camera errors")
struct V4L2ErrorTests {
    @Test(
        "an errno is sorted by what it means for the owner",
        arguments: [
            (V4L2Operation.open, Errno.noSuchFileOrDirectory, "not_found"),
            (.open, .permissionDenied, "permission_denied"),
            (.open, .notPermitted, "permission_denied"), (.startStreaming, .resourceBusy, "busy"),
            (.dequeueBuffer, .operationNotSupportedByDevice, "unplugged"),
            (.queueBuffer, .noSuchAddressOrDevice, "unplugged"),
            (.dequeueBuffer, .ioError, "driver_error"), (.startStreaming, .noSpace, "driver_error"),
        ]
    )
    func sorts(_ operation: V4L2Operation, _ errno: Errno, _ reason: String) {
        #expect(V4L2Error(operation, device: "/dev/video0", errno).reason.rawValue == reason)
    }

    @Test(
        "texts name what was tried, on what, why it failed and what to do",
        arguments: [
            (
                V4L2Error.busy(device: "/dev/video0", .startStreaming),
                ["start streaming", "/dev/video0", "busy", "`sudo fuser -v /dev/video0`", "camera.source: pipewire"]
            ),
            (
                .permissionDenied(device: "/dev/video0", group: "video"),
                ["/dev/video0", "group video", "usermod -aG video"]
            ),
            (.failed(.startStreaming, device: "/dev/video0", .noSpace), ["USB", "bandwidth", "smaller size"]),
            (.failed(.dequeueBuffer, device: "/dev/video0", .ioError), ["take a frame", "/dev/video0", "dmesg"]),
            (.notFound(selector: "/dev/video9"), ["/dev/video9", "facet devices"]),
        ]
    )
    func explains(_ error: V4L2Error, _ words: [String]) {
        for word in words { #expect(error.description.contains(word), "\(error) lacks \(word)") }
    }

    @Test("names the program that uses a camera")
    func namesProgram() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "facet-busy-\(UUID())").path
        try Data().write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let program = Process()
        program.executableURL = URL(filePath: "/bin/sh")
        program.arguments = ["-c", "exec 9<'\(path)'; echo; exec cat"]
        let input = Pipe()
        let output = Pipe()
        (program.standardInput, program.standardOutput) = (input, output)
        try program.run()
        // Its line says that it has the file open.
        _ = try output.fileHandleForReading.read(upToCount: 1)
        let text = V4L2Error.busy(device: path, .startStreaming).description
        #expect(text.contains("(process \(program.processIdentifier)) uses it: stop that, or let all read"), "\(text)")
        try input.fileHandleForWriting.close()
        program.waitUntilExit()
        #expect(programs(using: path).isEmpty)
    }

    @Test("names the group that owns a node")
    func namesGroup() {
        // Debian: /etc/shadow belongs to the group shadow; root's group opens nothing for anybody.
        #expect(groupName(of: "/etc/shadow") == "shadow")
        #expect(groupName(of: "/etc/passwd") == nil)
        #expect(groupName(of: "/nonexistent") == nil)
    }

    @Test("only the owner's mistakes are misconfigurations")
    func tellsMistakes() {
        #expect(V4L2Error.notACamera(device: "d", why: "").isMisconfiguration)
        #expect(V4L2Error.control(device: "d", .unknown(name: "x", existing: [])).isMisconfiguration)
        #expect(!V4L2Error.unplugged(device: "d").isMisconfiguration)
        #expect(!V4L2Error.stalled(device: "d", milliseconds: 1).isMisconfiguration)
    }
}
