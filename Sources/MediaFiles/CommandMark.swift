import Glibc
import System

/// What all processes of a command have in their environment, also those that left its process group, as daemons do.
struct CommandMark: Hashable, Sendable {
    /// The process that started the command.
    var owner: pid_t
    /// Which of the owner's commands it is.
    var number: Int
    static let variable = "FACET_COMMAND"

    var text: String { "\(owner).\(number)" }

    init(owner: pid_t, number: Int) { (self.owner, self.number) = (owner, number) }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let owner = pid_t(parts[0]), owner > 0, let number = Int(parts[1]) else { return nil }
        self.init(owner: owner, number: number)
    }

    /// Whether the process that started the command is gone.
    var isOrphan: Bool { kill(owner, 0) != 0 && errno == ESRCH }

    /// Kills the processes of this user with a mark that is meant, and what they start meanwhile.
    static func endProcesses(where isMeant: (CommandMark) -> Bool) {
        for _ in 0..<10 {
            let found = names(in: "/proc").compactMap { pid_t($0) }.filter { process in
                guard process != getpid(), let mark = mark(of: process), isMeant(mark) else { return false }
                // In a container the same number is another process.
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

    /// The mark in the environment of a process; nil without one, or where it is another user's.
    private static func mark(of process: pid_t) -> CommandMark? {
        // A zombie's is empty.
        guard let bytes = try? SmallFile.bytes(at: "/proc/\(process)/environ") else { return nil }
        let prefix = Array("\(variable)=".utf8)
        let entry = bytes.split(separator: 0).first { $0.starts(with: prefix) }
        return entry.flatMap { CommandMark(String(decoding: $0.dropFirst(prefix.count), as: UTF8.self)) }
    }
}
