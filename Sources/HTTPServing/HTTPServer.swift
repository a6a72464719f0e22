import CMicroHTTPD
import Foundation
import Synchronization
import System

/// Why a server cannot start.
package enum HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    case cannotListen(host: String, port: UInt16, reason: String)
    /// The system has no descriptor or memory left, or the certificate and the key are no pair in PEM.
    case cannotStart(hasCertificate: Bool)

    package var description: String {
        switch self {
        case .cannotListen(let host, let port, let reason): "cannot listen on \(host) port \(port): \(reason)"
        case .cannotStart(hasCertificate: true):
            "the TLS library refuses the certificate and the key: both must be PEM, and belong together"
        case .cannotStart(hasCertificate: false): "the system has no memory or descriptor left for a server"
        }
    }
}

/// An HTTP server for few clients on one thread, with limits on everything that a client can send or hold.
///
/// libmicrohttpd accepts connections, reads requests and writes answers. Which connections stay is ours: the library stops
/// accepting at its limit, and knows no time in which a request must be complete, so that idle ones would keep others out.
package final class HTTPServer: Sendable {
    /// Where it listens, and its limits.
    package struct Options: Sendable {
        /// A numeric address.
        package var host: String
        /// The port; 0 for any that is free.
        package var port: UInt16
        /// Certificate chain and private key in PEM; nil for plain HTTP.
        package var tls: (certificate: String, key: String)?
        /// Connections at the same time; fewer if the process may not open as many files.
        package var connections = 512
        /// Seconds for a request and its answer, unless that is a stream.
        package var patience = 10.0
        package var longestBody = 4096

        package init(host: String, port: UInt16) {
            (self.host, self.port) = (host, port)
        }
    }

    package var port: UInt16 { listener.port }

    private let listener: Listener
    private let inbox: HTTPInbox
    // Used by the thread in `run` alone.
    nonisolated(unsafe) private let loop: HTTPLoop

    /// Listens; clients are answered from `run` on.
    ///
    /// - Parameters:
    ///   - options: where, and the limits.
    ///   - handler: answers requests, on the server's thread: it must not be held up.
    /// - Throws: `HTTPServerError` if it cannot listen.
    package init(
        _ options: Options,
        handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) throws(HTTPServerError) {
        listener = try Listener(host: options.host, port: options.port)
        inbox = try HTTPInbox()
        loop = try HTTPLoop(options, listener, inbox, handler)
    }

    /// Answers clients until `stop`; blocks the thread. To be called once.
    package func run() { loop.run() }

    /// Ends `run`, whatever clients are doing; from any thread.
    package func stop() { inbox.stop() }
}

final class HTTPInbox: Sendable {
    private struct Box {
        var ready: Set<Int> = []
        var isOver = false
    }

    private let waker: Waker
    private let box = Mutex(Box())

    init() throws(HTTPServerError) {
        do { waker = try Waker() } catch { throw .cannotStart(hasCertificate: false) }
    }

    func ready(_ stream: Int) {
        box.withLock { _ = $0.ready.insert(stream) }
        waker.wake()
    }

    func stop() {
        box.withLock { $0.isOver = true }
        waker.wake()
    }

    /// Waits for something to come in, for a descriptor to be readable, or for the time to be over; nil is no limit.
    func wait(for descriptor: Int32, seconds: Double?) -> (ready: Set<Int>, isOver: Bool) {
        _ = waker.wait([(descriptor, Int16(POLLIN))], nanoseconds: seconds.map { Int64($0 * 1e9) } ?? .max)
        return box.withLock { box in
            defer { box.ready = [] }
            return (box.ready, box.isOver)
        }
    }
}
