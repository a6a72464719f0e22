import Glibc

/// Checks the process's resource limits and opens missing standard descriptors, before a program does anything else.
package enum ProcessEnvironment {
    /// The error that a resource limit of the process is too low for the program.
    package struct LimitError: Error, Hashable, CustomStringConvertible {
        package let description: String

        fileprivate init(_ name: String, _ limit: UInt64, needed: UInt64, _ remedy: String) {
            description = "the limit on \(name) is \(limit), but \(needed) is needed: raise it (\(remedy))"
        }
    }

    /// The minimum address space, in bytes: LiteRT, its thread pool and the threads' stacks take 0.7 GiB, most of it
    /// unused. If they get less, the process ends in ways that no code can catch.
    private static let addressSpace: UInt64 = 1 << 30
    /// The number of files that the process must be allowed to open: about 30 are used with broker, outbox and camera.
    private static let descriptors: UInt64 = 64

    /// Opens `/dev/null` for each closed standard descriptor, so that the process's output never goes to another file.
    package static func openStandardDescriptors() {
        while true {
            let descriptor = open("/dev/null", O_RDWR)
            if descriptor > STDERR_FILENO { close(descriptor) }
            if descriptor < 0 || descriptor >= STDERR_FILENO { return }
        }
    }

    /// Checks the limits on address space and open files. A low limit on open files is raised if the system allows it.
    package static func checkLimits() throws(LimitError) {
        let space = limits(RLIMIT_AS)
        guard space.rlim_cur >= addressSpace else {
            let limit = UInt64(space.rlim_cur) / 1024
            let needed = addressSpace / 1024
            throw LimitError("address space in KiB", limit, needed: needed, "ulimit -v, LimitAS= of the service")
        }
        var files = limits(RLIMIT_NOFILE)
        guard files.rlim_cur < descriptors else { return }
        files.rlim_cur = rlim_t(descriptors)
        guard files.rlim_max >= files.rlim_cur, setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0
        else {
            let limit = UInt64(limits(RLIMIT_NOFILE).rlim_cur)
            throw LimitError("open files", limit, needed: descriptors, "ulimit -n, LimitNOFILE= of the service")
        }
    }

    private static func limits(_ resource: __rlimit_resource) -> rlimit {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(resource.rawValue), &limits)
        return limits
    }
}
