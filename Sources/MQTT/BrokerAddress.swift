import Foundation
import System

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
    package var port: Int { explicitPort ?? (usesTLS ? BrokerSettings.defaultTLSPort : BrokerSettings.defaultPort) }

    /// Reads a URL; a bare `host[:port]` means `mqtt`. Throws `MQTTError`. A URL with a password is refused, since
    /// process lists show it, and is not repeated.
    package init(url: String) throws(MQTTError) {
        func refused(_ reason: String) -> MQTTError { .unusable("broker address", Self.withoutUser(url), reason) }
        let mark = url.firstRange(of: "://")
        hasScheme = mark != nil
        let scheme = mark.map { url[..<$0.lowerBound] } ?? "mqtt"
        usesTLS = ["mqtts", "ssl"].contains(scheme.lowercased())
        guard usesTLS || ["mqtt", "tcp"].contains(scheme.lowercased()) else {
            throw refused("the scheme must be mqtt or mqtts (TLS), not '\(scheme)'")
        }
        let rest = mark.map { url[$0.upperBound...] } ?? url[...]
        var place = rest.prefix { !"/?#".contains($0) }
        guard ["", "/"].contains(rest[place.endIndex...]) else {
            throw refused("nothing may follow the port: the topic is a setting of its own")
        }
        if let at = place.lastIndex(of: "@") {
            guard !place[..<at].contains(":") else {
                let place = "the password file or the environment"
                throw refused("a password in it would show in process lists; put it into \(place)")
            }
            guard let user = place[..<at].removingPercentEncoding else {
                throw refused("its user name is not valid text")
            }
            username = user.isEmpty ? nil : user
            place = place[at...].dropFirst()
        }
        guard let place = HostAndPort(place) else {
            throw refused("write host or host:port, the port from 1 to 65535 and an IPv6 address in brackets")
        }
        host = place.host
        explicitPort = place.port.map(Int.init)
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

    /// The URL without what stands before the `@`, which may hold a password.
    private static func withoutUser(_ url: String) -> String {
        guard let at = url.lastIndex(of: "@") else { return url }
        let scheme = url.firstRange(of: "://").map { url[..<$0.upperBound] } ?? ""
        return scheme + "…" + url[at...]
    }
}
