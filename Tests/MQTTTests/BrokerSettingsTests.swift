import FacetTestSupport
import System
import Testing

@testable import MQTT

@Suite("Broker settings")
struct BrokerSettingsTests {
    @Test(
        "a broker's URL says host, port, user and TLS",
        arguments: [
            ("mqtt://broker", false, nil, "broker", 1883),
            ("mqtts://broker", true, nil, "broker", 8883),
            ("mqtt://broker:1884/", false, nil, "broker", 1884), ("mqtt://broker:", false, nil, "broker", 1883),
            ("mqtts://camera@broker.example:8884", true, "camera", "broker.example", 8884),
            ("mqtt://a%40b@192.168.1.5", false, "a@b", "192.168.1.5", 1883),
            ("mqtt://[fe80::1]:1883", false, nil, "fe80::1", 1883),
            ("broker:1883", false, nil, "broker", 1883),
            ("broker", false, nil, "broker", 1883),
        ] as [(String, Bool, String?, String, Int)]
    )
    func urls(url: String, usesTLS: Bool, username: String?, host: String, port: Int) throws {
        let address = try BrokerAddress(url: url)
        #expect(address.usesTLS == usesTLS)
        #expect(address.username == username)
        #expect(address.host == host)
        #expect(BrokerSettings(address, clientID: "front").brokers.map(\.port) == [port])
    }

    @Test("a URL makes settings")
    func settingsFromURL() throws {
        let settings = BrokerSettings(try BrokerAddress(url: "mqtts://camera@broker"), clientID: "front")
        #expect(settings.address == "broker:8883")
        #expect(settings.username == "camera")
        #expect(settings.tls == TLSSettings())
        #expect(
            BrokerSettings(try BrokerAddress(url: "mqtt://[fe80::1]"), clientID: "front").address == "[fe80::1]:1883"
        )
        #expect(BrokerSettings(try BrokerAddress(url: "mqtt://broker"), clientID: "front").tls == nil)
    }

    @Test(
        "a URL that cannot be used is refused with the reason",
        arguments: [
            ("http://broker", "mqtt or mqtts"), ("mqtt://", "write host"), ("mqtt://broker:0", "1 to 65535"),
            ("mqtt://broker:65536", "1 to 65535"), ("mqtt://broker:12ab", "1 to 65535"),
            ("mqtt://[fe80::1", "in brackets"), ("mqtt://[fe80::1]1883", "in brackets"),
            ("mqtt://broker/faces", "topic"), ("mqtt://a%zz@broker", "user name"), ("", "write host"),
            ("mqtt://fe80::1", "in brackets"), ("mqtt://broker:+1", "1 to 65535"),
        ]
    )
    func badURLs(url: String, reason: String) {
        let error = #expect(throws: MQTTError.self) { try BrokerAddress(url: url) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test("a password in a URL is refused, and not repeated")
    func passwordInURL() {
        let error = #expect(throws: MQTTError.self) { try BrokerAddress(url: "mqtt://camera:hunter2@broker") }
        let text = error?.description ?? ""
        #expect(text.contains("password file"))
        #expect(!text.contains("hunter2"))
    }

    @Test("a secret shows in no text")
    func secrets() {
        var settings = BrokerSettings(host: "broker", clientID: "camera")
        settings.username = "camera"
        settings.password = Secret("hunter2")
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!"\(settings) \(String(reflecting: settings)) \(dumped)".contains("hunter2"))
        #expect(settings.password?.revealed() == "hunter2")
    }

    @Test("settings out of their range are refused")
    func ranges() throws {
        func expectRefusal(_ change: (inout BrokerSettings) -> Void) {
            var settings = BrokerSettings(host: "broker", clientID: "camera")
            change(&settings)
            #expect(throws: MQTTError.self) { try settings.validate() }
        }
        try BrokerSettings(host: "broker", clientID: "camera").validate()
        for host in ["", "bro\0ker", "a,b", "http://broker", "broker:1883", "[::1]", "a b"] {
            expectRefusal { $0.brokers[0].host = host }
        }
        expectRefusal { $0.clientID = "" }
        expectRefusal { $0.password = Secret("pw-without-user") }
        expectRefusal { $0.will = MQTTMessage(topic: "faces/#", text: "offline") }
        expectRefusal { $0.selfCorrectingTopic = "" }
    }

    @Test(
        "topic filters follow the rules of MQTT",
        arguments: [("faces/+", true), ("#", true), ("a#", false), ("", false)]
    )
    func filters(filter: String, isValid: Bool) {
        let isAccepted = (try? MosquittoHandle.validate(filter: filter)) != nil
        #expect(isAccepted == isValid)
    }

    @Test("TLS files are read before anything is tried", .enabled(if: TestCertificates.areAvailable))
    func tlsFiles() throws {
        let certificates = try TestCertificates()
        let leaf = try certificates.leaf(for: "client")
        let other = try certificates.leaf(for: "other")
        let directory = try TemporaryDirectory()
        let text = try directory.write("no certificate at all", to: "text.pem")
        func error(_ tls: TLSSettings) -> String? {
            do { _ = try TLSContext(tls) } catch { return error.description }
            return nil
        }
        let authority = certificates.authority
        #expect(error(TLSSettings(certificateAuthority: authority)) == nil)
        #expect(
            error(TLSSettings(certificateAuthority: authority, certificate: leaf.certificate, key: leaf.key)) == nil
        )
        #expect(error(TLSSettings()) == nil, "the system's authorities")
        #expect(error(TLSSettings(certificateAuthority: directory.file("none.pem")))?.contains("none.pem") == true)
        #expect(error(TLSSettings(certificateAuthority: text)) != nil)
        #expect(error(TLSSettings(certificateAuthority: authority, certificate: leaf.certificate)) != nil)
        #expect(
            error(TLSSettings(certificateAuthority: authority, certificate: leaf.certificate, key: other.key)) != nil,
            "the key of another certificate"
        )
        #expect(error(TLSSettings(certificateAuthority: authority, certificate: text, key: leaf.key)) != nil)
    }
}
