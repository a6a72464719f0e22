/// Memory for pixels; as a frame's lease it keeps them alive.
///
/// `@unchecked Sendable` because of the pointer: memory is written before its frame is made, not while it is lent.
package final class PixelMemory: @unchecked Sendable {
    package let base: UnsafeMutableRawPointer
    package let byteCount: Int

    package init(byteCount: Int) {
        // A cache line, and the widest vector that is loaded.
        base = .allocate(byteCount: byteCount, alignment: 64)
        self.byteCount = byteCount
    }

    deinit { base.deallocate() }
}

/// Lends pixel memory, and reuses it when it is no longer lent.
package struct PixelMemoryPool {
    /// The number of pieces of memory that are kept: one being written, one waiting, one being read, one in a preview.
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
