import CLiteRT
import Frames
import Glibc
import System

/// A model ready to run on one thread of the processor, with its input and output memory.
///
/// The way to use it: write into `input`, call `run()`, read from `outputs`. Nothing is allocated after `init`.
final class CompiledModel {
    let name: String
    let input: AlignedMemory
    let outputs: [AlignedMemory]

    private let liteRT: LiteRT
    // LiteRT reads the model from here for as long as it lives.
    private let bytes: AlignedMemory
    private let operators: CustomOperators?
    private let model: LiteRtModel
    private let compiled: LiteRtCompiledModel
    private let inputBuffers: [LiteRtTensorBuffer]
    private let outputBuffers: [LiteRtTensorBuffer]

    /// Compiles the model in `bytes` and makes memory for its tensors.
    init(
        _ name: String,
        bytes: AlignedMemory,
        operators: CustomOperators? = nil,
        in liteRT: LiteRT
    ) throws(InferenceError) {
        let calls = LiteRTCalls(functions: liteRT.functions, model: name)
        // As a result: what locks throws nothing.
        let made = liteRT.compiling.update { _ in
            Result { () throws(InferenceError) in try Self.make(calls, bytes, operators, in: liteRT) }
        }
        let (model, compiled, tensors) = try made.get()
        self.name = name
        self.liteRT = liteRT
        self.bytes = bytes
        self.operators = operators
        self.model = model
        self.compiled = compiled
        input = tensors.inputs[0].memory
        outputs = tensors.outputs.map(\.memory)
        inputBuffers = tensors.inputs.map(\.buffer)
        outputBuffers = tensors.outputs.map(\.buffer)
    }

    /// Leaves nothing behind when it throws.
    private static func make(
        _ calls: LiteRTCalls,
        _ bytes: AlignedMemory,
        _ operators: CustomOperators?,
        in liteRT: LiteRT
    ) throws(InferenceError) -> (LiteRtModel, LiteRtCompiledModel, ModelTensors) {
        let functions = liteRT.functions.pointee
        let model = try calls.make("read the model") {
            functions.create_model_from_buffer(liteRT.environment, bytes.base, bytes.count, $0)
        }
        do throws(InferenceError) {
            let compiled = try calls.compile(model, operators: operators, in: liteRT.environment)
            do throws(InferenceError) {
                return (model, compiled, try ModelTensors(model, compiled, calls))
            } catch {
                functions.destroy_compiled_model(compiled)
                throw error
            }
        } catch {
            functions.destroy_model(model)
            throw error
        }
    }

    deinit {
        let functions = liteRT.functions.pointee
        for buffer in inputBuffers + outputBuffers { functions.destroy_tensor_buffer(buffer) }
        functions.destroy_compiled_model(compiled)
        functions.destroy_model(model)
    }

    /// Computes the outputs from the input.
    func run() throws(InferenceError) {
        operators?.beginRun()
        let status = liteRT.functions.pointee.run_compiled_model(
            compiled,
            0,
            inputBuffers.count,
            inputBuffers,
            outputBuffers.count,
            outputBuffers
        )
        guard status == LITERT_STATUS_OK else { throw .liteRT(operation: "run", model: name, status: status) }
    }
}

/// The memory of a model's tensors, as LiteRT wants it.
private struct ModelTensors {
    typealias Tensor = (memory: AlignedMemory, buffer: LiteRtTensorBuffer)

    private(set) var inputs: [Tensor] = []
    private(set) var outputs: [Tensor] = []

    /// Makes one input and all outputs; leaves nothing behind when it throws.
    init(
        _ model: LiteRtModel,
        _ compiled: LiteRtCompiledModel,
        _ calls: LiteRTCalls
    ) throws(InferenceError) {
        do {
            try makeAll(model, compiled, calls)
        } catch {
            for tensor in inputs + outputs { calls.functions.pointee.destroy_tensor_buffer(tensor.buffer) }
            throw error
        }
    }

