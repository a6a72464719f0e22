/// Measures the age of events, across restarts of the program and of the machine.
///
/// While the machine is not rebooted, the age comes from its uptime. So setting the wall clock, as a Raspberry Pi does
/// after each boot, changes no event's age.
package struct DeliveryClock: Sendable {
    /// A point in time, in the form that is stored with an event.
    package struct Moment: Hashable, Sendable {
        /// The wall clock, in nanoseconds since 1970 UTC.
        package var wall: Int64
        /// The time since the machine booted, including suspended time, in nanoseconds.
        package var uptime: Int64
        /// The kernel's id of the boot from which `uptime` counts.
        package var boot: String

        /// Returns the moment that was `duration` before this one.
        func earlier(by duration: Duration) -> Moment {
            let nanoseconds = max(0, duration.wholeNanoseconds)
            return Moment(wall: max(0, wall - nanoseconds), uptime: max(0, uptime - nanoseconds), boot: boot)
        }

        /// Returns the time since `earlier`; nil after a reboot if the wall clock shows a time before `earlier`.
        package func elapsed(since earlier: Moment) -> Duration? {
            // Uptime never goes back, but `earlier` may have been read after this moment.
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

    /// The reading of `CLOCK_MONOTONIC`, in nanoseconds.
    static func monotonic() -> Int64 { nanoseconds(of: CLOCK_MONOTONIC) }
}

extension ClosedRange<Int64> {
    /// Returns the lower bound, doubled `times` times and limited to the upper bound.
    func doubling(_ times: Int) -> Int64 {
        Int64(Swift.min(Int128(upperBound), Int128(lowerBound) << Swift.min(times, 20)))
    }
}

extension Duration {
    /// The duration in whole nanoseconds, limited to what 64 bits can hold (292 years).
    var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
