import Foundation
import Synchronization

/// A real mosquitto on a free loopback port, which never outlives the test.
public final class MosquittoBroker: Sendable {
    /// How the broker is set up.
    public struct Options: Sendable {
        /// Users and their passwords; empty lets everybody in.
        public var users: [String: String] = [:]
        /// Certificates to speak TLS with; nil speaks in plain.
        public var certificate: TestCertificates.Leaf?
        /// The authority whose client certificates are asked for; nil asks for none.
        public var clientAuthority: String?
        /// Whether retained messages and sessions survive a restart.
        public var isPersistent = false
        /// Further lines of its configuration file.
        public var configuration: [String] = []

        /// Open to everybody, plain, forgetful.
        public init() {}
    }

    /// The broker's path in Debian.
    public static let executable = "/usr/sbin/mosquitto"
    /// Whether there is a broker to test with.
    public static let isInstalled = FileManager.default.isExecutableFile(atPath: executable)

    /// The port it listens on, the same after each restart.
    public let port: Int
    /// The address to give to clients.
    public let host = "127.0.0.1"
    private let directory: TemporaryDirectory
    private let process: Mutex<ChildProcess>

    /// Starts a broker and waits until it takes connections.
    public init(_ options: Options = Options()) async throws {
        directory = try TemporaryDirectory()
        var attempts = 0
        while true {
            let port = try LoopbackPort.free()
            try Self.writeConfiguration(options, port: port, in: directory)
            do {
                process = Mutex(try await Self.launch(in: directory))
                self.port = port
                return
            } catch {
                // Another program may have taken the port in between.
                attempts += 1
                guard attempts < 5 else { throw error }
            }
        }
    }

    deinit {
        process.withLock { $0.end() }
    }

    /// What the broker has logged since its last start.
    public var log: String { current.output }

    private var current: ChildProcess { process.withLock(\.self) }

    /// Waits until the broker has logged `text`.
    public func waitForLog(_ text: String) async throws {
        try await current.waitForOutput(text)
    }

    /// Kills it with no chance to say goodbye, and waits until it is gone.
    public func kill() async {
        let process = current
        process.signal(SIGKILL)
        await process.waitUntilEnded()
    }

    /// Asks it to end, and waits until it is gone.
    public func terminate() async {
        let process = current
        process.signal(SIGTERM)
        await process.waitUntilEnded()
    }

    /// Stops it where it stands: its connections stay, but it does nothing.
    public func suspend() { current.signal(SIGSTOP) }

    /// Lets it go on after `suspend`.
    public func resume() { current.signal(SIGCONT) }

    /// Starts it again on the same port, after `kill` or `terminate`.
    public func start() async throws {
        let new = try await Self.launch(in: directory)
        process.withLock { $0 = new }
    }

    private static func launch(in directory: TemporaryDirectory) async throws -> ChildProcess {
        let process = try await ChildProcess(executable, ["-v", "-c", directory.file("mosquitto.conf")])
        try await process.waitForOutput(" running")
        return process
    }

    private static func writeConfiguration(_ options: Options, port: Int, in directory: TemporaryDirectory) throws {
        var lines = ["listener \(port) 127.0.0.1", "log_dest stderr", "log_type all", "set_tcp_nodelay true"]
        // As root it would become a user that cannot read the test's files.
        if getuid() == 0 { lines.append("user root") }
        lines.append("allow_anonymous \(options.users.isEmpty)")
        if !options.users.isEmpty { lines.append("password_file \(try passwordFile(options.users, in: directory))") }
        if let certificate = options.certificate {
            lines += ["certfile \(certificate.certificate)", "keyfile \(certificate.key)"]
        }
        if let authority = options.clientAuthority {
            lines += ["cafile \(authority)", "require_certificate true"]
        }
        if options.isPersistent {
            lines += ["persistence true", "persistence_location \(directory.path)/", "autosave_on_changes true"]
            lines.append("autosave_interval 1")
        }
        _ = try directory.write((lines + options.configuration).joined(separator: "\n") + "\n", to: "mosquitto.conf")
    }

    private static func passwordFile(_ users: [String: String], in directory: TemporaryDirectory) throws -> String {
        let lines = users.map { "\($0.key):\($0.value)\n" }.joined()
        let path = try directory.write(lines, to: "passwords")
        try Tool.run("/usr/bin/mosquitto_passwd", ["-U", path])
        return path
    }
}
