import FacetTestSupport
import Foundation
import System
import Testing

@testable import MQTT

@Suite("Addresses of a broker", .serialized)
struct AddressTests {
    @Test(
        "families take turns, and what has failed comes last, in the order of its failures",
        arguments: [
            (["1", "2", "::1", "::2"], [], ["1", "::1", "2", "::2"]),
            (["::1", "::2", "::3", "1"], [], ["::1", "1", "::2", "::3"]),
            (["1", "2", "3"], ["1"], ["2", "3", "1"]),
            (["1", "2", "3"], ["3", "1", "2"], ["3", "1", "2"]),
            (["1"], ["9"], ["1"]),
        ] as [([String], [String], [String])]
    )
    func order(found: [String], failed: [String], expected: [String]) throws {
        func address(_ text: String) throws -> SocketAddress {
            try SocketAddress.all(of: text.contains(":") ? text : "127.0.0.\(text)", port: 1)[0]
        }
        let ordered = SocketAddress.ordered(try found.map(address), failed: try failed.map(address))
        #expect(try ordered == expected.map(address))
    }

    @Test(
        "an address that swallows packets holds up the next one by a quarter of a second only",
        .timeLimit(.minutes(1))
    )
    func blackHole() async throws {
        let hole = try UnresponsiveServer()
        let (listener, port) = try LoopbackPort.listener()
        defer { close(listener) }
        func address(_ port: Int) throws -> SocketAddress {
            try SocketAddress.all(of: "127.0.0.1", port: port)[0]
        }
        let dialer = Dialer([try address(hole.port), try address(port)])
        var now: Int64 = 0
        guard case .pending = dialer.advance(now: now) else { throw DialerSurprise() }
        #expect(dialer.sockets.count == 1)
        now = dialer.wake
        #expect(now == 250_000_000)
        while true {
            guard case .connected(let socket, let connected) = dialer.advance(now: now) else { continue }
            close(socket)
            #expect(try connected == address(port))
            break
        }
        withExtendedLifetime(hole) {}
    }

    private struct DialerSurprise: Error {}

    @Test("a refused address is followed by the next one at once, and all reasons are named")
    func refusals() throws {
        let addresses = try [LoopbackPort.free(), LoopbackPort.free()].flatMap { port in
            try SocketAddress.all(of: "127.0.0.1", port: port)
        }
        let dialer = Dialer(addresses)
        while true {
            guard case .failed(let reason) = dialer.advance(now: 0) else { continue }
            #expect(reason == "127.0.0.1: Connection refused, 127.0.0.1: Connection refused")
            break
        }
    }

    @Test("a name without an address is a failure that names it")
    func unknownName() {
        #expect(throws: SocketAddress.LookupError.self) { try SocketAddress.all(of: "no host", port: 1) }
    }

    @Test(
        "a broker at an IPv6 address is reached by its URL",
        .enabled(if: MosquittoBroker.isInstalled),
        .enabled(if: IPv6Loopback.isAvailable, "this machine has no IPv6 loopback address"),
        .timeLimit(.minutes(5))
    )
    func ipv6Broker() async throws {
        let port = try LoopbackPort.free()
        var options = MosquittoBroker.Options()
        options.configuration = ["listener \(port) ::1"]
        let broker = try await MosquittoBroker(options)
        let observer = try await Observer(of: broker)
        let address = try BrokerAddress(url: "mqtt://[::1]:\(port)")
        #expect(address.host == "::1")
        let connection = try BrokerConnection(testing: BrokerSettings(address, clientID: "camera"))
        try connection.start()
        connection.publishNumbered(1...1)
        #expect(await observer.next().text == "1")
        #expect(await connection.stop().didDisconnect)
    }
}

/// The IPv6 address of this machine for itself.
private enum IPv6Loopback {
    /// Whether there is one: containers often have none.
    static let isAvailable: Bool = {
        let socket = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(socket, generic, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }()
}
