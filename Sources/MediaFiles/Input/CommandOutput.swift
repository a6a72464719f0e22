import CFFmpeg
import FoundationEssentials

/// The standard output of a shell command, as an input for FFmpeg. When this object is freed, it ends the command's
/// process group, and any process of the command that has left the group.
final class CommandOutput: ByteInput {
    /// The number of commands that this process has started.
    private static let started = Atomic(0)

    private let interrupt: Interrupt
    private let process: pid_t
    private let mark: CommandMark
    private let output, errors: CInt
    private var hasErrors = true
    private var isAtEnd = false
    /// The newest bytes of the command's standard error.
    private var errorText: [UInt8] = []
    private lazy var end = endGroup()
    /// The maximum length of a line of standard error that is kept, in characters of up to four bytes.
    private static let longestLine = 1000

    init(_ command: String, name: String, interrupt: Interrupt) throws(SourceFailure) {
        // The first element of each pipe is the end to read from.
        var out: [CInt] = [-1, -1]
        var err = out
        defer { for descriptor in [out[1], err[1]] where descriptor >= 0 { close(descriptor) } }
        let mark = CommandMark(text: "\(getpid()).\(Self.started.add(1, ordering: .relaxed).newValue)")
        // Commands of a daemon that was killed could still occupy the camera.
        CommandMark.endProcesses { $0.isOrphan }
        var environment = ProcessInfo.processInfo.environment
        Secrets.learn(from: command, environment: environment)
        environment[CommandMark.variable] = mark.text
        let pipes = ShellCommand.makePipe(&out) && ShellCommand.makePipe(&err) ? 0 : errno
        let shell = ShellCommand(text: command, environment: environment, output: out[1], errors: err[1])
        var process: pid_t = 0
        let code = pipes == 0 ? shell.start(&process) : pipes
        guard code == 0 else {
            for descriptor in [out[0], err[0]] where descriptor >= 0 { close(descriptor) }
            throw .commandFailed(name, String(cString: strerror(code)))
        }
        for descriptor in [out[0], err[0]] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        (self.process, output, errors, self.interrupt) = (process, out[0], err[0], interrupt)
        self.mark = mark
        super.init(bufferSize: 65_536)
    }

    deinit {
        _ = end
        for descriptor in [output, errors] { close(descriptor) }
    }

    /// Waits for output and reads it. Meanwhile reads standard error, as that pipe, once full, would block the command.
    override func read(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int32) -> Int32 {
        while !interrupt.mustEnd {
            // The waits are short, since `poll` does not notice the interrupt.
            let interests = [output, hasErrors ? errors : -1].map { (descriptor: $0, events: Int16(POLLIN)) }
            guard let ready = poll(interests, milliseconds: 50) else { continue }
            if ready[1] != 0 { readErrors() }
            guard ready[0] != 0 else { continue }
            let got = Glibc.read(output, bytes, Int(count))
            isAtEnd = got == 0
            guard got < 0 else { return isAtEnd ? facet_error_eof : Int32(got) }
            guard errno == EAGAIN || errno == EINTR else { return FFmpeg.code(errno) }
        }
        return facet_error_exit
    }

    private func readErrors() {
        // The usual capacity of a pipe.
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            let got = Glibc.read(errors, buffer.baseAddress, buffer.count)
            if got > 0 { errorText = (errorText + buffer[..<got]).suffix(4 * Self.longestLine) }
            hasErrors = got > 0 || got < 0 && (errno == EAGAIN || errno == EINTR)
        }
    }

    /// Explains why reading ended: how the command ended or, if it still writes, `reason`. Appends its last error line.
    func reason(_ reason: String) -> String {
        if hasErrors { readErrors() }
        let how = isAtEnd ? end ?? "it closed its standard output" : reason
        guard let line = Self.lastLine(of: errorText) else { return how }
        return "\(how), saying: \(line)"
    }

    /// The last line of standard error, without leading times, addresses and numbers in brackets.
    static func lastLine(of text: [UInt8]) -> String? {
        let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.map { $0.trimmingPrefix(/(\s*\[[^\]]*\])*\s*/) }.last { !$0.isEmpty }
            .map { String($0.prefix(Self.longestLine)).withoutPasswords }
    }

    /// Ends the command and the processes that it started. Returns the command's exit status or signal in words; nil if
    /// it did not end by itself.
    private func endGroup() -> String? {
        // A command that closed its output mostly exits at once, and its own status says more than that of our signal.
        let patience = interrupt.mustEnd ? 0 : 20
        var isOver = false
        var endedItself = false
        for round in 0..<120 where !isOver {
            if round > 0 { usleep(10_000) }
            if hasErrors { readErrors() }
            var information = siginfo_t()
            // The command stays a zombie, so that its process ID is not reused before the whole group is gone.
            isOver =
                waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG) != 0
                || information.si_signo != 0
            if round <= patience { endedItself = isOver }
            if isOver || round == patience { kill(-process, SIGTERM) }
        }
        kill(-process, SIGKILL)
        CommandMark.endProcesses { $0 == mark }
        if hasErrors { readErrors() }
        let end = ShellCommand.wait(for: process)
        return endedItself ? "it \(end)" : nil
    }
}

/// A mark in the environment of all processes of a command. It identifies those that left the command's process group.
struct CommandMark: Hashable, Sendable {
    /// The ID of the process that started the command, a dot, and the command's number among those of this process.
    var text: String
    static let variable = "FACET_COMMAND"

    /// Whether the process that started the command is gone.
    var isOrphan: Bool {
        let digits = text.wholeMatch(of: /(\d+)\.\d+/)?.output.1
        guard let owner = digits.flatMap({ pid_t($0) }), owner > 0 else { return false }
        return kill(owner, 0) != 0 && errno == ESRCH
    }

    /// Kills the user's processes whose mark satisfies a condition, and those that they start meanwhile.
    static func endProcesses(where isMeant: (CommandMark) -> Bool) {
        for _ in 0..<10 {
            let found = names(in: "/proc").compactMap { pid_t($0) }.filter { process in
                guard process != getpid(), let mark = mark(of: process), isMeant(mark) else { return false }
                // The same process ID is another process in another container.
                return namespace(of: "\(process)") == namespace(of: "self")
            }
            guard !found.isEmpty else { return }
            for process in found { kill(process, SIGKILL) }
        }
    }

    private static func namespace(of process: String) -> ino_t? {
        var status = stat()
        return stat("/proc/\(process)/ns/pid", &status) == 0 ? status.st_ino : nil
    }

    /// The mark in a process's environment; nil if there is none, or the process belongs to another user.
    private static func mark(of process: pid_t) -> CommandMark? {
        // The environment of a zombie is empty.
        guard let bytes = try? SmallFile.bytes(at: "/proc/\(process)/environ") else { return nil }
        let prefix = Array("\(variable)=".utf8)
        let entry = bytes.split(separator: 0).first { $0.starts(with: prefix) }
        return entry.map { CommandMark(text: String(decoding: $0.dropFirst(prefix.count), as: UTF8.self)) }
    }
}
