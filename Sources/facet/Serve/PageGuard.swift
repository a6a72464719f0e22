import Foundation

/// Decides which requests are answered.
///
/// A page of another site must not reach the server through the visitor's browser: `Host` must name this server, so that
/// a foreign name that resolves to it (DNS rebinding) is refused, and `Origin`, where a browser sends one, must be the
/// same as `Host`. Beyond loopback a token is needed too.
struct PageGuard: Sendable {
    /// What becomes of a request.
    enum Verdict: Equatable {
        /// It is answered.
        case allowed
        /// It comes from a page of another site, or for a name that is not this server's.
        case foreign
        /// It lacks the token.
        case unauthorized
    }

    /// The name of the cookie that stands for the token.
    static let cookie = "facet"

    /// What a visitor must know; nil on loopback.
    private let token: String?

    /// What the cookie must hold: made anew by every run, so that a stolen one ends with it.
    private let session: String

    /// Host names beside addresses that are this server's, lower case.
    private let names: Set<String>

    /// Makes a guard.
    init(token: String?, names: [String]) {
        self.token = token
        self.names = Set((names + ["localhost"]).map { $0.lowercased() })
        session = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    /// Whether visitors need a token.
    var needsToken: Bool { token != nil }

    /// Judges a request by its headers.
    func verdict(host: String?, origin: String?, cookies: String?, authorization: String?) -> Verdict {
        guard let host, isOwn(host) else { return .foreign }
        // Behind a proxy the scheme may be another one; the name and the port are what counts.
        if let origin, origin.lowercased().split(separator: "/").last.map(String.init) != host.lowercased() {
            return .foreign
        }
        guard let token else { return .allowed }
        let bearer = authorization.flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        if let bearer, Self.equal(bearer, token) { return .allowed }
        return cookieValue(in: cookies).map { Self.equal($0, session) } == true ? .allowed : .unauthorized
    }

    /// The header that lets a visitor in who knows the token; nil if it is another one.
    func login(token given: String) -> String? {
        guard let token, Self.equal(given, token) else { return nil }
        return "\(Self.cookie)=\(session); HttpOnly; SameSite=Strict; Path=/"
    }

    /// An address names nobody else's site; a name must be one of ours.
    private func isOwn(_ host: String) -> Bool {
        let name = Self.name(of: host.lowercased())
        var (four, six) = (in_addr(), in6_addr())
        return names.contains(name) || inet_pton(AF_INET, name, &four) == 1 || inet_pton(AF_INET6, name, &six) == 1
    }

    /// The host without its port and brackets.
    private static func name(of host: String) -> String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }

    private func cookieValue(in header: String?) -> String? {
        for part in (header ?? "").split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if pair.count == 2, pair[0] == Self.cookie { return pair[1] }
        }
        return nil
    }

    /// Whether two texts are the same, in a time that does not depend on how much of them is.
    private static func equal(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// Where the page is served.
struct ListenAddress: Equatable {
    var host: String
    var port: UInt16

    /// Reads `8088`, `127.0.0.1:8088`, `[::1]:8088` or `0.0.0.0:8088`; nil if it is none of these.
    init?(_ text: String) {
        if let port = UInt16(text) {
            (host, self.port) = ("127.0.0.1", port)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var name = String(text[..<colon])
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if name == "localhost" { name = "127.0.0.1" }
        var (four, six) = (in_addr(), in6_addr())
        guard inet_pton(AF_INET, name, &four) == 1 || inet_pton(AF_INET6, name, &six) == 1 else { return nil }
        (host, self.port) = (name, port)
    }

    /// Whether only programs on this machine can come.
    var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    /// Whether it is an address of version 6.
    var isVersion6: Bool { host.contains(":") }
}
