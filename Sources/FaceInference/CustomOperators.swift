import CLiteRT

/// The three operators of the landmark model that LiteRT does not have: they cut the lips and the eyes out of a feature
/// map along the first guess of the mesh, and put the points found there back.
///
/// LiteRT calls them from `run_compiled_model`, on the same thread. Matrices are row-major 4×4; only the first two rows
/// matter.
final class CustomOperators {
    static let names: Set<String> = [
        "Landmarks2TransformMatrix", "TransformTensorBilinear", "TransformLandmarks",
    ]

    let functions: UnsafePointer<LiteRtFunctions>
    /// Which node of Landmarks2TransformMatrix runs next: LiteRT passes no node, but always keeps their order.
    private var nextRegion = 0

    init(_ liteRT: LiteRT) {
        functions = liteRT.functions
    }

    /// Must be called before each run of the model.
    func beginRun() {
        nextRegion = 0
    }

    /// Makes the operators known to a model that is about to be compiled; this object must outlive that model.
    func register(in options: LiteRtOptions, _ calls: LiteRTCalls) throws(InferenceError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let kernels: [(String, LiteRtCustomOpKernel)] = [
            ("Landmarks2TransformMatrix", Self.matrixKernel),
            ("TransformTensorBilinear", Self.bilinearKernel),
            ("TransformLandmarks", Self.landmarksKernel),
        ]
        for (name, kernel) in kernels {
            let status = withUnsafePointer(to: kernel) {
                functions.pointee.add_custom_op_kernel(options, name, 1, $0, context)
            }
            try calls.check("register \(name) for", status)
        }
    }

    private func writeNextMatrix(_ tensors: Tensors) {
        guard nextRegion < MeshRegion.all.count else { return }
        MeshRegion.all[nextRegion].writeMatrix(mesh: tensors.first, to: tensors.output)
        nextRegion += 1
    }

    // MARK: What LiteRT calls

    private static func operators(_ context: UnsafeMutableRawPointer?) -> CustomOperators? {
        context.map { Unmanaged<CustomOperators>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let matrixKernel = LiteRtCustomOpKernel(
        init: { _, _, _ in LITERT_STATUS_OK },
        output_layouts: { _, _, _, _, outputs in CustomOperators.set(outputs, [1, 4, 4]) },
        run: { context, count, inputs, _, outputs in
            CustomOperators.operators(context)?.run(inputs, count, outputs) { $0.writeNextMatrix($1) }
                ?? LITERT_STATUS_INVALID_ARGUMENT
        },
        destroy: { _ in LITERT_STATUS_OK }
    )

    private static let bilinearKernel = LiteRtCustomOpKernel(
        init: { _, _, _ in LITERT_STATUS_OK },
        output_layouts: { _, _, _, _, outputs in CustomOperators.set(outputs, [1, 16, 16, 32]) },
        run: { context, count, inputs, _, outputs in
            CustomOperators.operators(context)?.run(inputs, count, outputs) { _, tensors in
                guard let matrix = tensors.second else { return }
                MeshRegionOperators.cutOut(tensors.first, matrix: matrix, to: tensors.output)
            }
                ?? LITERT_STATUS_INVALID_ARGUMENT
        },
        destroy: { _ in LITERT_STATUS_OK }
    )

    private static let landmarksKernel = LiteRtCustomOpKernel(
        init: { _, _, _ in LITERT_STATUS_OK },
        output_layouts: { _, _, inputs, _, outputs in
            guard let inputs, let outputs else { return LITERT_STATUS_INVALID_ARGUMENT }
            outputs[0] = inputs[0]
            return LITERT_STATUS_OK
        },
        run: { context, count, inputs, _, outputs in
            CustomOperators.operators(context)?.run(inputs, count, outputs) { _, tensors in
                guard let matrix = tensors.second else { return }
                MeshRegionOperators.transform(
                    tensors.first,
                    count: tensors.pointCount,
                    matrix: matrix,
                    to: tensors.output
                )
            }
                ?? LITERT_STATUS_INVALID_ARGUMENT
        },
        destroy: { _ in LITERT_STATUS_OK }
    )

    private static func set(_ layout: UnsafeMutablePointer<LiteRtLayout>?, _ dimensions: [Int32]) -> LiteRtStatus {
        guard let layout else { return LITERT_STATUS_INVALID_ARGUMENT }
        layout.pointee.rank_and_flags = UInt32(dimensions.count)
        withUnsafeMutableBytes(of: &layout.pointee.dimensions) { bytes in
            let target = bytes.bindMemory(to: Int32.self)
            for (index, dimension) in dimensions.enumerated() { target[index] = dimension }
        }
        return LITERT_STATUS_OK
    }
}

extension CustomOperators {
    /// The memory of an operator's tensors during one run.
    struct Tensors {
        let first: UnsafePointer<Float>
        /// The matrix of the two operators that take one.
        let second: UnsafePointer<Float>?
        /// How many points the first tensor has, if it is a tensor of points.
        let pointCount: Int
        let output: UnsafeMutablePointer<Float>
    }

    /// Locks the tensors of a node, works on them and unlocks them.
    func run(
        _ inputs: UnsafePointer<LiteRtTensorBuffer>?,
        _ inputCount: Int,
        _ outputs: UnsafePointer<LiteRtTensorBuffer>?,
        _ body: (CustomOperators, Tensors) -> Void
    ) -> LiteRtStatus {
        guard let inputs, let outputs, inputCount >= 1 else { return LITERT_STATUS_INVALID_ARGUMENT }
        let calls = functions.pointee
        var type = LiteRtRankedTensorType()
        guard calls.get_tensor_buffer_type(inputs[0], &type) == LITERT_STATUS_OK,
            let first = lock(inputs[0], LITERT_LOCK_READ)
        else { return LITERT_STATUS_INVALID_ARGUMENT }
        defer { _ = calls.unlock_tensor_buffer(inputs[0]) }
        let second = inputCount > 1 ? lock(inputs[1], LITERT_LOCK_READ) : nil
        defer { if second != nil { _ = calls.unlock_tensor_buffer(inputs[1]) } }
        guard let output = lock(outputs[0], LITERT_LOCK_WRITE) else { return LITERT_STATUS_INVALID_ARGUMENT }
        defer { _ = calls.unlock_tensor_buffer(outputs[0]) }
        let tensors = Tensors(
            first: first,
            second: second.map { UnsafePointer($0) },
            pointCount: Int(type.layout.dimensions.1),
            output: output
        )
        body(self, tensors)
        return LITERT_STATUS_OK
    }

    private func lock(_ buffer: LiteRtTensorBuffer, _ mode: Int32) -> UnsafeMutablePointer<Float>? {
        var address: UnsafeMutableRawPointer?
        guard functions.pointee.lock_tensor_buffer(buffer, &address, mode) == LITERT_STATUS_OK else { return nil }
        return address?.assumingMemoryBound(to: Float.self)
    }
}
