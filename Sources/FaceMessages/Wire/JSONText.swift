/// Escaping of text from other programs for the formats in which it is written.
///
/// The functions replace Unicode scalars. A `Character` may combine CR with LF, or a quote with a mark, so that a
/// search by character misses the line feed or the quote. A program that reads the output would then act on it.
extension StringProtocol {
    /// The text for a terminal, with a space for each control character, such as escape, line break or bidi override.
    package var printable: String { replacingScalars([:]) }

    /// The text for a terminal as `printable`, but with its line breaks.
    package var printableLines: String { replacingScalars(["\n": "\n"]) }

    /// The text escaped for an element or a quoted attribute of HTML.
    package var escapedForHTML: String {
        replacingScalars(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
    }

    /// The text escaped for the value of a label in Prometheus' text format 0.0.4.
    package var escapedForPrometheus: String { replacingScalars(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"]) }

    /// The text as a quoted cell of CSV (RFC 4180) that no spreadsheet takes for a formula.
    package var cellOfCSV: String {
        let mark = unicodeScalars.first.map { "=+-@".unicodeScalars.contains($0) } == true ? "'" : ""
        return "\"" + mark + replacingScalars(["\"": "\"\""]) + "\""
    }

    /// Returns the text with these replacements, and with a space for every other control character.
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
        // Persian and emoji need joiners (U+200C, U+200D), which affect nothing but their neighbours.
        ![.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
            || 0x200C...0x200D ~= value
    }
}

/// Conversion of JSON payloads for output with one message per line.
package enum JSONText {
    /// Returns the same JSON on one line, without control characters that a terminal might act on.
    ///
    /// Line breaks and tabs become spaces. Other control characters can only be in strings, where they are escaped.
    package static func onOneLine(_ payload: [UInt8]) -> [UInt8] {
        guard payload.contains(where: { $0 < 0x20 || $0 > 0x7E }) else { return payload }
        var result: [UInt8] = []
        result.reserveCapacity(payload.count)
        for scalar in String(decoding: payload, as: UTF8.self).unicodeScalars {
            append(["\n", "\r", "\t"].contains(scalar) ? " " : scalar, to: &result)
        }
        return result
    }

    /// Appends a character of a string to JSON, escaped if a terminal might act on it.
    static func append(_ scalar: Unicode.Scalar, to json: inout [UInt8]) {
        if scalar.isASCII ? 0x20...0x7E ~= scalar.value : scalar.isPrintable {
            json += scalar.utf8
        } else {
            for unit in scalar.utf16 {
                // Adding 0x1_0000 and dropping its digit 1 keeps leading zeros.
                json += "\\u\(String(0x1_0000 + Int(unit), radix: 16).dropFirst())".utf8
            }
        }
    }
}
