public import Foundation

/// A small server on a free port of this machine, in Python; it ends with the object.
public final class LocalServer {
    /// What it does with a request.
    public enum Behaviour {
        /// Sends the file that is asked for.
        case files
        /// Never answers.
        case silence
        /// Sends ten JPEGs as a camera does, then breaks off.
        case live
        /// Sends `after` JPEGs, then parts that are not JPEGs, without end.
        case noise(after: Int)
        /// Sends ten JPEGs, then nothing, and keeps the connection.
        case stall
        /// Sends JPEGs without end, 30 a second, in a form that browsers take.
        case framed(Framing)
        /// Sends `live.ts` in a number of parts, with `pause` seconds before each.
        case bursts(Int, pause: Double)
        /// Sends JPEGs without end, 30 a second.
        case camera
        /// Accepts what is posted, writes a line, and answers with a body that has no end, or one that never comes.
        case acceptance(isEndless: Bool)
        /// Sends `after` JPEGs, then a part that has no end.
        case flood(after: Int)

        fileprivate var arguments: [String] {
            switch self {
            case .files: ["files"]
            case .silence: ["silence"]
            case .live: ["live"]
            case .noise(let good): ["noise", "\(good)"]
            case .stall: ["stall"]
            case .camera: ["camera"]
            case .framed(let framing): ["framed", framing.rawValue]
            case .bursts(let count, let pause): ["bursts", "\(count)", "\(pause)"]
            case .acceptance(let isEndless): ["acceptance", isEndless ? "endless" : "silent"]
            case .flood(let good): ["flood", "\(good)"]
            }
        }
    }

    /// What a camera writes around its JPEGs.
    public enum Framing: String, CaseIterable, Sendable {
        case noFirstBoundary, noDashes, parameters, jpg, charset, pjpeg, noType, noLength, tooLong, tooShort
        case boundaryInPicture, preamble, otherType
    }

    /// Whether there is a Python to run it.
    public static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    /// The port it listens on.
    public let port: Int
    private let process = Process()
    private let output: FileHandle

    /// It did not start.
    public struct Failure: Error {}

    /// Starts a server of the files in a directory, or of `live.jpg` in it; with TLS if it has a certificate.
    public init(_ behaviour: Behaviour, directory: URL, certificate: TestCertificates.Leaf? = nil) throws {
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-u", "-c", Self.script] + behaviour.arguments
        process.currentDirectoryURL = directory
        if let certificate {
            process.environment = ["CERTIFICATE": certificate.certificate, "KEY": certificate.key]
        }
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        output = pipe.fileHandleForReading
        try process.run()
        guard let line = Self.line(from: output), let port = Int(line) else { throw Failure() }
        self.port = port
    }

    deinit {
        // Not `terminate()`: a child of one of Swift's threads is born with SIGTERM blocked.
        kill(process.processIdentifier, SIGKILL)
    }

    /// Blocks until the server wrote a line.
    public func readLine() -> String? { Self.line(from: output) }

    private static func line(from output: FileHandle) -> String? {
        var bytes: [UInt8] = []
        while let byte = try? output.read(upToCount: 1)?.first, byte != 10 { bytes.append(byte) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static let script = """
        import os, ssl, sys, time
        from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

        class Handler(SimpleHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                print("request")
                self.send_response(200)
                if sys.argv[2] == "silent":
                    self.send_header("Content-Length", "100")
                self.end_headers()
                if sys.argv[2] == "silent":
                    time.sleep(3600)
                while True:
                    self.wfile.write(bytes(1 << 16))

            def do_GET(self):
                if sys.argv[1] == "files":
                    return super().do_GET()
                if sys.argv[1] == "silence":
                    print("request")
                    time.sleep(3600)
                if sys.argv[1] == "bursts":
                    stream = open("live.ts", "rb").read()
                    self.send_response(200)
                    self.send_header("Content-Type", "video/mp2t")
                    self.end_headers()
                    count = int(sys.argv[2])
                    for number in range(count):
                        time.sleep(float(sys.argv[3]))
                        self.wfile.write(stream[len(stream) * number // count:len(stream) * (number + 1) // count])
                    return
                picture = open("live.jpg", "rb").read()
                if sys.argv[1] == "framed":
                    kind = sys.argv[2]
                    self.send_response(200)
                    mime = "video/x-mjpeg" if kind == "otherType" else "multipart/x-mixed-replace; boundary=part"
                    self.send_header("Content-Type", mime)
                    self.end_headers()
                    types = {"parameters": "image/jpeg;size=160x120", "jpg": "image/jpg", "pjpeg": "image/pjpeg"}
                    types["charset"] = "image/jpeg; charset=utf-8"
                    if kind == "boundaryInPicture":
                        text = b"a camera\\r\\n--part\\r\\n"
                        picture = picture[:2] + b"\\xff\\xfe\\x00" + bytes([len(text) + 2]) + text + picture[2:]
                    length = len(picture) + {"tooLong": 10, "tooShort": -10}.get(kind, 0)
                    head = "" if kind == "noType" else "Content-Type: %s\\r\\n" % types.get(kind, "image/jpeg")
                    if kind not in ("noLength", "boundaryInPicture"):
                        head += "Content-Length: %d\\r\\n" % length
                    if kind == "preamble":
                        self.wfile.write(b"a preamble\\r\\n")
                    line = b"part\\r\\n" if kind == "noDashes" else b"--part\\r\\n"
                    part = head.encode() + b"\\r\\n" + picture + b"\\r\\n"
                    while True:
                        self.wfile.write(part + line if kind == "noFirstBoundary" else line + part)
                        time.sleep(1 / 30)
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=part")
                self.end_headers()
                noisy = sys.argv[1] == "noise"
                flooding = sys.argv[1] == "flood"
                endless = sys.argv[1] == "camera"
                for number in range(10 ** 9 if noisy or endless else 10):
                    if endless:
                        time.sleep(1 / 30)
                    if flooding and number >= int(sys.argv[2]):
                        self.wfile.write(b"--part\\r\\nContent-Type: image/jpeg\\r\\n\\r\\n")
                        while True:
                            self.wfile.write(bytes(1 << 20))
                    if noisy and number >= int(sys.argv[2]):
                        picture = picture[:20] + bytes((number + i * 7) % 255 for i in range(400))
                        time.sleep(0.01)
                    head = "--part\\r\\nContent-Type: image/jpeg\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(picture)
                    self.wfile.write(head.encode() + picture + b"\\r\\n")
                if sys.argv[1] == "stall":
                    time.sleep(3600)

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        if "CERTIFICATE" in os.environ:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(os.environ["CERTIFICATE"], os.environ["KEY"])
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        print(server.server_port)
        server.serve_forever()
        """
}
