/// Draws overlays over one file, or over all clips and pictures in a directory.
package struct OverlayJob {
    var drawing: OverlayPicture
    var options = FaceSession.Options()
    let isStrict: Bool
    let replaces: Bool

    /// Makes a job. With `isStrict`, files with warnings are not written. Without `replaces`, no file is overwritten.
    package init(_ style: DrawingStyle, maximumFaces: Int, findsTurned: Bool, isStrict: Bool, replaces: Bool) throws {
        drawing = try OverlayPicture(style)
        options.frames = .full
        options.landmarks = style.overlay == .builtIn(.mesh)
        options.detection.isThorough = true
        // Nothing is drawn on a face that is unseen at the moment.
        options.tracking.hold = 0
        options.detection.isForHiding = drawing.hidesFaces
        options.detection.findsTurned = findsTurned
        options.detection.maximumFaces = maximumFaces
        self.isStrict = isStrict
        self.replaces = replaces
    }

    /// The default name of the output, such as `clip.santa.mp4` beside `clip.mp4`.
    package static func output(for input: String, _ overlay: OverlayChoice) -> String {
        let name = input.hasSuffix("/") ? String(input.dropLast()) : input
        let ending = URL(filePath: name).pathExtension
        let stem = ending.isEmpty ? name : String(name.dropLast(ending.count + 1))
        let end = ".\(overlay.name)" + (ending.isEmpty ? "" : "." + ending) + addedEnding(name)
        // The file system limits a name to 255 bytes.
        let place = stem.lastIndex(of: "/").map { stem.index(after: $0) } ?? stem.startIndex
        return String(stem[..<place]) + String(stem[place...].prefix(bytes: 255 - end.utf8.count)) + end
    }

    /// Draws over a file, or over all files of a directory, even after one of them has failed. Returns whether there
    /// was a warning. Throws `CommandFailure` at the end if a file could not be read or written.
    package func run(_ input: String, to output: String, until interruption: Interruption) async throws -> Bool {
        guard fileExists(input) else {
            let remedy = "record it first: `facet record --plain --source ADDRESS -o clip.mkv`"
            let reason = input.contains("://") ? "apply draws over files; \(remedy)" : "there is no such file"
            throw CommandFailure("cannot read \(input.shownSource): \(reason)")
        }
        guard isDirectory(input) else {
            var work = try OverlaidFile(input, to: output, self, interruption)
            return try await work.draw()
        }
        let files = System.names(in: input).sorted()
        let named = files.filter { OutputPath.isPicture($0) || OutputPath.isClip($0) || !Self.addedEnding($0).isEmpty }
        // Names that programs make, not the user: `._a.jpg`, `.trashed-1-a.jpg`, a directory b.jpg of thumbnails.
        let besides = named.filter { $0.hasPrefix(".") || Self.isOther("\(input)/\($0)") }
        let names = named.filter { !besides.contains($0) }
        guard !names.isEmpty else { throw CommandFailure("there is no clip and no picture in \(input)") }
        func note(_ names: [String], _ reason: String) {
            guard !names.isEmpty else { return }
            Console.note("left out, because \(reason): \(names.joined(separator: ", ").printable)")
        }
        note(files.filter { !named.contains($0) }, "their names are not those of clips or pictures")
        note(besides, "they are hidden, or no files")
        guard makeDirectories(output) == 0 else {
            throw CommandFailure("cannot make the directory \(output): \(String(cString: strerror(errno)))")
        }
        var failures = 0
        var hasWarned = false
        for name in names where !interruption.isRaised {
            let written = "\(output)/\(name)\(Self.addedEnding(name))"
            do {
                var work = try OverlaidFile("\(input)/\(name)", to: written, self, interruption)
                hasWarned = try await work.draw() || hasWarned
            } catch {
                Console.note("\(error)")
                failures += 1
            }
        }
        if failures > 0 { throw CommandFailure("\(failures) of \(names.count) files could not be drawn over") }
        return hasWarned
    }

    /// Whether a path exists and is not a regular file, but for example a directory or a pipe.
    private static func isOther(_ path: String) -> Bool {
        fileStatus(path).map { $0.st_mode & S_IFMT != S_IFREG } ?? false
    }

    /// The ending to add to the output's name, `.mp4` or `.png`, if the input's format cannot be written; else empty.
    private static func addedEnding(_ name: String) -> String {
        let ending = URL(filePath: name).pathExtension.lowercased()
        return clips.contains(ending) ? ".mp4" : pictures.contains(ending) ? ".png" : ""
    }

    private static let clips = ["3gp", "flv", "m2ts", "m4v", "mpeg", "mpg", "mts", "ogv", "ts", "vob", "wmv"]
    private static let pictures = [
        "apng", "avif", "bmp", "cr2", "cr3", "heic", "heif", "jp2", "jxl", "pgm", "ppm", "psd", "qoi", "tif", "tiff",
        "webp",
    ]
}
