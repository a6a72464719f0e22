import CLiteRT

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
