import Glibc

/// How to recognise the broker, and how to prove who we are, over TLS.
///
/// There is no way to switch the check of the certificate off, and none to fall back to plain text.
package struct TLSSettings: Hashable, Sendable {
    /// The lowest version of TLS to accept; the newest both sides know is used.
    package enum Version: String, Sendable, CaseIterable {
        /// TLS 1.2 (RFC 5246) and newer.
        case tls12 = "tlsv1.2"
        /// TLS 1.3 (RFC 8446).
        case tls13 = "tlsv1.3"
    }

    /// PEM file with the authorities to trust; nil trusts the operating system's.
    package var certificateAuthority: String?
    /// PEM file with our certificate and its chain, where the broker asks for one.
    package var certificate: String?
    /// PEM file with the unencrypted key of `certificate`.
    package var key: String?
    /// Whether the certificate must carry the broker's host name.
    ///
    /// On unless there is a very good reason.
    package var checksHostName = true
    /// The version of TLS to insist on; nil takes what libmosquitto offers (1.2 and 1.3).
    package var version: Version?

    /// Trusts the authorities in a PEM file, or the operating system's.
    package init(certificateAuthority: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.certificateAuthority = certificateAuthority
        self.certificate = certificate
        self.key = key
    }

    /// Refuses files that are missing, unreadable or not what they should be.
    ///
    /// - Throws: `MQTTError.tls`, which names the file.
    func validate() throws(MQTTError) {
        guard (certificate == nil) == (key == nil) else {
            throw .tls("a client certificate needs its key, and a key its certificate: set both or none")
        }
        let files = [("CA", certificateAuthority), ("client certificate", certificate), ("key", key)]
        for case (let role, let path?) in files {
            guard access(path, R_OK) == 0 else {
                throw .tls("cannot read the \(role) file \(path): \(String(cString: strerror(errno)))")
            }
        }
        try MosquittoHandle.checkTLS(self)
    }
}
