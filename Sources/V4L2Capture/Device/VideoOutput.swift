import CV4L2
import SystemPackage

/// An output node, such as v4l2loopback's, to which one task writes pictures that other programs read as a camera's.
package final class VideoOutput {
    private let device: V4L2Device

    /// Opens the node.
    /// - Throws: `VideoOutputError` if the node is missing, may not be opened or accepts no pictures.
    package init(_ path: String) throws(VideoOutputError) {
        do { device = try V4L2Device(path: path, calls: LibV4L2(), isCamera: false) } catch { throw .init(path, error) }
        guard device.identity.capabilities & UInt32(V4L2_CAP_VIDEO_OUTPUT) != 0 else {
            throw VideoOutputError(path, "it takes no pictures (\(device.identity.card))", VideoOutputError.loopback)
        }
    }

    /// Sets the size of the pictures, whose width and height must be even.
    package func begin(_ size: FrameSize) throws(VideoOutputError) {
        let answer = try failing(as: { VideoOutputError(device.path, $0) }) { () throws(V4L2Error) in
            let colorspace = V4L2_COLORSPACE_SMPTE170M
            return try device.setFormat(.yu12, size, of: V4L2_BUF_TYPE_VIDEO_OUTPUT, colorspace: colorspace)
        }
        let kept = FrameSize(answer)
        let format = FourCC(rawValue: answer.pixelformat)
        guard kept == size, format == .yu12 else {
            let given = "it stays at \(kept) in \(format) instead of \(size) in YU12"
            throw VideoOutputError(device.path, given, "end the program that reads it, or make the node anew")
        }
    }

    /// Writes a picture: planes of Y, U and V without gaps, chroma halved in width and height, in video range.
    package func show(_ picture: UnsafeRawBufferPointer) throws(VideoOutputError) {
        do {
            // Each write is a picture: the rest of a short one would be shown as the next picture.
            guard try FileDescriptor(rawValue: device.descriptor).write(picture) == picture.count else {
                throw Errno.ioError
            }
        } catch {
            let errno = error as? Errno ?? .ioError
            throw VideoOutputError(device.path, V4L2Error(.queueBuffer, device: device.path, errno))
        }
    }
}

/// The reason why pictures cannot be written to a node.
package struct VideoOutputError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    fileprivate static let loopback =
        "make one: `sudo modprobe v4l2loopback video_nr=20 card_label=Facet exclusive_caps=1` (package v4l2loopback-dkms)"

    fileprivate init(_ path: String, _ reason: String, _ remedy: String) {
        description = "cannot show pictures on \(path): \(reason); \(remedy)"
    }

    fileprivate init(_ path: String, _ error: V4L2Error) {
        let users = programs(using: path).joined(separator: ", ")
        let (reason, remedy) =
            switch error {
            case .notFound: ("there is no such device", Self.loopback)
            case .notACamera(_, let why): (why, Self.loopback)
            case .permissionDenied(_, let group):
                ("permission denied", "join the node's group: `sudo usermod -aG \(group ?? "video") $USER`")
            case .busy:
                ("it is busy", "end the other program that uses it\(users.isEmpty ? "" : ": " + users)")
            case .failed(_, _, let errno): ("\(errno)", "`dmesg` may say more")
            default: ("it is gone", "`dmesg` may say more")
            }
        self.init(path, reason, remedy)
    }
}
