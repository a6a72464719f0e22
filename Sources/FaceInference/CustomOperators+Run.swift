import CLiteRT

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
