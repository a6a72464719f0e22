import Testing

@testable import MQTT

@Suite("Check of incoming packets", .timeLimit(.minutes(5)))
struct PacketInspectorTests {
    /// A packet of each kind that carries properties, with some of those that MQTT 5 has.
    private static let packets: [(name: String, head: UInt8, before: [UInt8], after: [UInt8])] = [
        ("CONNACK", 0x20, [0, 0], []),
        ("PUBLISH", 0x30, [0, 1, 0x61], [1, 2, 3]),
        ("PUBLISH with acknowledgement", 0x32, [0, 1, 0x61, 0, 7], [1]),
        ("PUBACK", 0x40, [0, 1, 0], []),
        ("PUBREC", 0x50, [0, 1, 0], []),
        ("PUBREL", 0x62, [0, 1, 0], []),
        ("PUBCOMP", 0x70, [0, 1, 0], []),
        ("SUBACK", 0x90, [0, 1], [0]),
        ("UNSUBACK", 0xB0, [0, 1], [0]),
        ("DISCONNECT", 0xE0, [0], []),
        ("AUTH", 0xF0, [0], []),
    ]

    private static func packet(_ index: Int, properties: [UInt8]) -> [UInt8] {
        let (_, head, before, after) = packets[index]
        let body = before + [UInt8(properties.count)] + properties + after
        return [head, UInt8(body.count)] + body
    }

    private static func inspect(_ bytes: [UInt8], isVersion5: Bool = true) throws -> PacketInspector.Result {
        var inspector = PacketInspector(isVersion5: isVersion5, limit: 100_000)
        return try inspector.inspect(bytes)
    }

    @Test("an unknown, cut or empty property ends the connection, in every packet", arguments: packets.indices)
    func badProperties(index: Int) throws {
        let bad: [[UInt8]] = [
            [0x7F], [0x00], [0x7F, 0], [0xFF, 0x7F], [0x26, 0, 1, 0x61], [0x1F, 0, 9, 0x61], [0x11, 0],
        ]
        for properties in bad {
            #expect(throws: PacketInspector.Malformed.self, "\(Self.packets[index].name) \(properties)") {
                try Self.inspect(Self.packet(index, properties: properties))
            }
        }
    }

    @Test("what MQTT 5 allows passes unchanged, in one piece or byte by byte", arguments: packets.indices)
    func goodPackets(index: Int) throws {
        let good: [[UInt8]] = [
            [], [0x26, 0, 1, 0x61, 0, 1, 0x62], [0x1F, 0, 1, 0x61], [0x11, 0, 0, 0, 9], [0x0B, 0x80, 1], [0x21, 0, 9],
            [0x24, 1], [0x09, 0, 2, 0xFF, 0],
        ]
        for properties in good {
            let packet = Self.packet(index, properties: properties)
            #expect(try Self.inspect(packet + packet).packets == packet + packet)
            var inspector = PacketInspector(isVersion5: true, limit: 1000)
            var passed: [UInt8] = []
            for byte in packet { passed += try inspector.inspect([byte]).packets }
            #expect(passed == packet)
        }
    }

    @Test("packets of MQTT 3.1.1 pass, also as the refusal of version 5")
    func oldPackets() throws {
        #expect(try Self.inspect([0x20, 2, 0, 1]).packets.count == 4)
        let old: [[UInt8]] = [
            [0x20, 2, 0, 0], [0x30, 4, 0, 1, 0x61, 9], [0x40, 2, 0, 1], [0x90, 3, 0, 1, 0], [0xD0, 0],
        ]
        for packet in old { #expect(try Self.inspect(packet, isVersion5: false).packets == packet) }
        #expect(throws: PacketInspector.Malformed.self) { try Self.inspect([0xE0, 0], isVersion5: false) }
    }

    @Test("a message that announces 256 MB is passed over without being kept, and what follows it is read")
    func oversized() throws {
        var inspector = PacketInspector(isVersion5: true, limit: 1000)
        var result = try inspector.inspect([0x30, 0xFF, 0xFF, 0xFF, 0x7F] + [0, 1, 0x61, 0])
        #expect(result == .init(packets: [], oversized: 1))
        var left = 0x0FFF_FFFF - 4
        let chunk = [UInt8](repeating: 0x30, count: 1 << 20)
        while left > chunk.count {
            left -= chunk.count
            result = try inspector.inspect(chunk)
            #expect(result == .init(packets: [], oversized: 0))
        }
        result = try inspector.inspect(chunk.prefix(left) + [0xD0, 0])
        #expect(result.packets == [0xD0, 0])
    }

    @Test(
        "any other packet over the limit ends the connection",
        arguments: [[0x20, 0xFF, 0xFF, 0x7F], [0x32, 0xFF, 0x7F]]
    )
    func oversizedOthers(header: [UInt8]) {
        var inspector = PacketInspector(isVersion5: true, limit: 1000)
        #expect(throws: PacketInspector.Malformed.self) { try inspector.inspect(header) }
    }

    @Test("random bytes and damaged packets neither stop the program nor get through unchecked")
    func noise() throws {
        var random = SeededGenerator(seed: 7)
        var refused = 0
        for round in 0..<100_000 {
            var bytes: [UInt8]
            if round.isMultiple(of: 2) {
                bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in .random(in: 0...255, using: &random) }
            } else {
                bytes = Self.packet(.random(in: Self.packets.indices, using: &random), properties: [0x1F, 0, 1, 0x61])
                bytes[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            var whole = PacketInspector(isVersion5: true, limit: 500)
            var parts = PacketInspector(isVersion5: true, limit: 500)
            let cut = bytes.isEmpty ? 0 : Int.random(in: bytes.indices, using: &random)
            do {
                let expected = try whole.inspect(bytes)
                let first = try parts.inspect(bytes[..<cut])
                let second = try parts.inspect(bytes[cut...])
                #expect(first.packets + second.packets == expected.packets)
                #expect(first.oversized + second.oversized == expected.oversized)
            } catch {
                refused += 1
            }
        }
        #expect(refused > 10_000)
    }
}
