import CLinux

/// A shell command that can be started, and whose end can be awaited.
///
/// Foundation's `Process` is not used, because it also waits for everything that the command leaves in the background.
package struct ShellCommand {
    package enum End: Equatable, Sendable, CustomStringConvertible {
        /// The command ended by itself, with an exit status.
        case exited(Int32)
        /// A signal ended the command.
        case signalled(Int32)
        /// The command could not be started, for a reason in words.
        case notStarted(String)

        package var description: String {
            switch self {
            case .exited(0): "ended"
            case .exited(let status): "ended with status \(status)"
            case .signalled(let signal): "was ended by signal \(signal)"
            case .notStarted(let reason): "could not be started: \(reason)"
            }
        }
    }

    private let text: String
    private let environment: [String: String]
    /// The descriptors for the command's standard output and standard error; nil for those of this process.
    private let output, errors: CInt?

    package init(text: String, environment: [String: String], output: CInt? = nil, errors: CInt? = nil) {
        self.text = text
        self.environment = environment
        self.output = output
        self.errors = errors
    }

    /// Makes a pipe that other commands do not inherit. Its first end is for reading, its second for writing.
    /// - Returns: Whether it succeeded; otherwise `errno` says why not.
    package static func makePipe(_ ends: inout [CInt]) -> Bool { pipe_with_flags(&ends, O_CLOEXEC) == 0 }

    package func run() async -> End {
        do {
            return try await onThread(named: "command") {
                var identifier: pid_t = 0
                let code = start(&identifier)
                return code == 0 ? Self.wait(for: identifier) : .notStarted(String(cString: strerror(code)))
            }
        } catch {
            return .notStarted("\(error)")
        }
    }

    /// Blocks until the command with this process identifier ends.
    @discardableResult
    package static func wait(for identifier: pid_t) -> End {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 {
            // If the parent process ignored SIGCHLD, the exit status of children is lost.
            guard errno == EINTR else { return .exited(0) }
        }
        // As in <sys/wait.h>: the low seven bits are the signal. If they are 0, the exit status is above them.
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    /// Starts the shell, whose process identifier must later be passed to `wait`.
    /// - Returns: 0, or the error number.
    package func start(_ identifier: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        // The command inherits no other descriptor of this process, such as the broker's connection.
        _ = spawn_close_from(&actions, STDERR_FILENO + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // In a process group of its own, the command can finish when Ctrl-C ends this process. Threads of Swift block
        // signals, and libraries ignore some, so both are reset as for a command that a shell starts.
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        return Self.withStrings(["sh", "-c", text]) { arguments in
            Self.withStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&identifier, "/bin/sh", &actions, &attributes, arguments, environment)
            }
        }
    }

    /// Calls `body` with the texts as a C array of strings that ends with a null pointer.
    private static func withStrings(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        let pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeBufferPointer { $0.baseAddress.map(body) ?? ENOMEM }
    }
}

extension String {
    /// The text as one word of a shell's command line, in quotes if it needs them.
    package var shellWord: String {
        if wholeMatch(of: /[A-Za-z0-9._\/:@%+,-]+/) != nil { return self }
        // By scalars: a quote and a mark that combines with it are one character.
        return "'" + unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
    }

    /// The text as an option's value on a shell's command line. A value that begins with a hyphen needs an equals sign.
    package func shellValue(of option: String) -> String { option + (hasPrefix("-") ? "=" : " ") + shellWord }
}
