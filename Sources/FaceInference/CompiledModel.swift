import CLiteRT
import Frames
import Glibc
import System

/// A model ready to run on one thread of the processor: write into `input`, call `run()`, read from `outputs`. Nothing is allocated
/// after `init`.
final class CompiledModel {
    let input: AlignedMemory
    let outputs: [AlignedMemory]
    private let liteRT: LiteRT
    private let operators: [CustomOperator]
    private let compiled: LiteRtCompiledModel
    /// The input's, then the outputs'.
    private let tensors: [LiteRtTensorBuffer]
    private let objects: LiteRTObjects

    /// Compiles a model whose tensors have these shapes, which the pinned file states too.
    init(
        _ file: PinnedFile,
        input: [Int32],
        outputs: [[Int32]],
        operators: [CustomOperator] = [],
        in liteRT: LiteRT
    ) throws(InferenceError) {
        let bytes = try liteRT.bytes(of: file)
        let shapes = [input] + outputs
        let memory = shapes.map { AlignedMemory(count: MemoryLayout<Float>.stride * Int($0.reduce(1, *))) }
        let objects = LiteRTObjects(liteRT, model: file.name, keeping: memory + [bytes] + operators)
        // As a result: what locks throws nothing.
        compiled = try liteRT.compiling.update { _ in
            Result { () throws(InferenceError) in try objects.compile(bytes, operators) }
        }.get()
        var tensors: [LiteRtTensorBuffer] = []
        for (shape, memory) in zip(shapes, memory) { tensors.append(try objects.tensor(shape, in: memory)) }
        (self.input, self.outputs, self.tensors) = (memory[0], Array(memory.dropFirst()), tensors)
        (self.liteRT, self.operators, self.objects) = (liteRT, operators, objects)
    }

    func run() throws(InferenceError) {
        for custom in operators { custom.beginRun() }
        let status = tensors.withUnsafeBufferPointer { tensors in
            guard let first = tensors.baseAddress else { return LITERT_STATUS_INVALID_ARGUMENT }
            return liteRT.functions.pointee.run_compiled_model(compiled, 0, 1, first, tensors.count - 1, first + 1)
        }
        try objects.check("run", status)
    }

    func sample(_ frame: Frame, _ region: CropRegion, with sampler: CropSampler) throws(InferenceError) {
        let target = input.base.assumingMemoryBound(to: Float.self)
        let transform = region.uprightFromCrop(size: sampler.size)
        guard sampler.sample(frame, through: transform, into: target) else {
            throw .unreadableFrame(reason: "it is \(frame.size) of \(frame.format), which has no pixels to sample")
        }
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

    var numbers: UnsafeMutablePointer<Float> { base.assumingMemoryBound(to: Float.self) }
}
