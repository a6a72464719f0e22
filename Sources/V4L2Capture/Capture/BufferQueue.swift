import CV4L2
import Synchronization
import SystemPackage

/// The driver's queue of buffers. Gives buffers to the driver, takes them back filled, and knows where each buffer is.
///
/// A lock protects the queue, as frames are released on any thread. The descriptor is not used after `detach`.
final class BufferQueue: Sendable {
    private struct State {
        var descriptor: CInt?
        /// One flag for each buffer, by the buffer's index: whether the driver has the buffer.
        var isQueued: [Bool]
        /// The error of a `queue` call on any thread, which `dequeue` throws.
        var failure: Errno?
    }

    private let device: String
    private let calls: any V4L2Calls
    private let state: Mutex<State>

    init(of device: V4L2Device, count: Int) {
        self.device = device.path
        calls = device.calls
        state = Mutex(State(descriptor: device.descriptor, isQueued: Array(repeating: false, count: count)))
    }

    var queuedCount: Int { state.withLock { $0.isQueued.count(where: \.self) } }

    /// Gives a buffer to the driver; does nothing after `detach`. An error is thrown by the next `dequeue`.
    func queue(_ index: Int) {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return }
            var buffer = v4l2_buffer.capture(index)
            do throws(Errno) {
                try calls.request(descriptor, .queueBuffer, &buffer)
                state.isQueued[index] = true
            } catch {
                state.failure = error
            }
        }
    }

    /// Takes a filled buffer from the driver; nil if no buffer is ready.
    func dequeue() throws(V4L2Error) -> v4l2_buffer? {
        var buffer = v4l2_buffer.capture()
        let isTaken = try state.withLock { state throws(V4L2Error) in
            if let failure = state.failure { throw V4L2Error(.queueBuffer, device: device, failure) }
            guard let descriptor = state.descriptor else { return false }
            do throws(Errno) {
                try calls.request(descriptor, .dequeueBuffer, &buffer)
            } catch {
                guard error != .resourceTemporarilyUnavailable else { return false }
                throw V4L2Error(.dequeueBuffer, device: device, error)
            }
            let index = Int(buffer.index)
            guard state.isQueued.indices.contains(index), state.isQueued[index] else {
                let what = "it filled buffer \(index) of \(state.isQueued.count), which it did not have"
                throw .misbehaved(device: device, what: what)
            }
            state.isQueued[index] = false
            return true
        }
        return isTaken ? buffer : nil
    }

    /// Ends the queue, so that it takes no more buffers. Returns the indices of the buffers that frames may still use.
    func detach() -> [Int] {
        state.withLock { state in
            state.descriptor = nil
            return state.isQueued.indices.filter { !state.isQueued[$0] }
        }
    }
}

/// A frame's claim on a buffer. When the claim is released, the buffer goes back to the driver.
final class BufferLease: Sendable {
    private let buffer: MappedBuffer

    init(_ buffer: MappedBuffer) { self.buffer = buffer }

    deinit { buffer.queue.queue(buffer.index) }
}

/// A buffer of the driver, mapped into this process until the last owner of the mapping releases it.
///
/// `@unchecked Sendable` because of the pointer: readers have a lease, and the driver writes only to queued buffers.
final class MappedBuffer: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let length: Int
    let index: Int
    let queue: BufferQueue
    private let calls: any V4L2Calls

    init(_ index: Int, of device: V4L2Device, in queue: BufferQueue) throws(V4L2Error) {
        self.index = index
        self.queue = queue
        calls = device.calls
        var buffer = v4l2_buffer.capture(index)
        try device.request(.queryBuffer, &buffer, for: .makeBuffers)
        length = Int(buffer.length)
        do { base = try calls.map(device.descriptor, length: length, offset: Int(buffer.m.offset)) } catch {
            throw V4L2Error(.makeBuffers, device: device.path, error)
        }
    }

    deinit { calls.unmap(base, length: length) }

    /// Replaces the driver's memory by a copy at the same address, for a frame that outlives its stream: the kernel
    /// keeps the device busy while its memory is mapped. If there is no memory for a copy, nothing changes.
    func makePrivate() { try? calls.makePrivate(base, length: length) }
}

extension v4l2_buffer {
    static func capture(_ index: Int = 0) -> v4l2_buffer {
        var buffer = v4l2_buffer()
        buffer.index = UInt32(index)
        buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        buffer.memory = V4L2_MEMORY_MMAP.rawValue
        return buffer
    }
}
