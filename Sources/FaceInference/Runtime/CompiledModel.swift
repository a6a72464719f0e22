import CLiteRT
import System

/// A compiled LiteRT model whose input is sampled from a frame. It runs on one CPU thread. `run` allocates nothing.
final class CompiledModel {
    let input: AlignedMemory
    let outputs: [AlignedMemory]
    private let name: String
    private let liteRT: LiteRT
    private let sampler: CropSampler
    private let operators: [CustomOperator]
    private let bytes: AlignedMemory
    private var compiled: LiteRtCompiledModel?
    private var inputTensors: [LiteRtTensorBuffer] = []
    private var outputTensors: [LiteRtTensorBuffer] = []
    /// The calls that destroy LiteRT's objects. They must precede the freeing of the memory that these objects use.
    private var destroying: [() -> Void] = []

    /// Compiles a model whose input has the size of the sampler's output. The input and output shapes must be those in
    /// the file, unless `edit` changes a copy of the file's bytes first.
    init(
        _ file: PinnedFile,
        _ sampler: CropSampler,
        outputs shapes: [[Int32]],
        operators: [CustomOperator] = [],
        in liteRT: LiteRT,
        editing edit: ((AlignedMemory) -> Void)? = nil
    ) throws(InferenceError) {
        func memory(_ shape: [Int32]) -> AlignedMemory {
            AlignedMemory(count: MemoryLayout<Float>.stride * Int(shape.reduce(1, *)))
        }
        let inputShape = [1, Int32(sampler.height), Int32(sampler.width), 3]
        input = memory(inputShape)
        outputs = shapes.map(memory)
        name = file.name
        (self.liteRT, self.sampler, self.operators) = (liteRT, sampler, operators)
        let filed = try liteRT.bytes(of: file)
        bytes = edit == nil ? filed : filed.copy()
        edit?(bytes)
        try liteRT.compiling.withLock { _ throws(InferenceError) in compiled = try compile() }
        inputTensors = [try tensor(inputShape, in: input)]
        for (shape, memory) in zip(shapes, outputs) { outputTensors.append(try tensor(shape, in: memory)) }
    }

    deinit { for destroy in destroying.reversed() { destroy() } }

    /// Returns the mean brightness, 0…1, of a part of the last input, or of what is not black in it.
    func luminance(columns: ClosedRange<Int>, rows: ClosedRange<Int>, withoutBlack: Bool = false) -> Double {
        sampler.luminance(of: input.numbers, columns: columns, rows: rows, withoutBlack: withoutBlack)
    }

    /// Runs the model on a part of a frame. `transform` maps pixels of the input to those of the upright picture.
    /// `prepare` may change the sampled `input` before the model sees it.
    func run(
        on frame: Frame,
        through transform: AffineTransform,
        prepare: () -> Void = {}
    ) throws(InferenceError) {
        guard sampler.sample(frame, through: transform, into: input.numbers) else {
            throw .unreadableFrame(reason: "it is \(frame.size) of \(frame.format), which has no pixels to sample")
        }
        prepare()
        for custom in operators { custom.beginRun() }
        let run = liteRT.functions.pointee.run_compiled_model
        let status = compiled.map { run($0, 0, 1, inputTensors, outputTensors.count, outputTensors) }
        try check("run", status ?? LITERT_STATUS_RUNTIME_FAILURE)
    }

    /// Compiles the model for one CPU thread. A second thread saves little on models this small, and spins on a core
    /// while it waits for work.
    private func compile() throws(InferenceError) -> LiteRtCompiledModel {
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
        for custom in operators { try check("register \(custom.name) for", custom.register(in: options)) }
        return try make("compile", destroyedBy: functions.destroy_compiled_model) {
            LiteRtCompileQuietly(liteRT.functions, liteRT.environment, model, options, $0)
        }
    }

    /// Makes a tensor of 32-bit floats in existing memory.
    private func tensor(_ shape: [Int32], in memory: AlignedMemory) throws(InferenceError) -> LiteRtTensorBuffer {
        let functions = liteRT.functions.pointee
        var type = LiteRtRankedTensorType()
        type.element_type = LITERT_ELEMENT_FLOAT32
        type.layout.setDimensions(shape)
        return try make("make memory for", destroyedBy: functions.destroy_tensor_buffer) {
            functions.create_tensor_buffer(&type, memory.base, memory.count, nil, $0)
        }
    }

    /// Calls a LiteRT function that makes an object. The object is destroyed with this model unless `destroy` is nil.
    private func make(
        _ operation: String,
        destroyedBy destroy: ((OpaquePointer) -> Void)?,
        _ call: (UnsafeMutablePointer<OpaquePointer?>) -> LiteRtStatus
    ) throws(InferenceError) -> OpaquePointer {
        var made: OpaquePointer?
        try check(operation, call(&made))
        // LiteRT has never said OK without a handle.
        guard let made else {
            throw .liteRT(operation: operation, model: name, status: LITERT_STATUS_RUNTIME_FAILURE)
        }
        if let destroy { destroying.append { destroy(made) } }
        return made
    }

    private func check(_ operation: String, _ status: LiteRtStatus) throws(InferenceError) {
        guard status == LITERT_STATUS_OK else { throw .liteRT(operation: operation, model: name, status: status) }
    }
}

/// Memory of whole pages, aligned as LiteRT needs it (64 bytes). Freeing it returns it to the system at once. After
/// freeing a large block, `malloc` instead keeps later ones of up to that size for reuse.
final class AlignedMemory {
    let base: UnsafeMutableRawPointer
    let count: Int
    /// The number of bytes beyond a tensor's memory that XNNPACK may read (`XNN_EXTRA_BYTES`).
    private static let margin = 16

    /// Allocates `count` zeroed bytes.
    init(count: Int) {
        // Populated at once, because all of it is used: page faults one by one take three times as long.
        let kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE
        let pages = mmap(nil, count + Self.margin, PROT_READ | PROT_WRITE, kind, -1, 0)
        guard let pages, pages != MAP_FAILED else { preconditionFailure("there is no memory for a model") }
        base = pages
        self.count = count
    }

    func copy() -> AlignedMemory {
        let copy = AlignedMemory(count: count)
        copy.base.copyMemory(from: base, byteCount: count)
        return copy
    }

    deinit { munmap(base, count + Self.margin) }

    var numbers: UnsafeMutablePointer<Float> { base.assumingMemoryBound(to: Float.self) }
}
