/// Memory that LiteRT can work on directly: it asks for an alignment of 64 bytes.
final class AlignedMemory {
    let base: UnsafeMutableRawPointer
    let count: Int

    /// Takes zeroed memory of that many bytes.
    init(count: Int) {
        base = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 1))
        self.count = count
    }

    deinit { base.deallocate() }

    /// The memory as numbers.
    var floats: UnsafeMutableBufferPointer<Float> {
        UnsafeMutableBufferPointer(
            start: base.assumingMemoryBound(to: Float.self),
            count: count / MemoryLayout<Float>.stride
        )
    }
}
