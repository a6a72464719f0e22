import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MQTT
import OverlayRendering
import Synchronization
import System
import Testing

@testable import Companion
@testable import HTTPServing
@testable import LivePage

@Suite("The page's server", .serialized)
struct ServeTests {
    private static let own = "127.0.0.1:8088"
    private static let token = "correct horse battery"

    private let viewers = Viewers()

    /// What a server on this machine knows of itself and its visitors.
    static func options(token: String? = nil, proxies: [String] = [], port: UInt16 = 0) -> PageService.Options {
        var options = PageService.Options(ListenAddress(port: port))
        options.token = token
        options.names = ["camera.local"]
        options.proxies = proxies.compactMap { ClientAddress($0) }
        return options
    }

    private func server(
        token: String? = nil,
        proxies: [String] = [],
        port: UInt16 = 0,
        overlays: [String] = Overlays().names,
        detect: (@Sendable (String, Bool) -> Void)? = nil
    ) -> PageServer {
        PageServer(
            access: PageGuard(Self.options(token: token, proxies: proxies, port: port)),
            viewers: viewers,
            overlays: overlays,
            wish: ViewerWish(overlay: overlays[0], isMirrored: false),
            detect: detect
        )
    }

    private func request(
        _ method: String,
        _ path: String,
        _ headers: [String: String] = ["host": ServeTests.own],
        query: [String: String] = [:],
        body: String = "",
        client: String = "127.0.0.1"
    ) -> HTTPRequest {
        HTTPRequest(method: method, path: path, query: query, headers: headers, body: Array(body.utf8), client: client)
    }

    private func get(_ path: String, _ server: PageServer, _ headers: [String: String] = ["host": ServeTests.own])
        -> HTTPResponse
    {
        server.answer(request("GET", path, headers))
    }

    private func login(
        _ token: String,
        _ server: PageServer,
        _ more: [String: String] = [:],
        from client: String = "127.0.0.1"
    ) -> HTTPResponse {
        let headers = ["host": Self.own, "origin": "http://\(Self.own)"].merging(more) { $1 }
        let form = "token=" + token.replacingOccurrences(of: " ", with: "+")
        return server.answer(request("POST", "/login", headers, body: form, client: client))
    }

