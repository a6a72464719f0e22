import CMosquitto

/// Makes a connection within this process, over a UNIX socket in a directory that only this user can enter.
///
/// It is needed because libmosquitto connects to an address, and cannot be given a descriptor.
enum PrivateListener {
    /// Calls `connect` with the path of a new socket; returns the accepting end of the connection that `connect` makes.
    static func accept(_ connect: (String) throws(MQTTError) -> Void) throws(MQTTError) -> CInt {
        let directory = try makeDirectory()
        let path = directory + "/mqtt"
        let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        defer {
            if listener >= 0 { close(listener) }
            unlink(path)
            rmdir(directory)
        }
        let isListening = withUnixAddress(path) { address, length in
            listener >= 0 && bind(listener, address, length) == 0 && listen(listener, 1) == 0
        }
        guard isListening == true else { throw .resources("listen on \(path)", String(cString: strerror(errno))) }
        try connect(path)
        let accepted = socket_accept(listener)
        guard accepted >= 0 else { throw .resources("connect to \(path)", String(cString: strerror(errno))) }
        return accepted
    }

    /// Makes a new directory with mode 0700 in the first usable temporary directory of the service, user or machine.
    private static func makeDirectory() throws(MQTTError) -> String {
        let variables: [String] = ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "TMPDIR"]
        let places =
            variables.compactMap { getenv($0).map { String(cString: $0) } } + ["/tmp", "/dev/shm", "/var/tmp"]
        var reasons: [String] = []
        for place in places {
            var name = Array((place + "/facet-XXXXXX").utf8CString)
            // `mkdtemp` replaces the six X. The path must fit into a socket address, with the socket's own name.
            guard name.count + "/mqtt".count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { continue }
            if mkdtemp(&name) != nil {
                return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            }
            reasons.append("\(place): \(String(cString: strerror(errno)))")
        }
        throw .resources("make a directory for a socket, set TMPDIR", reasons.joined(separator: ", "))
    }
}
