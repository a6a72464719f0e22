import FacetTestSupport
import Foundation
import Synchronization
import Testing

@testable import HTTPServing

@Suite("Forms")
struct FormTests {
    @Test(
        "escapes and plus signs are undone; what is none stands for itself",
        arguments: [
            ("token=a+b%21", "a b!"), ("x=1&token=%C3%A4&token=2", "ä"), ("%74oken=t", "t"), ("token=", ""),
            ("token=a=b", "a=b"), ("token=%", "%"), ("token=%4", "%4"), ("token=%zz%41", "%zzA"),
            ("token=\"%0g", "\"%0g"),
            ("tokens=1", nil), ("token", nil), ("", nil), ("&=&=%", nil),
        ]
    )
    func field(body: String, value: String?) {
        #expect(HTTPRequest(method: "POST", path: "/login", body: Array(body.utf8)).formField("token") == value)
    }

    @Test("any two bytes after the name are taken")
    func anyBytes() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max where second % 7 == first % 7 {
                let body = Array("token=%".utf8) + [first, second]
                #expect(HTTPRequest(method: "POST", path: "/login", body: body).formField("token") != nil)
            }
        }
    }
}

@Suite("The HTTP server", .serialized)
struct HTTPServerTests {
    /// A stream that offers what the test puts into it.
    private final class Source: HTTPStream {
        private struct Box {
            var part: [UInt8]?
            var isEnded = false
            var ready: (@Sendable () -> Void)?
        }
        private let box = Mutex(Box())
        let ended = DispatchSemaphore(value: 0)

        func begin(ready: @escaping @Sendable () -> Void) { box.withLock { $0.ready = ready } }
        func end() { ended.signal() }

        func next() -> HTTPStreamPart {
            box.withLock { box in
                defer { box.part = nil }
                return box.part.map { .bytes($0) } ?? (box.isEnded ? .end : .none)
            }
        }

        func put(_ part: [UInt8]?) {
            let ready = box.withLock { box in
                (box.part, box.isEnded) = (part, part == nil)
                return box.ready
            }
            ready?()
        }
    }

    /// A running server; its requests are answered with what they were.
    private final class Running {
        let server: HTTPServer
        let source = Source()
        private let thread = DispatchSemaphore(value: 0)

        init(_ change: (inout HTTPServer.Options) -> Void = { _ in }) throws {
            var options = HTTPServer.Options(host: "127.0.0.1", port: 0)
            change(&options)
            let source = source
            server = try HTTPServer(options) { request in
                if request.path == "/stream" { return HTTPResponse(200, body: .stream(source)) }
                if request.path == "/once" {
                    return HTTPResponse(200, body: .stream(source, ifEmpty: HTTPResponse(404)))
                }
                let words =
                    "\(request.method) \(request.path) \(request.query["q"] ?? "-") "
                    + "\(request.headers["x-a"] ?? "-") \(request.client) \(String(decoding: request.body, as: UTF8.self))"
                return HTTPResponse(request.path == "/no" ? 403 : 200, body: .bytes(Array(words.utf8)))
            }
            let server = server
            let thread = thread
            Thread.detachNewThread {
                server.run()
                thread.signal()
            }
        }

        /// Ends it; the test hangs, and fails by its time limit, if that does not work.
        func stop() {
            server.stop()
            thread.wait()
        }
    }

    private func head(_ line: String, _ fields: String = "") -> String {
        "\(line) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(fields)\r\n"
    }

    @Test("requests are read and answered, one after another on a connection", .timeLimit(.minutes(1)))
    func requests() throws {
        let running = try Running()
        defer { running.stop() }
        let client = try SocketClient(port: running.server.port)
        client.send("GET /a%20b?q=1%262 HTTP/1.1\r\nHost: x\r\nX-A: one\r\nX-A: two\r\n\r\n")
        #expect(client.receive(until: "127.0.0.1 ").hasSuffix("GET /a b 1&2 one, two 127.0.0.1 "))
        client.send(head("POST /c", "Content-Length: 5\r\n") + "hello")
        let answer = client.receiveAll()
        #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("POST /c - - 127.0.0.1 hello"))
    }

