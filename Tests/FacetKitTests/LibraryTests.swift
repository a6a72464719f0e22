import FaceInference
import FaceMetadata
import FaceTracking
import FacetKit
import FacetTestSupport
import Foundation
import Frames
import Synchronization
import Testing
import V4L2Capture

/// What an app calls, as an app imports it: no test sees more than that.
@Suite("The library", .serialized, .timeLimit(.minutes(5)))
struct LibraryTests {
    private static let portrait = "/usr/local/share/facet/grace_hopper.jpg"

    /// The portrait as 512x600 pixels of R, G, B.
    private func pixels() throws -> [UInt8] {
        let bytes = Array(try Data(contentsOf: URL(filePath: Self.portrait)))
        return try Frame(copying: bytes, size: size, format: .jpeg, stamp: stamp(0)).rgb().bytes
    }

    private let size = FrameSize(width: 512, height: 600)

    private func stamp(_ frame: Int) -> FrameStamp {
        let time = Timestamp(nanoseconds: 0).advanced(bySeconds: Double(frame) / 30)
        return FrameStamp(frame: frame, time: time, mediaTime: Double(frame) / 30)
    }

    // MARK: - Frames of a program's own

    @Test("frames made of an app's own pixels are looked at, whichever way they lie in memory")
    func ownFrames() throws {
        let pixels = try pixels()
        let rows = stride(from: 0, to: pixels.count, by: 3 * size.width).map { pixels[$0..<$0 + 3 * size.width] }
        let frames = try (0..<8).map { index in
            guard index % 2 == 1 else {
                return try Frame(copying: pixels, size: size, format: .rgb24, stamp: stamp(index))
            }
            let memory = OwnMemory(Array(rows.reversed().joined()))
            return try Frame(
                planes: [(memory.bytes, -3 * size.width)],
                keptBy: memory,
                size: size,
                format: .rgb24,
                stamp: stamp(index)
            )
        }
        #expect(try frames[1].rgb() == frames[0].rgb())
        var updates: [FaceUpdate] = []
        try FaceSession(source: .custom(OwnFrames(frames))).run { updates.append($0) }
        #expect(updates.flatMap(\.events).map(\.face.faceID.rawValue) == [1, 1])
        #expect(updates.compactMap(\.captured).count == 8)
        #expect(updates.last?.state == .ended)
    }

