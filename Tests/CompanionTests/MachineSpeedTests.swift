import FaceMetadata
import Foundation
import Frames
import System
import Testing

@testable import Companion

@Suite("The speed of this machine")
struct MachineSpeedTests {
    private func frames(_ name: String) throws -> [Frame] {
        let jpeg = try SmallFile.bytes(at: "/usr/local/share/facet/\(name)", limit: 1 << 24)
        return Array(repeating: try JPEGDecoder().decode(jpeg), count: 3)
    }

    @Test("four faces are found in four times the picture, and the time of a frame becomes a number of cameras")
    func figures() throws {
        let speed = try MachineSpeed(frames("grace_hopper.jpg"), seconds: 0.1)
        #expect(speed.one > 0 && speed.four > 0, "\(speed)")
        #expect(MachineSpeed.words(1.5, cores: 2) == "1.50 ms a frame: 44 cameras at 30 frames/s")
        #expect(MachineSpeed.words(100, cores: 1) == "100.00 ms a frame: one camera at 10 frames/s")
    }

    @Test("a picture without a face is no measure")
    func nobody() throws {
        let size = FrameSize(width: 320, height: 240)
        let gray = [UInt8](repeating: 128, count: 320 * 240)
        let stamp = FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0)
        let frame = try Frame(copying: gray, size: size, format: .gray, stamp: stamp)
        #expect(throws: CommandFailure.self) { try MachineSpeed([frame], seconds: 0.1) }
        #expect(throws: CommandFailure.self) { try MachineSpeed([]) }
    }

    @Test("the block to send has the kind of machine, and no serial number")
    func report() throws {
        let processors =
            "processor\t: 0\nmodel name\t: ARMv7 Processor rev 3\nHardware\t: BCM2711\nSerial\t\t: 10000000deadbeef\n"
        let release = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian\"\n"
        let pi = MachineKind(board: "Raspberry Pi 4 Model B\0", processors: processors, release: release)
        #expect((pi.model, pi.system) == ("Raspberry Pi 4 Model B", "Debian GNU/Linux 12 (bookworm)"))
        #expect(MachineKind(board: nil, processors: processors, release: "").model == "ARMv7 Processor rev 3")
        #expect(MachineKind(board: nil, processors: "", release: "").model == "unknown")
        let lines = MachineKind().report(try MachineSpeed(frames("grace_hopper.jpg"), seconds: 0.1))
        let words = lines.joined(separator: " ").split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
        for secret in [ProcessInfo.processInfo.hostName, NSUserName(), "10000000deadbeef"] {
            #expect(!words.contains(secret), "\(secret)")
        }
        #expect(lines.map { $0.prefix { $0 != " " } } == ["machine", "kernel", "system", "facet", "one", "four"])
        #expect(lines[3] == "facet      \(facetBuild)")
    }
}
