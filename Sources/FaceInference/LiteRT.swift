import CLiteRT
import Frames
import Glibc
import Synchronization
import System

/// The loaded LiteRT library with its environment, and the files of the models: what all analyzers of a process share.
///
/// Each has compiled models of its own, which hold the numbers of its frames. They must not outlive this.
///
/// `@unchecked Sendable` because nothing changes after `init` but what LiteRT notes in the environment while it compiles
/// models, which is done with `compiling` locked.
package final class LiteRT: @unchecked Sendable {
    let files: ModelFiles
    let functions: UnsafePointer<LiteRtFunctions>
    let environment: LiteRtEnvironment
    // Of a value with a size: the thread sanitizer takes access to an empty one for access to what lies behind it.
    let compiling = Monitor(false)

    private struct Weak: Sendable {
        weak var liteRT: LiteRT?
    }

    private static let loaded = Mutex<[String: Weak]>([:])

    /// The library and the files in a directory, loaded if they are not yet.
    package static func shared(in directory: String) throws(InferenceError) -> LiteRT {
        try loaded.withLock { loaded throws(InferenceError) in
            if let known = loaded[directory]?.liteRT { return known }
            let fresh = try LiteRT(ModelFiles(directory: directory))
            loaded[directory] = Weak(liteRT: fresh)
            return fresh
        }
    }

    private init(_ files: ModelFiles) throws(InferenceError) {
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
        self.files = files
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
        return try make("compile") { functions.create_compiled_model(environment, model, options, $0) }
    }
}
