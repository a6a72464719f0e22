import CV4L2
import FaceMetadata
import Frames
import SystemPackage
import Testing

@testable import V4L2Capture

@Suite("Finding cameras")
struct DeviceFinderTests {
    static let metadata = UInt32(V4L2_CAP_META_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
    static let output = UInt32(V4L2_CAP_VIDEO_OUTPUT) | UInt32(V4L2_CAP_STREAMING)

    func kernel(_ nodes: [String: ScriptedV4L2.Node], links: [String: String] = [:]) -> ScriptedV4L2 {
        ScriptedV4L2 { state in
            state.nodes = nodes
            state.links = links
        }
    }

    func identity(_ card: String, _ bus: String, index: Int = 0) -> V4L2Device.Identity {
        V4L2Device.Identity(driver: "scripted", card: card, bus: bus, index: index, capabilities: 0)
    }

    func find(
        _ selector: String,
        _ kernel: ScriptedV4L2,
        lastSeen: V4L2Device.Identity? = nil
    ) throws(V4L2Error) -> String {
        try DeviceFinder(selector: DeviceSelector(selector), calls: kernel).open(lastSeen: lastSeen) { $0.path }
    }

    @Test("auto passes over metadata nodes, output devices and nodes that can't be opened")
    func picksFirstCamera() throws {
        let kernel = kernel([
            "/dev/video0": .init(capabilities: Self.metadata), "/dev/video1": .init(capabilities: Self.output),
            "/dev/video2": .init(openFailure: .permissionDenied), "/dev/video3": .init(), "/dev/video4": .init(),
        ])
        #expect(try find("auto", kernel) == "/dev/video3")
        #expect(kernel.state.withLock { $0.open.isEmpty })
    }

    @Test("auto takes the camera that was in use before, if it is there")
    func prefersLastSeen() throws {
        let kernel = kernel(["/dev/video0": .init(card: "A"), "/dev/video1": .init(card: "B", bus: "usb-2")])
        #expect(try find("auto", kernel, lastSeen: identity("B", "usb-2")) == "/dev/video1")
        #expect(try find("auto", kernel, lastSeen: identity("C", "usb-3")) == "/dev/video0")
    }

    @Test("auto without any camera says so, or that one may not be opened")
    func explainsAbsence() {
        #expect(throws: V4L2Error.notFound(selector: "auto")) {
            try find("auto", kernel(["/dev/video0": .init(capabilities: Self.metadata)]))
        }
        #expect(throws: V4L2Error.permissionDenied(device: "/dev/video0", group: nil)) {
            try find("auto", kernel(["/dev/video0": .init(openFailure: .permissionDenied)]))
        }
    }

    @Test(
        "a link leads to its node, whatever number that has",
        arguments: [
            "/dev/v4l/by-id/usb-cam", "usb-cam", "/dev/v4l/by-path/pci-cam", "pci-cam", "/dev/video5", "video5",
        ]
    )
    func followsLinks(_ selector: String) throws {
        let links = ["/dev/v4l/by-id/usb-cam": "/dev/video5", "/dev/v4l/by-path/pci-cam": "/dev/video5"]
        let path = try find(selector, kernel(["/dev/video5": .init()], links: links))
        #expect((links[path] ?? path) == "/dev/video5")
    }

    @Test("a plain node's camera is found under its new number, even if another camera has the old one now")
    func findsRenumbered() throws {
        let known = identity("Camera", "usb-1")
        #expect(try find("/dev/video0", kernel(["/dev/video1": .init()]), lastSeen: known) == "/dev/video1")
        let swapped = kernel(["/dev/video0": .init(card: "Other"), "/dev/video3": .init()])
        #expect(try find("/dev/video0", swapped, lastSeen: known) == "/dev/video3")
        let replaced = kernel(["/dev/video0": .init(card: "Other")])
        #expect(try find("/dev/video0", replaced, lastSeen: known) == "/dev/video0")
    }

    @Test("of a camera with two sensors the same one is found again", arguments: ["auto", "/dev/video2"])
    func findsSameSensor(_ selector: String) throws {
        let infrared = identity("Camera", "usb-1", index: 2)
        let renumbered = kernel(["/dev/video4": .init(index: 0), "/dev/video6": .init(index: 2)])
        #expect(try find(selector, renumbered, lastSeen: infrared) == "/dev/video6")
        let swapped = kernel(["/dev/video2": .init(index: 0), "/dev/video4": .init(index: 2)])
        #expect(try find(selector, swapped, lastSeen: infrared) == "/dev/video4")
    }

    @Test(
        "a link is waited for and followed, and no other node is taken for what it leads to",
        arguments: ["/dev/v4l/by-id/usb-cam-index2", "usb-cam-index2", "/dev/doorbell"]
    )
    func trustsLinks(_ selector: String) throws {
        let infrared = identity("Camera", "usb-1", index: 2)
        #expect(throws: V4L2Error.notFound(selector: selector)) {
            try find(selector, kernel(["/dev/video0": .init(index: 2)]), lastSeen: infrared)
        }
        let links = ["/dev/v4l/by-id/usb-cam-index2": "/dev/video1", "/dev/doorbell": "/dev/video1"]
        let back = kernel(["/dev/video0": .init(index: 2), "/dev/video1": .init(card: "New")], links: links)
        #expect(links[try find(selector, back, lastSeen: infrared)] == "/dev/video1")
    }

    @Test("a plain node that never was there is not guessed")
    func refusesUnknownNode() {
        #expect(throws: V4L2Error.notFound(selector: "/dev/video9")) {
            try find("/dev/video9", kernel(["/dev/video0": .init()]))
        }
    }

    @Test(
        "says why a node is no camera",
        arguments: [
            (metadata, "metadata node"), (output, "output device"), (UInt32(V4L2_CAP_VIDEO_CAPTURE), "cannot stream"),
            (UInt32(V4L2_CAP_VIDEO_M2M), "converter"), (UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE), "multi-planar"),
            (UInt32(V4L2_CAP_RADIO), "takes no pictures"),
        ]
    )
    func explains(_ capabilities: UInt32, _ word: String) {
        let error = #expect(throws: V4L2Error.self) {
            try find("/dev/video0", kernel(["/dev/video0": .init(capabilities: capabilities)]))
        }
        #expect(error?.description.contains(word) == true)
    }

    @Test("auto passes over a Raspberry Pi's picture processor, whose nodes look like a camera's")
    func passesOverPictureProcessor() throws {
        let processor = ScriptedV4L2.Node(driver: "bcm2835-isp", card: "bcm2835-isp")
        #expect(
            try find("auto", kernel(["/dev/video14": processor, "/dev/video15": processor, "/dev/video32": .init()]))
                == "/dev/video32"
        )
        let error = #expect(throws: V4L2Error.self) { try find("/dev/video14", kernel(["/dev/video14": processor])) }
        #expect(error?.description.contains("picture processor of a Raspberry Pi") == true)
    }

    @Test("auto passes over a node that somebody else has to set up; by its name it is taken")
    func passesOverMediaController() throws {
        // V4L2_CAP_STREAMING | V4L2_CAP_IO_MC | V4L2_CAP_VIDEO_CAPTURE
        let sensor = ScriptedV4L2.Node(driver: "rp1-cfe", card: "rp1-cfe", capabilities: 0x2400_0001)
        let kernel = kernel(["/dev/video0": sensor, "/dev/video8": .init()])
        #expect(try find("auto", kernel) == "/dev/video8")
        #expect(try find("/dev/video0", kernel) == "/dev/video0")
        let alone = self.kernel(["/dev/video0": sensor])
        let error = #expect(throws: V4L2Error.self) { try find("auto", alone) }
        #expect(error == .setUpElsewhere(device: "/dev/video0"))
        #expect(error?.description.contains("`facet doctor` says why") == true)
        #expect(CameraInventory.list(alone, links: []).cameras.map(\.needsLibcamera) == [true])
    }

    @Test("where only libcamera can set up a camera, another source goes on, once there is one")
    func handsOver() throws {
        let sensor = ScriptedV4L2.Node(driver: "rp1-cfe", card: "rp1-cfe", capabilities: 0x2400_0001)
        let source = try CameraSource(CameraConfiguration(), calls: kernel(["/dev/video0": sensor])) { OneFrame() }
        let mailbox = FrameMailbox(policy: .newest)
        source.run(into: mailbox)
        #expect(
            CameraSourceTests().short([mailbox.next(), mailbox.next()].compactMap(\.self)) == [
                "frame 7", "ended finished",
            ]
        )
    }

    private final class OneFrame: FrameSource {
        func run(into mailbox: FrameMailbox) {
            let stamp = FrameStamp(frame: 7, time: .init(nanoseconds: 0), mediaTime: 0)
            let size = FrameSize(width: 2, height: 2)
            if let frame = try? Frame(copying: [1, 2, 3, 4], size: size, format: .gray, stamp: stamp) {
                mailbox.put(.frame(frame))
            }
            mailbox.put(.ended(.finished))
        }

        func stop() {}
    }

    @Test("a file that is no video device is said to be none", arguments: ["/dev/null", "/etc/passwd"])
    func refusesOtherFiles(_ path: String) {
        let error = #expect(throws: V4L2Error.self) {
            try DeviceFinder(selector: DeviceSelector(path), calls: LibV4L2()).open(lastSeen: nil) { $0 }
        }
        #expect(error == .notACamera(device: path, why: "it is not a video device"))
    }

    @Test("the inventory lists cameras with their stable names, and says why other nodes are none")
    func listsInventory() {
        let kernel = kernel(
            [
                "/dev/video0": .init(), "/dev/video1": .init(capabilities: Self.metadata),
                "/dev/video2": .init(openFailure: .permissionDenied),
            ],
            links: ["/dev/v4l/by-id/usb-cam": "/dev/video0", "/dev/v4l/by-id/usb-meta": "/dev/video1"]
        )
        let inventory = CameraInventory.list(kernel, links: ["/dev/v4l/by-id/usb-cam", "/dev/v4l/by-id/usb-meta"])
        #expect(inventory.cameras.map(\.node) == ["/dev/video0"])
        #expect(inventory.cameras.first?.stableNames == ["/dev/v4l/by-id/usb-cam"])
        #expect(inventory.cameras.first?.formats.map(\.description) == ["YUYV: 32x16 at 30 fps"])
        #expect(inventory.others.map(\.node) == ["/dev/video1", "/dev/video2"])
        #expect(inventory.others.first?.why.contains("metadata") == true)
    }
}
