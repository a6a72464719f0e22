import CFFmpeg
import FoundationEssentials

/// A hardware video decoder of this machine, opened by FFmpeg through VA-API or, for NVIDIA, through CUDA. Neither
/// needs a display. FFmpeg's usual decoders use it for the costly part of their work.
package final class HardwareDevice {
    /// A device node that may belong to a hardware decoder, and the interface to open it with.
    package struct Node {
        let type: AVHWDeviceType
        package let node: String
        package var name: String { "\(type == AV_HWDEVICE_TYPE_VAAPI ? "VA-API" : "CUDA") on \(node)" }
        /// The kernel driver of the graphics card, such as `i915`; nil if it is unknown.
        package var driver: String? {
            let path = "/sys/class/drm/\(node.split(separator: "/").last ?? "")/device/driver"
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            return link?.split(separator: "/").last.map(String.init)
        }

        /// Tries to open the device. Returns the reason why it cannot be opened; nil if it can.
        /// - Throws: `SourceFailure` if FFmpeg is missing.
        package func problem() throws(SourceFailure) -> String? {
            try FFmpeg.load()
            do throws(Failure) { _ = try HardwareDevice(self) } catch { return error.reason }
            return nil
        }
    }

    /// The reason why there is no hardware decoder: each device that was tried, and its error.
    package struct Failure: Error, Equatable { package var reason: String }

    let name: String
    let reference: FFmpegOwned<AVBufferRef>

    /// Opens a device. `FFmpeg.load()` must have succeeded.
    init(_ candidate: Node) throws(Failure) {
        name = candidate.name
        // FFmpeg's own error does not tell missing permissions from other failures.
        guard access(candidate.node, R_OK | W_OK) == 0 else {
            throw Failure(reason: "\(name): \(String(cString: strerror(errno)))")
        }
        FFmpegForgetErrors()
        var made: UnsafeMutablePointer<AVBufferRef>?
        let isVAAPI = candidate.type == AV_HWDEVICE_TYPE_VAAPI
        let code = ffmpeg.av_hwdevice_ctx_create(&made, candidate.type, isVAAPI ? candidate.node : nil, nil, 0)
        guard code >= 0, let made else { throw Failure(reason: "\(name): \(FFmpeg.explained(FFmpeg.text(code)))") }
        reference = FFmpegOwned(made, ffmpeg.av_buffer_unref)
    }

    /// Lists the nodes in `directory`, such as `/dev`, that may belong to hardware decoders.
    package static func nodes(in directory: String) -> [Node] {
        let nodes = names(in: "\(directory)/dri").filter { $0.hasPrefix("renderD") }.sorted()
        let nvidia = "\(directory)/nvidiactl"
        return nodes.map { Node(type: AV_HWDEVICE_TYPE_VAAPI, node: "\(directory)/dri/\($0)") }
            + (access(nvidia, F_OK) == 0 ? [Node(type: AV_HWDEVICE_TYPE_CUDA, node: nvidia)] : [])
    }

    /// Opens the first device that can be opened, among those that FFmpeg supports for the codec.
    static func open(for codec: UnsafePointer<AVCodec>, in directory: String) throws(Failure) -> HardwareDevice {
        var failures: [String] = []
        for candidate in nodes(in: directory) where decodes(codec, candidate.type) {
            do throws(Failure) { return try HardwareDevice(candidate) } catch { failures.append(error.reason) }
        }
        let codec = String(cString: codec.pointee.name)
        let none = "there is no device in \(directory)/dri, nor NVIDIA's, with which FFmpeg decodes \(codec)"
        throw Failure(reason: failures.isEmpty ? none : failures.joined(separator: "; "))
    }

    private static func decodes(_ codec: UnsafePointer<AVCodec>, _ type: AVHWDeviceType) -> Bool {
        for index in Int32(0)... {
            guard let method = ffmpeg.avcodec_get_hw_config(codec, index)?.pointee else { break }
            let takesDevice = method.methods & Int32(AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0
            if takesDevice, method.device_type == type { return true }
        }
        return false
    }
}
