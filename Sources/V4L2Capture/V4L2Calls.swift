import CV4L2
import SystemPackage

/// The time by the two clocks that capture needs.
struct ClockReading: Hashable, Sendable {
    /// `CLOCK_MONOTONIC` in nanoseconds: the clock of the driver's stamps; stands still while the machine is suspended.
    var monotonic: Int64
    /// `CLOCK_REALTIME` in nanoseconds since the Unix epoch.
    var wall: Int64
    /// For how many nanoseconds the machine was suspended since it booted.
    var suspended: Int64 = 0
}

/// What `V4L2Calls.wait` saw.
struct Readiness: OptionSet, Hashable, Sendable {
    let rawValue: Int
    static let readable = Readiness(rawValue: 1)
    /// The device reports an error or is gone (POLLERR, POLLHUP, POLLNVAL).
    static let failed = Readiness(rawValue: 2)
    static let stopped = Readiness(rawValue: 4)
}

/// The system calls that capture makes, one each, again where a signal interrupts them; tests put a scripted driver in their
/// place.
protocol V4L2Calls: Sendable {
    func open(_ path: String) throws(Errno) -> CInt

    func close(_ descriptor: CInt)

    /// Puts libv4lconvert between the driver and us, so that the device offers converted formats too.
    func convert(_ descriptor: CInt) throws(Errno)

    func request(_ descriptor: CInt, _ request: V4L2Request, _ argument: UnsafeMutableRawPointer) throws(Errno)

    func map(_ descriptor: CInt, length: Int, offset: Int) throws(Errno) -> UnsafeMutableRawPointer

    /// Replaces a mapping by a copy of its own in the same place; readers notice nothing.
    func makePrivate(_ base: UnsafeMutableRawPointer, length: Int) throws(Errno)

    func unmap(_ base: UnsafeMutableRawPointer, length: Int)

    /// Blocks until the device, if it is not negative, has something, `stop` can be read, or the time is over or a signal comes
    /// (an empty result).
    func wait(_ descriptor: CInt, stop: CInt, milliseconds: Int) throws(Errno) -> Readiness

    func now() -> ClockReading

    /// The nodes that cameras may have: `/dev/video0` and so on, by number.
    func nodes() -> [String]

    /// The node that a path leads to through symbolic links; nil if there is none.
    func node(at path: String) -> String?

    /// Which of its device's nodes a node is, from 0; nil if the kernel does not report it.
    func index(ofNode node: String) -> Int?
}
