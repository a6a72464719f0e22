import CLiteRT
import Glibc
import Synchronization

/// The loaded LiteRT library and its environment, which every model needs; must outlive them.
///
/// Used by one thread at a time.
final class LiteRT {
    let functions: UnsafePointer<LiteRtFunctions>
    let environment: LiteRtEnvironment

    /// Checks and loads the library from a directory.
    init(directory: String) throws(InferenceError) {
        let pinned = try PinnedFile.library()
        try pinned.check(in: directory)
        let path = directory + "/" + pinned.name
        var reason: UnsafePointer<CChar>?
        guard let functions = LiteRtFunctionsLoad(path, &reason) else {
            let text = reason.map { String(cString: $0) } ?? "the dynamic linker gives no reason"
            throw .libraryNotLoaded(path: path, reason: text)
        }
        // Without the first option LiteRT tries to open GPU libraries and complains about each.
        let options = [
            Self.option(LITERT_ENVIRONMENT_ACCELERATORS, LITERT_ACCELERATOR_CPU),
            Self.option(LITERT_ENVIRONMENT_LOG_SEVERITY, LITERT_LOG_ERROR),
        ]
        var environment: LiteRtEnvironment?
        let status = functions.pointee.create_environment(Int32(options.count), options, &environment)
        guard status == LITERT_STATUS_OK, let environment else {
            free(UnsafeMutableRawPointer(mutating: functions))
            throw .liteRT(operation: "prepare", model: path, status: status)
        }
        self.functions = functions
        self.environment = environment
    }

    deinit {
        functions.pointee.destroy_environment(environment)
        free(UnsafeMutableRawPointer(mutating: functions))
    }

    private static func option(_ tag: Int32, _ value: Int32) -> LiteRtEnvOption {
        var option = LiteRtEnvOption()
        option.tag = tag
        option.value.type = LITERT_ANY_INT
        option.value.value.integer = Int64(value)
        return option
    }

    private static let hasSpoken = Atomic(false)

    /// Does the work without the line that TFLite's own logger writes to stderr when it makes its first delegate.
    ///
    /// That logger has no switch that the library exports, so stderr points elsewhere for those milliseconds, once per
    /// process, at start.
    static func silencingFirstDelegate<Result>(_ body: () -> Result) -> Result {
        let isFirst = !hasSpoken.exchange(true, ordering: .relaxed)
        return isFirst ? silencingStandardError(body) : body()
    }

    private static func silencingStandardError<Result>(_ body: () -> Result) -> Result {
        let saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer {
            if saved >= 0 { close(saved) }
            if nowhere >= 0 { close(nowhere) }
        }
        guard saved >= 0, nowhere >= 0, dup2(nowhere, STDERR_FILENO) >= 0 else { return body() }
        defer { dup2(saved, STDERR_FILENO) }
        return body()
    }
}
