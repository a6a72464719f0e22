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
    /// The models' bytes, which LiteRT reads for as long as a compiled model lives.
    let models: [PinnedFile: AlignedMemory]
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
            let fresh = try LiteRT(directory)
            loaded[directory] = Weak(liteRT: fresh)
            return fresh
        }
    }

    private init(_ directory: String) throws(InferenceError) {
        // The files first: the dynamic linker may be busy with other libraries, and comparing needs none.
        let library = try PinnedFile.library()
        try library.load(from: directory)
        var models: [PinnedFile: AlignedMemory] = [:]
        for file in [PinnedFile.shortRangeDetector, .landmarkModel, .fullRangeDetector] {
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

/// Something that LiteRT made; it is destroyed with this object, and before what it needs.
final class LiteRTObject {
    let pointer: OpaquePointer
    private let destroy: (OpaquePointer) -> Void
    private let needs: [AnyObject]

    init(_ pointer: OpaquePointer, needs: [AnyObject], destroy: @escaping (OpaquePointer) -> Void) {
        (self.pointer, self.needs, self.destroy) = (pointer, needs, destroy)
    }

    deinit { destroy(pointer) }
}

/// LiteRT's functions, with errors that name the model.
struct LiteRTCalls {
    let liteRT: LiteRT
    let model: String

    private var functions: LiteRtFunctions { liteRT.functions.pointee }

    /// Throws unless the status is the one of success.
    func check(_ operation: String, _ status: LiteRtStatus) throws(InferenceError) {
        guard status == LITERT_STATUS_OK else { throw .liteRT(operation: operation, model: model, status: status) }
    }

    /// Calls a function that gives its result through a pointer.
    func get<Value>(
        _ operation: String,
        _ initial: Value,
        _ call: (UnsafeMutablePointer<Value>) -> LiteRtStatus
    ) throws(InferenceError) -> Value {
        var value = initial
        try check(operation, call(&value))
        return value
    }

    /// Calls a function that gives a handle.
    func find(
        _ operation: String,
        _ call: (UnsafeMutablePointer<OpaquePointer?>) -> LiteRtStatus
    ) throws(InferenceError) -> OpaquePointer {
        // 3: a failure at run time; LiteRT has never said OK without a handle.
        guard let handle = try get(operation, nil, call) else {
            throw .liteRT(operation: operation, model: model, status: 3)
        }
        return handle
    }

    /// Compiles a model for one thread of the processor.
    ///
    /// One thread, because a second one saves little on models this small, and spins on a core while it waits.
    func compile(
        _ bytes: AlignedMemory,
        _ operators: [CustomOperator]
    ) throws(InferenceError) -> (model: LiteRTObject, compiled: LiteRTObject) {
        let functions = functions
        let model = LiteRTObject(
            try find("read the model") {
                functions.create_model_from_buffer(liteRT.environment, bytes.base, bytes.count, $0)
            },
            needs: [liteRT],
            destroy: functions.destroy_model
        )
        // LiteRT reads the text until the options are destroyed.
        let threads = AlignedMemory(count: 32)
        threads.base.copyMemory(from: Array("num_threads = 1\n".utf8), byteCount: 16)
        let options = LiteRTObject(
            try find("make options for") { functions.create_options($0) },
            needs: [threads],
            destroy: functions.destroy_options
        )
        defer { withExtendedLifetime((model, options)) {} }
        let cpu = functions.set_hardware_accelerators(options.pointer, LITERT_ACCELERATOR_CPU)
        try check("choose the processor for", cpu)
        let choice = try find("make options for") {
            functions.create_opaque_options("xnnpack", threads.base, { _ in }, $0)
        }
        try check("set the options of", functions.add_opaque_options(options.pointer, choice))
        for custom in operators { try custom.register(in: options.pointer, self) }
        let compiled = try find("compile") {
            functions.create_compiled_model(liteRT.environment, model.pointer, options.pointer, $0)
        }
        return (model, LiteRTObject(compiled, needs: [model] + operators, destroy: functions.destroy_compiled_model))
    }

    /// The memory of all tensors of a compiled model, the only input first.
    func tensors(
        of model: LiteRTObject,
        _ compiled: LiteRTObject
    ) throws(InferenceError) -> [(memory: AlignedMemory, buffer: LiteRTObject)] {
        let functions = functions
        let graph = try find("find the graph of") { functions.get_model_subgraph(model.pointer, 0, $0) }
        let outputs = try get("count the outputs of", 0) { functions.get_num_subgraph_outputs(graph, $0) }
        var tensors = [
            try tensor(
                try find("find the input of") { functions.get_subgraph_input(graph, 0, $0) },
                try find("size the input of") { functions.get_input_requirements(compiled.pointer, 0, 0, $0) },
                of: compiled
            )
        ]
        for index in 0..<outputs {
            tensors.append(
                try tensor(
                    try find("find an output of") { functions.get_subgraph_output(graph, index, $0) },
                    try find("size an output of") {
                        functions.get_output_requirements(compiled.pointer, 0, index, $0)
                    },
                    of: compiled
                )
            )
        }
        return tensors
    }

    private func tensor(
        _ tensor: LiteRtTensor,
        _ requirements: LiteRtTensorBufferRequirements,
        of compiled: LiteRTObject
    ) throws(InferenceError) -> (memory: AlignedMemory, buffer: LiteRTObject) {
        let functions = functions
        var type = try get("describe a tensor of", LiteRtRankedTensorType()) {
            functions.get_ranked_tensor_type(tensor, $0)
        }
        let size = try get("size a tensor of", 0) { functions.get_requirements_size(requirements, $0) }
        let memory = AlignedMemory(count: size)
        let buffer = try find("make memory for") { functions.create_tensor_buffer(&type, memory.base, size, nil, $0) }
        return (memory, LiteRTObject(buffer, needs: [memory, compiled], destroy: functions.destroy_tensor_buffer))
    }
}
