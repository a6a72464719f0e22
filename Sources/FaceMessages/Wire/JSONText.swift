/// Text that others sent, made fit for where it is written.
///
/// By Unicode scalar, not by `Character`: CR LF is one character, and so is a quote with a combining mark behind it; a
/// search by character finds neither the line feed nor the quote, which the reader of the output then acts on.
extension StringProtocol {
    /// The text for a terminal: each control character, such as escape, a line break or an override of the writing
    /// direction, is replaced by a space.
    package var printable: String { replacingScalars([:]) }

    /// The text for an element or a quoted attribute of HTML.
    package var escapedForHTML: String {
        replacingScalars(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
    }

    /// The text for a label's value in Prometheus' text format 0.0.4.
    package var escapedForPrometheus: String { replacingScalars(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"]) }

    /// The text as a cell of CSV (RFC 4180) that no spreadsheet takes for a formula.
    package var cellOfCSV: String {
        let mark = unicodeScalars.first.map { "=+-@".unicodeScalars.contains($0) } == true ? "'" : ""
        return "\"" + mark + replacingScalars(["\"": "\"\""]) + "\""
    }

    /// The text with these replacements, and a space for each other control character.
    private func replacingScalars(_ replacements: [Unicode.Scalar: String]) -> String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if let text = replacements[scalar] {
                result += text.unicodeScalars
            } else {
                result.append(scalar.isPrintable ? scalar : " ")
            }
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        // Persian and emoji are written with joiners (U+200C, U+200D), which act on nothing but their neighbours.
        ![.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
            || 0x200C...0x200D ~= value
    }
}

/// A message's JSON payload as a part of a line.
package enum JSONText {
    /// The same JSON on one line, without control characters, which might act on a terminal.
    ///
    /// Between values JSON has only blanks and line breaks: any other such character is in a text, where it may be
    /// written as an escape sequence.
    package static func onOneLine(_ payload: [UInt8]) -> [UInt8] {
        guard payload.contains(where: { $0 < 0x20 || $0 > 0x7E }) else { return payload }
        var result: [UInt8] = []
        result.reserveCapacity(payload.count)
        for scalar in String(decoding: payload, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n", "\r", "\t": result.append(UInt8(ascii: " "))
            case _ where scalar.isPrintable: result += String(scalar).utf8
            default:
                for unit in String(scalar).utf16 {
                    // The sum begins with a 1, which keeps the zeros that the digits begin with.
                    result += "\\u\(String(0x1_0000 + Int(unit), radix: 16).dropFirst())".utf8
                }
            }
        }
        return result
    }
}
