import Foundation
import Synchronization

/// A relay on the loopback interface that can misbehave the way networks do.
///
/// With a filter it cuts the stream into MQTT packets and asks about each; without one it passes bytes as they come.
public final class TCPProxy: Sendable {
    /// Which way bytes go.
    public enum Direction: Sendable {
        /// Bytes that the client sent.
        case toServer
        /// Bytes that the server sent.
        case toClient
    }

    /// What becomes of a packet.
    public enum Verdict: Sendable {
        /// It goes on.
        case pass
        /// It vanishes.
        case swallow
        /// It vanishes, and both connections are cut at once.
        case cut
        /// It vanishes, its sender gets these bytes, and the connection ends.
        case answer([UInt8])
    }

    /// Decides about a packet; called on the proxy's thread.
    public typealias Filter = @Sendable (Direction, [UInt8]) -> Verdict

    struct Control {
        var isOpen = true
        var isPassing = true
        var cuts = 0
        var halfCloses = 0
        var isEnded = false
        var filter: Filter?
        var captured: [UInt8] = []
        var connections = 0
        var serverPort: Int
    }

    /// The port for clients.
    public let port: Int
    let control: Mutex<Control>
    private let wakeUp: Pipe

    /// Starts a relay to a port.
    public init(to serverPort: Int, filter: Filter? = nil) throws {
        let (listener, port) = try LoopbackPort.listener()
        self.port = port
        wakeUp = Pipe()
        control = Mutex(Control(filter: filter, serverPort: serverPort))
        let loop = ProxyLoop(listener: listener, wakeUp: wakeUp.fileHandleForReading.fileDescriptor)
        let thread = Thread { [weak self, wakeUp] in
            defer { withExtendedLifetime(wakeUp) {} }
            // Weak, so that letting go of the proxy ends its thread.
            while let alive = self?.control.withLock(\.self), !alive.isEnded {
                loop.turn(control: alive) { change in self?.control.withLock { change(&$0) } }
            }
            loop.closeAll()
        }
        thread.start()
    }

    deinit {
        control.withLock { $0.isEnded = true }
        wake()
    }

    /// All bytes that clients sent so far.
    public var captured: [UInt8] { control.withLock(\.captured) }
    /// How many connections clients made so far.
    public var connections: Int { control.withLock(\.connections) }

    /// Sets what decides about packets from now on.
    public func setFilter(_ filter: Filter?) { change { $0.filter = filter } }

    /// Cuts all connections at once, as when a cable is pulled and the peer notices.
    public func cut() { change { $0.cuts += 1 } }

    /// Ends only what goes to the client; what the client sends still arrives.
    public func halfClose() { change { $0.halfCloses += 1 } }

    /// Holds all bytes back, or lets them go on; the connections stay.
    public func pass(_ passing: Bool) { change { $0.isPassing = passing } }

    /// Takes connections, or closes those that come at once.
    public func accept(_ open: Bool) { change { $0.isOpen = open } }

    private func change(_ body: (inout Control) -> Void) {
        control.withLock { body(&$0) }
        wake()
    }

    private func wake() {
        try? wakeUp.fileHandleForWriting.write(contentsOf: Data([1]))
    }
}