    @Test("a frame's memory is given back when its last copy is gone, and lends its planes until then")
    func lease() throws {
        weak var gone: OwnMemory?
        do {
            let memory = OwnMemory(Array(0..<24))
            gone = memory
            let frame = try Frame(
                planes: [(memory.bytes, 12)],
                keptBy: memory,
                size: FrameSize(width: 4, height: 2),
                format: .bgr24,
                orientation: .down,
                stamp: stamp(0)
            )
            #expect(
                frame.withPlane(0) { span, bytesPerRow in
                    [Int(span.unsafeLoad(as: UInt8.self)), span.byteCount, bytesPerRow]
                } == [0, 24, 12]
            )
            #expect(frame.withPlane(1) { _, _ in 0 } == nil)
            // The last pixel, which is the first one upright, with its blue first.
            #expect(try frame.rgb().bytes.prefix(3) == [23, 22, 21])
            #expect(try frame.rgb(maximumWidth: -1).size == FrameSize(width: 1, height: 1))
        }
        #expect(gone == nil)
    }

    @Test("a frame that its bytes do not make up is refused")
    func unusableFrames() {
        let bytes = [UInt8](repeating: 0, count: 100)
        func error(_ width: Int, _ height: Int, _ format: PixelFormat) -> FrameError? {
            do throws(FrameError) {
                _ = try Frame(
                    copying: bytes,
                    size: FrameSize(width: width, height: height),
                    format: format,
                    stamp: stamp(0)
                )
                return nil
            } catch {
                return error
            }
        }
        #expect(error(10, 10, .gray) == nil)
        #expect(error(10, 11, .gray) == .tooShort(plane: 0, bytes: 100, needed: 110))
        #expect(error(-1, 10, .gray) == .unusableSize(FrameSize(width: -1, height: 10)))
        #expect(error(.max, .max, .nv12) == .unusableSize(FrameSize(width: .max, height: .max)))
        #expect(error(9, 9, .nv12) == .tooShort(plane: 1, bytes: 19, needed: 50))
        #expect(error(8, 8, .planarYUV(chromaShiftX: 1, chromaShiftY: 1)) == nil)
        #expect(error(5, 5, .planarYUV(chromaShiftX: 70, chromaShiftY: 1)) != nil)
        #expect(error(5, 5, .packedRGB(bytesPerPixel: 3, red: 0, green: 1, blue: 3)) != nil)
        let memory = OwnMemory(bytes)
        #expect(throws: FrameError.differentChromaRows(u: 4, v: 5)) {
            try Frame(
                planes: [8, 4, 5].map { (memory.bytes, $0) },
                keptBy: memory,
                size: FrameSize(width: 8, height: 8),
                format: .planarYUV(chromaShiftX: 1, chromaShiftY: 1),
                stamp: stamp(0)
            )
        }
        for bytesPerRow in [Int.min, .max, 1 << 40, -(1 << 31)] {
            #expect(throws: FrameError.overlappingRows(plane: 0, bytesPerRow: bytesPerRow, needed: 48)) {
                let size = FrameSize(width: 16, height: 1)
                let frame = try Frame(
                    planes: [(memory.bytes, bytesPerRow)],
                    keptBy: memory,
                    size: size,
                    format: .rgb24,
                    stamp: stamp(0)
                )
                _ = frame.withPlane(0) { _, _ in 0 }
                _ = try frame.jpeg()
            }
        }
        for mediaTime in [.nan, .infinity, -1, 1e18] {
            let stamp = FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: mediaTime)
            #expect(throws: FrameError.unusableTime) {
                try Frame(copying: bytes, size: FrameSize(width: 10, height: 10), format: .gray, stamp: stamp)
            }
        }
    }

    // MARK: - Pictures

    @Test("one picture, one answer: from a file, and from a frame")
    func pictures() async throws {
        let inFile = try await FaceSession.faces(inPictureAt: Self.portrait)
        #expect(inFile.map(\.faceID.rawValue) == [1])
        let frame = try Frame(copying: try pixels(), size: size, format: .rgb24, stamp: stamp(0))
        let inFrame = try await FaceSession.faces(in: frame)
        #expect(abs((inFrame.first?.bounds.x ?? 0) - (inFile.first?.bounds.x ?? 1)) < 0.01)
        await #expect(throws: FaceSessionError.self) { try await FaceSession.faces(inPictureAt: "/nowhere.jpg") }
        let damaged = try Frame(copying: [0xFF, 0xD8, 0, 0], size: size, format: .jpeg, stamp: stamp(0))
        await #expect(throws: FaceSessionError.self) { try await FaceSession.faces(in: damaged) }
    }

    @Test("all video nodes of the machine are listed without a session: as cameras, or with why they are none")
    func cameras() async throws {
        let inventory = CameraInventory.list()
        let cameras = try await FaceSession.cameras()
        #expect(cameras.compactMap(\.details) == inventory.cameras)
        #expect(cameras.allSatisfy { $0.source == FaceSession.Source($0.address) })
        let nodes = try FileManager.default.contentsOfDirectory(atPath: "/dev").filter { $0.hasPrefix("video") }
        let listed = inventory.cameras.map(\.node) + inventory.others.map(\.node)
        #expect(Set(listed) == Set(nodes.map { "/dev/\($0)" }) && listed.count == nodes.count)
    }

    @Test("a picture can be saved when something happens, upright and as large as wanted")
    func savedPicture() async throws {
        var options = FaceSession.Options()
        options.frames = .full
        var saved: [[UInt8]] = []
        for try await update in try await FaceSession(source: .file(Self.portrait), options: options).updates {
            guard let frame = update.frame, update.events.contains(where: { $0.kind == .enter }) else { continue }
            saved += [try frame.jpeg(), try frame.jpeg(quality: 1000, maximumWidth: -1)]
        }
        let sizes = try saved.map { try Frame(jpeg: $0, stamp: stamp(0)).size }
        #expect(sizes.first == size && sizes.last?.width == 16)
        let gray = try Frame(
            copying: [0, 85, 170, 255],
            size: FrameSize(width: 4, height: 1),
            format: .gray,
            orientation: .right,
            stamp: stamp(0)
        )
        #expect(try Frame(jpeg: gray.jpeg(), stamp: stamp(0)).size == FrameSize(width: 1, height: 4))
    }

    @Test("an app's test makes the updates that it wants")
    func ownUpdates() {
        let face = FaceObject(
            faceID: FaceID(rawValue: 1),
            bounds: NormalizedRect(x: 0, y: 0, width: 1, height: 1),
            confidence: 1
        )
        let event = FaceEvent(kind: .smile, face: face, stamp: stamp(3))
        let update = FaceUpdate(state: .paused, stamp: stamp(3), faces: [face], events: [event])
        #expect(update.events == [event] && update.faces == [face] && update.counts == FrameCounts())
    }

    // MARK: - Sources

    @Test("a clip has the same pace whichever way it is named")
    func pace() {
        #expect(FaceSession.Source("clip.mp4") == .file("clip.mp4"))
        #expect(FaceSession.Source("clip.mp4", pace: .realtime) == .file("clip.mp4", pace: .realtime))
    }

    @Test("a live stream given as a file does not wait for its reader")
    func liveFile() throws {
        let scratch = try TemporaryDirectory()
        try FileManager.default.copyItem(
            at: URL(filePath: Self.portrait),
            to: URL(filePath: scratch.file("live.jpg"))
        )
        let server = try LocalServer(.live, directory: URL(filePath: scratch.path))
        let session = try FaceSession(source: .file("http://127.0.0.1:\(server.port)/live"))
        var captured = 0
        try session.run { update in
            guard update.captured != nil, captured == 0 else { return }
            // The server sends ten pictures at once. A source that waited would not get beyond the third.
            let deadline = ContinuousClock.now + .seconds(60)
            while session.counts.captured < 9, ContinuousClock.now < deadline { usleep(1000) }
            captured = session.counts.captured
            session.stop()
        }
        #expect(captured >= 9)
    }

    @Test("a source that was live and no longer is waits until each frame was taken")
    func liveThenRecorded() throws {
        let size = FrameSize(width: 4, height: 4)
        let live = try (0..<60).map { index in
            try Frame(copying: Array(repeating: 99, count: 16), size: size, format: .gray, stamp: stamp(index))
        }
        let source = OwnFrames(live, isLive: { $0 < 30 })
        var recorded: [Int] = []
        try FaceSession(source: .custom(source)).run { update in
            if update.captured != nil, let number = update.stamp?.frame { recorded.append(number) }
        }
        #expect(recorded.filter { $0 >= 30 } == Array(30..<60))
    }

    @Test("a JPEG of more pixels than the limit is refused by its header")
    func tooManyPixels() async throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: Self.portrait)))
        let header = try #require(bytes.indices.dropLast(8).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        bytes.replaceSubrange(header + 5..<header + 9, with: [0x7F, 0xFF, 0x7F, 0xFF])
        let huge = try Frame(jpeg: bytes, stamp: stamp(0))
        #expect(huge.size == FrameSize(width: 32_767, height: 32_767))
        let error = await #expect(throws: FaceSessionError.self) { try await FaceSession.faces(in: huge) }
        #expect(error?.description.contains("32767x32767, more than the 40000000 pixels allowed") == true)
    }

    @Test("JPEGs of more pixels than their source's limit are corrupt, and the loss says why")
    func tooManyPixelsInSource() throws {
        let portrait = Array(try Data(contentsOf: URL(filePath: Self.portrait)))
        let frames = try (0..<70).map { try Frame(jpeg: portrait, stamp: stamp($0)) }
        var source = FaceSession.Source.custom(OwnFrames(frames))
        source.options.maximumPixels = 300_000
        let session = try FaceSession(source: source)
        var failures: [SourceFailure] = []
        try session.run { update in if case .lost(let failure) = update.state { failures.append(failure) } }
        #expect(session.counts.dropped == [.corrupt: 70])
        #expect(failures.first?.description.contains("512x600, more than the 300000 pixels allowed") == true)
    }

    @Test("sessions of one process run at the same time and see the same")
    func together() async throws {
        let counts = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var events: [String] = []
                    for try await update in try await FaceSession(source: .file(Self.portrait)).updates {
                        events += update.events.map { "\($0.kind) \($0.face.bounds)" }
                    }
                    return events
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // It comes, looks, looks away and goes.
        #expect(counts.count == 3 && counts[0].count == 4)
        // A leave has the wall-clock time in it.
        #expect(Set(counts.map { $0[0] }).count == 1)
    }

    // MARK: - Numbers

    @Test("no number traps: what cannot be used is an error that names it")
    func numbers() throws {
        var options: [FaceSession.Options] = []
        let area = try PictureArea(numbers: [0, 0, 1, 1])
        func add(_ change: (inout FaceSession.Options) -> Void) {
            var made = FaceSession.Options()
            change(&made)
            options.append(made)
        }
        for number in [Double.nan, -.infinity, .infinity, -1] {
            add { $0.detection.cpuBudget = number }
            add { $0.detection.minimumSize = number }
            add { $0.detection.searchInterval = number }
            add { $0.detection.region = NormalizedRect(x: 0, y: number, width: 1, height: 1) }
            add { $0.tracking.patience = number }
            add { $0.tracking.smileMerge = number }
            add { $0.tracking.zones = [Zone("door", area, dwell: number)] }
            add { $0.tracking.zones = [Zone("door", area, minimumSize: number)] }
            add { $0.maximumFrameRate = number }
        }
        for angle in [Double.nan, .infinity, 91] {
            add { $0.tracking.look.direction = Gaze(yaw: angle, pitch: 0) }
            add { $0.tracking.look.direction = Gaze(yaw: 0, pitch: angle) }
        }
        add { $0.detection.maximumFaces = .min }
        #expect(FaceSessionError.thread(reason: "no thread is left").description == "no thread is left")
        for options in options {
            #expect(throws: FaceSessionError.self) { try FaceSession(source: .file(Self.portrait), options: options) }
        }
        #expect(throws: FaceSessionError.unusable(option: "maximumFaces", value: "-3", allowed: "at least 1")) {
            var options = FaceSession.Options()
            options.detection.maximumFaces = -3
            _ = try FaceSession(source: .file(Self.portrait), options: options)
        }
        let cameras = [
            CameraConfiguration(request: CaptureRequest(size: FrameSize(width: -1, height: 480))),
            CameraConfiguration(request: CaptureRequest(rate: .nan)),
            CameraConfiguration(bufferCount: -1),
        ]
        for camera in cameras {
            #expect(throws: FaceSessionError.self) { try FaceSession(source: .camera(camera)) }
        }
        #expect(throws: FaceSessionError.self) {
            try FaceSession(source: .file(Self.portrait), firstFaceID: FaceID(rawValue: .max))
        }
        for rate in [0, .nan, 1e-30, -1, .infinity] {
            var snapshots = FaceSession.Source.stream("http://127.0.0.1:1/snapshot.jpg")
            snapshots.options.requestRate = rate
            let error = FaceSessionError.unusable(option: "requestRate", value: "\(rate)", allowed: "0.001 to 10000")
            #expect(throws: error) { try FaceSession(source: snapshots) }
        }
        var large = FaceSession.Source.file(Self.portrait)
        large.options.maximumPixels = .max
        #expect(throws: FaceSessionError.self) { try FaceSession(source: large) }
    }

    @Test("a time-out without end is one, for a file, a stream and a camera")
    func endlessTimeouts() throws {
        func endless(_ source: FaceSession.Source) -> FaceSession.Source {
            var source = source
            source.options.stallTimeout = .seconds(Int64.max)
            return source
        }
        try FaceSession(source: endless(.file(Self.portrait))).run { _ in }
        let scratch = try TemporaryDirectory()
        let server = try LocalServer(.files, directory: URL(filePath: scratch.path))
        for source in [
            endless(.stream("http://127.0.0.1:\(server.port)/none")),
            endless(.camera(.path("/nowhere"))),
        ] {
            let session = try FaceSession(source: source)
            try session.run { if case .lost = $0.state { session.stop() } }
        }
    }
}

/// Memory of an app; not written to after `init`.
private final class OwnMemory: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init(_ content: [UInt8]) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 1)
        bytes.copyBytes(from: content)
        self.bytes = UnsafeRawBufferPointer(bytes)
    }

    deinit { bytes.deallocate() }
}

/// The source of an app, which waits for each frame to be taken and just returns at its end.
private final class OwnFrames: FrameSource {
    private let frames: [Frame]
    private let isLive: @Sendable (Int) -> Bool

    init(_ frames: [Frame], isLive: @escaping @Sendable (Int) -> Bool = { _ in false }) {
        self.frames = frames
        self.isLive = isLive
    }

    func run(into mailbox: FrameMailbox) {
        var stream = StreamDescription(name: "app", size: FrameSize(width: 512, height: 600), format: "RGB", rate: 30)
        for (index, frame) in frames.enumerated() {
            let isLive = isLive(index)
            if index == 0 || stream.isLive != isLive {
                stream.isLive = isLive
                mailbox.put(.streaming(stream))
            }
            guard mailbox.put(.frame(frame)) else { return }
        }
    }

    func stop() {}
}
