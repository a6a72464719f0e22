/// Measures how old an event is, across restarts of the program and of the machine.
///
/// Within one run of the machine the time since its boot decides (suspended time counts), so that setting the wall
/// clock, as a Raspberry Pi does after each boot, changes no event's age.
package struct DeliveryClock: Sendable {
    /// A moment in the form that is stored with an event.
    package struct Moment: Hashable, Sendable {
        /// The nanoseconds since 1970, UTC.
        package var wall: Int64
        /// The nanoseconds since the machine's boot, time asleep included.
        package var uptime: Int64
        /// The id of the machine's boot to which `uptime` belongs.
        package var boot: String

        /// The moment that was `duration` before this one.
        func earlier(by duration: Duration) -> Moment {
            let nanoseconds = max(0, duration.wholeNanoseconds)
            return Moment(wall: max(0, wall - nanoseconds), uptime: max(0, uptime - nanoseconds), boot: boot)
        }

        /// The time since `earlier`; nil when it is unknown because the wall clock went backwards between boots.
        package func elapsed(since earlier: Moment) -> Duration? {
            // The time since boot never goes backwards, but a reading taken earlier may be compared later.
            if boot == earlier.boot { return .nanoseconds(max(0, uptime - earlier.uptime)) }
            return wall < earlier.wall ? nil : .nanoseconds(wall - earlier.wall)
        }
    }

    package let now: @Sendable () -> Moment

    package static let system: DeliveryClock = {
        // The kernel's id of this boot; without one, every run of the program counts as a boot of its own.
        let ofKernel = try? SmallFile.firstLine(of: "/proc/sys/kernel/random/boot_id")
        let boot = ofKernel ?? "process-\(getpid())-\(nanoseconds(of: CLOCK_REALTIME))"
        return DeliveryClock {
            Moment(wall: nanoseconds(of: CLOCK_REALTIME), uptime: nanoseconds(of: CLOCK_BOOTTIME), boot: boot)
        }
    }()

    /// The reading of the timers' clock, in nanoseconds.
    static func monotonic() -> Int64 { nanoseconds(of: CLOCK_MONOTONIC) }
}

extension ClosedRange<Int64> {
    /// The lower bound doubled `times` times, but at most the upper bound.
    func doubling(_ times: Int) -> Int64 {
        Int64(Swift.min(Int128(upperBound), Int128(lowerBound) << Swift.min(times, 20)))
    }
}

extension Duration {
    /// The whole nanoseconds, at most those of 292 years, which 64 bits can hold.
    var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
