/// Checks the broker's packets before libmosquitto reads them.
///
/// libmosquitto 2.0 ends the process when a packet has an unknown property: its property reader logs without a client
/// handle, and the logger asserts that there is one. It also allocates whatever length a packet announces. So it gets
/// only complete packets within the size limit, with known, well-formed properties (OASIS MQTT 5.0 §2.2.2).
package struct PacketInspector {
    /// The error of an invalid or too large packet, after which the connection cannot continue.
    package struct Malformed: Error, Equatable, CustomStringConvertible {
        let reason: String

        package var description: String { "the broker sent \(reason)" }
    }

    /// The packets for libmosquitto, and the number of messages left out.
    package struct Result: Equatable {
        package var packets: [UInt8] = []
        /// The number of messages left out because they exceed the limit.
        package var oversized = 0
    }

    private let isVersion5: Bool
    private let limit: Int
    private var buffer: [UInt8] = []
    /// The number of bytes of an oversized message that are still to come, and to be discarded.
    private var skip = 0

    /// Makes an inspector; `limit` is the maximum size of a packet in bytes, header included.
    package init(isVersion5: Bool, limit: Int) { (self.isVersion5, self.limit) = (isVersion5, limit) }

    /// Returns the packets that these bytes complete. If one is invalid, throws `Malformed` and drops those before it.
    package mutating func inspect(_ bytes: some Collection<UInt8>) throws(Malformed) -> Result {
        var result = Result()
        let skipped = min(skip, bytes.count)
        skip -= skipped
        buffer.append(contentsOf: bytes.dropFirst(skipped))
        var start = 0
        while let packet = try header(at: start) {
            if packet.count > limit {
                // Only a message with quality of service 0 can be left out: the others must be acknowledged.
                guard buffer[start] >> 4 == 3, buffer[start] & 0x06 == 0 else {
                    throw Malformed(reason: "a packet of \(packet.count) bytes, the limit is \(limit)")
                }
                result.oversized += 1
                let present = min(packet.count, buffer.count - start)
                skip = packet.count - present
                start += present
                continue
            }
            guard packet.upperBound <= buffer.count else { break }
            try check(buffer[packet.body..<packet.upperBound], kind: buffer[start] >> 4, flags: buffer[start] & 0x0F)
            result.packets.append(contentsOf: buffer[start..<packet.upperBound])
            start = packet.upperBound
        }
        buffer.removeFirst(start)
        return result
    }

    /// Returns the start of the body, the end and the size of the packet at `start`; nil if its header is incomplete.
    private func header(at start: Int) throws(Malformed) -> (body: Int, upperBound: Int, count: Int)? {
        guard start + 1 < buffer.count else { return nil }
        var reader = Reader(bytes: buffer[(start + 1)...])
        guard let length = try reader.variableInteger(mayBeIncomplete: true) else { return nil }
        let upperBound = reader.position + length
        return (reader.position, upperBound, upperBound - start)
    }

    private func check(_ body: ArraySlice<UInt8>, kind: UInt8, flags: UInt8) throws(Malformed) {
        var reader = Reader(bytes: body)
        switch kind {
        case 2:  // CONNACK
            try reader.skip(2)
            // A broker of MQTT 3.1.1 refuses version 5 in its own, shorter form.
            guard isVersion5, !reader.isAtEnd else { return }
            try reader.properties()
        case 3:  // PUBLISH
            guard flags & 0x06 != 0x06 else { throw Malformed(reason: "a message with quality of service 3") }
            try reader.skip(reader.integer16())
            if flags & 0x06 != 0 { try reader.skip(2) }
            if isVersion5 { try reader.properties() }
            return
        case 4, 5, 6, 7:  // PUBACK, PUBREC, PUBREL, PUBCOMP
            try reader.skip(2)
            try reasonAndProperties(&reader)
        case 9, 11:  // SUBACK, UNSUBACK
            try reader.skip(2)
            if isVersion5 { try reader.properties() }
            return
        case 13: break  // PINGRESP
        case 14, 15:  // DISCONNECT, AUTH
            guard isVersion5 else { throw Malformed(reason: "a packet that MQTT 3.1.1 does not have") }
            try reasonAndProperties(&reader)
        default: throw Malformed(reason: "a packet of kind \(kind), which no broker sends")
        }
        guard reader.isAtEnd else { throw Malformed(reason: "a packet of kind \(kind) that is too long") }
    }

    private func reasonAndProperties(_ reader: inout Reader) throws(Malformed) {
        guard isVersion5, !reader.isAtEnd else { return }
        try reader.skip(1)
        if !reader.isAtEnd { try reader.properties() }
    }
}

private struct Reader {
    private enum Kind {
        case fixed(Int)
        case variableInteger
        /// The given number of strings, one after the other.
        case strings(Int)
    }

    private static let kinds: [UInt8: Kind] = [
        1: .fixed(1), 2: .fixed(4), 3: .strings(1), 8: .strings(1), 9: .strings(1), 11: .variableInteger,
        17: .fixed(4), 18: .strings(1), 19: .fixed(2), 21: .strings(1), 22: .strings(1), 23: .fixed(1), 24: .fixed(4),
        25: .fixed(1), 26: .strings(1), 28: .strings(1), 31: .strings(1), 33: .fixed(2), 34: .fixed(2), 35: .fixed(2),
        36: .fixed(1), 37: .fixed(1), 38: .strings(2), 39: .fixed(4), 40: .fixed(1), 41: .fixed(1), 42: .fixed(1),
    ]

    let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    mutating func skip(_ count: Int) throws(PacketInspector.Malformed) {
        guard count <= bytes.endIndex - position else {
            throw PacketInspector.Malformed(reason: "a packet that ends too early")
        }
        position += count
    }

    mutating func integer16() throws(PacketInspector.Malformed) -> Int {
        let start = position
        try skip(2)
        return Int(bytes[start]) << 8 | Int(bytes[start + 1])
    }

    /// Reads an integer of up to four bytes with seven bits each (OASIS MQTT 5.0 §1.5.5).
    mutating func variableInteger(mayBeIncomplete: Bool = false) throws(PacketInspector.Malformed) -> Int? {
        var value = 0
        for shift in 0..<4 {
            if isAtEnd, mayBeIncomplete { return nil }
            try skip(1)
            let byte = bytes[position - 1]
            value |= Int(byte & 0x7F) << (7 * shift)
            if byte & 0x80 == 0 { return value }
        }
        throw PacketInspector.Malformed(reason: "a length of more than four bytes")
    }

    mutating func properties() throws(PacketInspector.Malformed) {
        let length = try variableInteger() ?? 0
        let start = position
        try skip(length)
        var list = Reader(bytes: bytes[start..<position])
        while !list.isAtEnd {
            let identifier = list.bytes[list.position]
            try list.skip(1)
            switch Self.kinds[identifier] {
            case .fixed(let count): try list.skip(count)
            case .variableInteger: _ = try list.variableInteger()
            case .strings(let count): for _ in 0..<count { try list.skip(list.integer16()) }
            case nil: throw PacketInspector.Malformed(reason: "the property \(identifier), which MQTT 5 does not have")
            }
        }
    }
}
