import CV4L2
import Glibc
import System
import SystemPackage

/// The real calls, through libv4l2 for cameras whose pictures it converts.
///
/// The library is loaded when `convert` is asked for first.
struct LibV4L2: V4L2Calls {
    func open(_ path: String) throws(Errno) -> CInt {
        try Self.check(facet_v4l2_open(path))
    }

    func close(_ descriptor: CInt) {
        _ = facet_v4l2_close(descriptor)
    }

    func convert(_ descriptor: CInt) throws(Errno) {
        _ = try Self.check(facet_v4l2_convert(descriptor))
    }

    func request(_ descriptor: CInt, _ request: V4L2Request, _ argument: UnsafeMutableRawPointer) throws(Errno) {
        _ = try Self.check(facet_v4l2_ioctl(descriptor, request.rawValue, argument))
    }

    func map(_ descriptor: CInt, length: Int, offset: Int) throws(Errno) -> UnsafeMutableRawPointer {
        let base = facet_v4l2_mmap(length, descriptor, Int64(offset))
        guard let base, base != MAP_FAILED else { throw Self.lastError }
        return base
    }

    func makePrivate(_ base: UnsafeMutableRawPointer, length: Int) throws(Errno) {
        _ = try Self.check(facet_make_private(base, length))
    }

    func unmap(_ base: UnsafeMutableRawPointer, length: Int) {
        _ = facet_v4l2_munmap(base, length)
    }

    func wait(_ descriptor: CInt, stop: CInt, milliseconds: Int) throws(Errno) -> Readiness {
        var polled = (
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
        )
        let timeout = Int32(clamping: milliseconds)
        let result = withUnsafeMutablePointer(to: &polled) { polled in
            polled.withMemoryRebound(to: pollfd.self, capacity: 2) { poll($0, 2, timeout) }
        }
        _ = try Self.check(result)
        var readiness: Readiness = []
        if polled.0.revents & Int16(POLLIN) != 0 { readiness.insert(.readable) }
        if polled.0.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { readiness.insert(.failed) }
        if polled.1.revents != 0 { readiness.insert(.stopped) }
        return readiness
    }

    func now() -> ClockReading {
        let monotonic = nanoseconds(of: CLOCK_MONOTONIC)
        return ClockReading(
            monotonic: monotonic,
            wall: nanoseconds(of: CLOCK_REALTIME),
            suspended: nanoseconds(of: CLOCK_BOOTTIME) - monotonic
        )
    }

    func nodes() -> [String] {
        let found = names(in: "/dev").filter { $0.hasPrefix("video") }
        return found.compactMap { Int($0.dropFirst(5)) }.sorted().map { "/dev/video\($0)" }
    }

    func node(at path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    func index(ofNode node: String) -> Int? {
        guard let name = node.split(separator: "/").last else { return nil }
        return (try? SmallFile.firstLine(of: "/sys/class/video4linux/\(name)/index")).flatMap { Int($0) }
    }

    func watchDevices() -> any DeviceWatch { InotifyWatch() }

    private static var lastError: Errno { Errno(rawValue: Glibc.errno) }

    private static func check(_ result: CInt) throws(Errno) -> CInt {
        guard result >= 0 else { throw lastError }
        return result
    }
}

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

    /// Reads all events; returns whether one is about a video node, for terminals come and go in /dev too.
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
