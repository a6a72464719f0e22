/// Decides which requests are answered. If a token is set, visitors from any address need it.
///
/// Pages of other sites must not use the visitor's browser to get in. `Host` must name this server, against DNS
/// rebinding. `Origin`, if there is one, must agree with `Host`.
final class PageGuard: Sendable {
    enum Verdict: Equatable {
        /// The request may be answered; `session` is nil without a login session.
        case allowed(session: String?)
        /// The request comes from a page of another site, or its `Host` does not name this server.
        case foreign
        /// The token is missing or wrong.
        case unauthorized
        /// The request has a token, which was not checked because too many wrong tokens came lately.
        case tooMany
    }

    private struct Box {
        var sessions: [String] = []
        var attempts = AttemptLimit()
    }

    /// The maximum number of login sessions; one more ends the oldest.
    private static let mostSessions = 256

    private let options: PageService.Options
    /// This server's host names, in lower case. Numeric IP addresses are accepted too.
    private let names: Set<String>
    private let box = Mutex(Box())
    private let start = ContinuousClock.now

    init(_ options: PageService.Options) {
        self.options = options
        // Other machines know this one by the first three.
        let host = ProcessInfo.processInfo.hostName
        let short = String(host.prefix { $0 != "." })
        // Machines may be clones that differ only in the boot id, and containers share even that.
        let boot = (try? SmallFile.firstLine(of: "/proc/sys/kernel/random/boot_id")) ?? ""
        let place = Array("\(host) \(options.address.host) \(options.address.port)".utf8)
        cookieName = "facet-" + SHA256.hmac(of: place, key: Array(boot.utf8)).prefix(16)
        names = Set(([host, short, short + ".local", "localhost"] + options.names).map { $0.lowercased() })
    }

    /// The name of the session cookie. It differs from server to server, because all ports of a host, and all machines
    /// behind a proxy, share their cookies.
    private let cookieName: String

    func verdict(on request: HTTPRequest) -> Verdict {
        guard let host = request.headers["host"], isOwn(host) else { return .foreign }
        // Behind a proxy the scheme may differ; only the host name and the port count.
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

    /// Checks a token that a visitor entered. If it is right, begins a login session.
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

    func isOpen(_ session: String) -> Bool { box.withLock { $0.sessions.contains(session) } }
    func logout(_ session: String?) { box.withLock { $0.sessions.removeAll { $0 == session } } }

    /// The value of the `Set-Cookie` header that sets the session, or removes the cookie if `session` is nil.
    func cookie(for session: String?, _ request: HTTPRequest) -> String {
        let isHTTPS = isProxied(request) && request.headers["x-forwarded-proto"]?.lowercased() == "https"
        let end = (options.tlsFiles != nil || isHTTPS ? "; Secure" : "") + (session == nil ? "; Max-Age=0" : "")
        return "\(cookieName)=\(session ?? ""); HttpOnly; SameSite=Strict; Path=/\(end)"
    }

    /// The IP address of the client. Behind a trusted proxy, it is the address that the proxy states.
    func client(of request: HTTPRequest) -> String {
        guard isProxied(request), let last = request.headers["x-forwarded-for"]?.split(separator: ",").last else {
            return request.client
        }
        return ClientAddress(last)?.description ?? request.client
    }

    private func isProxied(_ request: HTTPRequest) -> Bool {
        ClientAddress(request.client).map(options.proxies.contains) ?? false
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

    /// Whether a text is the token. The time that this takes depends only on the text, not on the token.
    private func isToken(_ given: String) -> Bool {
        let token = Array((options.token ?? "").utf8)
        guard !token.isEmpty else { return false }
        var difference = given.utf8.count ^ token.count
        for (index, byte) in given.utf8.enumerated() { difference |= Int(byte ^ token[index % token.count]) }
        return difference == 0
    }

    /// Whether a `Host` header names this server: by one of its names, or by any IP address. A page of another site, as
    /// in DNS rebinding, always comes with that site's name.
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
