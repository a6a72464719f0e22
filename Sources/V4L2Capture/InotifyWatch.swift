import CV4L2
import Glibc

/// Sees nodes come in `/dev`, by inotify; where that is not to be had it just lets the time pass.
final class InotifyWatch: DeviceWatch {
    private let descriptor: CInt

    init() {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        // A node is made by the kernel first and given its group by udev later: both may be what we wait for.
        if descriptor >= 0 { inotify_add_watch(descriptor, "/dev", UInt32(IN_CREATE | IN_ATTRIB | IN_MOVED_TO)) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func wait(stop: CInt, milliseconds: Int) -> DeviceChange {
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(milliseconds)
        while true {
            let left = max(.zero, end - clock.now) / .milliseconds(1)
            // poll leaves out negative descriptors.
            var polled = [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&polled, 2, Int32(left.rounded(.up)))
            if polled[0].revents != 0 { return .stopped }
            if polled[1].revents != 0, sawVideoNode() { return .changed }
            if count >= 0, clock.now >= end { return .timedOut }
        }
    }

    /// Reads all that is there, and tells whether a name of interest is among it: terminals come and go in /dev too.
    private func sawVideoNode() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            var found = false
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return found }
                var at = 0
                while at + MemoryLayout<inotify_event>.size <= count {
                    let length = Int(buffer.load(fromByteOffset: at + 12, as: UInt32.self))
                    let start = at + MemoryLayout<inotify_event>.size
                    let name = String(
                        decoding: buffer[start..<min(count, start + length)].prefix { $0 != 0 },
                        as: UTF8.self
                    )
                    if name.hasPrefix("video") || name.hasPrefix("v4l") { found = true }
                    at = start + length
                }
            }
        }
    }
}
