/// Unique identifiers by the ULID specification: 48 bits of milliseconds and 80 random bits, in Crockford's base 32.
public enum ULID {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Returns a new identifier for a time. Sorted as text, identifiers are in the order of their times.
    public static func make(at time: Timestamp) -> String {
        let milliseconds = UInt128(max(0, time.nanoseconds / 1_000_000)) & 0xFFFF_FFFF_FFFF
        var bits = milliseconds << 80 | UInt128.random(in: 0..<1 << 80)
        var characters = [UInt8](repeating: 0, count: 26)
        for position in characters.indices.reversed() {
            characters[position] = alphabet[Int(truncatingIfNeeded: bits & 31)]
            bits >>= 5
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
