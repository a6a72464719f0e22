import MediaFiles

/// Checks whether an output file can be written, before any work is done for it.
package enum OutputPath {
    package static func isPicture(_ path: String) -> Bool { PictureWriter.knownEndings.contains(ending(of: path)) }

    package static func isClip(_ path: String) -> Bool { ClipWriter.knownEndings.contains(ending(of: path)) }

    private static func ending(of path: String) -> String { URL(filePath: path).pathExtension.lowercased() }

    package static func checkPicture(_ path: String, replaces: Bool) throws {
        try check(path, endings: PictureWriter.knownEndings, what: "a picture", replaces: replaces)
    }

    package static func names(_ endings: [String]) -> String { endings.map { "." + $0 }.joined(separator: ", ") }

    /// Throws `CommandFailure` if both paths lead to the same file, so that writing would destroy the input.
    package static func checkIsNot(_ output: String, _ input: String) throws {
        guard let one = fileStatus(output), let other = fileStatus(input) else { return }
        guard one.st_dev == other.st_dev, one.st_ino == other.st_ino else { return }
        throw CommandFailure("cannot write to \(output): it is the input, which would be lost; choose another name")
    }

    /// Throws `CommandFailure` if a file cannot be written: its extension is not in `endings`, its directory is not
    /// writable, it is not a regular file (but a link or a pipe, for instance), or it exists and `replaces` is false.
    package static func check(_ path: String, endings: [String], what: String, replaces: Bool) throws {
        let ending = ending(of: path)
        guard endings.contains(ending) else {
            let problem = ending.isEmpty ? "\(what) to \(path), a name without an ending" : ".\(ending): \(path)"
            throw CommandFailure("cannot write \(problem); use \(names(endings))")
        }
        let present = fileStatus(path, followsLink: false)
        if let present, present.st_mode & S_IFMT != S_IFREG {
            let kinds = [S_IFLNK: "a symbolic link", S_IFIFO: "a pipe", S_IFDIR: "a directory"]
            let reason = "it is \(kinds[present.st_mode & S_IFMT] ?? "not a regular file"), which would be lost"
            throw CommandFailure("cannot write \(what) to \(path): \(reason); choose another name")
        }
        guard replaces || present == nil else {
            let remedy = "name another one, or add --force to replace it"
            throw CommandFailure("cannot write \(what) to \(path): there is a file of that name", remedy: remedy)
        }
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(parent, W_OK) == 0 else {
            let directory = parent == "." ? URL(filePath: path).deletingLastPathComponent().path : parent
            let reason = fileExists(parent) ? "you may not write there" : "it is missing"
            throw CommandFailure("cannot write \(path) into the directory \(directory): \(reason)")
        }
    }

    /// Writes a text file that all users may read. Throws `CommandFailure`, and keeps the old file, if that fails.
    package static func write(_ text: String, to path: String) throws(CommandFailure) {
        do {
            try Array(text.utf8).withUnsafeBytes { try PendingFile.write($0, to: path, mode: 0o644) }
        } catch {
            throw CommandFailure("cannot write \(path): \((error as? SystemError)?.reason ?? "\(error)")")
        }
    }
}
