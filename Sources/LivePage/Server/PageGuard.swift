import Companion
import Foundation
import HTTPServing
import Synchronization

/// Decides which requests are answered.
///
/// A page of another site must not come through the visitor's browser: `Host` must name this server, against DNS rebinding, and
/// `Origin`, where a browser sends one, be the same as `Host`. Where there is a token, a visitor needs it from any address.
final class PageGuard: Sendable {
    enum Verdict: Equatable {
        /// It is answered; the session is nil without a login.
        case allowed(session: String?)
        /// It comes from a page of another site, or for a name that is not this server's.
        case foreign
        /// It lacks the token.
        case unauthorized
        /// It brings a token, but too many wrong ones came lately.
        case tooMany
    }

    enum Login: Equatable {
        /// The token is right; the `Set-Cookie` header that lets the visitor in.
        case welcome(cookie: String)
        case wrong
        /// Too many wrong ones came lately.
        case tooMany
    }

    private struct Box {
        /// The oldest first.
        var sessions: [String] = []
        var attempts = AttemptLimit()
    }

    /// The name of the cookie that stands for the token. Cookies are the same for all ports of a host: two servers have two.
    private let cookie: String
    /// Visitors logged in at the same time; a further one ends the oldest login.
    private static let mostSessions = 256

    private let token: [UInt8]?
    /// Host names beside addresses that are this server's, lower case.
    private let names: Set<String>
    /// The addresses of proxies whose `X-Forwarded-…` headers are believed.
    private let proxies: Set<String>
    private let isTLS: Bool
    private let box = Mutex(Box())
    private let start = ContinuousClock.now

    init(token: String?, names: [String], proxies: [String] = [], port: UInt16 = 0, isTLS: Bool = false) {
        self.token = token.map { Array($0.utf8) }
        self.names = Set((names + ["localhost"]).map { $0.lowercased() })
        self.proxies = Set(proxies)
        self.isTLS = isTLS
        cookie = "facet-\(port)"
    }

    private var seconds: Double { start.duration(to: .now) / .seconds(1) }

    func verdict(on request: HTTPRequest) -> Verdict {
        guard let host = request.headers["host"], isOwn(host) else { return .foreign }
        // Behind a proxy the scheme may be another one; the name and the port are what counts.
        if let origin = request.headers["origin"],
            origin.lowercased().split(separator: "/").last.map(String.init) != host.lowercased()
        {
            return .foreign
        }
        guard token != nil else { return .allowed(session: nil) }
        if let session = session(of: request) { return .allowed(session: session) }
        guard let bearer = request.headers["authorization"], bearer.hasPrefix("Bearer ") else { return .unauthorized }
        return check(String(bearer.dropFirst(7)), from: request).map { $0 ? .allowed(session: nil) : .unauthorized }
            ?? .tooMany
    }

    /// Judges a token that a visitor gave.
    func login(token given: String, _ request: HTTPRequest) -> Login {
        guard let isRight = check(given, from: request) else { return .tooMany }
        guard isRight else { return .wrong }
        let session = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        box.withLock { box in
            if box.sessions.count == Self.mostSessions { box.sessions.removeFirst() }
            box.sessions.append(session)
        }
        return .welcome(cookie: cookie(session, request))
    }

    /// Ends a session; returns the `Set-Cookie` header that takes the cookie away.
    func logout(_ session: String?, _ request: HTTPRequest) -> String {
        box.withLock { $0.sessions.removeAll { $0 == session } }
        return cookie("", request) + "; Max-Age=0"
    }

    private func cookie(_ value: String, _ request: HTTPRequest) -> String {
        let isProxied = proxies.contains(request.client)
        let isSecure = isTLS || (isProxied && request.headers["x-forwarded-proto"]?.lowercased() == "https")
        return "\(cookie)=\(value); HttpOnly; SameSite=Strict; Path=/\(isSecure ? "; Secure" : "")"
    }

    /// The address that a request comes from; behind a proxy the one that it names.
    func client(of request: HTTPRequest) -> String {
        guard proxies.contains(request.client),
            let last = request.headers["x-forwarded-for"]?.split(separator: ",").last
        else { return request.client }
        return last.trimmingCharacters(in: .whitespaces)
    }

    /// Whether a token is right; nil if too many wrong ones came lately.
    private func check(_ given: String, from request: HTTPRequest) -> Bool? {
        let (now, client) = (seconds, client(of: request))
        return box.withLock { box in
            guard box.attempts.permits(client, at: now) else { return nil }
            if isToken(given) { return true }
            box.attempts.fail(client, at: now)
            return false
        }
    }

    /// Whether a text is the token, in a time that depends on the text alone.
    private func isToken(_ given: String) -> Bool {
        guard let token, !token.isEmpty else { return false }
        var difference = given.utf8.count ^ token.count
        for (index, byte) in given.utf8.enumerated() { difference |= Int(byte ^ token[index % token.count]) }
        return difference == 0
    }

    /// An address is no name of another site; a name must be one of ours.
    private func isOwn(_ host: String) -> Bool {
        let name = Self.name(of: host.lowercased())
        return names.contains(name) || ListenAddress.isNumeric(name)
    }

    private static func name(of host: String) -> String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }

    private func session(of request: HTTPRequest) -> String? {
        let given = (request.headers["cookie"] ?? "").split { $0 == ";" || $0 == "," }.compactMap { part -> String? in
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return pair.count == 2 && pair[0] == cookie ? pair[1] : nil
        }
        return box.withLock { box in box.sessions.first(where: given.contains) }
    }
}
