import CV4L2
import SystemPackage

/// A buffer of the driver, mapped into our memory until the last one who holds it lets go.
///
/// A frame that outlives its stream keeps its pixels: see `letGoOfDriver`.
/// `@unchecked Sendable` because of the pointer: whoever reads there holds the lease, and the driver writes only while
/// the buffer is queued.
final class MappedBuffer: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let length: Int
    private let calls: any V4L2Calls

    /// Maps the buffer of that index.
    init(_ index: Int, of device: V4L2Device) throws(V4L2Error) {
        var buffer = v4l2_buffer.capture(index)
        try device.request(.queryBuffer, &buffer, for: .makeBuffers)
        calls = device.calls
        length = Int(buffer.length)
        do {
            base = try calls.map(device.descriptor, length: length, offset: Int(buffer.m.offset))
        } catch {
            throw V4L2Error(.makeBuffers, device: device.path, error)
        }
    }

    deinit { calls.unmap(base, length: length) }

    /// Lets go of the driver but keeps the pixels, for a frame that outlives its stream.
    ///
    /// As long as a page of the driver is mapped the kernel holds the device open: it would be busy for everybody, us
    /// included, and keep its number after a replug. Without memory for the copy that has to be borne.
    func letGoOfDriver() {
        try? calls.makePrivate(base, length: length)
    }
}

extension v4l2_buffer {
    /// The structure for a request on a capture buffer.
    static func capture(_ index: Int = 0) -> v4l2_buffer {
        var buffer = v4l2_buffer()
        buffer.index = UInt32(index)
        buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        buffer.memory = V4L2_MEMORY_MMAP.rawValue
        return buffer
    }
}
