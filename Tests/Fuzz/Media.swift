import FaceMetadata
import Foundation
import Frames
import Synchronization

@testable import MediaFiles

/// Readers of pictures and clips: TurboJPEG and FFmpeg, reached the way the programs reach them.
enum Media {
    /// A preview picture, as a message brings it.
    static let preview: Target = { bytes in
        guard let decoder = try? JPEGDecoder() else { return }
        decoder.maximumPixels = 1 << 20
        _ = try? decoder.decode([UInt8](bytes), for: FrameSize(width: 64, height: 48))
    }

    /// JPEGs one after the other, as a camera's stream brings them in pieces; the first byte says how long these are.
    static let pictures: Target = { bytes in
        guard let first = bytes.first else { return }
        var sequence = JPEGSequence(longest: 1 << 20)
        var rest = bytes.dropFirst()
        var found = 0
        while !rest.isEmpty {
            let piece = rest.prefix(Int(first) + 1)
            rest = rest.dropFirst(piece.count)
            guard (try? sequence.append(piece)) != nil else { return }
            while let picture = sequence.next() {
                precondition(picture.starts(with: [0xFF, 0xD8]), "a picture does not begin as one")
                found += picture.count
            }
        }
        found += sequence.unfinished()?.count ?? 0
        precondition(found < bytes.count, "pictures hold more than there was")
        _ = SenderBytes.kind(of: [UInt8](bytes), isWhole: first & 1 == 0)
    }

    private static let directory = "/dev/shm/facet-fuzz-\(getpid())"

    /// A clip or a picture in a file.
    static let clip: Target = { bytes in
        _ = mkdir(directory, 0o700)
        let path = directory + "/clip"
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else { return }
        var options = FrameSourceOptions(pace: .asap)
        options.maximumPixels = 1 << 20
        guard let source = try? ClipSource(path, options: options) else { return }
        play(source, frames: 40)
    }

    /// What a command writes: the first byte says how many of the others go to standard error, of which the last line
    /// is shown.
    ///
    /// One input in 64 comes from a command, as starting one takes ten milliseconds.
    static let exec: Target = { bytes in
        guard let first = bytes.first else { return }
        let errors = min(Int(first), bytes.count - 1)
        _ = CommandOutput.lastLine(of: Array(bytes[1..<1 + errors]))
        guard bytes.count % 64 == 0 else { return }
        _ = mkdir(directory, 0o700)
        for (name, part) in [("err", bytes[1..<1 + errors]), ("out", bytes[(1 + errors)...])] {
            guard FileManager.default.createFile(atPath: "\(directory)/\(name)", contents: Data(part)) else { return }
        }
        var options = FrameSourceOptions(pace: .asap)
        options.maximumPixels = 1 << 20
        let command = "exec:cat \(directory)/err >&2; cat \(directory)/out"
        guard let source = try? ClipSource(command, options: options) else { return }
        play(source, frames: 10)
    }

    /// What an HTTP server answers: one that repeats it on every connection.
    static let http: Target = { bytes in
        let server = answering
        server.answer.withLock { $0 = Data(bytes) }
        var options = FrameSourceOptions()
        options.openTimeout = .seconds(0.5)
        options.stallTimeout = .seconds(0.5)
        options.maximumPixels = 1 << 20
        guard let source = try? ClipSource("http://127.0.0.1:\(server.port)/", options: options) else { return }
        play(source, frames: 10)
    }

    private static let answering = AnsweringServer { connection, answer in
        var request = [UInt8](repeating: 0, count: 4096)
        _ = recv(connection, &request, request.count, 0)
        AnsweringServer.send(answer, to: connection)
    }

    /// Writes small pictures and clips in each format that this package can write, for the targets that read such.
    static func writeSeeds(into directory: String, for target: String) {
        guard ["preview", "clip", "http", "exec", "pictures"].contains(target) else { return }
        let size = FrameSize(width: 32, height: 32)
        let pixels = (0..<size.width * size.height * 4).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        func frame(at time: Double) throws -> Frame {
            let stamp = FrameStamp(frame: 0, time: .wallClock(), mediaTime: time)
            return try Frame(copying: pixels, size: size, format: .bgra, stamp: stamp)
        }
        for ending in PictureWriter.knownEndings where target == "clip" || ending == "jpg" {
            let path = "\(directory)/seed.\(ending)"
            try? PictureWriter.write(try frame(at: 0), to: path)
            guard ["http", "exec", "pictures"].contains(target),
                let picture = FileManager.default.contents(atPath: path)
            else {
                continue
            }
            let head = "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n"
            let part = Data("--b\r\nContent-Type: image/jpeg\r\n\r\n".utf8) + picture + Data("\r\n".utf8)
            let start = target == "http" ? Data(head.utf8) : Data([4] + "end\n".utf8)
            _ = FileManager.default.createFile(atPath: path, contents: start + part + part)
        }
        for ending in ClipWriter.knownEndings where target == "clip" {
            guard let writer = try? ClipWriter("\(directory)/seed.\(ending)", size: size) else { continue }
            for index in 0..<3 { try? writer.append(frame(at: Double(index) / 30)) }
            try? writer.finish()
        }
    }

    /// Plays until the end, until `frames` frames came, or until the source is lost.
    private static func play(_ source: ClipSource, frames: Int) {
        let mailbox = FrameMailbox(policy: .every(capacity: 2))
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            source.run(into: mailbox)
            ended.signal()
        }
        var left = frames
        var isOver = false
        while !isOver, let event = mailbox.next() {
            switch event {
            case .frame(let frame):
                precondition(frame.size.width * frame.size.height <= 1 << 20, "a picture is larger than allowed")
                left -= 1
                isOver = left == 0
            case .lost, .ended: isOver = true
            default: break
            }
        }
        source.stop()
        mailbox.close()
        ended.wait()
    }
}

/// A server on a free loopback port that serves one connection after the other.
final class AnsweringServer: Sendable {
    let port: Int
    let answer = Mutex(Data())

    init(_ serve: @escaping @Sendable (_ connection: Int32, _ answer: Data) -> Void) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                precondition(bind(listener, address, length) == 0 && listen(listener, 16) == 0, "no port is free")
                getsockname(listener, address, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { continue }
                serve(connection, answer.withLock { $0 })
                shutdown(connection, Int32(SHUT_WR))
                close(connection)
            }
        }
    }

    static func send(_ data: Data, to connection: Int32) {
        data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes
            while !rest.isEmpty {
                let sent = Glibc.send(connection, rest.baseAddress, rest.count, 0)
                guard sent > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(sent))
            }
        }
    }
}
