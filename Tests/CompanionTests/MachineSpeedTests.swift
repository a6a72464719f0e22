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

    @Test("faces are found in a clip that is stored turned")
    func turned() throws {
        var frame = try frames("grace_hopper.jpg")[0]
        frame.orientation = .right
        var memory = PixelMemoryPool()
        frame = try #require(frame.drawnUpright(of: frame.uprightSize, in: &memory))
        frame.orientation = .left
        let speed = try MachineSpeed([frame, frame, frame], seconds: 0.1)
        #expect(speed.four > 0)
    }

    @Test("a picture with odd sides is repeated with its colours")
    func odd() throws {
        let size = FrameSize(width: 5, height: 5)
        let format = PixelFormat.planarYUV(chromaShiftX: 1, chromaShiftY: 1)
        let chroma: [UInt8] = [0, 1, 2, 10, 11, 12, 20, 21, 22]
        let stamp = FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0)
        let bytes = [UInt8](repeating: 128, count: 25) + chroma + chroma
        let frame = try Frame(copying: bytes, size: size, format: format, stamp: stamp).fourfold()
        #expect(frame.size == FrameSize(width: 8, height: 8))
        let plane = frame.planes.second.map { UnsafeRawBufferPointer(start: $0.base, count: 16) }
        #expect(plane.map(Array.init) == [0, 1, 0, 1, 10, 11, 10, 11, 0, 1, 0, 1, 10, 11, 10, 11])
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
