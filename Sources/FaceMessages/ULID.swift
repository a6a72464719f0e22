public import FaceMetadata

/// A universally unique, lexicographically sortable identifier: 48 bits of milliseconds, then 80 random bits.
///
/// The form is that of the ULID specification: 26 characters of Crockford's base 32.
public enum ULID {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Makes an identifier for a time, with random bits from `generator`.
    public static func make(at time: Timestamp, using generator: inout some RandomNumberGenerator) -> String {
        let milliseconds = UInt64(max(0, time.nanoseconds / 1_000_000)) & 0xFFFF_FFFF_FFFF
        var bits =
            UInt128(milliseconds) << 80
            | UInt128(generator.next() as UInt64) << 16
            | UInt128(UInt16.random(in: .min ... .max, using: &generator))
        var characters = [UInt8](repeating: 0, count: 26)
        for position in characters.indices.reversed() {
            characters[position] = alphabet[Int(truncatingIfNeeded: bits & 31)]
            bits >>= 5
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Makes an identifier for a time, with the system's random bits.
    public static func make(at time: Timestamp) -> String {
        var generator = SystemRandomNumberGenerator()
        return make(at: time, using: &generator)
    }
}
