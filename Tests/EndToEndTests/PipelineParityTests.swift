import FaceMessages
import FacetKit
import FacetTestSupport
import Testing

/// What a clip is compressed with.
enum ClipCodec: String, CaseIterable, CustomTestStringConvertible {
    case h264 = "H.264"
    case mjpeg = "MJPEG"
    case vp9 = "VP9"

    static let tool = "/usr/bin/gst-launch-1.0"
    static var areInstalled: Bool { (try? Tool.run(tool, ["--version"])) != nil }

    var testDescription: String { rawValue }

    /// How much the shares of a smile and of open eyes may differ, which depend on single pixels: GStreamer's `jpegdec`
    /// uses a fast transform, of which brightness is off by up to 4 of 255, and 0.45 darker on average.
    var expressionTolerance: Double { self == .mjpeg ? 0.06 : 0.01 }

    /// The most frames by which an event may be earlier or later: where a value passes its threshold slowly, the small
    /// differences of the pixels move the moment.
    var frameTolerance: Int { self == .mjpeg ? 1 : 0 }

    /// The clip in this codec; clips are in H.264 to begin with.
    func variant(of clip: String, in directory: TemporaryDirectory) throws -> String {
        guard self != .h264 else { return clip }
        let path = directory.file("clip.mkv")
        let encoder = self == .mjpeg ? "jpegenc" : "vp9enc deadline=1 cpu-used=8 target-bitrate=1000000"
        let pipeline = "filesrc location=\(clip) ! decodebin ! videoconvert ! \(encoder) ! matroskamux"
        try Tool.run(
            Self.tool,
            ["-q"] + "\(pipeline) ! filesink location=\(path)".split(separator: " ").map(String.init)
        )
        return path
    }
}

/// What GStreamer makes of a clip, against what FFmpeg makes of it.
@Suite(
    "A clip through GStreamer is the clip through FFmpeg",
    .serialized,
    .enabled(if: ClipCodec.areInstalled, "GStreamer's tools are not installed: run deploy/setup"),
    .timeLimit(.minutes(10))
)
struct PipelineParityTests {
    @Test("the demo's clip", arguments: ClipCodec.allCases)
    func generated(codec: ClipCodec) async throws {
        let directory = try TemporaryDirectory()
        let clip = directory.file("portrait.mp4")
        let making = try await BuiltProgram.run("demo-clip", ["--short", clip])
        try #require(making.status == 0, "\(making.output)")
        try await compare(codec.variant(of: clip, in: directory), codec, leastEvents: 4)
    }

    @Test(
        "a person of the development clips",
        .enabled(if: DevelopmentClips.areHere, "../shared/clips is absent"),
        arguments: ClipCodec.allCases
    )
    func person(codec: ClipCodec) async throws {
        let directory = try TemporaryDirectory()
        let clip = DevelopmentClips.path("pyfeat/single_face.mp4")
        try await compare(codec.variant(of: clip, in: directory), codec, leastEvents: 2)
    }

    private func compare(_ clip: String, _ codec: ClipCodec, leastEvents: Int) async throws {
        let expected = try await Seen(.file(clip))
        let seen = try await Seen(.pipeline(.pipeline("filesrc location=\(clip) ! decodebin"), pace: .asap))
        #expect(expected.events.count >= leastEvents)
        #expect(seen.events.map(\.name) == expected.events.map(\.name))
        for (event, same) in zip(seen.events, expected.events) {
            #expect(abs(event.frame - same.frame) <= codec.frameTolerance, "\(event), not \(same)")
        }
        #expect(seen.faces.count == expected.faces.count)
        for (frame, (one, other)) in zip(seen.faces, expected.faces).enumerated() {
            #expect(one.map(\.faceID) == other.map(\.faceID))
            for (face, same) in zip(one, other) {
                #expect(distance(place(face), place(same)) <= 0.01, "frame \(frame)")
                #expect(distance(direction(face), direction(same)) <= 1, "frame \(frame)")
                let difference = distance(expression(face), expression(same))
                #expect(difference <= codec.expressionTolerance, "frame \(frame): \(difference)")
            }
        }
    }

    // With -1000 for what is not known.

    private func place(_ face: FaceObject) -> [Double] {
        [face.bounds.x, face.bounds.y, face.bounds.width, face.bounds.height]
            + [face.leftEye, face.rightEye, face.mouth].flatMap { [$0?.x ?? -1000, $0?.y ?? -1000] }
    }

    /// The angles of the head, in degrees.
    private func direction(_ face: FaceObject) -> [Double] {
        [face.pose?.yaw, face.pose?.pitch, face.pose?.roll].map { $0 ?? -1000 }
    }

    private func expression(_ face: FaceObject) -> [Double] {
        [face.smile, face.leftEyeOpen, face.rightEyeOpen, face.mouthOpen].map { $0 ?? -1000 } + [face.confidence]
    }

    private func distance(_ one: [Double], _ other: [Double]) -> Double {
        zip(one, other).map { abs($0 - $1) }.max() ?? 0
    }
}

/// What a session sees of a source.
private struct Seen {
    /// The faces of each frame.
    private(set) var faces: [[FaceObject]] = []
    private(set) var events: [(name: String, frame: Int)] = []

    init(_ source: FaceSession.Source) async throws {
        for try await update in try await FaceSession(source: source).updates {
            events += update.events.map { event in
                ("\(Topic(event.kind).rawValue) \(event.face.faceID.rawValue)", event.stamp.frame)
            }
            if update.captured != nil { faces.append(update.faces) }
        }
    }
}
