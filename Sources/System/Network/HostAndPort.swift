/// A host with an optional port, as people write them: `broker`, `broker:1883`, `[::1]:1883`.
package struct HostAndPort: Hashable, Sendable {
    /// The host's name or address, without brackets.
    package let host: String
    package let port: UInt16?

    /// Parses a host and a port; nil for other texts, such as a bare IPv6 address or a port outside `ports`.
    package init?(_ text: some StringProtocol, ports: ClosedRange<UInt16> = 1...65_535) {
        let form = /(?:\[(?<address>[^\[\]]+)\]|(?<name>[^:\[\]\x00-\x20\x7F]+))(?::(?<port>[0-9]*))?/
        guard let match = String(text).wholeMatch(of: form), let host = match.address ?? match.name else { return nil }
        self.host = String(host)
        // "host:" without a number means the scheme's default port.
        let digits = match.port ?? ""
        port = UInt16(digits)
        guard digits.isEmpty || port.map(ports.contains) == true else { return nil }
    }
}

/// The IP address of a server's client. It is equal in all notations: with or without port, brackets, quotes or zone,
/// and as IPv4 or IPv4-mapped IPv6.
package struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    /// The four bytes of an IPv4 address, or the sixteen of an IPv6 one.
    private let bytes: [UInt8]

    /// Parses an address; nil for any other text, such as `unknown`, which some proxies write.
    package init?(_ text: some StringProtocol) {
        let plain = String(text.filter { !$0.isWhitespace && $0 != "\"" })
        var address = plain[...]
        var isPort = true
        if plain.hasPrefix("["), let end = plain.firstIndex(of: "]") {
            address = plain[..<end].dropFirst()
            isPort = ["", ":"].contains(plain[end...].dropFirst().prefix(1))
        } else if plain.count(where: { $0 == ":" }) == 1 {
            address = plain.prefix { $0 != ":" }
        }
        address = address.prefix { $0 != "%" }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, String(address), &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, String(address), &six) == 1 {
            let all = withUnsafeBytes(of: &six) { Array($0) }
            let isMapped = all.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            bytes = isMapped ? Array(all[12...]) : all
        } else {
            return nil
        }
        guard isPort else { return nil }
    }

    /// The bytes that identify one client: all of an IPv4 address, or the network half of an IPv6 one (its /64).
    package var network: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(upToZero: text)
    }
}

/// Returns the key under which a client of a server is counted: its network, or the text itself if it is no address.
package func clientNetwork(of address: String) -> String {
    ClientAddress(address)?.network.map { String($0) }.joined(separator: ".") ?? address
}

/// An IPv4 or IPv6 address with a port, in the form that sockets take.
package struct SocketAddress: Hashable, Sendable {
    package struct LookupError: Error, Hashable { package let reason: String }

    package let family: CInt
    /// The numeric address, such as `127.0.0.1` or `::1`.
    package let host: String
    package let port: String
    private let bytes: [UInt8]

    private init(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
        family = CInt(address.pointee.sa_family)
        bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(length)))
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: 8)
        getnameinfo(address, length, &host, socklen_t(NI_MAXHOST), &port, 8, NI_NUMERICHOST | NI_NUMERICSERV)
        self.host = String(upToZero: host)
        self.port = String(upToZero: port)
    }

    /// Makes the address of one end of a socket. `name` is `getsockname` for this end, `getpeername` for the other.
    package init(
        of socket: CInt,
        _ name: (CInt, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> CInt
    ) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        self = withAddress(in: &storage) { address in
            _ = name(socket, address, &length)
            return SocketAddress(address, length)
        }
    }

    /// Returns the addresses of a host, at least one. Blocks until they are known. With `isNumeric`, names are refused.
    package static func all(of host: String, port: Int, isNumeric: Bool = false) throws(LookupError) -> [Self] {
        var hints = addrinfo()
        // Otherwise each address would be returned once for each type of socket.
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            throw LookupError(reason: "the name \(host) cannot be resolved (\(String(cString: gai_strerror(code))))")
        }
        defer { freeaddrinfo(list) }
        let addresses = sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry -> SocketAddress? in
            guard let info = entry?.pointee, let address = info.ai_addr, [AF_INET, AF_INET6].contains(info.ai_family)
            else { return nil }
            return SocketAddress(address, info.ai_addrlen)
        }
        guard !addresses.isEmpty else { throw LookupError(reason: "the name \(host) has no address") }
        return addresses
    }

    /// Calls `body` with a pointer to the address as a C structure.
    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes) }
        return withAddress(in: &storage) { body($0, socklen_t(bytes.count)) }
    }
}

/// Calls `body` with the address of a UNIX socket, abstract if its name begins with `@`; nil if the name is too long.
package func withUnixAddress<Value>(_ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value? {
    var address = sockaddr_un()
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard name.utf8.count < room else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
        path.copyBytes(from: name.utf8)
        if name.hasPrefix("@") { path[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size - room + name.utf8.count)
    return withAddress(in: &address) { body($0, length) }
}

/// Calls `body` with a pointer to any kind of address structure, as the generic `sockaddr`.
private func withAddress<Structure, Value>(
    in structure: inout Structure,
    _ body: (UnsafeMutablePointer<sockaddr>) -> Value
) -> Value {
    withUnsafeMutablePointer(to: &structure) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
}
