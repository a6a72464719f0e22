import CV4L2
import System
import SystemPackage

/// An open camera, with typed requests and specific errors. Owned by one thread; closed with its last reference.
final class V4L2Device {
    let path: String
    let calls: any V4L2Calls
    let descriptor: CInt
    private(set) var identity = Identity()

    /// Opens a node. Throws `notACamera` if it is no video device or, with `isCamera`, cannot be read as a camera.
    init(path: String, calls: any V4L2Calls, isCamera: Bool = true) throws(V4L2Error) {
        self.path = path
        self.calls = calls
        do { descriptor = try calls.open(path) } catch { throw V4L2Error(.open, device: path, error) }
        identity = try askIdentity()
        if isCamera, let why = identity.reasonForRefusal { throw .notACamera(device: path, why: why) }
    }

    deinit { calls.close(descriptor) }

    /// Makes a request to the driver. Returns false if the driver answers with one of `refusals`, the errors by which
    /// it says that it lacks what was asked for. Throws `V4L2Error` for other failures.
    @discardableResult
    func request<Argument>(
        _ request: V4L2Request,
        _ argument: inout Argument,
        for operation: V4L2Operation,
        refusals: [Errno] = []
    ) throws(V4L2Error) -> Bool {
        do {
            try withUnsafeMutablePointer(to: &argument) { pointer throws(Errno) in
                try calls.request(descriptor, request, pointer)
            }
            return true
        } catch {
            guard refusals.contains(error) else { throw V4L2Error(operation, device: path, error) }
            return false
        }
    }

    /// The errors by which a driver says that it lacks what was asked for.
    static let lacking: [Errno] = [.invalidArgument, .inappropriateIOCTLForDevice]

    struct Identity: Hashable {
        var driver = ""
        var card = ""
        var bus = ""
        /// The index of the node among its device's nodes, which distinguishes a camera's sensors; nil if unknown.
        var index: Int?
        /// The capabilities of this node; other nodes of the device may have others.
        var capabilities: UInt32 = 0

        /// Whether both are the same sensor of the same camera, perhaps under another node number.
        func isSameCamera(as other: Identity) -> Bool { card == other.card && bus == other.bus && index == other.index }
    }

    /// Asks the node what it is; throws `notACamera` if it is no V4L2 device.
    private func askIdentity() throws(V4L2Error) -> Identity {
        var answer = v4l2_capability()
        guard try request(.queryCapabilities, &answer, for: .queryCapabilities, refusals: Self.lacking) else {
            throw .notACamera(device: path, why: "it is not a video device")
        }
        let hasOwn = answer.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
        let card = cString(answer.card)
        var identity = Identity(driver: cString(answer.driver), card: card, bus: cString(answer.bus_info))
        identity.index = calls.node(at: path).flatMap(calls.index)
        identity.capabilities = hasOwn ? answer.device_caps : answer.capabilities
        return identity
    }
}

extension V4L2Device.Identity {
    /// Whether a program must set up the sensor behind the node through the media controller before the node delivers
    /// pictures, as libcamera does for a ribbon camera of a Raspberry Pi.
    var isSetUpElsewhere: Bool { capabilities & UInt32(V4L2_CAP_IO_MC) != 0 }

    /// The reason why the node cannot be read as a camera; nil if it can.
    var reasonForRefusal: String? {
        // Its nodes look like a camera's and even start to stream, but only return what a program feeds them.
        if driver == "bcm2835-isp" {
            return "it is the picture processor of a Raspberry Pi and takes no pictures by itself"
        }
        func has(_ capability: some BinaryInteger) -> Bool { capabilities & UInt32(capability) != 0 }
        if has(V4L2_CAP_VIDEO_CAPTURE) {
            return has(V4L2_CAP_STREAMING) ? nil : "its driver cannot stream (no mmap buffers)"
        }
        return if has(V4L2_CAP_META_CAPTURE) {
            "it is a metadata node of \(card), which has no pictures; its camera is another node"
        } else if has(V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_VIDEO_OUTPUT_MPLANE | V4L2_CAP_META_OUTPUT) {
            "it is an output device (\(card)): it shows pictures and takes none"
        } else if has(V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE) {
            "it is a video converter (\(card)) and takes no pictures"
        } else if has(V4L2_CAP_VIDEO_CAPTURE_MPLANE) {
            "its driver (\(driver)) only has the multi-planar interface, which Facet does not speak"
        } else {
            "it takes no pictures (\(card))"
        }
    }
}
