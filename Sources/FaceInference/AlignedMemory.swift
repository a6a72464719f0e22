import Glibc

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

    /// Gives the pages of a mapped file back, but for those that hold changed bytes; they are read again when needed.
    func releasePages(keeping changed: [Int]) {
        guard isMapped else { return }
        let page = sysconf(Int32(_SC_PAGESIZE))
        let kept = Set(changed.map { $0 / page })
        for index in 0..<(count + page - 1) / page where !kept.contains(index) {
            madvise(base + index * page, min(page, count - index * page), MADV_DONTNEED)
        }
    }

    /// The memory as numbers.
    var floats: UnsafeMutableBufferPointer<Float> {
        UnsafeMutableBufferPointer(
            start: base.assumingMemoryBound(to: Float.self),
            count: count / MemoryLayout<Float>.stride
        )
    }
}
