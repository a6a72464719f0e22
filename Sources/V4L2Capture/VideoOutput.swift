import CV4L2
package import Frames
import Glibc
import SystemPackage

/// A node into which a program writes pictures that others read as a camera's, as v4l2loopback makes.
///
/// Not Sendable: one task owns it.
package final class VideoOutput {
    private let path: String
    private let calls = LibV4L2()
    private let descriptor: CInt

    /// Opens the node.
    ///
    /// - Throws: `VideoOutputError` if there is none, it may not be opened, or it takes no pictures.
    package init(_ path: String) throws(VideoOutputError) {
        self.path = path
        do {
            descriptor = try calls.open(path)
        } catch {
            throw VideoOutputError(path, error)
        }
        var answer = v4l2_capability()
        let isDevice = (try? calls.request(descriptor, .queryCapabilities, &answer)) != nil
        let own = answer.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? answer.device_caps : answer.capabilities
        guard isDevice, own & UInt32(V4L2_CAP_VIDEO_OUTPUT) != 0 else {
            calls.close(descriptor)
            let what = isDevice ? "it takes no pictures (\(cString(answer.card)))" : "it is no video device"
            throw VideoOutputError(path, what, VideoOutputError.loopback)
        }
    }

    deinit { calls.close(descriptor) }

    /// Says how large the pictures will be; both sides are even.
    package func begin(_ size: FrameSize) throws(VideoOutputError) {
        var format = v4l2_format()
        format.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        format.fmt.pix.width = UInt32(size.width)
        format.fmt.pix.height = UInt32(size.height)
        format.fmt.pix.pixelformat = FourCC.yu12.rawValue
        format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        format.fmt.pix.bytesperline = UInt32(size.width)
        format.fmt.pix.sizeimage = UInt32(size.width * size.height * 3 / 2)
        format.fmt.pix.colorspace = V4L2_COLORSPACE_SMPTE170M.rawValue
        do throws(Errno) {
            try repeating { () throws(Errno) in try calls.request(descriptor, .setFormat, &format) }
        } catch {
            throw VideoOutputError(path, error)
        }
        let answer = FrameSize(width: Int(format.fmt.pix.width), height: Int(format.fmt.pix.height))
        guard answer == size, format.fmt.pix.pixelformat == FourCC.yu12.rawValue else {
            let given =
                "it stays at \(answer) in \(FourCC(rawValue: format.fmt.pix.pixelformat)) instead of \(size) in YU12"
            throw VideoOutputError(path, given, "end the program that reads it, or make the node anew")
        }
    }

    /// Shows a picture: planes of Y, U and V without gaps, chroma halved both ways, video range.
    package func show(_ picture: UnsafeRawBufferPointer) throws(VideoOutputError) {
        do throws(Errno) {
            let written = try repeating { () throws(Errno) -> Int in
                let count = Glibc.write(descriptor, picture.baseAddress, picture.count)
                guard count >= 0 else { throw Errno(rawValue: errno) }
                return count
            }
            guard written == picture.count else { throw Errno.ioError }
        } catch {
            throw VideoOutputError(path, error)
        }
    }
}

/// Why pictures cannot be shown on a node.
package struct VideoOutputError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    fileprivate static let loopback =
        "make one: `sudo modprobe v4l2loopback video_nr=20 card_label=Facet exclusive_caps=1` (package v4l2loopback-dkms)"

    fileprivate init(_ path: String, _ reason: String, _ remedy: String) {
        description = "cannot show pictures on \(path): \(reason); \(remedy)"
    }

    fileprivate init(_ path: String, _ errno: Errno) {
        let users = programs(using: path).joined(separator: ", ")
        let (reason, remedy) =
            switch errno {
            case .noSuchFileOrDirectory: ("there is no such device", Self.loopback)
            case .permissionDenied, .notPermitted:
                (
                    "permission denied",
                    "join the node's group: `sudo usermod -aG \(groupName(of: path) ?? "video") $USER`"
                )
            case .resourceBusy: ("it is busy", "end the other program that uses it\(users.isEmpty ? "" : ": " + users)")
            default: ("\(errno)", "`dmesg` may say more")
            }
        self.init(path, reason, remedy)
    }
}
