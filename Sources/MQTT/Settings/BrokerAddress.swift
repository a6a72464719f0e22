import Foundation

/// The address of a broker, as in a URL: `mqtt[s]://[user@]host[:port]`.
package struct BrokerAddress: Hashable, Sendable {
    package var usesTLS: Bool
    /// The user name, percent-decoded; nil if the URL has none.
    package var username: String?
    /// The host: a name, an IPv4 address, or an IPv6 address without brackets.
    package var host: String
    /// The port number; nil for the default one.
    package var port: Int?
    /// Whether the URL has a scheme, instead of being a bare `host[:port]`.
    package var hasScheme: Bool

    /// Parses a URL; a bare `host[:port]` means `mqtt`. Throws `MQTTError` for an invalid URL and for one with a
    /// password, which process lists would show. The error does not repeat the password.
    package init(url: String) throws(MQTTError) {
        let mark = url.firstRange(of: "://")
        hasScheme = mark != nil
        let scheme = mark.map { url[..<$0.lowerBound] } ?? "mqtt"
        let rest = mark.map { url[$0.upperBound...] } ?? url[...]
        let at = rest.lastIndex(of: "@")
        let shown = at.map { (mark == nil ? "" : "\(scheme)://") + "…" + rest[$0...] } ?? url
        func refused(_ reason: String) -> MQTTError { .unusable("broker address", shown, reason) }
        usesTLS = ["mqtts", "ssl"].contains(scheme.lowercased())
        guard usesTLS || ["mqtt", "tcp"].contains(scheme.lowercased()) else {
            throw refused("the scheme must be mqtt or mqtts (TLS), not '\(scheme)'")
        }
        if let at, rest[..<at].contains(":") {
            Secrets.learn(from: "mqtt://" + rest)
            let place = "the password file or the environment"
            throw refused("a password in it would show in process lists; put it into \(place)")
        }
        let server: ServerAddress
        do throws(ServerAddress.Failure) {
            server = try ServerAddress(scheme: scheme, rest)
        } catch {
            let form = "write host or host:port, the port from 1 to 65535 and an IPv6 address in brackets"
            throw refused(error.reason.contains("%") ? error.reason : form)
        }
        guard ["", "/"].contains(server.path), !rest.contains(where: { "?#".contains($0) }) else {
            throw refused(
                at == nil
                    ? "nothing may follow the port: the topic is a setting of its own"
                    : "in a user, / is written %2F, # is %23 and ? is %3F; nothing may follow the port"
            )
        }
        if let user = server.user {
            guard let decoded = user.removingPercentEncoding else { throw refused("its user name is not valid text") }
            username = decoded.isEmpty ? nil : decoded
        }
        host = server.place.host
        port = server.place.port.map(Int.init)
        try Self.validate(host: host)
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
}
