import CCrypto

/// Initialises OpenSSL, once for all that use it.
package enum OpenSSL {
    /// At exit libcrypto would free everything at once, while threads may be busy with it or with their own end: that
    /// corrupts the heap. The process ends all the same.
    package static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}

/// A SHA-256 in the making.
package final class SHA256 {
    private let context: OpaquePointer

    /// Nil if libcrypto fails.
    package init?() {
        guard OpenSSL.isReady, let context = EVP_MD_CTX_new() else { return nil }
        self.context = context
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { return nil }
    }

    deinit { EVP_MD_CTX_free(context) }

    package func add(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }

    /// In lowercase hexadecimal; empty if libcrypto fails, which equals no pinned digest.
    package func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        return EVP_DigestFinal_ex(context, &digest, nil) == 1 ? Self.hexadecimal(digest) : ""
    }

    /// The HMAC of bytes with a key (RFC 2104), in lowercase hexadecimal.
    package static func hmac(of bytes: [UInt8], key: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        guard HMAC(EVP_sha256(), key, CInt(key.count), bytes, bytes.count, &digest, nil) != nil else { return "" }
        return hexadecimal(digest)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
