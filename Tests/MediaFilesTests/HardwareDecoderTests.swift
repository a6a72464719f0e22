import CFFmpeg
import FacetTestSupport
import Foundation
import Frames
import Testing

@testable import MediaFiles

/// Whether `Tests/hardware-decoder/run` runs the tests, where every node is a device.
private let hasDevice = ProcessInfo.processInfo.environment["FACET_TEST_VAAPI"] != nil

private func options(_ decoder: FrameSourceOptions.Decoder) -> FrameSourceOptions {
    var options = FrameSourceOptions()
    (options.decoder, options.idleDecoding) = (decoder, .always)
    return options
}

@Suite("Missing decoders", .serialized, .enabled(if: LocalServer.isPossible && !hasDevice), .timeLimit(.minutes(5)))
struct MissingHardwareDecoderTests {
    let room: RoomStream

    init() throws { room = try RoomStream() }

    /// A directory of devices with such a node for decoding.
    private func devices(_ make: (String) throws -> Void) throws -> String {
        try FileManager.default.createDirectory(atPath: room.scratch.path("dev/dri"), withIntermediateDirectories: true)
        try make(room.scratch.path("dev/dri/renderD128"))
        return room.scratch.path("dev")
    }

    @Test("falls back to the processor with the same pictures, and names what was tried, why it failed and what to do")
    func fallback() throws {
        try room.write("room.ts", numbers: 0..<60)
        let software = try room.play("room.ts", options(.software))
        #expect(software.times.count == 60 && software.decoders == ["software"] && software.details.isEmpty)
        let remedy = "; `facet doctor` says what to install, and camera.decoder: software leaves hardware alone"
        func check(_ devices: String, _ reason: String) throws {
            let played = try room.play("room.ts", options(.hardware), devices: devices)
            #expect(played.times == software.times && played.damaged == 0 && played.decoders == ["software"])
            #expect(played.details.count == 1)
            let detail = played.details.first ?? ""
            #expect(detail.hasPrefix(reason) && detail.hasSuffix(remedy), "\(detail)")
            let auto = try room.play("room.ts", options(.auto), devices: devices)
            #expect(auto.times == software.times && auto.decoders == ["software"] && auto.details.isEmpty)
        }
        let empty = room.scratch.path("none")
        try check(empty, "there is no device in \(empty)/dri, nor NVIDIA's, with which FFmpeg decodes h264;")
        let dangling = try devices {
            try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "gone")
        }
        let node = "VA-API on \(dangling)/dri/renderD128"
        try check(dangling, "\(node): No such file or directory;")
        try FileManager.default.removeItem(atPath: dangling)
        // What is no device of DRM, for which libva has no driver.
        let fake = try devices { try Data().write(to: URL(filePath: $0)) }
        try check(fake, "\(node): ")
    }

    @Test("leaves files and small live streams to the processor with auto, and opens no device")
    func untouched() throws {
        try room.write("small.ts", numbers: 0..<30, size: FrameSize(width: 640, height: 480))
        let fake = try devices { try Data().write(to: URL(filePath: $0)) }
        for isLive in [true, false] {
            let played = try room.play("small.ts", options(.auto), devices: fake, isLive: isLive)
            #expect(played.times.count == 30 && played.decoders == ["software"] && played.details.isEmpty)
        }
        let asked = try room.play("small.ts", options(.hardware), devices: fake, isLive: false)
        #expect(asked.times.count == 30 && asked.details.count == 1)
    }

    @Test("says that FFmpeg decodes a codec with no device")
    func codec() throws {
        try FFmpeg.load()
        let codec = try #require(ffmpeg.avcodec_find_decoder(AV_CODEC_ID_GIF))
        let fake = try devices { try Data().write(to: URL(filePath: $0)) }
        #expect(
            throws: HardwareDevice.Failure(
                reason: "there is no device in \(fake)/dri, nor NVIDIA's, with which FFmpeg decodes gif"
            )
        ) {
            _ = try HardwareDevice.open(for: codec, in: fake)
        }
    }

    @Test("finds the nodes of VA-API and of NVIDIA, and says why one cannot be opened")
    func places() throws {
        try FFmpeg.load()
        let fake = try devices { try Data().write(to: URL(filePath: $0)) }
        for name in ["dri/card0", "dri/renderD129", "nvidiactl"] {
            _ = try room.scratch.write(Data(), to: "dev/\(name)")
        }
        let places = HardwareDevice.nodes(in: fake)
        let nodes = [
            "VA-API on \(fake)/dri/renderD128", "VA-API on \(fake)/dri/renderD129", "CUDA on \(fake)/nvidiactl",
        ]
        #expect(places.map(\.name) == nodes)
        for place in places {
            let failure = #expect(throws: HardwareDevice.Failure.self) { _ = try HardwareDevice(place) }
            #expect(failure?.reason.hasPrefix("\(place.name): ") == true)
        }
    }
}

