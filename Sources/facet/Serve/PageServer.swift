import FlyingFox
import FlyingSocks
import Foundation
import OverlayRendering

/// The HTTP server of the page: three files, the way in, and the live messages over a WebSocket.
struct PageServer: Sendable {
    /// Bytes that a login or a page's command may have.
    private static let longestBody = 4096

    /// The page draws and connects by its own script alone: nothing inline, nothing from elsewhere, in no frame.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
        "connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private static let phrases = [
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        413: "Content Too Large",
    ]

    private let server: HTTPServer
    private let access: PageGuard
    private let live: LivePage

    /// Makes a server that does not listen yet.
    ///
    /// - Throws: `CommandFailure` if the address is none.
    init(_ address: ListenAddress, access: PageGuard, live: LivePage) throws {
        self.access = access
        self.live = live
        do {
            server =
                address.isVersion6
                ? HTTPServer(address: try .inet6(ip6: address.host, port: address.port), logger: .disabled)
                : HTTPServer(address: try .inet(ip4: address.host, port: address.port), logger: .disabled)
        } catch {
            throw CommandFailure("cannot use the address \(address.host): \(error)")
        }
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameters:
    ///   - address: where it listens, for messages.
    ///   - started: runs when the server listens, with the port it got.
    /// - Throws: `CommandFailure` if it cannot listen.
    func run(_ address: ListenAddress, started: @escaping @Sendable (UInt16) -> Void) async throws {
        await server.appendRoute("*") { [self] request in await answer(request) }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask {
                    try await server.waitUntilListening()
                    switch await server.listeningAddress {
                    case .ip4(_, let port), .ip6(_, let port): started(port)
                    default: break
                    }
                }
                // The server ends with an error or by cancellation, the other task at once.
                try await group.waitForAll()
            }
        } catch {
            guard !Task.isCancelled else { return }
            throw CommandFailure(
                "cannot listen on \(address.host) port \(address.port): \(Self.reason(error)); choose another with --listen"
            )
        }
    }

    /// Answers a request.
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        var response = await unguarded(request)
        response.headers[HTTPHeader("Content-Security-Policy")] = Self.policy
        response.headers[HTTPHeader("X-Content-Type-Options")] = "nosniff"
        response.headers[HTTPHeader("Referrer-Policy")] = "no-referrer"
        response.headers[HTTPHeader("Cross-Origin-Resource-Policy")] = "same-origin"
        response.headers[HTTPHeader("Cache-Control")] = "no-store"
        return response
    }

    private func unguarded(_ request: HTTPRequest) async -> HTTPResponse {
        let verdict = access.verdict(
            host: request.headers[.host],
            origin: request.headers[HTTPHeader("Origin")],
            cookies: request.headers[HTTPHeader("Cookie")],
            authorization: request.headers[HTTPHeader("Authorization")]
        )
        switch (verdict, request.method, request.path) {
        case (.foreign, _, _):
            return text(
                403,
                "This name or page is not the server's own. Start it with --allow-host NAME to permit it.\n"
            )
        case (_, .GET, "/page.css"): return file(PackageResources.page_css, "text/css; charset=utf-8")
        case (.unauthorized, .POST, "/login"): return await login(request)
        case (.unauthorized, .GET, "/"):
            return file(PackageResources.login_html, "text/html; charset=utf-8", status: 401)
        case (.unauthorized, _, _): return text(401, "This needs the token that the server was started with.\n")
        case (_, .GET, "/"): return file(PackageResources.page_html, "text/html; charset=utf-8")
        case (_, .GET, "/page.js"): return file(PackageResources.page_js, "text/javascript; charset=utf-8")
        case (_, .GET, "/live"): return await webSocket(request)
        case (_, .GET, _): return text(404, "There is nothing here.\n")
        default: return text(405, "Only GET is answered.\n")
        }
    }

    private func login(_ request: HTTPRequest) async -> HTTPResponse {
        guard let length = request.headers[HTTPHeader("Content-Length")].flatMap({ Int($0) }),
            length <= Self.longestBody, let body = try? await request.bodyData
        else { return text(413, "That is too long for a token.\n") }
        var form = URLComponents()
        form.percentEncodedQuery = String(decoding: body, as: UTF8.self).replacingOccurrences(of: "+", with: "%20")
        let token = form.queryItems?.first { $0.name == "token" }?.value ?? ""
        guard let cookie = access.login(token: token) else {
            return file(PackageResources.login_html, "text/html; charset=utf-8", status: 401)
        }
        return HTTPResponse(
            statusCode: HTTPStatusCode(303, phrase: "See Other"),
            headers: [HTTPHeader("Location"): "/", HTTPHeader("Set-Cookie"): cookie]
        )
    }

    private func webSocket(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            return try await WebSocketHTTPHandler(handler: live).handleRequest(request)
        } catch {
            return text(400, "That is no WebSocket.\n")
        }
    }

    private func file(_ bytes: [UInt8], _ type: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            statusCode: HTTPStatusCode(status, phrase: status == 200 ? "OK" : "Unauthorized"),
            headers: [.contentType: type],
            body: Data(bytes)
        )
    }

    private func text(_ status: Int, _ words: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: HTTPStatusCode(status, phrase: Self.phrases[status] ?? "Error"),
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: Data(words.utf8)
        )
    }

    private static func reason(_ error: any Error) -> String {
        if case SocketError.failed(_, _, let message) = error { return message }
        return "\(error)"
    }
}

