import Foundation

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
        guard isNumericAddress(name) else { return nil }
        (host, self.port) = (name, port)
    }

    /// Whether only programs on this machine can come.
    var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    /// The address as it stands in a URL.
    var urlHost: String { host.contains(":") ? "[\(host)]" : host }
}

func isNumericAddress(_ text: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
}
