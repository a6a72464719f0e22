/// The text of a file that an option names.
package enum FileText {
    /// Reads a file; `content` names in the error what the file contains.
    package static func read(_ path: String, _ content: String) throws(CommandFailure) -> String {
        do {
            return try SmallFile.text(at: path)
        } catch {
            throw CommandFailure("cannot read the \(content) in \(error)")
        }
    }

    /// The first line of a text with a secret, such as a token; `name` names it in the error.
    package static func secret(_ text: String, _ name: String, atLeast count: Int) throws(CommandFailure) -> String {
        let line = text.firstLine
        guard line.utf8.count >= count else {
            throw CommandFailure("the \(name) is too short: it must have \(count) characters or more")
        }
        Secrets.add(line)
        return line
    }
}
