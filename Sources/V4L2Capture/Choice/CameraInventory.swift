import System

/// The cameras of this machine, listed for people to choose from.
public struct CameraInventory: Sendable {
    /// A camera and everything it offers.
    public struct Camera: Hashable, Sendable {
        /// The path of the node, such as `/dev/video0`.
        public var node: String
        /// The name of the kernel driver.
        public var driver: String
        /// The camera's product name, as the driver reports it.
        public var card: String
        /// The bus and port that the camera is plugged into.
        public var bus: String
        /// The links in `/dev/v4l/by-id` and `by-path` that lead to the node; they survive replugging.
        public var stableNames: [String]
        /// Whether only libcamera can set up the camera, so that V4L2 programs get no picture.
        public var needsLibcamera = false
        /// The formats that the hardware delivers, with sizes and rates.
        public var formats: [CameraFormat]
        /// The controls, with their values and ranges.
        public var controls: [CameraControl]
    }

    /// A video node that is not a camera, or cannot be examined.
    public struct Other: Hashable, Sendable {
        /// The path of the node.
        public var node: String
        /// The reason why the node is not listed as a camera.
        public var why: String
        /// Whether this user has no permission to open the node.
        public var isDenied = false
    }

    /// The cameras in the order of their node numbers.
    public var cameras: [Camera]
    /// The other nodes in the order of their numbers, such as metadata nodes and output devices.
    public var others: [Other]

    /// Examines all video nodes of this machine; cameras in use are listed, too.
    public static func list() -> CameraInventory { list(LibV4L2(), links: stableLinks()) }

    static func list(_ calls: any V4L2Calls, links: [String]) -> CameraInventory {
        var inventory = CameraInventory(cameras: [], others: [])
        for node in calls.nodes() {
            do throws(V4L2Error) {
                inventory.cameras.append(try camera(node, calls, links))
            } catch .notACamera(_, let why) {
                inventory.others.append(Other(node: node, why: why))
            } catch {
                let isDenied = error.reason == .permissionDenied
                inventory.others.append(Other(node: node, why: error.description, isDenied: isDenied))
            }
        }
        return inventory
    }

    private static func camera(_ node: String, _ calls: any V4L2Calls, _ links: [String]) throws(V4L2Error) -> Camera {
        let device = try V4L2Device(path: node, calls: calls)
        return Camera(
            node: node,
            driver: device.identity.driver,
            card: device.identity.card,
            bus: device.identity.bus,
            stableNames: links.filter { calls.node(at: $0) == node },
            needsLibcamera: device.identity.isSetUpElsewhere,
            formats: try device.formats(focus: .usual),
            controls: try device.controls()
        )
    }

    private static func stableLinks() -> [String] {
        ["/dev/v4l/by-id", "/dev/v4l/by-path"].flatMap { directory in
            names(in: directory).sorted().map { "\(directory)/\($0)" }
        }
    }
}
