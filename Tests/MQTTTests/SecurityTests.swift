import FacetTestSupport
import Glibc
import Logging
import System
import Testing

@testable import MQTT

@Suite(
    "Security",
    .serialized,
    .enabled(if: MosquittoBroker.isInstalled && TestCertificates.areAvailable),
    .timeLimit(.minutes(5))
)
struct SecurityTests {
    private static let password = "correct horse battery staple"

    @Test(
        "the right password opens, the wrong one is named, retried and never logged",
        arguments: [.version5, .version311] as [ConnectionState.ProtocolVersion]
    )
    func passwords(version: ConnectionState.ProtocolVersion) async throws {
        var options = MosquittoBroker.Options()
        options.users = ["camera": Self.password]
        let broker = try await MosquittoBroker(options)
        var settings = BrokerSettings.test(port: broker.port)
        settings.version = version
        settings.username = "camera"
        settings.password = Secret("wrong \(Self.password)")
        let log = LogRecorder()
        let wrong = try BrokerConnection(testing: settings, logger: log.logger)
        try wrong.start()
        let state = await StateWatcher(wrong).wait(for: { $0 != .connecting })
        guard case .refused(let reason) = state else {
            Issue.record("a wrong password is to be refused, not \(String(describing: state))")
            return
        }
        #expect(reason.contains(settings.advice.credentials))
        #expect(await !wrong.stop().didDisconnect)
        #expect(log.lines.count { $0.hasPrefix("error") } == 1)
        #expect(!log.lines.joined().contains("battery"))

        settings.password = Secret(Self.password)
        let right = try BrokerConnection(testing: settings, logger: log.logger)
        try right.start()
        await StateWatcher(right).connected()
        #expect(await right.stop().didDisconnect)
        #expect(!log.lines.joined().contains("battery"))
    }

    @Test("nobody gets in without a password where one is needed")
    func noPassword() async throws {
        var options = MosquittoBroker.Options()
        options.users = ["camera": Self.password]
        let broker = try await MosquittoBroker(options)
        let connection = try BrokerConnection(testing: .test(port: broker.port))
        try connection.start()
        let state = await StateWatcher(connection).wait(for: { $0 != .connecting })
        guard case .refused = state else {
            Issue.record("no password is to be refused, not \(String(describing: state))")
            return
        }
        _ = await connection.stop()
    }

    @Test("messages go through TLS, and nothing of them can be read on the way")
    func encryption() async throws {
        let certificates = try TestCertificates()
        var options = MosquittoBroker.Options()
        options.certificate = try certificates.leaf(for: "localhost")
        options.users = ["camera": Self.password]
        let broker = try await MosquittoBroker(options)
        let capture = try TCPProxy(to: broker.port)
        var settings = BrokerSettings.test(port: capture.port)
        settings.brokers[0].host = "localhost"
        settings.username = "camera"
        settings.password = Secret(Self.password)
        settings.tls = TLSSettings(certificateAuthority: certificates.authority)
        let connection = try BrokerConnection(testing: settings)
        try connection.start()
        connection.publish(event: MQTTMessage(topic: "faces/enter", text: "somebody came"))
        try await eventually { connection.counters.acknowledgedEvents == 1 }
        #expect(await connection.stop().didDisconnect)
        #expect(capture.captured.count > 500)
        Self.expectNothingReadable(in: capture)
    }

    @Test(
        "with TLS nothing crosses any network interface in clear, the loopback included",
        .enabled(if: PacketCapture.isPermitted, "recording packets takes root")
    )
    func loopback() async throws {
        let certificates = try TestCertificates()
        let password = "secret-\(UInt64.random(in: 0 ... .max))"
        var options = MosquittoBroker.Options()
        options.certificate = try certificates.leaf(for: "localhost")
        options.users = ["camera": password]
        let broker = try await MosquittoBroker(options)
        let capture = try #require(PacketCapture())
        var settings = BrokerSettings.test(port: broker.port)
        settings.brokers[0].host = "localhost"
        settings.username = "camera"
        settings.password = Secret(password)
        settings.tls = TLSSettings(certificateAuthority: certificates.authority)
        let connection = try BrokerConnection(testing: settings)
        try connection.start()
        connection.publish(event: MQTTMessage(topic: "faces/enter", text: "payload \(password)"))
        try await eventually { connection.counters.acknowledgedEvents == 1 }
        #expect(await connection.stop().didDisconnect)
        // What comes last is recorded, so everything before it is, too.
        let marker = "marker of " + String(password.reversed())
        let sender = try #require(UDPSender())
        sender.send(marker)
        let recorded = capture.take()
        #expect(recorded.firstRange(of: Array(marker.utf8)) != nil, "packets were lost")
        #expect(recorded.firstRange(of: Array(password.utf8)) == nil, "the password went over a network interface")
    }

