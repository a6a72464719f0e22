/// Answers the requests of pages, and the requests of programs, which config/openapi.yaml documents.
struct PageServer: Sendable {
    /// The content security policy. Pages may load scripts, styles and data only from this server, may not have inline
    /// scripts or styles, and may not be framed.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
        "connect-src 'self'", "manifest-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private static let html = "text/html; charset=utf-8"

    /// The files that are served, by path.
    private static let files: [String: ([UInt8], type: String)] = [
        "/": (unindented(PackageResources.page_html.filled(["icons": PageParts.icons]).utf8), html),
        "/page.css": (unindented(PageParts.style.utf8 + PackageResources.page_css), "text/css; charset=utf-8"),
        "/icon.svg": (PackageResources.icon_svg, "image/svg+xml"),
        "/manifest.json": (PackageResources.manifest_json, "application/manifest+json"),
        "/page.js": script(PackageResources.page_js), "/address.js": script(PackageResources.address_js),
        "/advice.js": script(PackageResources.advice_js), "/dom.js": script(PackageResources.dom_js),
        "/feed.js": script(PackageResources.feed_js), "/film.js": script(PackageResources.film_js),
        "/lamp.js": script(PackageResources.lamp_js), "/lanes.js": script(PackageResources.lanes_js),
        "/stream.js": script(PackageResources.stream_js), "/tile.js": script(PackageResources.tile_js),
        "/kinds.js": script(EventWords.script), "/paint.js": script(PackageResources.paint_js),
        "/tool.css": (PackageResources.tool_css, "text/css; charset=utf-8"),
        "/calibrate": (PackageResources.calibrate_html, html), "/calibrate.js": script(PackageResources.calibrate_js),
        "/calibrate.json": (CalibrationPage.script, HTTPResponse.jsonType),
        // Only with an editor of areas.
        "/zones": (PackageResources.zones_html, html), "/zones.js": script(PackageResources.zones_js),
    ]

    /// A script as it is sent: without indentation and comments.
    private static func script(_ source: [UInt8]) -> ([UInt8], type: String) {
        let sent = lines(of: source).filter { !$0.starts(with: "//".utf8) }
            .map { $0[..<($0.firstRange(of: " // ".utf8)?.lowerBound ?? $0.endIndex)] }
        return (Array(sent.joined(separator: "\n".utf8)), "text/javascript; charset=utf-8")
    }

    /// A file as it is sent: without indentation and empty lines.
    private static func unindented(_ source: some Collection<UInt8>) -> [UInt8] {
        Array(lines(of: source).joined(separator: "\n".utf8))
    }