    private mutating func makeAll(
        _ model: LiteRtModel,
        _ compiled: LiteRtCompiledModel,
        _ calls: LiteRTCalls
    ) throws(InferenceError) {
        let functions = calls.functions.pointee
        let graph = try calls.make("find the graph of") { functions.get_model_subgraph(model, 0, $0) }
        let inputCount = try calls.count("count the inputs of") { functions.get_num_subgraph_inputs(graph, $0) }
        guard inputCount == 1 else {
            throw .unexpectedModel(model: calls.model, reason: "it has \(inputCount) inputs, not 1")
        }
        let tensor = try calls.make("find the input of") { functions.get_subgraph_input(graph, 0, $0) }
        let needs = try calls.make("size the input of") { functions.get_input_requirements(compiled, 0, 0, $0) }
        inputs.append(try Self.make(tensor, needs, calls))
        for index in 0..<(try calls.count("count the outputs of") { functions.get_num_subgraph_outputs(graph, $0) }) {
            let tensor = try calls.make("find an output of") { functions.get_subgraph_output(graph, index, $0) }
            let needs = try calls.make("size an output of") {
                functions.get_output_requirements(compiled, 0, index, $0)
            }
            outputs.append(try Self.make(tensor, needs, calls))
        }
    }

    private static func make(
        _ tensor: LiteRtTensor,
        _ requirements: LiteRtTensorBufferRequirements,
        _ calls: LiteRTCalls
    ) throws(InferenceError) -> Tensor {
        let functions = calls.functions.pointee
        var type = LiteRtRankedTensorType()
        try calls.check("describe a tensor of", functions.get_ranked_tensor_type(tensor, &type))
        guard type.element_type == LITERT_ELEMENT_FLOAT32 else {
            throw .unexpectedModel(model: calls.model, reason: "its numbers are not 32-bit floating point")
        }
        let size = try calls.count("size a tensor of") { functions.get_requirements_size(requirements, $0) }
        let memory = AlignedMemory(count: size)
        let buffer = try calls.make("make memory for") {
            functions.create_tensor_buffer(&type, memory.base, size, nil, $0)
        }
        return (memory, buffer)
    }
}

extension AlignedMemory {
    /// The memory as numbers to read.
    var pointer: UnsafePointer<Float> { UnsafePointer(base.assumingMemoryBound(to: Float.self)) }
}

/// What models that look at a square picture have in common.
extension CompiledModel {
    /// Throws unless the tensors hold that many numbers.
    func expect(input count: Int, outputs counts: [Int]) throws(InferenceError) {
        let stride = MemoryLayout<Float>.stride
        guard input.count >= count * stride, outputs.count == counts.count,
            zip(outputs, counts).allSatisfy({ $0.count >= $1 * stride })
        else { throw .unexpectedModel(model: name, reason: "its tensors have other sizes") }
    }

    /// Fills the input with a region of the frame.
    func sample(_ frame: Frame, _ region: CropRegion, with sampler: CropSampler) throws(InferenceError) {
        let target = input.base.assumingMemoryBound(to: Float.self)
        let transform = region.uprightFromCrop(size: sampler.size)
        guard sampler.sample(frame, through: transform, into: target) else {
            throw .unreadableFrame(reason: "it is \(frame.size) of \(frame.format), which has no pixels to sample")
        }
    }

    /// The mean brightness of an input picture of that width and height, from every fourth pixel of every fourth row.
    ///
    /// - Returns: 0…1, if that is the range of the input's numbers.
    func luminance(size: Int) -> Double {
        var (sum, count): (Float, Float) = (0, 0)
        for row in stride(from: 0, to: size, by: 4) {
            for column in stride(from: 0, to: size, by: 4) {
                let pixel = input.pointer + 3 * (row * size + column)
                // The weights of ITU-R BT.601.
                sum += 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]
                count += 1
            }
        }
        return Double(sum / count)
    }
}

/// Memory that LiteRT can work on directly: it asks for an alignment of 64 bytes.
final class AlignedMemory {
    let base: UnsafeMutableRawPointer
    let count: Int
    private let isMapped: Bool

    /// Takes zeroed memory of that many bytes.
    init(count: Int) {
        base = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 1))
        self.count = count
        isMapped = false
    }

    /// Maps the beginning of an open file; what is written to it stays in this process. Nil, with `errno`, if that fails.
    init?(mapping file: Int32, count: Int) {
        guard let base = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0), base != MAP_FAILED else {
            return nil
        }
        (self.base, self.count) = (base, count)
        isMapped = true
    }

    deinit {
        if isMapped { munmap(base, count) } else { base.deallocate() }
    }

    /// The memory as numbers.
    var floats: UnsafeMutableBufferPointer<Float> {
        UnsafeMutableBufferPointer(
            start: base.assumingMemoryBound(to: Float.self),
            count: count / MemoryLayout<Float>.stride
        )
    }
}
