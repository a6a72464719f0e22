/// The numeric IP address and the port on which a server listens.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    package var host = "127.0.0.1"
    package var port: UInt16

    /// Makes an address that only programs on this machine can reach; the port 0 stands for any free one.
    package init(port: UInt16) { self.port = port }

    /// Reads `8088`, `127.0.0.1:8088`, `[::1]:8088` or `0.0.0.0:8088`; nil for text that is not of these forms.
    package init?(_ text: String) {
        let place = HostAndPort(UInt16(text).map { "localhost:\($0)" } ?? text, ports: 0...65_535)
        guard let place, let port = place.port else { return nil }
        self.init(port: port)
        if place.host != "localhost" { host = place.host }
        guard Self.isNumeric(host) else { return nil }
    }

    /// Whether only programs on this machine can connect.
    var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }
    /// The IP address as in a URL: an IPv6 address in brackets.
    var urlHost: String { host.contains(":") ? "[\(host)]" : host }
    package var description: String { "\(urlHost):\(port)" }

    package static func isNumeric(_ text: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }
}
