import CLiteRT
import Frames

/// One of the three operators of the landmark model that LiteRT lacks: they cut the lips and the eyes out of a feature
/// map along the first guess of the mesh, and put the points found there back. LiteRT calls it from
/// `run_compiled_model`, on the same thread. Only the first two rows of the row-major 4×4 matrices matter.
final class CustomOperator {
    /// The memory of an operator's tensors during one run.
    private struct Tensors {
        let first: UnsafePointer<Float>
        /// The matrix of the two operators that take one.
        let matrix: AffineTransform
        /// The number of points in the first tensor, if it is a tensor of points.
        let pointCount: Int
        let output: UnsafeMutablePointer<Float>
    }

    private let name: String
    /// The shape of the output; empty to copy the first input's.
    private let dimensions: [Int32]
    private let functions: UnsafePointer<LiteRtFunctions>
    private let work: (Tensors, _ node: Int) -> Void
    /// The node that runs next: LiteRT does not pass it, but always keeps the nodes' order.
    private var node = 0

    private init(_ name: String, _ dimensions: [Int32], _ liteRT: LiteRT, _ work: @escaping (Tensors, Int) -> Void) {
        self.name = name
        self.dimensions = dimensions
        self.work = work
        functions = liteRT.functions
    }

    static func all(_ liteRT: LiteRT) -> [CustomOperator] {
        [
            CustomOperator("Landmarks2TransformMatrix", [1, 4, 4], liteRT) { tensors, node in
                guard node < MeshRegion.all.count else { return }
                MeshRegion.all[node].writeMatrix(mesh: tensors.first, to: tensors.output)
            },
            CustomOperator("TransformTensorBilinear", [1, 16, 16, 32], liteRT) { tensors, _ in
                MeshRegion.cutOut(tensors.first, tensors.matrix, to: tensors.output)
            },
            CustomOperator("TransformLandmarks", [], liteRT) { tensors, _ in
                MeshRegion.transform(tensors.first, count: tensors.pointCount, tensors.matrix, to: tensors.output)
            },
        ]
    }

    /// Offsets in the pinned landmark model at which it states the version of each of its operators.
    private static let versionOffsets = [2_494_872, 2_494_912, 2_494_968]

    /// Sets the version of the operators from 2 to 1 in the landmark model: LiteRT 2.3.0 registers custom operators as
    /// version 1, whatever version is given.
    static func patchVersions(in model: AlignedMemory) {
        for offset in versionOffsets {
            model.base.storeBytes(of: Int32(1).littleEndian, toByteOffset: offset, as: Int32.self)
        }
    }

    /// Prepares for a run of the model; must be called before each.
    func beginRun() { node = 0 }

    /// Makes the operator known to a model that is about to be compiled; this object must outlive that model.
    func register(in options: LiteRtOptions, _ objects: LiteRTObjects) throws(InferenceError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        var kernel = Self.kernel
        let status = functions.pointee.add_custom_op_kernel(options, name, 1, &kernel, context)
        try objects.check("register \(name) for", status)
    }

    // MARK: What LiteRT calls

    /// The operator behind the context that LiteRT passes.
    private static func at(_ context: UnsafeMutableRawPointer?) -> CustomOperator? {
        context.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private static let kernel = LiteRtCustomOpKernel(
        init: { _, _, _ in LITERT_STATUS_OK },
        output_layouts: { context, _, inputs, _, outputs in
            guard let custom = at(context), let inputs, let outputs else { return LITERT_STATUS_INVALID_ARGUMENT }
            return custom.describe(&outputs[0], input: inputs[0])
        },
        run: { context, count, inputs, _, outputs in
            guard let custom = at(context), let inputs, let outputs else { return LITERT_STATUS_INVALID_ARGUMENT }
            return custom.run(inputs[0], count > 1 ? inputs[1] : nil, outputs[0]) ?? LITERT_STATUS_INVALID_ARGUMENT
        },
        destroy: { _ in LITERT_STATUS_OK }
    )

    private func describe(_ output: inout LiteRtLayout, input: LiteRtLayout) -> LiteRtStatus {
        if dimensions.isEmpty { output = input } else { output.setDimensions(dimensions) }
        return LITERT_STATUS_OK
    }

    /// Locks the tensors of a node, works on them and unlocks them.
    /// - Returns: Nil if one of them cannot be used.
    private func run(
        _ first: LiteRtTensorBuffer,
        _ second: LiteRtTensorBuffer?,
        _ output: LiteRtTensorBuffer
    ) -> LiteRtStatus? {
        var type = LiteRtRankedTensorType()
        guard functions.pointee.get_tensor_buffer_type(first, &type) == LITERT_STATUS_OK,
            let points = lock(first, LITERT_LOCK_READ)
        else { return nil }
        defer { unlock(first) }
        let matrix = second.map { lock($0, LITERT_LOCK_READ) } ?? points
        defer { second.map(unlock) }
        guard let m = matrix, let target = lock(output, LITERT_LOCK_WRITE) else { return nil }
        defer { unlock(output) }
        let count = Int(type.layout.dimensions.1)
        let map = AffineTransform(a: m[0], b: m[1], c: m[4], d: m[5], tx: m[3], ty: m[7])
        work(Tensors(first: points, matrix: map, pointCount: count, output: target), node)
        node += 1
        return LITERT_STATUS_OK
    }

    private func lock(_ buffer: LiteRtTensorBuffer, _ mode: Int32) -> UnsafeMutablePointer<Float>? {
        var address: UnsafeMutableRawPointer?
        guard functions.pointee.lock_tensor_buffer(buffer, &address, mode) == LITERT_STATUS_OK else { return nil }
        return address?.assumingMemoryBound(to: Float.self)
    }

    private func unlock(_ buffer: LiteRtTensorBuffer) { _ = functions.pointee.unlock_tensor_buffer(buffer) }
}
