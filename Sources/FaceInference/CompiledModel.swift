import CLiteRT
import Frames
import Glibc
import System

/// A model that sees squares of frames, run on one thread of the processor. Nothing is allocated after `init`.
final class CompiledModel {
    let input: AlignedMemory
    let outputs: [AlignedMemory]
    private let sampler: CropSampler
    private let operators: [CustomOperator]
    private let compiled: LiteRtCompiledModel
    private let inputTensors: [LiteRtTensorBuffer]
    private let outputTensors: [LiteRtTensorBuffer]
    private let objects: LiteRTObjects

    /// Compiles a model for the shapes of a sampler's output and of its own outputs, which must be those of the file
    /// unless a copy of its bytes is edited first.
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
        // As a `Result`, because the closure of the lock cannot throw a typed error.
        compiled = try liteRT.compiling.update { _ in
            Result { () throws(InferenceError) in try objects.compile(bytes, operators) }
        }.get()
        var tensors: [LiteRtTensorBuffer] = []
        for (shape, memory) in zip(shapes, memory) { tensors.append(try objects.tensor(shape, in: memory)) }
        inputTensors = Array(tensors.prefix(1))
        outputTensors = Array(tensors.dropFirst())
        self.input = memory[0]
        self.outputs = Array(memory.dropFirst())
        self.sampler = sampler
        self.operators = operators
        self.objects = objects
    }

    func run(on frame: Frame, _ region: CropRegion) throws(InferenceError) {
        try run(on: frame, through: region.uprightFromCrop(size: sampler.width))
    }

    /// Runs the model on what a transform maps to its input, from pixels of the input to pixels of the upright picture.
    func run(on frame: Frame, through transform: AffineTransform) throws(InferenceError) {
        guard sampler.sample(frame, through: transform, into: input.numbers) else {
            throw .unreadableFrame(reason: "it is \(frame.size) of \(frame.format), which has no pixels to sample")
        }
        for custom in operators { custom.beginRun() }
        let run = objects.liteRT.functions.pointee.run_compiled_model
        let status = run(compiled, 0, inputTensors.count, inputTensors, outputTensors.count, outputTensors)
        try objects.check("run", status)
    }
}

/// Memory that LiteRT can work on directly, aligned to 64 bytes.
///
/// It has pages of its own, which go back to the system at once: after a large block is freed, `malloc` keeps others.
final class AlignedMemory {
    let base: UnsafeMutableRawPointer
    let count: Int
    /// Bytes beyond a tensor that XNNPACK may read (`XNN_EXTRA_BYTES`); the tensors of most models fill their pages.
    private static let margin = 16

    /// Allocates `count` zeroed bytes.
    init(count: Int) {
        let pages = mmap(nil, count + Self.margin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
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