    @Test(
        "what is too long is refused, and closes the connection at once",
        .timeLimit(.minutes(1)),
        arguments: [
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n", " 413 "),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", " 4"),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", " 411 "),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n", ""),
            ("GET /", ""), ("GET / HTTP/1.1\r\nHost: x\r\nX-A: ", ""), ("GET / HTTP/1.1\r\n", ""),
        ]
    )
    func tooLong(start: String, status: String) throws {
        let running = try Running()
        defer { running.stop() }
        let client = try SocketClient(port: running.server.port)
        client.send(start)
        if status.isEmpty {
            let rest =
                start.hasSuffix("1.1\r\n")
                ? "X-B: " + String(repeating: "b", count: 997) + "\r\n" : String(repeating: "A", count: 1000)
            // Far more than what the server may hold of it lies in the system's own buffers.
            var sent = 0
            while sent < 100_000, client.send(rest) { sent += 1 }
            #expect(sent < 100_000)
        } else {
            #expect(client.receiveAll().contains(status))
        }
    }

    @Test("who does not complete a request is closed in time, whether bytes come or not", .timeLimit(.minutes(1)))
    func slow() throws {
        let running = try Running { $0.patience = 0.3 }
        defer { running.stop() }
        let idle = try SocketClient(port: running.server.port)
        let slow = try SocketClient(port: running.server.port)
        // Ends when the server has closed the connection, or never.
        while slow.send("G") { usleep(10_000) }
        #expect(idle.receiveAll().isEmpty)
        let client = try SocketClient(port: running.server.port)
        client.send(head("GET /ok"))
        #expect(client.receiveAll().contains("GET /ok"))
    }

    @Test("who comes is answered although as many connections as there may be stand idle", .timeLimit(.minutes(1)))
    func crowd() throws {
        let running = try Running { $0.connections = 16 }
        defer { running.stop() }
        let viewer = try SocketClient(port: running.server.port)
        viewer.send(head("GET /stream"))
        running.source.put(Array("first".utf8))
        #expect(viewer.receive(until: "first").contains("200"))
        let idle = try (0..<100).map { _ in try SocketClient(port: running.server.port) }
        for number in 0..<3 {
            let client = try SocketClient(port: running.server.port)
            client.send(head("GET /\(number)"))
            #expect(client.receiveAll().contains("GET /\(number)"))
        }
        running.source.put(Array("second".utf8))
        #expect(viewer.receive(until: "second").contains("second"), "who watches stays")
        #expect(idle.first?.receiveAll() == "", "the oldest of the crowd had to go")
    }

    @Test("a stream sends what is ready, and its end or that of its client is noticed", .timeLimit(.minutes(1)))
    func stream() throws {
        let running = try Running()
        defer { running.stop() }
        let client = try SocketClient(port: running.server.port)
        client.send(head("GET /stream"))
        for number in 0..<20 {
            running.source.put(Array("part \(number).".utf8))
            #expect(client.receive(until: "part \(number).").contains("part \(number)."))
        }
        running.source.put(nil)
        #expect(client.receiveAll().hasSuffix("0\r\n\r\n"))
        running.source.ended.wait()
        var second: SocketClient? = try SocketClient(port: running.server.port)
        second?.send(head("GET /stream"))
        running.source.put([1])
        _ = second?.receive(until: "\u{1}")
        second = nil
        // The system refuses only what is written after it knows that the client is gone.
        while running.source.ended.wait(timeout: .now() + 0.02) == .timedOut { running.source.put([2]) }
    }

    @Test("where there is another answer for a stream without any part, its head waits", .timeLimit(.minutes(1)))
    func emptyStream() throws {
        let running = try Running()
        defer { running.stop() }
        let client = try SocketClient(port: running.server.port)
        client.send("GET /once HTTP/1.1\r\nHost: x\r\n\r\n")
        running.source.put(Array("part.".utf8))
        #expect(client.receive(until: "part.").hasPrefix("HTTP/1.1 200"))
        running.source.put(nil)
        #expect(client.receive(until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        running.source.ended.wait()
        client.send(head("GET /once"))
        running.source.put(nil)
        #expect(client.receiveAll().hasPrefix("HTTP/1.1 404"))
        running.source.ended.wait()
    }

    @Test(
        "an answer that waits for its stream keeps the server neither from others nor from its end",
        .timeLimit(.minutes(1))
    )
    func waitingStream() throws {
        let running = try Running()
        let waiting = try SocketClient(port: running.server.port)
        let other = try SocketClient(port: running.server.port)
        waiting.send(head("GET /once"))
        other.send(head("GET /ok"))
        #expect(other.receiveAll().contains("GET /ok"))
        running.stop()
        #expect(waiting.receiveAll().isEmpty)
        running.source.ended.wait()
    }

    @Test("HEAD is answered as GET is, without the body", .timeLimit(.minutes(1)))
    func headOnly() throws {
        let running = try Running()
        defer { running.stop() }
        let client = try SocketClient(port: running.server.port)
        client.send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n" + head("GET /a"))
        let answers = client.receiveAll().components(separatedBy: "HTTP/1.1 200")
        try #require(answers.count == 3)
        #expect(answers[1].contains("Content-Length: 21") && answers[1].hasSuffix("\r\n\r\n"))
        #expect(answers[2].hasSuffix("\r\n\r\nGET /a - - 127.0.0.1 "))
        let stream = try SocketClient(port: running.server.port)
        stream.send(head("HEAD /stream"))
        #expect(stream.receiveAll().hasPrefix("HTTP/1.1 200"))
        running.source.ended.wait()
    }

    @Test("a client that does not read holds up no other, and misses what it did not take", .timeLimit(.minutes(1)))
    func slowReader() throws {
        let running = try Running()
        defer { running.stop() }
        let slow = try SocketClient(port: running.server.port)
        slow.send(head("GET /stream"))
        #expect(slow.receive(until: "\r\n\r\n").contains("200"))
        for number in 0..<200 { running.source.put(Array(repeating: UInt8(number), count: 1_000_000)) }
        let client = try SocketClient(port: running.server.port)
        client.send(head("GET /ok"))
        #expect(client.receiveAll().contains("GET /ok"))
    }

    @Test("it ends at once whatever is open", .timeLimit(.minutes(1)))
    func end() throws {
        let running = try Running()
        let clients = try (0..<20).map { number in
            let client = try SocketClient(port: running.server.port)
            client.send(
                ["", "GET ", head("GET /stream"), "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1"][
                    number % 4
                ]
            )
            return client
        }
        let client = try SocketClient(port: running.server.port)
        client.send(head("GET /ok"))
        _ = client.receiveAll()
        running.stop()
        for client in clients { _ = client.receiveAll() }
        running.source.ended.wait()
    }

    @Test(
        "it encrypts with a certificate of one's own",
        .timeLimit(.minutes(1)),
        .enabled(if: TestCertificates.areAvailable)
    )
    func tls() throws {
        let certificates = try TestCertificates()
        let leaf = try certificates.leaf(for: "127.0.0.1")
        let certificate = try String(contentsOfFile: leaf.certificate, encoding: .utf8)
        let key = try String(contentsOfFile: leaf.key, encoding: .utf8)
        let running = try Running { $0.tls = (certificate, key) }
        defer { running.stop() }
        let request = Process()
        request.executableURL = URL(filePath: "/usr/bin/openssl")
        request.arguments = [
            "s_client", "-quiet", "-verify_return_error", "-CAfile", certificates.authority, "-connect",
            "127.0.0.1:\(running.server.port)",
        ]
        let input = Pipe()
        let output = Pipe()
        (request.standardInput, request.standardOutput, request.standardError) = (input, output, FileHandle.nullDevice)
        try request.run()
        input.fileHandleForWriting.write(Data(head("GET /tls").utf8))
        let answer = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        request.waitUntilExit()
        #expect(answer.contains("GET /tls"))
        #expect(throws: HTTPServerError.cannotStart(hasCertificate: true)) {
            try Running { $0.tls = (certificate, certificate) }
        }
    }

    @Test("an address that cannot be used is an error that says why")
    func address() throws {
        let running = try Running()
        defer { running.stop() }
        let port = running.server.port
        #expect { try Running { $0.port = port } } throws: { "\($0)".contains("port \(port): Address already in use") }
        #expect { try Running { $0.host = "192.0.2.1" } } throws: { "\($0)".contains("192.0.2.1") }
    }
}