    @Test("a host name that cannot be checked against certificates is refused, not left unchecked")
    func uncheckableHost() throws {
        var ends: (CInt, CInt) = (0, 0)
        withUnsafeMutableBytes(of: &ends) { ends in
            _ = socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, ends.bindMemory(to: CInt.self).baseAddress)
        }
        defer { close(ends.1) }
        let error = #expect(throws: MQTTError.self) {
            try ByteStream(socket: ends.0, host: String(repeating: "a", count: 300), tls: TLSSettings())
        }
        #expect(error?.description.contains("cannot have the certificate checked") == true)
    }

    @Test("a client certificate is shown to a broker that asks for one")
    func clientCertificate() async throws {
        let certificates = try TestCertificates()
        var options = MosquittoBroker.Options()
        options.certificate = try certificates.leaf(for: "127.0.0.1")
        options.clientAuthority = certificates.authority
        let broker = try await MosquittoBroker(options)
        let client = try certificates.leaf(for: "camera")
        var settings = BrokerSettings.test(port: broker.port)
        settings.tls = TLSSettings(
            certificateAuthority: certificates.authority,
            certificate: client.certificate,
            key: client.key
        )
        let connection = try BrokerConnection(testing: settings)
        try connection.start()
        await StateWatcher(connection).connected()
        #expect(await connection.stop().didDisconnect)

        settings.tls = TLSSettings(certificateAuthority: certificates.authority)
        for version in [.version5, .version311] as [ConnectionState.ProtocolVersion] {
            settings.version = version
            let nameless = try BrokerConnection(testing: settings)
            try nameless.start()
            let state = await StateWatcher(nameless).wait(for: { $0 != .connecting })
            guard case .refused(let reason) = state else {
                Issue.record("no certificate is to be refused, not \(String(describing: state))")
                return
            }
            #expect(reason.contains("certificate required") && reason.contains(settings.advice.certificates))
            _ = await nameless.stop()
        }
    }

    @Test("a broker that cannot prove who it is gets nothing", arguments: Impostor.allCases)
    func impostors(impostor: Impostor) async throws {
        let certificates = try TestCertificates()
        var options = MosquittoBroker.Options()
        options.users = ["camera": Self.password]
        switch impostor {
        case .anotherAuthority: options.certificate = try TestCertificates().leaf(for: "127.0.0.1")
        case .expired: options.certificate = try certificates.leaf(for: "127.0.0.1", isExpired: true)
        case .anotherName: options.certificate = try certificates.leaf(for: "another.example")
        case .noTLS: break
        }
        let broker = try await MosquittoBroker(options)
        let capture = try TCPProxy(to: broker.port)
        var settings = BrokerSettings.test(port: capture.port)
        settings.username = "camera"
        settings.password = Secret(Self.password)
        settings.tls = TLSSettings(certificateAuthority: certificates.authority)
        let log = LogRecorder()
        let connection = try BrokerConnection(testing: settings, logger: log.logger)
        connection.publish(event: MQTTMessage(topic: "faces/enter", text: "somebody came"))
        try connection.start()
        let state = await StateWatcher(connection).wait(for: { $0 != .connecting })
        if impostor == .noTLS {
            #expect(state?.isConnected == false)
        } else {
            guard case .refused(let reason) = state else {
                Issue.record("an impostor is to be refused, not \(String(describing: state))")
                return
            }
            #expect(reason.contains(settings.advice.certificates))
        }
        // The connection is tried again, and the check is not weaker the second time.
        try await eventually { capture.connections >= 3 }
        #expect(connection.counters.connections == 0)
        #expect(connection.counters.sent == 0)
        let report = await connection.stop()
        #expect(report.unsentEvents == 1)
        Self.expectNothingReadable(in: capture)
        #expect(!log.lines.joined().contains("battery"))
    }

    @Test("a TLS port spoken to in plain is a connection that fails, with the reason")
    func plainToTLS() async throws {
        var options = MosquittoBroker.Options()
        options.certificate = try TestCertificates().leaf(for: "127.0.0.1")
        let broker = try await MosquittoBroker(options)
        let connection = try BrokerConnection(testing: .test(port: broker.port))
        try connection.start()
        let state = await StateWatcher(connection).wait(for: { $0 != .connecting })
        guard case .disconnected(let reason) = state else {
            Issue.record("that is to be a failed connection, not \(String(describing: state))")
            return
        }
        #expect(reason.contains("127.0.0.1:\(broker.port)"))
        _ = await connection.stop()
    }

    @Test("a broker that closes in the handshake is away for a moment, not refused, and is tried until it serves")
    func closedHandshake() async throws {
        let certificates = try TestCertificates()
        var options = MosquittoBroker.Options()
        options.certificate = try certificates.leaf(for: "127.0.0.1")
        let broker = try await MosquittoBroker(options)
        // The first bytes of TLS look like a packet, which is answered by the end of the stream.
        let proxy = try TCPProxy(to: broker.port) { _, _ in .answer([]) }
        var settings = BrokerSettings.test(port: proxy.port)
        settings.tls = TLSSettings(certificateAuthority: certificates.authority)
        let connection = try BrokerConnection(testing: settings)
        try connection.start()
        let watcher = StateWatcher(connection)
        let state = await watcher.wait(for: { $0 != .connecting })
        guard case .disconnected(let reason) = state else {
            Issue.record("that is to be a lost connection, not \(String(describing: state))")
            return
        }
        #expect(reason.contains("closed the connection") && !reason.contains(settings.advice.certificates), "\(reason)")
        try await eventually { proxy.connections >= 3 }
        proxy.setFilter(nil)
        await watcher.connected()
        #expect(await connection.stop().didDisconnect)
    }

    @Test("an alert about TLS's version is reported with its reason, and with the versions that are possible")
    func versionAlert() async throws {
        let certificates = try TestCertificates()
        let broker = try await MosquittoBroker()
        // A fatal alert: protocol_version.
        let proxy = try TCPProxy(to: broker.port) { _, _ in .answer([0x15, 3, 3, 0, 2, 2, 70]) }
        var settings = BrokerSettings.test(port: proxy.port)
        settings.tls = TLSSettings(certificateAuthority: certificates.authority)
        let connection = try BrokerConnection(testing: settings)
        try connection.start()
        let state = await StateWatcher(connection).wait(for: { $0 != .connecting })
        guard case .refused(let reason) = state else {
            Issue.record("no common version is a refusal, not \(String(describing: state))")
            return
        }
        #expect(reason.contains("alert protocol version") && reason.contains("TLS 1.2 or newer"), "\(reason)")
        _ = await connection.stop()
    }

    @Test("broken TLS settings stop the program before it starts")
    func brokenSettings() throws {
        var settings = BrokerSettings.test(port: 8883)
        settings.tls = TLSSettings(certificateAuthority: "/nowhere/ca.pem")
        #expect(throws: MQTTError.self) { try BrokerConnection(testing: settings) }
    }

    /// The reasons why a broker may not be the one that is meant.
    enum Impostor: CaseIterable {
        case anotherAuthority, expired, anotherName, noTLS
    }

    private static func expectNothingReadable(in capture: TCPProxy) {
        let captured = capture.captured
        for secret in ["camera", "MQTT", "battery", "faces/enter", "somebody"] {
            #expect(captured.firstRange(of: Array(secret.utf8)) == nil, "\(secret) went over the wire in plain")
        }
    }
}
