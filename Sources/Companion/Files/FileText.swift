/// Reads text files that the user named with an option.
package enum FileText {
    /// Reads a file. Error messages use `content`, such as `certificate`, to say what the file contains.
    package static func read(_ path: String, _ content: String) throws(CommandFailure) -> String {
        do {
            return try SmallFile.text(at: path)
        } catch {
            throw CommandFailure("cannot read the \(content) in \(error)")
        }
    }

    /// Returns the first line of a text as a secret, such as a token, which is masked in output from now on. Throws
    /// `CommandFailure`, which mentions `name`, if the secret has fewer than `count` bytes.
    package static func secret(_ text: String, _ name: String, atLeast count: Int) throws(CommandFailure) -> String {
        let line = text.firstLine
        guard line.utf8.count >= count else {
            throw CommandFailure("the \(name) is too short: it must have \(count) characters or more")
        }
        Secrets.add(line)
        return line
    }
}