/// The live messages of the page over a WebSocket.
struct LivePage: WSHandler {
    /// What a page sends when somebody uses its controls; what is left out stays.
    private struct Command: Decodable {
        struct Detect: Decodable {
            var camera: String
            var on: Bool
        }
        var look: String?
        var mirror: Bool?
        /// The base of the only camera wanted; empty for all.
        var camera: String?
        var detect: Detect?
    }

    /// Bytes that a command may have.
    private static let longestCommand = 1024

    /// All pages.
    let viewers: Viewers

    /// The names of the looks that pages can choose.
    let looks: [String]

    /// What a page shows before somebody uses its controls.
    let wish: ViewerWish

    /// Switches a camera's detection; nil if pages may only look.
    var detect: (@Sendable (_ base: String, _ isOn: Bool) -> Void)?

    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        guard let viewer = viewers.join(wish) else {
            return AsyncStream { stream in
                stream.yield(.close(message: "too many pages are open"))
                stream.finish()
            }
        }
        Task {
            // A frame that cannot be read ends the page as its closing does.
            do { for try await frame in client where !take(frame, from: viewer) { break } } catch {}
            viewers.leave(viewer)
        }
        // Pulled frame by frame as the connection takes them: what is not pulled is replaced by what is newer.
        return AsyncStream {
            await viewer.next()
        } onCancel: {
            viewers.leave(viewer)
        }
    }

    /// Takes a frame of a page.
    ///
    /// - Returns: whether the page goes on.
    private func take(_ frame: WSFrame, from viewer: Viewer) -> Bool {
        switch frame.opcode {
        case .text:
            guard frame.payload.count <= Self.longestCommand,
                let command = try? JSONDecoder().decode(Command.self, from: frame.payload)
            else { return true }
            obey(command, of: viewer)
        case .ping: viewer.put(WSFrame(fin: true, opcode: .pong, mask: nil, payload: frame.payload.prefix(125)))
        case .close: return false
        default: break
        }
        return true
    }

    private func obey(_ command: Command, of viewer: Viewer) {
        if let wanted = command.detect { detect?(wanted.camera, wanted.on) }
        var wish = viewer.wish
        if let look = command.look, looks.contains(look) { wish.look = look }
        if let mirror = command.mirror { wish.isMirrored = mirror }
        if let camera = command.camera { wish.camera = camera.isEmpty ? nil : camera }
        if wish != viewer.wish { viewers.change(viewer, wish) }
    }
}
