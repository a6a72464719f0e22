import CLiteRT
import Glibc
import Synchronization
import System

/// The loaded LiteRT library with its environment, and the models' files, shared by all analyzers of a process. Their
/// compiled models, which contain the numbers of their frames, must not outlive it.
///
/// `@unchecked Sendable` because after `init` only LiteRT's environment changes, while models are compiled, which is
/// done with `compiling` locked.
package final class LiteRT: @unchecked Sendable {
    /// The bytes of the models that are always needed.
    private let models: [PinnedFile: AlignedMemory]
    private let directory: String
    let functions: UnsafePointer<LiteRtFunctions>
    let environment: LiteRtEnvironment
    // The value has a size, because the thread sanitizer takes access to an empty one for access to what is behind it.
    let compiling = Monitor(false)

    /// The libraries by directory; each entry gives its library for as long as that is used.
    private static let loaded = Mutex<[String: @Sendable () -> LiteRT?]>([:])

    /// The library and the files in a directory; loads them the first time.
    package static func shared(in directory: String) throws(InferenceError) -> LiteRT {
        try loaded.withLock { loaded throws(InferenceError) in
            if let known = loaded[directory]?() { return known }
            let fresh = try LiteRT(directory)
            loaded[directory] = { [weak fresh] in fresh }
            return fresh
        }
    }

    private init(_ directory: String) throws(InferenceError) {
        // The files are checked first: that needs no other library, with which the dynamic linker may be busy.
        let library = try PinnedFile.library()
        try library.load(from: directory)
        var models: [PinnedFile: AlignedMemory] = [:]
        for file in [PinnedFile.faceDetector, .landmarkModel] {
            models[file] = try file.load(from: directory)
        }
        models[.landmarkModel].map(CustomOperator.patchVersions(in:))
        let path = directory + "/" + library.name
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
        self.models = models
        self.directory = directory
        self.functions = functions
        self.environment = environment
    }

    deinit {
        functions.pointee.destroy_environment(environment)
        free(UnsafeMutableRawPointer(mutating: functions))
    }

    /// A model's bytes, which LiteRT reads for as long as a compiled model lives.
    func bytes(of model: PinnedFile) throws(InferenceError) -> AlignedMemory {
        if let bytes = models[model] { return bytes }
        return try model.load(from: directory)
    }

    private static func option(_ tag: Int32, _ value: Int32) -> LiteRtEnvOption {
        var option = LiteRtEnvOption()
        option.tag = tag
        option.value.type = LITERT_ANY_INT
        option.value.value.integer = Int64(value)
        return option
    }
}

/// The objects that LiteRT made for a model: destroyed with this one, the newest first, and before what is kept for
/// them. Its errors name the model.
final class LiteRTObjects {
    let liteRT: LiteRT
    private let model: String
    private let kept: [AnyObject]
    private var destroying: [() -> Void] = []

    init(_ liteRT: LiteRT, model: String, keeping kept: [AnyObject]) {
        self.liteRT = liteRT
        self.model = model
        self.kept = kept
    }

    deinit { for destroy in destroying.reversed() { destroy() } }

    func check(_ operation: String, _ status: LiteRtStatus) throws(InferenceError) {
        guard status == LITERT_STATUS_OK else { throw .liteRT(operation: operation, model: model, status: status) }
    }

    /// Calls a function that makes something, which `destroy` destroys unless what takes it does.
    func make(
        _ operation: String,
        destroyedBy destroy: ((OpaquePointer) -> Void)?,
        _ call: (UnsafeMutablePointer<OpaquePointer?>) -> LiteRtStatus
    ) throws(InferenceError) -> OpaquePointer {
        var made: OpaquePointer?
        try check(operation, call(&made))
        // LiteRT has never said OK without a handle.
        guard let made else {
            throw .liteRT(operation: operation, model: model, status: LITERT_STATUS_RUNTIME_FAILURE)
        }
        if let destroy { destroying.append { destroy(made) } }
        return made
    }

    /// Compiles a model for one thread of the processor.
    ///
    /// A second thread saves little on models this small, and spins on a core while it waits.
    func compile(_ bytes: AlignedMemory, _ operators: [CustomOperator]) throws(InferenceError) -> OpaquePointer {
        let functions = liteRT.functions.pointee
        let model = try make("read the model", destroyedBy: functions.destroy_model) {
            functions.create_model_from_buffer(liteRT.environment, bytes.base, bytes.count, $0)
        }
        let options = try make("make options for", destroyedBy: functions.destroy_options, functions.create_options)
        try check("choose the processor for", functions.set_hardware_accelerators(options, LITERT_ACCELERATOR_CPU))
        // Static: LiteRT reads the text until the options are destroyed.
        let threads: StaticString = "num_threads = 1\n"
        let choice = try make("make options for", destroyedBy: nil) {
            let text = UnsafeMutableRawPointer(mutating: threads.utf8Start)
            return functions.create_opaque_options("xnnpack", text, { _ in }, $0)
        }
        try check("set the options of", functions.add_opaque_options(options, choice))
        for custom in operators { try custom.register(in: options, self) }
        return try make("compile", destroyedBy: functions.destroy_compiled_model) {
            LiteRtCompileQuietly(liteRT.functions, liteRT.environment, model, options, $0)
        }
    }

    /// Makes a tensor of numbers in memory that is kept.
    func tensor(_ shape: [Int32], in memory: AlignedMemory) throws(InferenceError) -> LiteRtTensorBuffer {
        let functions = liteRT.functions.pointee
        var type = LiteRtRankedTensorType()
        type.element_type = LITERT_ELEMENT_FLOAT32
        type.layout.setDimensions(shape)
        return try make("make memory for", destroyedBy: functions.destroy_tensor_buffer) {
            functions.create_tensor_buffer(&type, memory.base, memory.count, nil, $0)
        }
    }
}

extension LiteRtLayout {
    mutating func setDimensions(_ shape: [Int32]) {
        rank_and_flags = UInt32(shape.count)
        withUnsafeMutableBytes(of: &dimensions) { target in shape.withUnsafeBytes { target.copyMemory(from: $0) } }
    }
}
