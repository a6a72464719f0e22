import ArgumentParser
import FaceInference
import FaceMetadata
import Foundation
import Frames
import MediaFiles
import ToolPictures

/// Counts the faces that `facet apply` leaves recognisable with an overlay that hides them.
///
/// The detector looks at every frame of the input, each as if it were the first, and once more following faces from
/// frame to frame. Of each face that either sees, the inner part of the output must not keep more than a quarter of its
/// detail: the variance of the Laplacian of the brightness.
@main
struct PrivacyCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "privacy-check",
        abstract: "Count the faces that overlays leave recognisable.",
        subcommands: [Check.self, Make.self],
        defaultSubcommand: Check.self
    )

    /// Makes clips of portraits, for people who come in by a cut or walk in, and a still with 24 of them.
    struct Make: ParsableCommand {
        @Argument(help: "The directory with portraits, .jpg.")
        var portraits: String

        @Argument(help: "The directory to write.")
        var output: String

        func run() throws { try PortraitClips(portraits: portraits, output: output).write() }
    }

    /// How many faces there were, once for each frame and overlay.
    struct Count: CustomStringConvertible {
        /// Rounding to eight bits alone leaves 2.4: of what has less detail than four times that, no quarter can be
        /// told.
        static let leastDetail = 10.0

        var seen = 0
        var kept = 0
        /// Faces with so little detail that a quarter of it is noise, and whose detail was not hidden below that.
        var plain = 0
        var worst = 0.0

        mutating func add(_ other: Count) {
            seen = seen + other.seen
            kept = kept + other.kept
            plain = plain + other.plain
            worst = max(worst, other.worst)
        }

        var description: String {
            String(
                format: "%d faces, %d keep more than a quarter, worst %.2f; %d too plain to say",
                seen,
                kept,
                worst,
                plain
            )
        }
    }

    /// Applies overlays to files and looks at what is left.
    struct Check: ParsableCommand {
        /// The share of its detail that a face may keep.
        static let limit = 0.25

        @Option(help: "The program to check.")
        var facet = "facet"

        @Option(help: "An overlay that hides faces; may be given several times.")
        var overlay = ["blur", "pixelate", "silhouette"]

        @Option(help: "A directory for what the program writes.")
        var output: String

        @Option(help: "How many of the worst frames are written as pictures, input and output.")
        var pictures = 0

        @Argument(help: "Clips and pictures.")
        var files: [String]

        func run() throws {
            var all = Count()
            for file in files { all.add(try check(file)) }
            print("\(files.count) files: \(all)")
            if all.kept > 0 { throw ExitCode(1) }
        }

        private func check(_ file: String) throws -> Count {
            let outputs = try overlay.map { try apply($0, to: file) }
            let input = try Pictures(file)
            let covered = try outputs.map { try Pictures($0) }
            let detector = try Detector()
            var count = Count()
            var frames = 0
            var written = 0
            while let frame = try input.next() {
                let picture = try Brightness(frame)
                let faces = try detector.faces(in: frame)
                for (overlay, source) in zip(overlay, covered) {
                    guard let other = try source.next(), other.uprightSize.width >= frame.uprightSize.width - 1,
                        abs(other.stamp.mediaTime - frame.stamp.mediaTime) < 0.03
                    else { throw ValidationError("\(file): frame \(frames) is missing from the output of \(overlay)") }
                    let hidden = try Brightness(other)
                    for face in faces {
                        let detail = picture.detail(in: face)
                        guard detail > 0 else { continue }
                        let share = hidden.detail(in: face) / detail
                        count.seen += 1
                        guard detail >= Count.leastDetail || share <= Self.limit else {
                            count.plain += 1
                            continue
                        }
                        count.worst = max(count.worst, share)
                        guard share > Self.limit else { continue }
                        count.kept += 1
                        print(
                            String(
                                format: "%@ %@ frame %d at %.3f s: %.2f of a detail of %.0f, face %.3f %.3f %.3f %.3f",
                                URL(filePath: file).lastPathComponent,
                                overlay,
                                frames,
                                frame.stamp.mediaTime,
                                share,
                                detail,
                                face.x,
                                face.y,
                                face.width,
                                face.height
                            )
                        )
                        guard written < pictures else { continue }
                        written += 1
                        let name = URL(filePath: file).deletingPathExtension().lastPathComponent
                        try PictureWriter.write(frame, to: "\(output)/\(name)-\(overlay)-\(frames)-in.png")
                        try PictureWriter.write(other, to: "\(output)/\(name)-\(overlay)-\(frames)-out.png")
                    }
                }
                frames += 1
            }
            print("\(URL(filePath: file).lastPathComponent): \(frames) frames, \(count)")
            // Shown as it comes, also where it is written into a file.
            fflush(nil)
            return count
        }

        /// Runs the program; what it warns of is shown.
        private func apply(_ overlay: String, to file: String) throws -> String {
            let url = URL(filePath: file)
            let isPicture = PictureWriter.knownEndings.contains(url.pathExtension.lowercased())
            // Without loss, so that what is left is what the overlay leaves.
            let name = url.deletingPathExtension().lastPathComponent + "-\(overlay)." + (isPicture ? "png" : "mkv")
            let path = output + "/" + name
            let process = Process()
            process.executableURL = URL(filePath: facet)
            process.arguments = ["apply", file, "--overlay", overlay, "-o", path]
            try process.run()
            process.waitUntilExit()
            // 3 is a warning that it may not have hidden all.
            guard [0, 3].contains(process.terminationStatus) else {
                throw ValidationError(
                    "facet apply \(file) --overlay \(overlay) ended with \(process.terminationStatus)"
                )
            }
            return path
        }
    }
}