    private func words(_ response: HTTPResponse) -> String {
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("the page is there, under a policy that forbids everything foreign")
    func page() throws {
        let server = server()
        let page = words(get("/", server))
        let scripts = page.matches(of: /[a-z]+\.js\b/) + words(get("/page.js", server)).matches(of: /[a-z]+\.js\b/)
        #expect(Set(scripts.map(\.output)).count == 10)
        let files = [("/", "text/html"), ("/page.css", "text/css"), ("/manifest.json", "application/manifest+json")]
        for (path, type) in files + scripts.map({ ("/\($0.output)", "text/javascript") }) {
            let response = get(path, server)
            #expect(response.status == 200)
            #expect(response.headers["Content-Type"]?.hasPrefix(type) == true)
            let policy = try #require(response.headers["Content-Security-Policy"])
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
            let text = words(response)
            #expect(text.count > 200 && !text.contains("http://") && !text.contains("style=\""))
        }
        #expect(get("/icon.svg", server).headers["Content-Type"] == "image/svg+xml")
        #expect(get("/else", server).status == 404)
        #expect(server.answer(request("POST", "/")).status == 405)
    }

    @Test("the page and all that it loads have at most 62 kB")
    func weight() throws {
        let server = server()
        var sizes: [String: Int] = [:]
        var named: Set = ["/"]
        while let path = named.popFirst() {
            let text = words(get(path, server))
            sizes[path] = text.utf8.count
            let links = text.matches(of: /(?:href=|src=|from |import\()"(?:\.\/)?([a-z]+\.[a-z]+)"/).map { "/\($0.1)" }
            named.formUnion(links.filter { sizes[$0] == nil })
        }
        let sum = sizes.values.reduce(0, +)
        print("The page has \(sum) bytes in \(sizes.count) files.")
        #expect(sizes["/kinds.js"] != nil && sizes["/lamp.js"] != nil && sizes["/page.css"] != nil)
        #expect(sum <= 62_000, "\(sizes)")
    }

    @Test("the page has words and a filter for each kind of event, and words for each attention")
    func kindsOfEvents() throws {
        let server = server()
        let kinds = words(get("/kinds.js", server)).matches(of: /"(\w+)":\["\w+","[^"]+","(\w+)"/)
        #expect(Set(kinds.map { String($0.1) }) == Set(Topic.events.map(\.rawValue)))
        let groups = try #require(words(get("/feed.js", server)).firstMatch(of: /const groups = \{(.*)\}/)).1
        let filters = Set(groups.matches(of: /(\w+): "/).map(\.1))
        #expect(kinds.allSatisfy { filters.contains($0.2) })
        let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/companion.md")
        let row = try #require(try String(contentsOf: docs, encoding: .utf8).firstMatch(of: /\| `\?hide=.*: (.*) \|/)).1
        #expect(Set(row.matches(of: /`(\w+)`/).map(\.1)) == filters)
        let advice = words(get("/advice.js", server))
        #expect(FaceAttention.allCases.allSatisfy { advice.contains("\n\($0.rawValue): \"") })
    }

    @Test(
        "a page or a name that is not the server's own is refused",
        arguments: [
            (["host": "evil.example"], 403), (["host": "evil.example:8088"], 403), ([:], 403),
            (["host": "localhost:9000"], 200), (["host": "[::1]:8088"], 200), (["host": "CAMERA.local"], 200),
            (["host": "127.0.0.1, evil.example"], 403),
            (["host": ServeTests.own, "origin": "http://evil.example"], 403),
            (["host": ServeTests.own, "origin": "http://127.0.0.1:9999"], 403),
            (["host": ServeTests.own, "origin": "null"], 403),
            (["host": ServeTests.own, "origin": "http://127.0.0.1:8088"], 200),
        ] as [([String: String], Int)]
    )
    func foreign(headers: [String: String], status: Int) {
        #expect(get("/", server(), headers).status == status)
    }

    @Test("a token that is given is asked for, also from this machine", arguments: ["127.0.0.1", "192.168.1.7"])
    func token(client: String) throws {
        let server = server(token: Self.token)
        for path in ["/", "/page.js", "/live", "/else"] { #expect(get(path, server).status == 401, "\(path)") }
        for path in ["/page.css", "/icon.svg", "/manifest.json"] { #expect(get(path, server).status == 200, "\(path)") }
        // Otherwise Chromium posts the form with the origin "null", which is a foreign page's.
        #expect(get("/", server).headers["Referrer-Policy"] == "same-origin")
        let wrong = login("wrong", server, from: client)
        #expect(wrong.status == 401 && words(wrong).contains("not the token"))
        #expect(login(Self.token + Self.token, server, from: client).status == 401)
        #expect(login("", server, from: client).status == 401)
        let welcome = login(Self.token, server, from: client)
        #expect(welcome.status == 303)
        let cookie = try #require(welcome.headers["Set-Cookie"])
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains("correct"))
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(get("/", server, ["host": Self.own, "cookie": "a=b; \(pair)"]).status == 200)
        #expect(get("/", server, ["host": Self.own, "cookie": "facet-0=x"]).status == 401)
        let bearer = ["host": Self.own, "authorization": "Bearer \(Self.token)"]
        #expect(get("/", server, bearer).status == 200)
        #expect(get("/", server, bearer.merging(["origin": "http://evil.example"]) { $1 }).status == 403)
    }

    @Test("two servers on one host have cookies of their own, so that a login at one leaves the other's as it is")
    func ports() throws {
        var options = [8088, 8089, 8088].map { Self.options(token: Self.token, port: $0) }
        // As another machine's, which a proxy has below the same host.
        options[2].address.host = "127.0.0.2"
        let servers = options.map { options in
            PageServer(
                access: PageGuard(options),
                viewers: viewers,
                overlays: ["box"],
                wish: ViewerWish(overlay: "box", isMirrored: false)
            )
        }
        var jar: [String: String] = [:]
        for server in servers {
            let cookie = try #require(login(Self.token, server, from: "127.0.0.1").headers["Set-Cookie"])
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            jar[pair[0]] = pair[1]
        }
        let cookies = jar.map { "\($0)=\($1)" }.joined(separator: "; ")
        for server in servers { #expect(get("/", server, ["host": Self.own, "cookie": cookies]).status == 200) }
    }

    @Test(
        "a form that is none is a wrong token",
        arguments: [
            "token=%", "token=%4", "token=%zz", "token=a b", "token=\"", "token=\u{FF}\u{0}", "%=%", "=", "&&&",
            "token",
        ]
    )
    func malformedForm(form: String) {
        let headers = ["host": Self.own, "origin": "http://\(Self.own)"]
        #expect(server(token: Self.token).answer(request("POST", "/login", headers, body: form)).status == 401)
    }

    @Test("a logout and the 257th login end a login and its streams, and no other", arguments: ["/live", "/events"])
    func logout(path: String) throws {
        let server = server(token: Self.token)
        func cookie() throws -> String {
            String(try #require(login(Self.token, server).headers["Set-Cookie"]).prefix { $0 != ";" })
        }
        let cookies = try (0..<3).map { _ in try cookie() }
        let streams = try cookies.map { cookie in
            let answer = get(path, server, ["host": Self.own, "cookie": cookie])
            guard case .stream(let stream, _) = answer.body else { throw POSIXError(.EINVAL) }
            return stream
        }
        func areOver() -> [Bool] {
            streams.map { if case .end = $0.next() { true } else { false } }
        }
        #expect(areOver() == [false, false, false])
        let end = server.answer(request("POST", "/logout", ["host": Self.own, "cookie": cookies[0]]))
        #expect(end.status == 303 && end.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
        #expect(cookies.map { get("/", server, ["host": Self.own, "cookie": $0]).status } == [401, 200, 200])
        #expect(areOver() == [true, false, false])
        for _ in 0..<255 { _ = try cookie() }
        #expect(areOver() == [true, true, false])
    }

    @Test("the cookie is for encrypted connections only if the proxy that was named says so")
    func secureCookie() throws {
        let server = server(token: Self.token, proxies: ["10.0.0.2"])
        let https = ["x-forwarded-proto": "https"]
        func isSecure(_ headers: [String: String], from client: String) -> Bool? {
            login(Self.token, server, headers, from: client).headers["Set-Cookie"]?.contains("; Secure")
        }
        #expect(isSecure(https, from: "10.0.0.2") == true)
        #expect(isSecure(https, from: "10.0.0.3") == false)
        #expect(isSecure(["x-forwarded-proto": "http"], from: "10.0.0.2") == false)
    }

    @Test("wrong tokens are slowed down by address, and behind a proxy by the address that it names")
    func guessing() {
        let server = server(token: Self.token, proxies: ["10.0.0.2"])
        let tries = (0..<50).map { _ in login("guess", server, from: "203.0.113.5").status }
        #expect(tries.filter { $0 == 401 }.count < 10 && tries.last == 429)
        #expect(login(Self.token, server, from: "203.0.113.5").status == 429, "or a guesser would just go on")
        let bearer = ["host": Self.own, "authorization": "Bearer \(Self.token)"]
        #expect(server.answer(request("GET", "/", bearer, client: "203.0.113.5")).status == 429)
        #expect(login(Self.token, server, from: "203.0.113.6").status == 303)
        let proxied = ["x-forwarded-for": "198.51.100.1, 203.0.113.5"]
        #expect(login(Self.token, server, proxied, from: "10.0.0.2").status == 429)
        #expect(
            login(Self.token, server, ["x-forwarded-for": "203.0.113.5, 198.51.100.1"], from: "10.0.0.2").status == 303
        )
        #expect(login(Self.token, server, proxied, from: "10.0.0.3").status == 303, "not named")
    }

    @Test(
        "behind a proxy a client is its address, however the proxy writes it",
        arguments: [
            [
                "203.0.113.7:PORT", "203.0.113.7", "\"203.0.113.7:PORT\"", "::ffff:203.0.113.7",
                "[::ffff:203.0.113.7]:PORT",
            ],
            ["[2001:db8::7]:PORT", "\"[2001:db8::7]:PORT\"", "2001:db8::7", "[2001:db8::7]", "2001:DB8:0:0::PORT"],
            ["fe80::7%eth0", "[fe80::7%25eth0]:PORT", "fe80::PORT%wlan0"], ["unknown", "_hidden", "", "203.0.113"],
        ]
    )
    func addressForms(_ forms: [String]) {
        let server = server(token: Self.token, proxies: ["10.0.0.2"])
        let statuses = (1...12).map { number in
            let form = forms[number % forms.count].replacing("PORT", with: "\(4000 + number)")
            return login("guess", server, ["x-forwarded-for": "198.51.100.1, \(form)"], from: "10.0.0.2").status
        }
        #expect(statuses.prefix(5).allSatisfy { $0 == 401 } && statuses.suffix(6).allSatisfy { $0 == 429 })
        for other in ["203.0.113.8", "::ffff:203.0.113.9", "[2001:db8:0:1::7]:80"] {
            #expect(login("guess", server, ["x-forwarded-for": other], from: "::ffff:10.0.0.2").status == 401)
        }
    }

    @Test("from many addresses only so many tokens are tried")
    func guessingFromEverywhere() {
        var limit = AttemptLimit()
        var compared = 0
        for number in 0..<5000 {
            let address = "2001:db8:\(String(number, radix: 16))::1"
            guard limit.permits(address, at: Double(number) / 1000) else { continue }
            compared += 1
            limit.fail(address, at: Double(number) / 1000)
        }
        #expect((150...250).contains(compared), "a hundred at once and twenty a second")
        #expect(limit.permits("192.0.2.1", at: 6))
        for number in 0..<5 { limit.fail("2001:db8::\(number)", at: 6) }
        #expect(!limit.permits("2001:db8::9", at: 6), "who has a network of version 6 has all its addresses")
        #expect(limit.permits("2001:db8::9", at: 9))
    }

    @Test("who gave the right token is not held up by those who guess from ever new addresses")
    func guessingBesidePrograms() {
        var limit = AttemptLimit()
        limit.succeed("192.0.2.7")
        for number in 0..<5000 {
            let address = "2001:db8:\(String(number, radix: 16))::1"
            let seconds = Double(number) / 115
            if limit.permits(address, at: seconds) { limit.fail(address, at: seconds) }
            #expect(limit.permits("192.0.2.7", at: seconds))
        }
        for _ in 0..<5 { limit.fail("192.0.2.7", at: 44) }
        #expect(!limit.permits("192.0.2.7", at: 44), "or it could guess another token")
    }

    @Test("of more addresses than are remembered the one that guessed least lately is forgotten")
    func guessersRemembered() {
        var limit = AttemptLimit()
        func guess(_ number: Int, at seconds: Double, times: Int = 5) {
            for _ in 0..<times { limit.fail("2001:db8:\(String(number, radix: 16))::1", at: seconds) }
        }
        // The addresses follow one another so fast that none has regained a try.
        for number in 0..<1024 { guess(number, at: 100 + Double(number) / 1000, times: 5) }
        guess(2000, at: 102)
        #expect(limit.permits("2001:db8:0::1", at: 102))
        #expect(!limit.permits("2001:db8:3ff::1", at: 102))
    }

    @Test("a page switches the cameras on it, and publishes under no other name")
    func detect() {
        let switched = Mutex<[String]>([])
        var state = ServedState(address: "broker:1883")
        for base in ["faces", "porch/faces"] { state.cameras[base] = ServedCamera(base: base) }
        viewers.show(state)
        let server = server { base, isOn in switched.withLock { $0.append("\(base) \(isOn)") } }
        func post(_ camera: String) -> Int {
            server.answer(request("POST", "/detect", body: "{\"camera\":\"\(camera)\",\"on\":false}")).status
        }
        #expect(post("porch/faces") == 204)
        for other in ["home/alarm/set\\u0000", "+/faces", "#", "", "X", "faces/", "faces\\u0000"] {
            #expect(post(other) == 404, "\(other)")
        }
        #expect(server.answer(request("POST", "/detect", body: "nonsense")).status == 400)
        #expect(self.server().answer(request("POST", "/detect")).status == 403, "without --control")
        #expect((0..<50).map { _ in post("faces") }.filter { $0 == 204 }.count < 20)
        #expect(switched.withLock { $0.first == "porch/faces false" && $0.count < 21 })
    }

    @Test(
        "under an overlay that hides faces a page can choose only such overlays",
        arguments: ["square", "hearts", "nonsense", ""]
    )
    func hidingOverlays(wanted: String) throws {
        let server = server(overlays: ["pixelate", "blur"])
        _ = server.answer(request("GET", "/live", query: ["overlay": wanted]))
        _ = server.answer(request("GET", "/live", query: ["overlay": "blur"]))
        #expect(viewers.all.viewers.map(\.wish.overlay) == ["pixelate", "blur"])
        #expect(server.answer(request("GET", "/", query: ["look": "blur"])).status == 400)
    }

    @Test("only so many pages are open at the same time, and closing one makes room")
    func capacity() throws {
        let server = server()
        for _ in 0..<Viewers.capacity { #expect(get("/live", server).status == 200) }
        #expect(get("/live", server).status == 503)
        viewers.all.viewers[7].end()
        #expect(get("/live", server).status == 200)
    }

    @Test("another address than loopback needs a token of some length", arguments: ["0.0.0.0:0", "[::]:0"])
    func tokenNeeded(address: String) throws {
        let options = PageService.Options(try #require(ListenAddress(address)))
        #expect(throws: CommandFailure.self) { try PageService(options) }
    }

    @Test("a server for which no descriptor is left is told without a certificate that it does not have")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let service = try PageService(PageService.Options(ListenAddress(port: 0)))
            limit.rlim_cur = 3
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let failure = await #expect(throws: CommandFailure.self) { try await service.run(Subscriber()) }
            let reason = "the system has no memory or descriptor left for a server"
            #expect("\(try #require(failure))" == "cannot serve the page: \(reason)")
        }
    }

    @Test(
        "addresses to listen on are read",
        arguments: [
            ("8088", "127.0.0.1", true), ("127.0.0.1:1", "127.0.0.1", true), ("[::1]:1", "::1", true),
            ("0.0.0.0:1", "0.0.0.0", false), ("localhost:1", "127.0.0.1", true),
            ("192.168.1.2:80", "192.168.1.2", false),
            ("99999", nil, false), ("a:1", nil, false), ("127.0.0.1", nil, false), ("", nil, false),
        ] as [(String, String?, Bool)]
    )
    func addresses(text: String, host: String?, isLoopback: Bool) {
        let address = ListenAddress(text)
        #expect(address?.host == host)
        #expect(address?.isLoopback ?? false == isLoopback)
    }

    @Test("a slow page falls behind by one picture of each camera, and no more")
    func slowPage() {
        let viewer = Viewer(ViewerWish(overlay: "box", isMirrored: false))
        for number in 0..<100 {
            viewer.put([UInt8(number)], of: "a")
            viewer.put([UInt8(100 + number)], of: "b")
            viewer.put([255, UInt8(number)], of: nil)
        }
        #expect((0..<3).map { _ in bytes(viewer.next()) } == [[255, 99], [99], [199]])
        guard case .none = viewer.next() else {
            Issue.record("there is more than the newest")
            return
        }
        viewer.end()
        viewer.put([1], of: "a")
        guard case .end = viewer.next() else {
            Issue.record("a page that ended goes on")
            return
        }
    }
}

/// The bytes of a part that a page is sent; nil if nothing waits.
func bytes(_ part: HTTPStreamPart) -> [UInt8]? {
    guard case .bytes(let bytes) = part else { return nil }
    return bytes
}
