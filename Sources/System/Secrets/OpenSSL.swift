import CCrypto

/// Initialises OpenSSL once for all its users.
package enum OpenSSL {
    /// Whether OpenSSL is initialised. Its cleanup at exit is off, because other threads may still use its memory.
    package static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}

/// The computation of a SHA-256 digest, piece by piece.
package final class SHA256 {
    private let context: OpaquePointer

    /// Begins a digest; nil if libcrypto fails.
    package init?() {
        guard OpenSSL.isReady, let context = EVP_MD_CTX_new() else { return nil }
        self.context = context
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { return nil }
    }

    deinit { EVP_MD_CTX_free(context) }

    package func add(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }

    /// Returns the digest in lowercase hexadecimal; empty if libcrypto fails.
    package func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        return EVP_DigestFinal_ex(context, &digest, nil) == 1 ? Self.hexadecimal(digest) : ""
    }

    /// Returns the HMAC-SHA-256 (RFC 2104) of bytes with a key, in lowercase hexadecimal; empty if libcrypto fails.
    package static func hmac(of bytes: [UInt8], key: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        guard HMAC(EVP_sha256(), key, CInt(key.count), bytes, bytes.count, &digest, nil) != nil else { return "" }
        return hexadecimal(digest)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        // Adding 0x100 and dropping its digit 1 keeps a leading zero.
        bytes.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    }
}
