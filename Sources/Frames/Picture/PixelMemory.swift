/// Memory for pixels. A frame keeps it as its `lease`, so that it lives until the frame's last copy is gone.
///
/// `@unchecked Sendable` because of the pointer: the memory is only written before the frame is made.
package final class PixelMemory: @unchecked Sendable {
    package let base: UnsafeMutableRawPointer
    package let byteCount: Int

    package init(byteCount: Int) {
        // Aligned to a cache line, which also suits the widest vectors.
        base = .allocate(byteCount: byteCount, alignment: 64)
        self.byteCount = byteCount
    }

    deinit { base.deallocate() }
}

/// Lends memory for pixels, and reuses it once it is released.
package struct PixelMemoryPool {
    /// The maximum number of blocks kept for reuse: one being written, one waiting, one being read, one in a preview.
    package static let limit = 4
    private var kept: [PixelMemory] = []

    package init() {}

    /// Lends memory of at least `byteCount` bytes.
    package mutating func lend(byteCount: Int) -> PixelMemory {
        for index in kept.indices where isKnownUniquelyReferenced(&kept[index]) {
            if kept[index].byteCount < byteCount { kept[index] = PixelMemory(byteCount: byteCount) }
            return kept[index]
        }
        let fresh = PixelMemory(byteCount: byteCount)
        if kept.count < Self.limit { kept.append(fresh) }
        return fresh
    }
}