    /// The lines of a file that are not empty, without their leading tabs.
    private static func lines<Source: Collection<UInt8>>(of source: Source) -> [Source.SubSequence] {
        source.split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == UInt8(ascii: "\t") } }
    }

    let access: PageGuard
    let viewers: Viewers
    /// The names of the overlays that pages can choose.
    let overlays: [String]
    /// What a page shows unless its request asks for something else.
    let wish: ViewerWish
    /// Limits calibration requests: pages send one per step, and each takes milliseconds of the server's only thread.
    private let calibrating = RequestLimit(capacity: 30, rate: 1)
    /// Switches detection on or off for the camera with a topic base; nil if pages may not do that.
    var detect: (@Sendable (_ base: String, _ isOn: Bool) -> Void)?
    /// Limits requests to switch detection to more than people make, but not more than brokers and cameras can take.
    private let switching = RequestLimit(capacity: 10, rate: 2)
    var editor: AreaEditor?

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        var response = unguarded(request)
        response.headers["Content-Security-Policy"] = Self.policy
        response.headers["X-Content-Type-Options"] = "nosniff"
        // If the policy sent this site no referrer, Chromium would send "Origin: null" with the login form.
        response.headers["Referrer-Policy"] = "same-origin"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    private func unguarded(_ request: HTTPRequest) -> HTTPResponse {
        let verdict = access.verdict(on: request)
        guard case .allowed(let session) = verdict else { return outside(request, verdict) }
        if request.query["look"] != nil {
            return .text(400, "?look= is now ?overlay=, and ?overlay is ?transparent.\n")
        }
        if let editor, request.path == "/areas" { return areas(request, editor) }
        switch (request.method, request.path) {
        case ("GET", "/live"): return live(request, session)
        case ("GET", "/events"): return events(request, session)
        case ("GET", "/state"): return .json(viewers.state?.json ?? [])
        case ("GET", "/metrics"): return .file(Array((viewers.state?.metrics ?? "").utf8), MetricsPage.contentType)
        case ("GET", "/picture.jpg"): return picture(request, session)
        case ("GET", let path):
            let file = editor == nil && path.hasPrefix("/zones") ? nil : Self.files[path]
            return file.map { .file($0, $1) } ?? .text(404, "There is nothing here.\n")
        case ("POST", "/detect"): return switchDetection(request)
        case ("POST", "/calibrate"):
            let refusal = "Too many measure their smiles at once. Try again in a few seconds.\n"
            return calibrating.spend() ? CalibrationPage.answer(request.body) : .text(429, refusal)
        case ("POST", "/login"): return redirect()
        case ("POST", "/logout"):
            access.logout(session)
            return redirect(access.cookie(for: nil, request))
        default: return .text(405, "This is not answered here.\n")
        }
    }

    /// The answer to a request that the guard did not allow.
    private func outside(_ request: HTTPRequest, _ verdict: PageGuard.Verdict) -> HTTPResponse {
        switch (verdict, request.method, request.path) {
        case (.foreign, _, _):
            let remedy = "Start it with --allow-host NAME to permit it."
            return .text(403, "This name or page is not the server's own. \(remedy)\n")
        // The login form needs the first two files. Browsers ask for the manifest without the cookie.
        case (_, "GET", "/page.css"), (_, "GET", "/icon.svg"), (_, "GET", "/manifest.json"):
            return Self.files[request.path].map { .file($0, $1) } ?? form(401, "")
        case (.unauthorized, "GET", "/"): return form(401, "")
        case (.unauthorized, "POST", "/login"):
            switch access.login(token: request.formField("token") ?? "", request) {
            case .allowed(let session): return redirect(access.cookie(for: session, request))
            case .tooMany: return form(429, "Too many wrong tokens came. Try again in a few seconds.")
            case .foreign, .unauthorized: return form(401, "That is not the token.")
            }
        case (.tooMany, _, _): return .text(429, "Too many wrong tokens came. Try again in a few seconds.\n")
        default: return .text(401, "This needs the token that the server was started with.\n")
        }
    }

    private func live(_ request: HTTPRequest, _ session: String?) -> HTTPResponse {
        var wish = wish
        // If the operator's overlay hides faces, a page that asks for one that does not gets the operator's.
        if let overlay = request.query["overlay"], overlays.contains(overlay) { wish.overlay = overlay }
        wish.isTransparent = request.query["transparent"] == "true"
        wish.showsLevels = request.query["levels"] == "true"
        if let mirror = request.query["mirror"] { wish.isMirrored = mirror == "true" }
        if let camera = request.query["camera"], !camera.isEmpty { wish.camera = camera }
        return join(wish, session)
    }

    /// Answers with the stream of a new page, unless too many pages are open.
    private func join(_ wish: ViewerWish, _ session: String?, ifEmpty: HTTPResponse? = nil) -> HTTPResponse {
        guard let viewer = viewers.join(wish) else { return .text(503, "Too many pages are open.\n") }
        return stream(viewer, wish.isPicture ? "image/jpeg" : "application/octet-stream", session, ifEmpty)
    }

    private func stream(_ stream: any HTTPStream, _ type: String, _ session: String?, _ ifEmpty: HTTPResponse? = nil)
        -> HTTPResponse
    {
        // X-Accel-Buffering keeps nginx from buffering the parts.
        let headers = ["Content-Type": type, "X-Accel-Buffering": "no"]
        let guarded = session.map { SessionStream(stream: stream, session: $0, access: access) } ?? stream
        return HTTPResponse(200, headers: headers, body: .stream(guarded, ifEmpty: ifEmpty))
    }

    /// Streams the events of the wanted kinds and cameras that came after the last one the client has read.
    private func events(_ request: HTTPRequest, _ session: String?) -> HTTPResponse {
        func list(_ name: String) -> [String] {
            (request.query[name] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let kinds = list("kind").map { ($0, Topic(rawValue: $0)) }
        if let wrong = kinds.first(where: { $0.1?.isEvent != true }) {
            let known = Topic.events.map(\.rawValue).joined(separator: ", ")
            return .text(400, "There is no event '\(wrong.0)'. The events are \(known).\n")
        }
        let filter = EventLog.Filter(kinds: Set(kinds.compactMap(\.1)), cameras: Set(list("camera")))
        let client = access.client(of: request)
        let events = viewers.events.stream(filter, after: request.headers["last-event-id"], of: client)
        return stream(events, "text/event-stream", session)
    }

    /// Answers with a camera's next picture as a JPEG; its faces are hidden if the operator's overlay hides faces.
    private func picture(_ request: HTTPRequest, _ session: String?) -> HTTPResponse {
        let bases = viewers.state?.pictured(request.query["camera"]) ?? []
        let reason = "no such camera, or its daemon does not publish any (preview.enabled)"
        let none = HTTPResponse.text(404, "There is no picture: \(reason).\n")
        guard let base = bases.first else { return none }
        guard bases.count == 1 else {
            return .text(400, "Name one with ?camera=: \(bases.sorted().joined(separator: ", ")).\n")
        }
        var wish = wish
        wish.camera = base
        wish.isPicture = true
        return join(wish, session, ifEmpty: none)
    }

    private struct DetectionRequest: Decodable {
        var camera: String
        var on: Bool
    }

    /// Switches detection on or off on a camera that the page shows.
    private func switchDetection(_ request: HTTPRequest) -> HTTPResponse {
        guard let detect else { return .text(403, "Pages may only look: --control is off.\n") }
        guard let wanted = try? JSONDecoder().decode(DetectionRequest.self, from: Data(request.body)) else {
            return .text(400, "This must be {\"camera\": BASE, \"on\": true or false}.\n")
        }
        guard viewers.state?.cameras[wanted.camera] != nil else {
            return .text(404, "No such camera is on the page.\n")
        }
        guard switching.spend() else {
            return .text(429, "Detection was switched too often. Try again in a few seconds.\n")
        }
        detect(wanted.camera, wanted.on)
        return HTTPResponse(204)
    }

    /// Answers with the current areas, or saves those that the page sent.
    private func areas(_ request: HTTPRequest, _ editor: AreaEditor) -> HTTPResponse {
        guard request.method == "POST" else {
            do { return .json(try editor.areas()) } catch { return .text(500, "\(error)\n") }
        }
        let (status, words) = editor.save(String(decoding: request.body, as: UTF8.self))
        return .text(status, words + "\n")
    }

    private func form(_ status: Int, _ message: String) -> HTTPResponse {
        .file(Array(PackageResources.login_html.filled(["message": message]).utf8), Self.html, status)
    }

    private func redirect(_ cookie: String? = nil) -> HTTPResponse {
        HTTPResponse(303, headers: ["Location": "./", "Set-Cookie": cookie].compactMapValues { $0 })
    }
}

/// A stream that ends with its login session: nothing is sent after it.
private final class SessionStream: HTTPStream {
    private let stream: any HTTPStream
    private let session: String
    private let access: PageGuard

    init(stream: any HTTPStream, session: String, access: PageGuard) {
        self.stream = stream
        self.session = session
        self.access = access
    }

    func begin(ready: @escaping @Sendable () -> Void) { stream.begin(ready: ready) }
    func next() -> HTTPStreamPart { access.isOpen(session) ? stream.next() : .end }
    func end() { stream.end() }
}

extension HTTPResponse {
    static func text(_ status: Int, _ words: String) -> HTTPResponse {
        file(Array(words.utf8), "text/plain; charset=utf-8", status)
    }

    static func file(_ bytes: [UInt8], _ type: String, _ status: Int = 200) -> HTTPResponse {
        HTTPResponse(status, headers: ["Content-Type": type], body: .bytes(bytes))
    }

    static func json(_ bytes: [UInt8]) -> HTTPResponse { file(bytes, jsonType) }
    static let jsonType = "application/json"
}
