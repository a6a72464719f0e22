import Foundation

/// A broker as a URL names it: `mqtt[s]://[user@]host[:port]`.
package struct BrokerAddress: Hashable, Sendable {
    package var usesTLS: Bool
    /// The user, decoded; nil where the URL has none.
    package var username: String?
    /// Name, IPv4 address, or IPv6 address without its brackets.
    package var host: String
    package var explicitPort: Int?
    /// Whether the URL says how to speak, rather than being a bare `host[:port]`.
    package var hasScheme: Bool

    package var port: Int {
        explicitPort ?? (usesTLS ? BrokerSettings.defaultTLSPort : BrokerSettings.defaultPort)
    }

    /// Reads a URL.
    ///
    /// A bare `host[:port]` means `mqtt`.
    ///
    /// - Throws: `MQTTError.url`. A URL with a password is refused, since process lists show it, and is not repeated.
    package init(url: String) throws(MQTTError) {
        let (scheme, rest) = Self.splitScheme(url)
        switch scheme.lowercased() {
        case "mqtt", "tcp": usesTLS = false
        case "mqtts", "ssl": usesTLS = true
        default: throw .url(Self.withoutUser(url), "the scheme must be mqtt or mqtts (TLS), not '\(scheme)'")
        }
        var authority = rest
        if let slash = authority.firstIndex(where: { "/?#".contains($0) }) {
            guard authority[slash...] == "/" else {
                throw .url(Self.withoutUser(url), "nothing may follow the port: the topic is a setting of its own")
            }
            authority = authority[..<slash]
        }
        if let at = authority.lastIndex(of: "@") {
            username = try Self.user(in: authority[..<at], of: url)
            authority = authority[authority.index(after: at)...]
        }
        hasScheme = url.contains("://")
        (host, explicitPort) = try Self.hostAndPort(authority, of: url)
    }

    private static func splitScheme(_ url: String) -> (scheme: Substring, rest: Substring) {
        guard let mark = url.firstRange(of: "://") else { return ("mqtt", url[...]) }
        return (url[..<mark.lowerBound], url[mark.upperBound...])
    }

    private static func user(in text: Substring, of url: String) throws(MQTTError) -> String? {
        guard !text.contains(":") else {
            throw .url(
                withoutUser(url),
                "a password in it would show in process lists; put it into the password file or the environment"
            )
        }
        guard let user = text.removingPercentEncoding else {
            throw .url(withoutUser(url), "its user name is not valid text")
        }
        return user.isEmpty ? nil : user
    }

    private static func hostAndPort(
        _ text: Substring,
        of url: String
    ) throws(MQTTError) -> (String, Int?) {
        var host = text
        var port: Substring?
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { throw .url(withoutUser(url), "a ']' is missing") }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else {
                throw .url(withoutUser(url), "after ']' comes a port or nothing")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard !host.isEmpty else {
            throw .url(withoutUser(url), "it names no host; write mqtt://host or mqtt://host:port")
        }
        try validate(host: String(host))
        guard let port else { return (String(host), nil) }
        guard let number = Int(port), (1...65535).contains(number), port.allSatisfy(\.isNumber) else {
            throw .url(withoutUser(url), "the port must be a number from 1 to 65535, not '\(port)'")
        }
        return (String(host), number)
    }

    package static func validate(host: String) throws(MQTTError) {
        var address = in6_addr()
        let isIPv6 = inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &address) == 1
        let isName =
            !host.isEmpty
            && host.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "-._".unicodeScalars.contains(scalar)
            }
        guard isIPv6 || isName else {
            throw .setting("host", host, "give one name or address; a port or a second broker is a setting of its own")
        }
    }

    /// The URL without what stands before the `@`, which may hold a password.
    private static func withoutUser(_ url: String) -> String {
        guard let at = url.lastIndex(of: "@") else { return url }
        let scheme = url.firstRange(of: "://").map { url[..<$0.upperBound] } ?? ""
        return scheme + "…" + url[at...]
    }
}
