import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MediaFiles
import System
import Testing

@testable import GStreamerCapture

/// Tests of the source with the real GStreamer of this machine.
@Suite("GStreamer pipelines", .serialized, .enabled(if: Played.isInstalled, "GStreamer is not installed"))
struct PipelineSourceTests {
    @Test(
        "every format comes as it is, with size and rate",
        arguments: ["NV12", "I420", "YUY2", "GRAY8", "BGR", "RGB"]
    )
    func formats(format: String) throws {
        // 322 is no multiple of 4: rows are padded.
        let caps = "video/x-raw,format=\(format),width=322,height=242,framerate=25/1"
        let played = try Played("videotestsrc num-buffers=5 pattern=red ! \(caps)")
        #expect(played.end == .finished)
        #expect(played.streams.count == 1)
        let stream = try #require(played.streams.first)
        #expect(stream.size == FrameSize(width: 322, height: 242) && stream.rate == 25 && !stream.isLive)
        #expect(stream.format == format)
        #expect(played.stamps.map(\.frame) == Array(0..<5))
        for (index, stamp) in played.stamps.enumerated() { #expect(abs(stamp.mediaTime - Double(index) / 25) < 0.001) }
        let (red, green, blue) = try #require(played.lastColour)
        if format == "GRAY8" {
            #expect(abs(red - green) < 2 && abs(green - blue) < 2)
        } else {
            #expect(red > 225 && green < 30 && blue < 30, "\(red) \(green) \(blue)")
        }
    }

    @Test("a live picture is a copy, which may outlive the camera", arguments: ["NV12", "I420", "YUY2", "RGB"])
    func copies(format: String) throws {
        let caps = "video/x-raw,format=\(format),width=322,height=242,framerate=50/1"
        let source = try PipelineSource(.pipeline("videotestsrc is-live=true pattern=red ! \(caps)"))
        let played = Played(source, stopAfter: 3)
        #expect(played.streams.first?.format == format && !played.wasLent)
        let (red, green, blue) = try #require(played.lastColour)
        #expect(red > 225 && green < 30 && blue < 30, "\(red) \(green) \(blue)")
    }

    @Test("pictures with more pixels than allowed are refused, with what to do")
    func tooLarge() throws {
        var options = FrameSourceOptions.asap
        options.maximumPixels = 64 * 48 - 1
        let pipeline = "videotestsrc num-buffers=2 ! video/x-raw,width=64,height=48"
        let played = Played(try PipelineSource(.pipeline(pipeline), options: options))
        #expect(played.stamps.isEmpty)
        let failure = SourceFailure.tooLarge("gstreamer:videotestsrc …", FrameSize(width: 64, height: 48), limit: 3071)
        #expect(played.end == .failed(failure), "\(String(describing: played.end))")
    }

    @Test("cameras are listed under their names; a name with a line break makes no other one, and ends nothing")
    func names() {
        let list = "libcamerasrc\t/base/i2c@1\tRaspberry Pi\npipewiresrc\t42\tA\nphone\nv4l2src\t/dev/video0\tWebcam\n"
        let cameras = GStreamerPipeline.cameras(in: list)
        #expect(cameras.map(\.device) == ["libcamera:/base/i2c@1", "pipewire:42"])
        #expect(cameras.map(\.name) == ["Raspberry Pi", "A"])
    }

    @Test("a rate that is no number is an error of the pipeline, not of the program")
    func unusableRate() throws {
        for rate in [Double.nan, .infinity, 1e300] {
            #expect(throws: SourceFailure.self) { try PipelineSource(.libcamera(size: nil, rate: rate)) }
        }
    }

    @Test("what Facet cannot read is converted")
    func conversion() throws {
        let played = try Played(
            "videotestsrc num-buffers=2 pattern=blue ! video/x-raw,format=ARGB64,width=64,height=48"
        )
        #expect(played.end == .finished && played.stamps.count == 2)
        let (red, _, blue) = try #require(played.lastColour)
        #expect(red < 30 && blue > 225)
    }

    @Test("a clip comes with the frames and times that FFmpeg gives it", arguments: ["mp4", "avi", "webm"])
    func clips(ending: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("clip.\(ending)")
        try writeClip(path)
        let mailbox = FrameMailbox(policy: .every(capacity: 2))
        let reference = try ClipSource(path, options: .init(pace: .asap))
        let expected = Played(reference, mailbox)
        let played = try Played("filesrc location=\(path) ! decodebin")
        #expect(played.end == .finished, "\(String(describing: played.end))")
        #expect(played.stamps.count == expected.stamps.count && played.stamps.count == 12)
        for (one, other) in zip(played.stamps, expected.stamps) { #expect(abs(one.mediaTime - other.mediaTime) < 0.01) }
    }

    @Test("no frame of a pipeline that is not live is lost to a slow reader")
    func slowReader() throws {
        let source = try PipelineSource(
            .pipeline("videotestsrc num-buffers=40 ! video/x-raw,width=64,height=48"),
            options: .asap
        )
        let played = Played(source, FrameMailbox(policy: .every(capacity: 1)))
        #expect(played.stamps.map(\.frame) == Array(0..<40))
        #expect(played.counts?.dropped.isEmpty == true)
    }

    @Test("live pictures carry the time of their capture, and the source stops at once")
    func live() throws {
        let caps = "video/x-raw,width=64,height=48,framerate=50/1"
        let source = try PipelineSource(.pipeline("videotestsrc is-live=true ! \(caps)"))
        let before = Timestamp.wallClock()
        let begin = ContinuousClock.now
        let played = Played(source, FrameMailbox(policy: .newest), stopAfter: 10)
        let end = ContinuousClock.now
        #expect(played.end == .stopped)
        #expect(played.streams.first?.isLive == true)
        #expect(played.stamps.count >= 10)
        for (one, next) in zip(played.stamps, played.stamps.dropFirst()) { #expect(next.mediaTime > one.mediaTime) }
        for stamp in played.stamps { #expect(stamp.time > before.advanced(bySeconds: -1)) }
        #expect(played.captures.allSatisfy { begin <= $0 && $0 <= end })
        #expect(zip(played.captures, played.captures.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("pictures of a file come at their time, however long after each other")
    func longGap() throws {
        var options = FrameSourceOptions()
        options.stallTimeout = .milliseconds(100)
        let pipeline = "videotestsrc num-buffers=3 ! video/x-raw,width=64,height=48,framerate=2/1"
        let played = Played(try PipelineSource(.pipeline(pipeline), options: options))
        #expect(played.end == .finished, "\(String(describing: played.end))")
        for (index, stamp) in played.stamps.enumerated() { #expect(abs(stamp.mediaTime - Double(index) / 2) < 0.001) }
        let begin = try #require(played.captures.first)
        #expect(zip(played.captures, [0, 500, 1000]).allSatisfy { begin.duration(to: $0) == .milliseconds($1) })
    }

    @Test("a change of the size in the middle is another stream")
    func otherCaps() throws {
        func part(_ width: Int) -> String {
            "videotestsrc num-buffers=3 ! video/x-raw,framerate=30/1,width=\(width),height=48"
        }
        let played = try Played("concat name=c \(part(64)) ! c. \(part(96)) ! c. c.")
        #expect(played.end == .finished)
        #expect(played.streams.map(\.size.width) == [64, 96])
        #expect(played.stamps.count == 6)
    }

    @Test("a loop begins again, and its times go on")
    func loops() throws {
        var options = FrameSourceOptions.asap
        options.loops = true
        let pipeline = "videotestsrc num-buffers=4 ! video/x-raw,width=64,height=48,framerate=20/1"
        let played = Played(try PipelineSource(.pipeline(pipeline), options: options), stopAfter: 10)
        #expect(played.end == .stopped && played.stamps.count >= 10)
        for (one, next) in zip(played.stamps, played.stamps.dropFirst()) { #expect(next.mediaTime > one.mediaTime) }
    }

    @Test("a live pipeline that ends or stalls is lost, and made again")
    func lossAndReturn() throws {
        let caps = "video/x-raw,width=64,height=48,framerate=60/1"
        let ending = try PipelineSource(.pipeline("videotestsrc is-live=true num-buffers=4 ! \(caps)"))
        let played = Played(ending, FrameMailbox(policy: .newest), stopAfterStreams: 2)
        #expect(played.losses.map(\.reason) == [.streamLost])
        #expect(played.streams.count == 2)
        var options = FrameSourceOptions()
        options.stallTimeout = .milliseconds(300)
        // Each picture is held back for 0.8 s. The first one may be, since a network camera's key frame may be late.
        let stalling = "videotestsrc is-live=true ! \(caps) ! identity sleep-time=800000"
        let stalled = Played(
            try PipelineSource(.camera(stalling), options: options),
            FrameMailbox(policy: .newest),
            stopAfterLosses: 1
        )
        #expect(stalled.losses.map(\.reason) == [.stalled] && !stalled.stamps.isEmpty)
        #expect(stalled.losses.first?.description.contains("no picture for 0.3") == true)
    }

    @Test("a description that cannot work is refused with the remedy")
    func malformed() throws {
        let cases = [
            ("nosuchsrc", "GStreamer has no element nosuchsrc: `sudo apt install gstreamer1.0-plugins-base`"),
            ("videotestsrc !! identity", "cannot use gstreamer:videotestsrc …"),
            ("videotestsrc nosuch=1", "no property \"nosuch\" in element \"videotestsrc\""),
            ("", "cannot use gstreamer:"),
        ]
        for (pipeline, text) in cases {
            let error = #expect(throws: SourceFailure.self) { try PipelineSource(.pipeline(pipeline)) }
            #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
            #expect(error?.reason == .unsupported)
        }
        #expect(
            PipelineDescription.pipeline("nosuchsrc ! rtspsrc ! avdec_h264").installation
                == "sudo apt install gstreamer1.0-libav gstreamer1.0-plugins-base gstreamer1.0-plugins-good"
        )
    }

    @Test("a file that is missing, and pictures that are none, end the source with GStreamer's reason")
    func failures() throws {
        let missing = try Played("filesrc location=/nonexistent/clip.mp4 ! decodebin")
        guard case .failed(let failure)? = missing.end else { return #expect(Bool(false), "it did not fail") }
        #expect(failure.reason == .notFound)
        #expect(failure.description.contains("cannot get pictures from gstreamer:filesrc …"))
        let text = try TemporaryDirectory().write("no pictures", to: "text.mp4")
        let undecodable = try Played("filesrc location=\(text) ! decodebin")
        guard case .failed? = undecodable.end else { return #expect(Bool(false), "it did not fail") }
    }

    @Test("names become pipelines; quotes and passwords are kept apart")
    func descriptions() throws {
        let controls = ["af-mode": "continuous", "exposure-time": "8000"]
        let size = FrameSize(width: 1280, height: 720)
        let camera = try #require(
            PipelineDescription("libcamera:/base/imx708 \"a\"", size: size, rate: 29.97, controls: controls)
        )
        #expect(
            camera.text.revealed()
                == "libcamerasrc af-mode=\"continuous\" camera-name=\"/base/imx708 \\\"a\\\"\" exposure-time=\"8000\" ! "
                + "video/x-raw,width=1280,height=720,framerate=29970/1000"
        )
        #expect(camera.isCamera && camera.name == "libcamera:/base/imx708 \"a\"")
        #expect(PipelineDescription("libcamera")?.text.revealed() == "libcamerasrc ! video/x-raw,width=640,height=480")
        #expect(PipelineDescription("pipewire:42")?.text.revealed() == "pipewiresrc target-object=\"42\" ! video/x-raw")
        for other in ["clip.mp4", "gstreamer", "/dev/video0", "auto", "rtsp://x/y"] {
            #expect(PipelineDescription(other) == nil)
        }
        let secret = "rtspsrc location=rtsp://me:word@cam/1 user-pw=word ! decodebin"
        let shown = try #require(PipelineDescription("gstreamer:" + secret))
        #expect(shown.name == "gstreamer:rtspsrc …")
        #expect(PipelineDescription("gstreamer:videotestsrc")?.name == "gstreamer:videotestsrc")
        #expect(shown.text.revealed() == secret)
    }

    private func writeClip(_ path: String) throws {
        let size = FrameSize(width: 160, height: 120)
        let writer = try ClipWriter(path, size: size, rate: 25)
        for index in 0..<12 {
            let bytes = [UInt8](repeating: UInt8(20 * index), count: 3 * size.width * size.height)
            let stamp = FrameStamp(frame: index, time: .wallClock(), mediaTime: Double(index) / 25)
            try writer.append(Frame(copying: bytes, size: size, format: .rgb24, stamp: stamp))
        }
        try writer.finish()
    }
}
