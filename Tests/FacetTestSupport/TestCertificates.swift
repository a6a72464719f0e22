import Foundation

/// A certificate authority made for one test, with OpenSSL's command.
public final class TestCertificates: Sendable {
    /// A certificate signed by the authority, and its key: paths of PEM files.
    public struct Leaf: Sendable {
        /// The certificate.
        public let certificate: String
        /// Its key.
        public let key: String
        /// Keeps the files while they are of use.
        let directory: TemporaryDirectory
    }

    /// The authority's own certificate: path of a PEM file.
    public let authority: String
    private let directory: TemporaryDirectory
    private static let openssl = "/usr/bin/openssl"

    /// Whether certificates can be made here.
    public static let areAvailable = FileManager.default.isExecutableFile(atPath: openssl)

    /// Makes an authority.
    public init() throws {
        directory = try TemporaryDirectory()
        authority = directory.file("ca.crt")
        try Tool.run(
            Self.openssl,
            ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Test authority", "-days", "2"]
                + ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign"]
                + ["-keyout", directory.file("ca.key"), "-out", authority]
        )
    }

    /// Makes a certificate for a name or an IPv4 address.
    ///
    /// - Parameters:
    ///   - name: what it is made out to.
    ///   - isExpired: whether its time is over.
    /// - Returns: the paths of its files.
    /// - Throws: when OpenSSL refuses.
    public func leaf(for name: String, isExpired: Bool = false) throws -> Leaf {
        let base = directory.file("\(name)-\(isExpired)")
        let isAddress = name.allSatisfy { $0.isNumber || $0 == "." }
        let extensions = try directory.write(
            "subjectAltName=\(isAddress ? "IP" : "DNS"):\(name)\nbasicConstraints=CA:FALSE\n",
            to: "extensions"
        )
        try Tool.run(
            Self.openssl,
            ["req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(name)"]
                + ["-keyout", base + ".key", "-out", base + ".csr"]
        )
        try Tool.run(
            Self.openssl,
            ["x509", "-req", "-in", base + ".csr", "-CA", authority, "-CAkey", directory.file("ca.key")]
                + ["-CAcreateserial", "-extfile", extensions, "-out", base + ".crt", "-days", isExpired ? "-1" : "2"]
        )
        return Leaf(certificate: base + ".crt", key: base + ".key", directory: directory)
    }
}
