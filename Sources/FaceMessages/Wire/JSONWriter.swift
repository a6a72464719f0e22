/// Writes a JSON object as bytes, with its fields in the order of the calls. A field whose value is nil is left out.
///
/// Foundation's encoder can neither keep the order of fields nor limit the decimals, although both make JSON readable.
package struct JSONWriter {
    fileprivate(set) var bytes: [UInt8] = []

    /// Returns a JSON object, whose fields `body` writes.
    package static func object(reserving capacity: Int = 512, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(capacity)
        writer.braces(body)
        return writer.bytes
    }

    package mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        key(name)
        braces(body)
    }

    package mutating func array<Item>(_ name: String, _ items: [Item], _ body: (inout JSONWriter, Item) -> Void) {
        key(name)
        brackets(items) { json, item in json.braces { body(&$0, item) } }
    }

    package mutating func field(_ name: String, _ value: (some JSONValue)?) {
        guard let value else { return }
        key(name)
        value.write(to: &self)
    }

    /// Writes a number with `decimals` places. Leaves out a field whose number is nil, not finite or beyond ±1e12.
    package mutating func field(_ name: String, _ value: Double?, decimals: Int) {
        guard let value, value.isFinite, abs(value) < 1e12 else { return }
        key(name)
        number(value, decimals: decimals)
    }

    /// Writes a field whose value is already encoded as JSON.
    mutating func field(_ name: String, json: [UInt8]) {
        key(name)
        bytes += json
    }

    // MARK: - Parts

    private mutating func comma() {
        if let last = bytes.last, !"{[".utf8.contains(last) { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func key(_ name: String) {
        comma()
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    fileprivate mutating func brackets<Element>(_ elements: [Element], _ body: (inout JSONWriter, Element) -> Void) {
        bytes.append(UInt8(ascii: "["))
        for element in elements {
            comma()
            body(&self, element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func braces(_ body: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        body(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    fileprivate mutating func string(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        if value.utf8.allSatisfy({ 0x20...0x7E ~= $0 && !"\"\\".utf8.contains($0) }) {
            bytes += value.utf8
        } else {
            for scalar in value.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { bytes.append(UInt8(ascii: "\\")) }
                JSONText.append(scalar, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a number, rounded, without trailing zeros except directly after the point: 0.5, 12.0, −3.25.
    private mutating func number(_ value: Double, decimals: Int) {
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        let scaled = Int((abs(value) * Double(scale)).rounded())
        if value < 0, scaled > 0 { bytes.append(UInt8(ascii: "-")) }
        bytes += String(scaled / scale).utf8
        bytes.append(UInt8(ascii: "."))
        // Adding `scale` and dropping its digit 1 keeps the leading zeros of the fraction.
        bytes += String(scale + scaled % scale).utf8.dropFirst()
        while bytes.last == UInt8(ascii: "0"), bytes[bytes.count - 2] != UInt8(ascii: ".") { bytes.removeLast() }
    }
}

/// A value that can be written as JSON and read from it.
package protocol JSONValue: Decodable, Sendable {
    func write(to json: inout JSONWriter)
}

extension Bool: JSONValue {
    package func write(to json: inout JSONWriter) { json.bytes += (self ? "true" : "false").utf8 }
}

extension Int: JSONValue {
    package func write(to json: inout JSONWriter) { json.bytes += String(self).utf8 }
}

extension String: JSONValue {
    package func write(to json: inout JSONWriter) { json.string(self) }
}

extension [String]: JSONValue {
    package func write(to json: inout JSONWriter) { json.brackets(self) { $0.string($1) } }
}