@Suite("A device that decodes", .serialized, .enabled(if: LocalServer.isPossible && hasDevice), .timeLimit(.minutes(5)))
struct HardwareDecoderTests {
    let room: RoomStream

    init() throws { room = try RoomStream() }

    /// Plays a room with a device that fails in such a way.
    private func play(_ name: String, fault: String = "", _ options: FrameSourceOptions, isLive: Bool = true) throws
        -> RoomStream.Playback
    {
        setenv("FACET_TEST_STREAM", room.scratch.path(name), 1)
        setenv("FACET_TEST_FAULT", fault, 1)
        return try room.play(name, options, isLive: isLive, keepsPixels: true)
    }

    @Test("gives the same pictures at the same times by a device")
    func device() throws {
        try room.write("room.ts")
        try room.write("large.ts", numbers: 0..<30, size: FrameSize(width: 704, height: 496))
        for (name, decoder) in [("room.ts", FrameSourceOptions.Decoder.hardware), ("large.ts", .auto)] {
            let software = try play(name, options(.software))
            let played = try play(name, options(decoder))
            #expect(played.decoders == ["VA-API on /dev/dri/renderD128"] && played.details.isEmpty)
            #expect(played.times == software.times && played.damaged == 0 && played.sizes == software.sizes)
            #expect(played.pixels == software.pixels)
        }
    }

    @Test("goes on by the processor where the device does not take the stream")
    func refused() throws {
        try room.write("room.ts", numbers: 0..<60)
        let software = try play("room.ts", options(.software))
        let played = try play("room.ts", fault: "profile", options(.hardware))
        #expect(played.pixels == software.pixels && played.damaged == 0 && played.decoders == ["software"])
        let reason = "VA-API on /dev/dri/renderD128 does not decode it ("
        #expect(played.details.count == 1 && played.details[0].hasPrefix(reason), "\(played.details)")
    }

    @Test("stays with the device where a stream is joined between key pictures")
    func joined() throws {
        try room.write("room.ts", numbers: 0..<60) { number, _ in number >= 10 }
        let played = try play("room.ts", options(.hardware))
        #expect(played.times.count >= 35 && played.details.isEmpty)
        #expect(played.decoders == ["VA-API on /dev/dri/renderD128"])
    }

    @Test("loses nothing where the device fails with the first picture")
    func firstFailure() throws {
        try room.write("room.ts", numbers: 0..<60)
        let software = try play("room.ts", options(.software))
        let played = try play("room.ts", fault: "decode:0", options(.hardware))
        #expect(played.pixels == software.pixels && played.damaged == 0 && played.decoders == ["software"])
        #expect(played.details.count == 1 && played.details[0].hasPrefix("VA-API on /dev/dri/renderD128 failed: "))
    }

    @Test("goes on by the processor from the next key picture", arguments: ["decode:60", "copy:60"])
    func laterFailure(_ fault: String) throws {
        try room.write("room.ts")
        let software = try play("room.ts", options(.software))
        let played = try play("room.ts", fault: fault, options(.hardware))
        #expect(played.decoders == ["VA-API on /dev/dri/renderD128", "software"])
        #expect(played.details.count == 1 && played.details[0].hasPrefix("VA-API on /dev/dri/renderD128 failed: "))
        // Each that was lost is counted once, so that the numbers stay.
        #expect(played.count == 260 && played.damaged == 260 - played.times.count && played.damaged <= 25)
        #expect(Set(0..<50).union(75..<260).isSubset(of: played.times.keys))
        for (number, time) in played.times { #expect(software.times[number] == time) }
        for (number, pixels) in played.pixels { #expect(software.pixels[number] == pixels) }
    }

    @Test("rests with the device, and where it fails at rest", arguments: ["", "decode:101", "copy:101"])
    func rest(_ fault: String) throws {
        try room.write("room.ts")
        var resting = options(.software)
        resting.idleDecoding = .auto
        let software = try play("room.ts", resting)
        resting.decoder = .hardware
        let played = try play("room.ts", fault: fault, resting)
        #expect(software.times.count < 240 && played.count == 260)
        if fault.isEmpty { #expect(played.times == software.times && played.damaged == 0) }
        for (number, time) in played.times {
            #expect(abs(time - (software.times[0] ?? 0) - Double(number) / 25) < 0.001)
        }
        #expect(Set(175..<225).isSubset(of: played.times.keys))
        #expect(played.decoders.last == (fault.isEmpty ? "VA-API on /dev/dri/renderD128" : "software"))
    }
}
