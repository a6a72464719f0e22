/// Text that others sent, made fit for a terminal, where a control character may do anything.
extension StringProtocol {
    /// The same with a space in place of each character that is not seen but acts: control and format characters,
    /// such as escape and the overrides of the writing direction, and line breaks.
    var printable: String {
        var result = String.UnicodeScalarView()
        result.append(contentsOf: unicodeScalars.map { $0.isPrintable ? $0 : " " })
        return String(result)
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}

/// A JSON payload of a message as part of a line.
enum JSONText {
    /// The same JSON on one line, and without any character that acts on a terminal.
    ///
    /// Between values JSON knows only blanks, so that such a character stands in a text, where it may be written as an
    /// escape sequence; line breaks and tabs stand between values.
    static func onOneLine(_ payload: [UInt8]) -> [UInt8] {
        guard payload.contains(where: { $0 < 0x20 || $0 > 0x7E }) else { return payload }
        var result: [UInt8] = []
        result.reserveCapacity(payload.count)
        for scalar in String(decoding: payload, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n", "\r", "\t": result.append(UInt8(ascii: " "))
            case _ where scalar.isPrintable: result += UTF8.encode(scalar).map(Array.init) ?? []
            default: for unit in UTF16.encode(scalar).map(Array.init) ?? [] { result += escape(unit) }
            }
        }
        return result
    }

    private static func escape(_ unit: UInt16) -> [UInt8] {
        let digits = String(unit, radix: 16)
        return Array(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
    }
}
