import MediaFiles

/// The time that this machine needs per frame, with one face in the picture and with four.
package struct MachineSpeed {
    /// The frame rate of each camera in the estimate of how many cameras this machine can analyse.
    private static let rate = 30
    /// The duration of each of the two measurements, in seconds.
    private static let duration = 1.5
    /// The media time, in seconds, of the first frame taken from the demo's clip. The person sits still from then on.
    private static let start = 2.0
    /// The number of frames taken from the clip. They are analysed once before the measurement, to find all faces.
    private static let count = 30

    /// The size of the picture with one face, in pixels.
    let size: FrameSize
    /// The processor time per frame with one face, in milliseconds of one core, without decoding.
    let one: Double
    /// The processor time per frame with four faces, in milliseconds of one core, without decoding.
    let four: Double

    /// Measures with a clip for about three seconds. Throws `CommandFailure` if the clip cannot be read or its face is
    /// not found, `InferenceError` if models are missing.
    package init(clip path: String) throws {
        let clip = try ClipFrames(path)
        var frames: [Frame] = []
        while frames.count < Self.count, let frame = try clip.next() {
            if frame.stamp.mediaTime >= Self.start { frames.append(frame) }
        }
        try self.init(frames)
    }

    init(_ frames: [Frame], seconds: Double = duration) throws {
        guard let first = frames.first else { throw CommandFailure("the clip ends before second \(Self.start)") }
        size = first.size
        one = try Self.measure(frames, faces: 1, seconds: seconds)
        four = try Self.measure(frames.map { try $0.fourfold() }, faces: 4, seconds: seconds)
    }

    /// The time per frame, and how many cameras all cores can analyse if they do nothing else, as text.
    static func words(_ milliseconds: Double, cores: Int) -> String {
        let frames = Double(cores) * 1000 / milliseconds
        let cameras = Int(frames) / rate
        let capacity = cameras > 0 ? "\(cameras.counted("camera")) at \(rate)" : "one camera at \(Int(frames))"
        return String(format: "%.2f ms a frame: ", milliseconds) + capacity + " frames/s"
    }

    package var finding: Finding {
        let words = [one, four].map { Self.words($0, cores: MachineKind().cores) }
        return .works("speed", "one face \(words[0]); four faces \(words[1]); without decoding")
    }

    /// The processor time per frame in milliseconds. Frames play forwards, then backwards, so that the picture changes.
    private static func measure(_ frames: [Frame], faces: Int, seconds: Double) throws -> Double {
        var options = FaceAnalyzer.Options()
        // Higher than the number of faces in the picture, so that the search for further ones goes on, as by default.
        options.maximumFaces = 32
        options.skipsUnchanged = false
        let analyzer = try FaceAnalyzer(options)
        let toAndFro = frames + frames.dropFirst().dropLast().reversed()
        let start = ContinuousClock.now
        var number = 0
        var followed = 0
        var work = WorkTime()
        // The frames until all faces have been found are not measured.
        while number <= count || .now - start < .seconds(seconds) {
            var frame = toAndFro[number % toAndFro.count]
            frame.stamp.frame = number
            frame.stamp.mediaTime = Double(number) / Double(rate)
            if number == count { work = WorkTime() }
            followed = try work.measure { try analyzer.analyze(frame) }.observations.count
            number += 1
        }
        guard followed == faces else { throw CommandFailure("\(followed) of the picture's \(faces) faces were found") }
        return 1000 * work.processor / Double(number - count)
    }
}

extension Frame {
    /// A frame that contains this one four times, in two rows of two. Odd last rows and columns are left out, so that
    /// those of halved chroma stay in their places.
    func fourfold() throws(FrameError) -> Frame {
        let even = FrameSize(width: size.width & ~1, height: size.height & ~1)
        var bytes: [UInt8] = []
        for (plane, rows) in zip(planes.all, try format.rows(in: even)) {
            let lines = (0..<rows.count).map { row in
                UnsafeRawBufferPointer(start: plane.base + row * plane.bytesPerRow, count: rows.bytes)
            }
            for line in lines + lines { bytes += Array(line) + line }
        }
        let size = FrameSize(width: 2 * even.width, height: 2 * even.height)
        var fourfold = try Frame(copying: bytes, size: size, format: format, encoding: encoding, stamp: stamp)
        fourfold.orientation = orientation
        return fourfold
    }
}

/// The kind of this machine, for a report that users publish. It has no host name, address or serial number.
package struct MachineKind {
    let model: String
    let system: String
    let cores = ProcessInfo.processInfo.activeProcessorCount

    package init() {
        let board = try? SmallFile.firstLine(of: "/proc/device-tree/model")
        let processors = try? SmallFile.text(at: "/proc/cpuinfo")
        self.init(board: board, processors: processors, release: try? SmallFile.text(at: "/etc/os-release"))
    }

    /// Finds the kind from the board's model and the contents of /proc/cpuinfo and /etc/os-release.
    init(board: String?, processors: String?, release: String?) {
        func value(_ key: String, in text: String?) -> String? {
            let line = (text ?? "").split(separator: "\n").first { $0.hasPrefix(key) }
            return line.map { $0.drop { $0 != ":" && $0 != "=" }.dropFirst().trimmingCharacters(in: [" ", "\""]) }
        }
        model = board?.trimmingCharacters(in: ["\0"]) ?? value("model name", in: processors) ?? "unknown"
        system = value("PRETTY_NAME", in: release) ?? "unknown"
    }

    /// The report on this machine and its speed, as lines of text.
    package func report(_ speed: MachineSpeed) -> [String] {
        var kernel = utsname()
        uname(&kernel)
        return [
            "machine    \(model), \(cores.counted("core")), \(cString(kernel.machine))",
            "kernel     \(cString(kernel.sysname)) \(cString(kernel.release))",
            "system     \(system)",
            "facet      \(facetBuild)",
            "one face   \(MachineSpeed.words(speed.one, cores: cores)), \(speed.size)",
            "four faces \(MachineSpeed.words(speed.four, cores: cores)), four times that picture",
        ]
    }
}
