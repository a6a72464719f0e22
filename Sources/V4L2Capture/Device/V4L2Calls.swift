package import CV4L2
import System
package import SystemPackage

/// The system calls that capture needs. Calls that a signal interrupts are repeated, except `wait`.
package protocol V4L2Calls: Sendable {
    func open(_ path: String) throws(Errno) -> CInt

    func close(_ descriptor: CInt)

    /// Puts libv4lconvert between the driver and this program, so that the device also offers converted formats.
    func convert(_ descriptor: CInt) throws(Errno)

    func request(_ descriptor: CInt, _ request: V4L2Request, _ argument: UnsafeMutableRawPointer) throws(Errno)

    func map(_ descriptor: CInt, length: Int, offset: Int) throws(Errno) -> UnsafeMutableRawPointer

    /// Replaces a mapping by a private copy at the same address, unnoticed by readers.
    func makePrivate(_ base: UnsafeMutableRawPointer, length: Int) throws(Errno)

    func unmap(_ base: UnsafeMutableRawPointer, length: Int)

    /// Blocks until the device has data or an error, or `stop` is readable. Returns an empty result after
    /// `milliseconds` or after a signal. A negative descriptor stands for no device.
    func wait(_ descriptor: CInt, stop: CInt, milliseconds: Int) throws(Errno) -> Readiness

    func now() -> ClockReading

    /// The video nodes, such as `/dev/video0`, in the order of their numbers.
    func nodes() -> [String]

    /// The node that a path leads to through symbolic links; nil if the path leads nowhere.
    func node(at path: String) -> String?

    /// The index of a node among the nodes of its device, from 0; nil if the kernel does not report it.
    func index(ofNode node: String) -> Int?
}

/// The readings of the clocks that capture needs.
package struct ClockReading: Hashable, Sendable {
    /// `CLOCK_MONOTONIC` in nanoseconds: the clock of the driver's timestamps, which stops during suspend.
    var monotonic: Int64
    /// `CLOCK_REALTIME` in nanoseconds since the Unix epoch.
    var wall: Int64
    /// The time for which the machine was suspended since it booted, in nanoseconds.
    var suspended: Int64 = 0
}

/// The result of `V4L2Calls.wait`.
package struct Readiness: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    static let readable = Readiness(rawValue: 1)
    /// The device reports an error or is gone (POLLERR, POLLHUP, POLLNVAL).
    static let failed = Readiness(rawValue: 2)
    static let stopped = Readiness(rawValue: 4)
}

/// The real system calls. The first `convert` loads libv4l2, through which later requests and mappings go.
struct LibV4L2: V4L2Calls {
    func open(_ path: String) throws(Errno) -> CInt { try Self.check(facet_v4l2_open(path)) }

    func close(_ descriptor: CInt) { _ = facet_v4l2_close(descriptor) }

    func convert(_ descriptor: CInt) throws(Errno) { _ = try Self.check(facet_v4l2_convert(descriptor)) }

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

    func unmap(_ base: UnsafeMutableRawPointer, length: Int) { _ = facet_v4l2_munmap(base, length) }

    func wait(_ descriptor: CInt, stop: CInt, milliseconds: Int) throws(Errno) -> Readiness {
        let input = Int16(POLLIN)
        guard let found = poll([(descriptor, input), (stop, input)], milliseconds: milliseconds) else {
            guard Self.lastError == .interrupted else { throw Self.lastError }
            return []
        }
        var readiness: Readiness = []
        if found[0] & input != 0 { readiness.insert(.readable) }
        if found[0] & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { readiness.insert(.failed) }
        if found[1] != 0 { readiness.insert(.stopped) }
        return readiness
    }

    func now() -> ClockReading {
        let monotonic = nanoseconds(of: CLOCK_MONOTONIC)
        let wall = nanoseconds(of: CLOCK_REALTIME)
        return ClockReading(monotonic: monotonic, wall: wall, suspended: nanoseconds(of: CLOCK_BOOTTIME) - monotonic)
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

    private static var lastError: Errno { Errno(rawValue: Glibc.errno) }

    private static func check(_ result: CInt) throws(Errno) -> CInt {
        guard result >= 0 else { throw lastError }
        return result
    }
}
