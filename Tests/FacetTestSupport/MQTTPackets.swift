/// MQTT packets as bytes (OASIS MQTT 5.0 §2.1), for proxies and captures.
public enum MQTTPackets {
    /// The kinds the tests look at: the upper half of the first byte.
    public enum Kind: UInt8, Sendable {
        case connect = 1
        case connack = 2
        case publish = 3
        case puback = 4
        case subscribe = 8
        case suback = 9
        case disconnect = 14
    }

    /// What a packet is; nil for kinds no test looks at.
    public static func kind(of packet: [UInt8]) -> Kind? {
        packet.first.flatMap { Kind(rawValue: $0 >> 4) }
    }

    /// The protocol version a CONNECT asks for: 5, or 4 for 3.1.1.
    public static func version(ofConnect packet: [UInt8]) -> UInt8? {
        guard let name = packet.firstRange(of: Array("MQTT".utf8)), name.upperBound < packet.count else { return nil }
        return packet[name.upperBound]
    }

    /// Takes the complete packets off the front of a stream.
    static func split(_ bytes: [UInt8]) -> (packets: [[UInt8]], rest: [UInt8]) {
        var packets: [[UInt8]] = []
        var start = 0
        while let length = length(of: bytes[start...]), start + length <= bytes.count {
            packets.append(Array(bytes[start..<start + length]))
            start += length
        }
        return (packets, Array(bytes[start...]))
    }

    /// The whole length of the first packet, once its header is there.
    private static func length(of bytes: ArraySlice<UInt8>) -> Int? {
        var length = 0
        for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
            length |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return length + index + 2 }
        }
        return nil
    }
}
