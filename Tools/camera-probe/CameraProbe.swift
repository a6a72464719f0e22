import ArgumentParser
import Foundation
import Frames
import V4L2Capture

/// Runs the capture by itself and writes what happens as JSON lines: the camera tests read them.
@main
struct CameraProbe: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "camera-probe")

    @Option(help: "auto, a node, or a link in /dev/v4l.")
    var device = "auto"

    @Option(help: "WIDTHxHEIGHT.")
    var size: String?

    @Option(help: "Frames per second.")
    var rate: Double?

    @Option(help: "A pixel format such as YUYV.")
    var format: String?

    @Option(help: "Buffers of the driver.")
    var buffers = 5

    @Option(help: "NAME=VALUE of a control.")
    var control: [String] = []

    @Option(help: "Stop after this many seconds.")
    var seconds: Double?

    @Option(help: "Stop after this many frames were taken.")
    var frames: Int?

    @Option(help: "Keep each frame for this many milliseconds, as a slow pipeline would.")
    var slow = 0

    @Flag(help: "Decode JPEG frames.")
    var decode = false

    @Flag(help: "Report nothing between start and end, to measure the capture and not the reports.")
    var quiet = false

    @Flag(help: "End at once if the camera is not there.")
    var failFast = false

    @Flag(help: "Lines `off` and `on` on standard input close the camera and open it again, as detection does.")
    var switched = false

    @Flag(help: "List the cameras, and stream nothing.")
    var list = false

    func run() throws {
        if list { return try listCameras() }
        let memory = CameraMemory()
        repeat {
            let source = try CameraSource(try cameraConfiguration(), memory: memory)
            let mailbox = FrameMailbox(policy: .newest)
            Thread.detachNewThread { source.run(into: mailbox) }
            if let seconds {
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: seconds)
                    source.stop()
                }
            }
            if switched {
                Thread.detachNewThread {
                    while let line = readLine(), line != "off" {}
                    source.stop()
                }
            }
            var consumer = Consumer(source: source, mailbox: mailbox, probe: self)
            guard try consumer.run() else { throw ExitCode.failure }
        } while switched && readLine() == "on"
    }

    private func listCameras() throws {
        let inventory = CameraInventory.list()
        for camera in inventory.cameras {
            Report.line([
                "event": "camera", "node": camera.node, "driver": camera.driver, "card": camera.card,
                "bus": camera.bus, "names": camera.stableNames, "formats": camera.formats.map(\.description),
                "controls": camera.controls.map(\.description),
            ])
        }
        for node in inventory.others {
            Report.line(["event": "other", "node": node.node, "why": node.why])
        }
    }

    private func cameraConfiguration() throws -> CameraConfiguration {
        var configuration = CameraConfiguration(device: DeviceSelector(device))
        if let size {
            let parts = size.split(separator: "x").compactMap { Int($0) }
            guard parts.count == 2 else { throw ValidationError("--size is WIDTHxHEIGHT") }
            configuration.request.size = FrameSize(width: parts[0], height: parts[1])
        }
        configuration.request.rate = rate
        configuration.request.format = format.flatMap { FourCC($0) }
        configuration.bufferCount = buffers
        configuration.waitsForCamera = !failFast
        for setting in control {
            let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw ValidationError("--control is NAME=VALUE") }
            configuration.controls[parts[0]] = parts[1]
        }
        return configuration
    }
}
