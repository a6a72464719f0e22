import FacetTestSupport
import Foundation
import Testing

@testable import MQTT

@Suite("Addresses of a broker")
struct AddressTests {
    private typealias Choice = AddressRotation.Choice

    @Test(
        "an attempt without an answer is followed by one that takes another address",
        arguments: [
            ([], [.first, .first, .first]),
            ([.ipv4], [.first, .first, .first]),
            ([.ipv6, .ipv4], [.first, .only(.ipv4), .first]),
            ([.ipv4, .ipv6], [.first, .only(.ipv6), .first]),
            ([.ipv4, .ipv4], [.first, .each, .first]),
            ([.ipv6, .ipv6, .ipv4, .ipv4], [.first, .only(.ipv4), .each, .first]),
        ] as [([AddressRotation.Family], [AddressRotation.Choice])]
    )
    func rotation(families: [AddressRotation.Family], choices: [AddressRotation.Choice]) {
        var rotation = AddressRotation()
        #expect(choices.map { _ in rotation.next { families } } == choices)
    }

    @Test("the address at which a broker answered is taken again, until it answers no more")
    func constancy() {
        var rotation = AddressRotation()
        let families = { [AddressRotation.Family.ipv6, .ipv4] }
        #expect(rotation.next(families: families) == .first)
        for _ in 0..<3 {
            #expect(rotation.next(families: families) == .only(.ipv4))
            rotation.answered()
        }
    }

    @Test("the address may change its family meanwhile")
    func changingAddresses() {
        var rotation = AddressRotation()
        let many: [AddressRotation.Family] = [.ipv6, .ipv4, .ipv4]
        #expect((1...3).map { _ in rotation.next { many } } == [.first, .only(.ipv4), .each])
        rotation.answered()
        #expect(rotation.next { [.ipv4] } == .first)
    }

    @Test(
        "a host's addresses are told by their families",
        arguments: [("127.0.0.1", [.ipv4]), ("::1", [.ipv6]), ("no host", [])] as [(String, [AddressRotation.Family])]
    )
    func families(host: String, expected: [AddressRotation.Family]) {
        #expect(MosquittoHandle.addressFamilies(of: host) == expected)
    }

    @Test("an attempt for one family passes over an address of the other", .timeLimit(.minutes(1)))
    func oneFamily() throws {
        let server = try UnresponsiveServer()
        let settings = BrokerSettings(host: "127.0.0.1", port: server.port, clientID: "camera")
        func socket(_ choice: Choice) throws -> CInt {
            let handle = try MosquittoHandle(settings: settings, version: .version5, cleanStart: true)
            try? handle.connect(settings, to: choice)
            return handle.socket
        }
        #expect(try socket(.first) >= 0)
        #expect(try socket(.only(.ipv4)) >= 0)
        #expect(try socket(.only(.ipv6)) < 0)
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
        #expect(await connection.stop().saidGoodbye)
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
