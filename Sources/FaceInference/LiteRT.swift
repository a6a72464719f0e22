import CLiteRT
import Glibc
import Synchronization

/// The loaded LiteRT library and its environment, which every model needs; must outlive them.
///
/// Used by one thread at a time.
final class LiteRT {
    let functions: UnsafePointer<LiteRtFunctions>
    let environment: LiteRtEnvironment

    /// Loads the library.
    init(_ files: ModelFiles) throws(InferenceError) {
        let path = files.library
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

    private static let hasCompiled = Atomic(false)

    /// The line that TFLite's own logger writes to stderr when it makes its first delegate; no exported switch prevents it.
    static let announcement = "INFO: Created TensorFlow Lite XNNPACK delegate for CPU."

    /// Does the work without that line, which comes once per process.
    static func silencingFirstDelegate<Result>(_ body: () -> Result) -> Result {
        let isFirst = !hasCompiled.exchange(true, ordering: .relaxed)
        return isFirst ? withoutAnnouncement(on: STDERR_FILENO, body) : body()
    }

    /// Holds back what the whole process writes to `descriptor` meanwhile, and writes it there afterwards but for the
    /// announcement: log lines of other threads come some milliseconds late, but none is lost.
    static func withoutAnnouncement<Result>(on descriptor: Int32, _ body: () -> Result) -> Result {
        let saved = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        // A pipe holds 64 KiB, far more than is written in a compilation. Non-blocking: nobody reads before the end.
        var ends: [Int32] = [-1, -1]
        let isPiped = pipe(&ends) == 0
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        defer { for file in [saved] + ends where file >= 0 { close(file) } }
        guard saved >= 0, isPiped, dup2(ends[1], descriptor) >= 0 else { return body() }
        defer {
            dup2(saved, descriptor)
            forward(ends[0], to: descriptor)
        }
        return body()
    }

    private static func forward(_ source: Int32, to descriptor: Int32) {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = read(source, &chunk, chunk.count), count > 0 { bytes += chunk.prefix(count) }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let kept = lines.filter { !$0.elementsEqual(announcement.utf8) }.joined(separator: [UInt8(ascii: "\n")])
        var rest = Array(kept)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR { return }
        }
    }
}

/// Turns the status codes of LiteRT's functions into errors that name the model.
struct LiteRTCalls {
    let functions: UnsafePointer<LiteRtFunctions>
    let model: String

    /// Throws unless the status is the one of success.
    func check(_ operation: String, _ status: LiteRtStatus) throws(InferenceError) {
        guard status == LITERT_STATUS_OK else { throw .liteRT(operation: operation, model: model, status: status) }
    }

    /// Calls a function that gives a handle through a pointer.
    func make(
        _ operation: String,
        _ call: (UnsafeMutablePointer<OpaquePointer?>) -> LiteRtStatus
    ) throws(InferenceError) -> OpaquePointer {
        var handle: OpaquePointer?
        try check(operation, call(&handle))
        guard let handle else { throw .unexpectedModel(model: model, reason: "LiteRT cannot \(operation) it") }
        return handle
    }

    /// Calls a function that gives a number through a pointer.
    func count(
        _ operation: String,
        _ call: (UnsafeMutablePointer<Int>) -> LiteRtStatus
    ) throws(InferenceError) -> Int {
        var count = 0
        try check(operation, call(&count))
        return count
    }

    /// Compiles a model for one thread of the processor.
    ///
    /// One thread, because a second one saves little on models this small, and spins on a core while it waits.
    func compile(
        _ model: LiteRtModel,
        operators: CustomOperators?,
        in environment: LiteRtEnvironment
    ) throws(InferenceError) -> LiteRtCompiledModel {
        let functions = functions.pointee
        // LiteRT reads the text until the options are destroyed, so its end must be deferred before theirs.
        let threads = AlignedMemory(count: 32)
        for (index, byte) in "num_threads = 1\n".utf8.enumerated() {
            threads.base.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
        }
        defer { withExtendedLifetime(threads) {} }

        let options = try make("make options for") { functions.create_options($0) }
        defer { functions.destroy_options(options) }
        try check("choose the processor for", functions.set_hardware_accelerators(options, LITERT_ACCELERATOR_CPU))
        let choice = try make("make options for") {
            functions.create_opaque_options("xnnpack", threads.base, { _ in }, $0)
        }
        try check("set the options of", functions.add_opaque_options(options, choice))
        try operators?.register(in: options, self)
        return try make("compile") { handle in
            LiteRT.silencingFirstDelegate { functions.create_compiled_model(environment, model, options, handle) }
        }
    }
}
