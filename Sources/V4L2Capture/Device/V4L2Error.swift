import FoundationEssentials
import System
package import SystemPackage

/// The reason why a camera cannot be used, or cannot be used any more.
package enum V4L2Error: Error, Hashable, Sendable, CustomStringConvertible {
    case notFound(selector: String)
    /// The camera is one that only libcamera can set up.
    case setUpElsewhere(device: String)
    case unplugged(device: String)
    /// The node may not be opened. `group` is the name of its group; nil if unknown or root's.
    case permissionDenied(device: String, group: String?)
    case busy(device: String, V4L2Operation)
    case notACamera(device: String, why: String)
    case unsupportedMode(device: String, CaptureRequest, offers: [CameraFormat])
    case modeRefused(device: String, asked: String, answered: String)
    case control(device: String, ControlError)
    /// No whole frame came for this number of milliseconds.
    case stalled(device: String, milliseconds: Int)
    case misbehaved(device: String, what: String)
    case failed(V4L2Operation, device: String, Errno)

    package var reason: SourceFailure.Reason {
        switch self {
        case .notFound, .setUpElsewhere: .notFound
        case .unplugged: .unplugged
        case .permissionDenied: .permissionDenied
        case .busy: .busy
        case .notACamera: .notACamera
        case .unsupportedMode, .modeRefused: .unsupportedMode
        case .control: .unsupportedControl
        case .stalled: .stalled
        case .misbehaved, .failed: .driverError
        }
    }

    /// Whether the settings are at fault, so that waiting does not help.
    package var isMisconfiguration: Bool { [.notACamera, .unsupportedMode, .unsupportedControl].contains(reason) }

    package var sourceFailure: SourceFailure { SourceFailure(reason: reason, description: description) }

    /// Makes the error of a failed call, according to its error number and what was tried.
    init(_ operation: V4L2Operation, device: String, _ errno: Errno) {
        switch errno {
        case .noSuchFileOrDirectory where operation == .open: self = .notFound(selector: device)
        case .operationNotSupportedByDevice, .noSuchAddressOrDevice: self = .unplugged(device: device)
        case .permissionDenied, .notPermitted:
            self = .permissionDenied(device: device, group: groupName(of: device))
        case .resourceBusy: self = .busy(device: device, operation)
        default: self = .failed(operation, device: device, errno)
        }
    }

    package var description: String {
        switch self {
        case .notFound("auto"): "no camera found: plug one in; `facet devices` lists the cameras"
        case .notFound(let selector):
            "cannot open the camera \(selector): there is no such device; plug it in, or pick one that `facet devices` lists"
        case .setUpElsewhere(let device):
            "cannot use \(device): only libcamera can set up a ribbon camera, and it lists none; `facet doctor` says why"
        case .unplugged(let device): "the camera \(device) is gone: it was unplugged or its driver gave up"
        case .permissionDenied(let device, let group):
            "cannot open the camera \(device): permission denied; \(Self.permissionRemedy(group))"
        case .busy(let device, let operation):
            "cannot \(operation.rawValue) the camera \(device): it is busy; \(Self.sharingText(device))"
        case .notACamera(let device, let why):
            "cannot use \(device) as a camera: \(why); `facet devices` lists the cameras"
        case .unsupportedMode(let device, let request, let offers): Self.modeText(device, request, offers)
        case .modeRefused(let device, let asked, let answered):
            "the camera \(device) cannot do \(asked): its driver answered \(answered); ask for that, or for nothing"
        case .control(let device, let error): "cannot set the controls of the camera \(device): \(error)"
        case .stalled(let device, let milliseconds):
            "the camera \(device) sent no whole frame for \(milliseconds) ms; if it happens again, replug it or try another USB port"
        case .misbehaved(let device, let what): "the driver of the camera \(device) misbehaves: \(what)"
        case .failed(.startStreaming, let device, .noSpace):
            "cannot start streaming from the camera \(device): the USB bus has no bandwidth left; ask for a smaller size or "
                + "rate, for MJPG, or move a camera to another port"
        case .failed(.convert, let device, let errno) where errno.rawValue == ELIBACC:
            "cannot convert the pictures of the camera \(device): libv4l2.so.0 cannot be loaded; install the package libv4l-0"
        case .failed(let operation, let device, let errno):
            "cannot \(operation.rawValue) the camera \(device): \(errno); `dmesg` may say more"
        }
    }

    private static func permissionRemedy(_ group: String?) -> String {
        guard let group else { return "check the node's owner and mode" }
        return "it belongs to the group \(group): run `sudo usermod -aG \(group) $USER` and log in again, or give "
            + "the service SupplementaryGroups=\(group)"
    }

    private static func sharingText(_ device: String) -> String {
        let users = programs(using: device)
        let remedy = "or let all read it through PipeWire (`camera.source: pipewire`)"
        guard !users.isEmpty else { return "stop the program that `sudo fuser -v \(device)` names, \(remedy)" }
        return "\(users.joined(separator: ", ")) \(users.count == 1 ? "uses" : "use") it: stop that, \(remedy)"
    }

    private static func modeText(_ device: String, _ request: CaptureRequest, _ offers: [CameraFormat]) -> String {
        let head = "the camera \(device) cannot do \(request)"
        guard !offers.isEmpty else { return "\(head): its driver lists no format" }
        let readable = offers.filter { FormatNegotiation.preferred.contains($0.fourCC) }
        let names = offers.map(\.fourCC.description).joined(separator: ", ")
        guard !readable.isEmpty else { return "\(head): none of its formats can be read (\(names))" }
        return "\(head); it can do: \(readable.map(\.description).joined(separator: " | "))"
    }
}

/// An operation on a camera, in words that fit into `cannot … the camera`.
package enum V4L2Operation: String, Hashable, Sendable {
    case open
    case queryCapabilities = "ask for the capabilities of"
    /// The call that puts libv4lconvert between the driver and this program.
    case convert = "convert the format of"
    case enumerate = "list the formats of"
    case setFormat = "set the format of"
    case setRate = "set the frame rate of"
    case makeBuffers = "make buffers for"
    case queueBuffer = "queue a buffer to"
    case startStreaming = "start streaming from"
    case stopStreaming = "stop streaming from"
    case wait = "wait for"
    case dequeueBuffer = "take a frame from"
    case listControls = "list the controls of"
    case setControl = "set a control of"
}

/// The name of a file's group; nil if there is no file or no name, or if the group is root's.
func groupName(of path: String) -> String? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let name = attributes?[.groupOwnerAccountName] as? String
    return name == "root" ? nil : name
}

/// The other programs that have a file open, as far as this user can see, such as `firefox (process 4711)`.
func programs(using path: String) -> [String] {
    let node = LibV4L2().node(at: path) ?? path
    func isOpen(in process: pid_t) -> Bool {
        let files = "/proc/\(process)/fd/"
        return names(in: files).contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: files + $0)) == node
        }
    }
    return names(in: "/proc").compactMap { pid_t($0) }.sorted().filter { $0 != getpid() && isOpen(in: $0) }
        .map { "\((try? SmallFile.firstLine(of: "/proc/\($0)/comm")) ?? "a program") (process \($0))" }
}
