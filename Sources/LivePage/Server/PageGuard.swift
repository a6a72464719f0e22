import Foundation
import HTTPServing
import Synchronization

/// Decides which requests are answered. Where there is a token, a visitor needs it from any address.
///
/// A page of another site must not come through the visitor's browser: `Host` must name this server, against DNS
/// rebinding, and `Origin`, where a browser sends one, must be the same as `Host`.
final class PageGuard: Sendable {
    enum Verdict: Equatable {
        /// The request is answered; the session is nil without a login.
        case allowed(session: String?)
        /// The request comes from a page of another site, or for a name that is not this server's.
        case foreign
        /// The request lacks the token, or brings a wrong one.
        case unauthorized
        /// The request brings a token, but too many wrong ones came lately.
        case tooMany
    }

    private struct Box {
        /// The oldest first.
        var sessions: [String] = []
        var attempts = AttemptLimit()
    }

    /// The most visitors logged in at the same time; a further one ends the oldest login.
    private static let mostSessions = 256

    private let options: PageService.Options
    /// The host names, besides addresses, that are this server's, in lower case.
    private let names: Set<String>
    private let box = Mutex(Box())
    private let start = ContinuousClock.now

    init(_ options: PageService.Options) {
        self.options = options
        // Other machines know this one by the first three.
        let host = ProcessInfo.processInfo.hostName
        let short = String(host.prefix { $0 != "." })
        // Machines may be copies of each other but for the boot, and containers share even that.
        let boot = (try? SmallFile.firstLine(of: "/proc/sys/kernel/random/boot_id")) ?? ""
        let place = Array("\(host) \(options.address.host) \(options.address.port)".utf8)
        cookieName = "facet-" + SHA256.hmac(of: place, key: Array(boot.utf8)).prefix(16)
        names = Set(([host, short, short + ".local", "localhost"] + options.names).map { $0.lowercased() })
    }

    /// The name of the cookie for a session, which is another one for each server: cookies are shared by all ports of a
    /// host, and by the machines behind a proxy.
    private let cookieName: String

    func verdict(on request: HTTPRequest) -> Verdict {
        guard let host = request.headers["host"], isOwn(host) else { return .foreign }
        // Behind a proxy the scheme may be another one; the name and the port are what counts.
        if let origin = request.headers["origin"],
            origin.lowercased().split(separator: "/").last.map(String.init) != host.lowercased()
        {
            return .foreign
        }
        guard options.token != nil else { return .allowed(session: nil) }
        if let session = session(of: request) { return .allowed(session: session) }
        guard let bearer = request.headers["authorization"], bearer.hasPrefix("Bearer ") else { return .unauthorized }
        return verdict(onToken: String(bearer.dropFirst(7)), from: request)
    }

    /// Checks a token that a visitor gave; a right one begins a session.
    func login(token given: String, _ request: HTTPRequest) -> Verdict {
        let verdict = verdict(onToken: given, from: request)
        guard verdict == .allowed(session: nil) else { return verdict }
        let session = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        box.withLock { box in
            if box.sessions.count == Self.mostSessions { box.sessions.removeFirst() }
            box.sessions.append(session)
        }
        return .allowed(session: session)
    }

    func logout(_ session: String?) { box.withLock { $0.sessions.removeAll { $0 == session } } }

    /// The `Set-Cookie` header that gives a visitor a session, or without one removes the cookie.
    func cookie(for session: String?, _ request: HTTPRequest) -> String {
        let isHTTPS = isProxied(request) && request.headers["x-forwarded-proto"]?.lowercased() == "https"
        let end = (options.tlsFiles != nil || isHTTPS ? "; Secure" : "") + (session == nil ? "; Max-Age=0" : "")
        return "\(cookieName)=\(session ?? ""); HttpOnly; SameSite=Strict; Path=/\(end)"
    }

    /// Address that a request comes from; if that is a proxy's, the address that it names, or its own if it names none.
    func client(of request: HTTPRequest) -> String {
        guard isProxied(request), let last = request.headers["x-forwarded-for"]?.split(separator: ",").last else {
            return request.client
        }
        return ClientAddress(last)?.description ?? request.client
    }

    private func isProxied(_ request: HTTPRequest) -> Bool {
        ClientAddress(request.client).map { client in options.proxies.contains { ClientAddress($0) == client } }
            ?? false
    }

    private func verdict(onToken given: String, from request: HTTPRequest) -> Verdict {
        let now = start.duration(to: .now) / .seconds(1)
        let client = client(of: request)
        return box.withLock { box in
            guard box.attempts.permits(client, at: now) else { return .tooMany }
            guard isToken(given) else {
                box.attempts.fail(client, at: now)
                return .unauthorized
            }
            box.attempts.succeed(client)
            return .allowed(session: nil)
        }
    }

    /// Whether a text is the token, found in a time that depends only on the text.
    private func isToken(_ given: String) -> Bool {
        let token = Array((options.token ?? "").utf8)
        guard !token.isEmpty else { return false }
        var difference = given.utf8.count ^ token.count
        for (index, byte) in given.utf8.enumerated() { difference |= Int(byte ^ token[index % token.count]) }
        return difference == 0
    }

    /// Whether a host in a request is this server's own: an address, which no site's name is, or one of our names.
    private func isOwn(_ host: String) -> Bool {
        guard let name = HostAndPort(host.lowercased(), ports: 0...65_535)?.host else { return false }
        return names.contains(name) || ListenAddress.isNumeric(name)
    }

    private func session(of request: HTTPRequest) -> String? {
        let given = (request.headers["cookie"] ?? "").split { $0 == ";" || $0 == "," }.compactMap { part -> String? in
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return pair.count == 2 && pair[0] == cookieName ? pair[1] : nil
        }
        return box.withLock { box in box.sessions.first(where: given.contains) }
    }
}
