import Foundation
import Frames
import MediaFiles
import OverlayRendering

/// A picture file to be written, in the format that its name says.
struct PictureFile {
    /// Where it goes.
    let path: String

    /// Checks the name and the directory, before any work is done for the picture.
    init(_ path: String) throws {
        self.path = path
        try OutputPath.check(path, endings: PictureWriter.knownEndings, what: "a picture")
    }

    /// Writes the picture, whole or not at all.
    func write(_ canvas: Canvas) throws {
        try canvas.check()
        try canvas.withPixels { pixels, bytesPerRow in
            guard let base = pixels.baseAddress else { throw CommandFailure("there is no picture to write") }
            do throws(MediaError) {
                try PictureWriter.write(
                    pixels: base,
                    bytesPerRow: bytesPerRow,
                    size: canvas.pixelSize,
                    format: .bgra,
                    to: path
                )
            } catch {
                throw CommandFailure(error.description)
            }
        }
    }
}

/// Checks where a file is to be written, before any work is done for it.
enum OutputPath {
    /// Whether a file's name is that of a picture.
    static func isPicture(_ path: String) -> Bool {
        PictureWriter.knownEndings.contains(URL(filePath: path).pathExtension.lowercased())
    }

    /// Whether a file's name is that of a clip.
    static func isClip(_ path: String) -> Bool {
        ClipWriter.knownEndings.contains(URL(filePath: path).pathExtension.lowercased())
    }

    /// - Throws: `CommandFailure` if the output is the input, by whatever name.
    static func checkIsNot(_ output: String, _ input: String) throws {
        var (one, other) = (stat(), stat())
        guard stat(output, &one) == 0, stat(input, &other) == 0 else { return }
        guard one.st_dev == other.st_dev, one.st_ino == other.st_ino else { return }
        throw CommandFailure("cannot write to \(output): it is the input, which would be lost; choose another name")
    }

    /// - Throws: `CommandFailure` if the ending is none of these, the file cannot be written there, or something that is no
    ///   regular file has its name: a link or a pipe would be replaced.
    static func check(_ path: String, endings: [String], what: String) throws {
        let url = URL(filePath: path)
        let ending = url.pathExtension.lowercased()
        guard endings.contains(ending) else {
            let reason = ending.isEmpty ? "its name has no ending" : "'.\(ending)' is no form this program writes"
            throw CommandFailure(
                "cannot write \(what) to \(path): \(reason); name it \(endings.map { "." + $0 }.joined(separator: ", "))"
            )
        }
        var present = stat()
        if lstat(path, &present) == 0, present.st_mode & S_IFMT != S_IFREG {
            let kind =
                switch present.st_mode & S_IFMT {
                case S_IFLNK: "a symbolic link"
                case S_IFIFO: "a pipe"
                case S_IFDIR: "a directory"
                default: "no regular file"
                }
            throw CommandFailure(
                "cannot write \(what) to \(path): it is \(kind), which would be lost; choose another name"
            )
        }
        let directory = url.deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: directory) else {
            let reason = FileManager.default.fileExists(atPath: directory) ? "you may not write there" : "there is none"
            throw CommandFailure("cannot write \(path) into the directory \(directory): \(reason)")
        }
    }

    /// Writes a file that everybody may read, whole or not at all.
    ///
    /// - Throws: `CommandFailure` if that fails; a file that was there is as before then.
    static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        let temporary = "\(path).\(getpid()).tmp"
        // A name that exists is not followed: it may be a link that another user put there.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path, errno) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 { rest = rest.dropFirst(written) } else if errno != EINTR { break }
        }
        let code = rest.isEmpty ? 0 : errno
        guard close(descriptor) == 0, code == 0, rename(temporary, path) == 0 else {
            defer { unlink(temporary) }
            throw failure(path, code == 0 ? errno : code)
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure("cannot write \(path): \(String(cString: strerror(code)))")
    }
}
