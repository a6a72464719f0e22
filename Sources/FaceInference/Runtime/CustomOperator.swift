import CLiteRT

/// One of three operators that the landmark model needs but LiteRT lacks. They cut lips and eyes out of a feature map
/// where a first estimate of the mesh has them, and map the points found there back to the mesh. They use only the
/// first two rows of 4×4 matrices, stored by rows. LiteRT calls them from `run_compiled_model`, on the same thread.
final class CustomOperator {
    private enum Kind: String, CaseIterable {
        case makeMatrix = "Landmarks2TransformMatrix"
        case cutOut = "TransformTensorBilinear"
        case movePoints = "TransformLandmarks"
    }

    private let kind: Kind
    private let functions: UnsafePointer<LiteRtFunctions>
    /// The number of the operator's node that runs next. LiteRT does not pass it, but always keeps the nodes' order.
    private var node = 0
    var name: String { kind.rawValue }

    private init(_ kind: Kind, _ liteRT: LiteRT) { (self.kind, functions) = (kind, liteRT.functions) }

    static func all(_ liteRT: LiteRT) -> [CustomOperator] { Kind.allCases.map { CustomOperator($0, liteRT) } }

    /// The byte offsets, in the pinned landmark model, at which the versions of these operators are stored.
    private static let versionOffsets = [2_494_872, 2_494_912, 2_494_968]

    /// Changes the operators' version in the landmark model from 2 to 1, because LiteRT 2.3.0 registers custom
    /// operators as version 1, whatever version is given.
    static func patchVersions(in model: AlignedMemory) {
        for offset in versionOffsets {
            model.base.storeBytes(of: Int32(1).littleEndian, toByteOffset: offset, as: Int32.self)
        }
    }

    /// Prepares for a run of the model. Must be called before each run.
    func beginRun() { node = 0 }

    /// Registers the operator for a model that is about to be compiled. This object must outlive that model.
    func register(in options: LiteRtOptions) -> LiteRtStatus {
        var kernel = Self.kernel
        let context = Unmanaged.passUnretained(self).toOpaque()
        return functions.pointee.add_custom_op_kernel(options, name, 1, &kernel, context)
    }

    // MARK: What LiteRT calls

    /// Returns the operator to which LiteRT's context points.
    private static func at(_ context: UnsafeMutableRawPointer?) -> CustomOperator? {
        context.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private static let kernel = LiteRtCustomOpKernel(
        init: { _, _, _ in LITERT_STATUS_OK },
        output_layouts: { context, _, inputs, _, outputs in
            guard let custom = at(context), let inputs, let outputs else { return LITERT_STATUS_INVALID_ARGUMENT }
            switch custom.kind {
            case .makeMatrix: outputs[0].setDimensions([1, 4, 4])
            case .cutOut: outputs[0].setDimensions([1, 16, 16, 32])
            case .movePoints: outputs[0] = inputs[0]
            }
            return LITERT_STATUS_OK
        },
        run: { context, count, inputs, _, outputs in
            guard let custom = at(context), let inputs, let outputs,
                custom.run(inputs[0], count > 1 ? inputs[1] : nil, outputs[0])
            else { return LITERT_STATUS_INVALID_ARGUMENT }
            return LITERT_STATUS_OK
        },
        destroy: { _ in LITERT_STATUS_OK }
    )

    /// Runs the operator on a node's tensors, which are locked meanwhile. Returns false if a tensor cannot be used.
    private func run(_ first: LiteRtTensorBuffer, _ second: LiteRtTensorBuffer?, _ output: LiteRtTensorBuffer) -> Bool {
        var type = LiteRtRankedTensorType()
        guard functions.pointee.get_tensor_buffer_type(first, &type) == LITERT_STATUS_OK,
            let numbers = lock(first, LITERT_LOCK_READ)
        else { return false }
        defer { unlock(first) }
        let matrix = second.map { lock($0, LITERT_LOCK_READ) } ?? numbers
        defer { second.map(unlock) }
        guard let m = matrix, let target = lock(output, LITERT_LOCK_WRITE) else { return false }
        defer { unlock(output) }
        let map = AffineTransform(a: m[0], b: m[1], c: m[4], d: m[5], tx: m[3], ty: m[7])
        switch kind {
        case .makeMatrix: if node < MeshRegion.all.count { MeshRegion.all[node].writeMatrix(mesh: numbers, to: target) }
        case .cutOut: MeshRegion.cutOut(numbers, map, to: target)
        case .movePoints:
            for index in 0..<Int(type.layout.dimensions.1) {
                let place = map(SIMD2(numbers[2 * index], numbers[2 * index + 1]))
                target[2 * index] = place.x
                target[2 * index + 1] = place.y
            }
        }
        node += 1
        return true
    }

    private func lock(_ buffer: LiteRtTensorBuffer, _ mode: Int32) -> UnsafeMutablePointer<Float>? {
        var address: UnsafeMutableRawPointer?
        guard functions.pointee.lock_tensor_buffer(buffer, &address, mode) == LITERT_STATUS_OK else { return nil }
        return address?.assumingMemoryBound(to: Float.self)
    }

    private func unlock(_ buffer: LiteRtTensorBuffer) { _ = functions.pointee.unlock_tensor_buffer(buffer) }
}
