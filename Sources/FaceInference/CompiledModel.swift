import CLiteRT
import Frames
import Glibc
import System

/// A model that sees squares of frames, ready to run on one thread of the processor: call `run`, read from `outputs`. Nothing is
/// allocated after `init`.
final class CompiledModel {
    let input: AlignedMemory
    let outputs: [AlignedMemory]
    private let sampler: CropSampler
    private let operators: [CustomOperator]
    private let compiled: LiteRtCompiledModel
    private let inputTensors: [LiteRtTensorBuffer]
    private let outputTensors: [LiteRtTensorBuffer]
    private let objects: LiteRTObjects

    /// Compiles a model that takes what a sampler writes, and whose outputs have these shapes. The pinned file states both too, unless
    /// a copy of its bytes is edited before.
    init(
        _ file: PinnedFile,
        _ sampler: CropSampler,
        outputs: [[Int32]],
        operators: [CustomOperator] = [],
        editing edit: ((AlignedMemory) -> Void)? = nil,
        in liteRT: LiteRT
    ) throws(InferenceError) {
        var bytes = try liteRT.bytes(of: file)
        if let edit {
            bytes = bytes.copy()
            edit(bytes)
        }
        let shapes = [[1, Int32(sampler.height), Int32(sampler.width), 3]] + outputs
        let memory = shapes.map { AlignedMemory(count: MemoryLayout<Float>.stride * Int($0.reduce(1, *))) }
        let objects = LiteRTObjects(liteRT, model: file.name, keeping: memory + [bytes] + operators)
        // As a result: what locks throws nothing.
        compiled = try liteRT.compiling.update { _ in
            Result { () throws(InferenceError) in try objects.compile(bytes, operators) }
        }.get()
        var tensors: [LiteRtTensorBuffer] = []
        for (shape, memory) in zip(shapes, memory) { tensors.append(try objects.tensor(shape, in: memory)) }
        inputTensors = Array(tensors.prefix(1))
        outputTensors = Array(tensors.dropFirst())
        self.input = memory[0]
        self.outputs = Array(memory.dropFirst())
        (self.sampler, self.operators, self.objects) = (sampler, operators, objects)
    }

    /// Runs the model on a square region of a frame.
    func run(on frame: Frame, _ region: CropRegion) throws(InferenceError) {
        try run(on: frame, through: region.uprightFromCrop(size: sampler.width))
    }

    /// Runs the model on what a transform maps to its input, from pixels of the input to those of the upright picture.
    func run(on frame: Frame, through transform: AffineTransform) throws(InferenceError) {
        guard sampler.sample(frame, through: transform, into: input.numbers) else {
            throw .unreadableFrame(reason: "it is \(frame.size) of \(frame.format), which has no pixels to sample")
        }
        for custom in operators { custom.beginRun() }
        let (inputs, outputs) = (inputTensors, outputTensors)
        let run = objects.liteRT.functions.pointee.run_compiled_model
        try objects.check("run", run(compiled, 0, inputs.count, inputs, outputs.count, outputs))
    }
}

/// Memory that LiteRT can work on directly: it asks for an alignment of 64 bytes.
///
/// In pages of its own, which go back to the system at once: a large block from `malloc` that is freed makes it keep others.
final class AlignedMemory {
    let base: UnsafeMutableRawPointer
    let count: Int
    /// XNNPACK may read so many bytes beyond a tensor (`XNN_EXTRA_BYTES`), and the tensors of most models fill their pages.
    private static let margin = 16

    /// Takes zeroed memory of that many bytes.
    init(count: Int) {
        let pages = mmap(nil, count + Self.margin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let pages, pages != MAP_FAILED else { preconditionFailure("there is no memory for a model") }
        base = pages
        self.count = count
    }

    /// The same bytes in memory of their own.
    func copy() -> AlignedMemory {
        let copy = AlignedMemory(count: count)
        copy.base.copyMemory(from: base, byteCount: count)
        return copy
    }

    deinit { munmap(base, count + Self.margin) }

    var numbers: UnsafeMutablePointer<Float> { base.assumingMemoryBound(to: Float.self) }
}
