import CLinux

extension Unicode.Scalar {
    /// The tables of the C library, whatever the user's language: all know the width of every character.
    private nonisolated(unsafe) static let tables = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)

    /// The number of terminal cells of the character: 2 for most of East Asia's and pictures, 0 for marks and joiners.
    fileprivate var cells: Int {
        if 0x20..<0x7F ~= value { return 1 }
        // The tone of a skin is drawn into the picture before it.
        if 0x1F3FB...0x1F3FF ~= value { return 0 }
        guard let tables = Self.tables else { return 1 }
        let before = uselocale(tables)
        defer { uselocale(before) }
        return max(0, Int(cells_of_character(wchar_t(value))))
    }
}

extension StringProtocol {
    /// The number of terminal cells that the text takes; it has no control characters.
    package var cells: Int { unicodeScalars.reduce(0) { $0 + $1.cells } }

    /// The longest beginning of the text that fits into `limit` cells.
    package func prefix(cells limit: Int) -> SubSequence {
        var room = limit
        return prefix { character in
            room -= character.unicodeScalars.reduce(0) { $0 + $1.cells }
            return room >= 0
        }
    }
}
