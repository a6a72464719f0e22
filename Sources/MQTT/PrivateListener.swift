import CMosquitto
import Glibc
import System

/// Listens for one connection from within this process, on a UNIX socket in a directory that only this user can enter.
///
/// libmosquitto takes no descriptor, only an address to connect to. The socket's name is gone as soon as it is connected.
final class PrivateListener {
    let path: String
    private let descriptor: CInt

    init() throws(MQTTError) {
        let directory = try Self.makeDirectory()
        path = directory + "/mqtt"
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        let isListening = withUnixAddress(path) { [descriptor] address, length in
            descriptor >= 0 && bind(descriptor, address, length) == 0 && listen(descriptor, 1) == 0
        }
        guard isListening == true else { throw .resources("listen on \(path)", String(cString: strerror(errno))) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        unlink(path)
        rmdir(String(path.dropLast("/mqtt".count)))
    }

    /// Accepts the connection that this process has made.
    func accept() throws(MQTTError) -> CInt {
        let accepted = socket_accept(descriptor)
        guard accepted >= 0 else { throw .resources("connect to \(path)", String(cString: strerror(errno))) }
        return accepted
    }

    /// Makes a directory with a new name and mode 0700, where one can be made: of the service, the user or the machine.
    private static func makeDirectory() throws(MQTTError) -> String {
        let variables: [String] = ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "TMPDIR"]
        let places =
            variables.compactMap { getenv($0).map { String(cString: $0) } } + ["/tmp", "/dev/shm", "/var/tmp"]
        var reasons: [String] = []
        for place in places {
            var name = Array((place + "/facet-XXXXXX").utf8CString)
            // The path must fit into a socket address, with the socket's own name.
            guard name.count + "/mqtt".count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { continue }
            if mkdtemp(&name) != nil {
                return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            }
            reasons.append("\(place): \(String(cString: strerror(errno)))")
        }
        throw .resources("make a directory for a socket, set TMPDIR", reasons.joined(separator: ", "))
    }
}