/// The frames of a clip, or a picture as one frame.
final class Pictures {
    private let mailbox = FrameMailbox(policy: .every(capacity: 4))
    private var picture: Frame?
    private let isPicture: Bool

    init(_ path: String) throws {
        isPicture = PictureWriter.knownEndings.contains(URL(filePath: path).pathExtension.lowercased())
        if isPicture {
            picture = try PictureFile.load(path)
            return
        }
        let source = try ClipSource(path, options: .init(pace: .asap))
        Thread.detachNewThread { [mailbox] in source.run(into: mailbox) }
    }

    deinit { mailbox.close() }

    func next() throws -> Frame? {
        if isPicture {
            defer { picture = nil }
            return picture
        }
        while let event = mailbox.next() {
            switch event {
            case .frame(let frame): return frame
            case .ended: return nil
            case .streaming, .lost: break
            }
        }
        return nil
    }
}

/// What the detector sees, with the highest accuracy: in each frame as if it were the first, and following faces.
final class Detector {
    private let fresh: FaceAnalyzer
    private let following: FaceAnalyzer

    init() throws {
        var options = FaceAnalyzer.Options()
        options.accuracy = .high
        options.maximumFaces = 64
        options.searchInterval = 0
        fresh = try FaceAnalyzer(options)
        following = try FaceAnalyzer(options)
    }

    func faces(in frame: Frame) throws -> [NormalizedRect] {
        fresh.reset()
        let found = try fresh.analyze(frame).observations + following.analyze(frame).observations
        return found.map(\.bounds)
    }
}

/// The brightness of a picture, and how much detail there is in a part of it.
struct Brightness {
    private let size: FrameSize
    private let values: [Float]

    init(_ frame: Frame) throws {
        let picture = try RGBPicture(frame)
        size = picture.size
        values = picture.bytes.withUnsafeBufferPointer { bytes in
            (0..<picture.size.width * picture.size.height).map { index in
                0.299 * Float(bytes[3 * index]) + 0.587 * Float(bytes[3 * index + 1]) + 0.114
                    * Float(bytes[3 * index + 2])
            }
        }
    }

    /// The variance of the Laplacian in the inner 60 % of a face's box.
    func detail(in face: NormalizedRect) -> Double {
        let (width, height) = (Double(size.width), Double(size.height))
        let left = max(1, Int((face.x + 0.2 * face.width) * width))
        let right = min(size.width - 2, Int((face.x + 0.8 * face.width) * width))
        let top = max(1, Int((face.y + 0.2 * face.height) * height))
        let bottom = min(size.height - 2, Int((face.y + 0.8 * face.height) * height))
        guard right - left > 2, bottom - top > 2 else { return 0 }
        var sum = 0.0
        var squares = 0.0
        var count = 0.0
        values.withUnsafeBufferPointer { values in
            for y in top..<bottom {
                for x in left..<right {
                    let index = y * size.width + x
                    let around =
                        values[index - 1] + values[index + 1] + values[index - size.width] + values[index + size.width]
                    let value = Double(around - 4 * values[index])
                    sum += value
                    squares += value * value
                    count += 1
                }
            }
        }
        return squares / count - (sum / count) * (sum / count)
    }
}
