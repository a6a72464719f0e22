import Foundation

/// The lines of a file or a pipe, up to its end. After a signal they end soon, so that a command can use those before.
package final class MessageLines: Sequence, IteratorProtocol {
    /// How long to read on from a pipe after a signal. Ctrl-C also ends the program at the other end, whose last
    /// messages come then.
    private let patience: Duration

    let path: String
    private let file: CInt
    private let waker: Waker
    private let interruption: Interruption?
    /// The end of the patience; nil before a signal.
    private var deadline: ContinuousClock.Instant?
    private var bytes: [UInt8] = []
    private var start = 0
    /// The error number of what failed; 0 if nothing did.
    private(set) var failure: CInt = 0
    /// Whether a signal came before the end of the file.
    private(set) var endsEarly = false
    /// The error for the user that the last line is incomplete and was left out; nil if it is whole or not read yet.
    package private(set) var cut: CommandFailure?

    /// Opens a file, `-` for standard input. `failure` says whether that failed.
    package init(_ path: String, until interruption: Interruption? = nil) throws(SystemError) {
        self.path = path
        self.interruption = interruption
        waker = try Waker()
        // Opening a named pipe would wait for a program that writes into it, even after a signal.
        file = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if file < 0 { failure = errno }
        var status = stat()
        patience = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? .zero : .seconds(2)
        interruption?.onSignal { [waker] in waker.wake() }
    }

    deinit { close(file) }

    package func next() -> String? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return String(decoding: bytes[start..<end], as: UTF8.self)
            }
            bytes.removeFirst(start)
            start = 0
            searched = bytes.count
            if read() { continue }
            defer { bytes = [] }
            guard !bytes.isEmpty, !endsEarly, failure == 0 else { return nil }
            guard bytes[0] == UInt8(ascii: "{"), (try? JSONSerialization.jsonObject(with: Data(bytes))) == nil else {
                return String(decoding: bytes, as: UTF8.self)
            }
            let name = path == "-" ? "standard input" : path
            cut = CommandFailure("\(name) ends in the middle of a message, as if cut off; what is before that is used")
            return nil
        }
    }

    /// Appends what can be read next. Returns false at the end of the file, after a failure, and when a signal ends it.
    private func read() -> Bool {
        guard failure == 0, !endsEarly else { return false }
        while true {
            if interruption?.isRaised == true { deadline = deadline ?? .now + patience }
            let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? .seconds(3600)
            endsEarly = left <= .zero
            if endsEarly { return false }
            guard waker.wait([(file, Int16(POLLIN))], nanoseconds: Int64(left / .nanoseconds(1)))[0] != 0 else {
                continue
            }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            if count < 0 { failure = errno }
            if count > 0 { bytes += chunk.prefix(count) }
            return count > 0
        }
    }
}
