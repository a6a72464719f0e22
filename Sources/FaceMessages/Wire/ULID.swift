/// A universally unique, lexicographically sortable identifier: 48 bits of milliseconds, then 80 random bits.
///
/// The form is that of the ULID specification: 26 characters of Crockford's base 32.
public enum ULID {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Makes an identifier for a time.
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
