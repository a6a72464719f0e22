import Foundation

/// A port that neither takes connections nor refuses them, as behind a firewall that drops packets.
public final class UnresponsiveServer: Sendable {
    /// The port.
    public let port: Int
    private let sockets: [Int32]

    /// Listens, and fills the queue of waiting connections, so that the kernel drops any further.
    public init() throws {
        let (listener, port) = try LoopbackPort.listener(backlog: 0)
        self.port = port
        sockets = [listener] + (0..<4).map { _ in LoopbackPort.startConnecting(port: port) }
    }

    deinit {
        for socket in sockets { close(socket) }
    }
}
