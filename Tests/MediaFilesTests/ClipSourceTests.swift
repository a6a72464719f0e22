import CFFmpeg
import FaceMetadata
import Foundation
import Frames
import Testing

@testable import MediaFiles

@Suite("Clip source", .serialized)
struct ClipSourceTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("plays every kind of clip it writes, whole and in colour", arguments: ClipWriter.knownEndings)
    func everyFormat(ending: String) throws {
        let path = scratch.path("clip." + ending)
        // Times that a gif can express too: hundredths.
        try TestPicture.writeClip(path, times: (0..<25).map { Double($0) * 0.04 }, rate: 25)
        var colours: [[Colour]] = []
        let recording = try Recording.of(path) { frame in
            if let found = try? frame.quarterColours() { colours.append(found) }
        }
        #expect(recording.isFinished, "\(String(describing: recording.failure))")
        #expect(recording.stamps.map(\.frame) == Array(0..<25))
        for (index, time) in recording.mediaTimes.enumerated() { #expect(abs(time - Double(index) * 0.04) < 0.002) }
        #expect(recording.stream?.size == FrameSize(width: 160, height: 120))
        #expect(abs((recording.stream?.rate ?? 0) - 25) < 0.5)
        #expect(colours.count == 25)
        #expect(colours.allSatisfy { areTheQuarters($0, tolerance: 14) }, "\(colours.first ?? [])")
        #expect(recording.counts.captured == 25 && recording.counts.taken == 25 && recording.counts.dropped.isEmpty)
    }

    @Test("keeps irregular times", arguments: ["mp4", "mov", "mkv", "webm", "avi"])
    func variableRate(ending: String) throws {
        // An avi only knows whole frames, and has empty ones where none came.
        let frames: [Double] = [0, 1, 2, 12, 13, 45, 46, 48]
        let times = ending == "avi" ? frames.map { $0 / 30 } : [0, 0.033, 0.05, 0.4, 0.433, 1.5, 1.533, 1.6]
        let path = scratch.path("irregular." + ending)
        try TestPicture.writeClip(path, times: times)
        let recording = try Recording.of(path)
        #expect(recording.mediaTimes.count == times.count)
        #expect(zip(recording.mediaTimes, times).allSatisfy { abs($0 - $1) < 0.0015 }, "\(recording.mediaTimes)")
        #expect(recording.isFinished)
    }

    @Test("bridges times that cannot be: a picture far from its neighbours, a clock that was set")
    func wrongTimes() throws {
        let jpeg = try TestPicture().jpeg(in: scratch)
        let times = (UInt64(0)..<40).map { (number: UInt64) -> UInt64 in
            switch number {
            case 10, 39: number * 40 + 5000
            case 15: number * 40 + 37_600_000
            case 20...: number * 40 + 60_000
            default: number * 40
            }
        }
        let file = Matroska(pictures: times.map { .init(jpeg: jpeg, time: $0) })
        let path = try scratch.write(file.data, to: "wrong.mkv")
        let recording = try Recording.of(path)
        #expect(recording.mediaTimes.count == 40)
        for (index, time) in recording.mediaTimes.enumerated() {
            #expect(abs(time - Double(index) * 0.04) < 0.01, "\(index): \(time)")
        }
        #expect(recording.counts.retimed == 4, "\(recording.counts)")
    }

    @Test("stamps the wall-clock time as the start plus the media time")
    func wallClock() throws {
        let path = scratch.path("clip.mp4")
        try TestPicture.writeClip(path)
        let before = Timestamp.wallClock()
        let recording = try Recording.of(path)
        let first = try #require(recording.stamps.first)
        #expect(first.time >= before && first.time <= Timestamp.wallClock())
        for stamp in recording.stamps { #expect(abs(stamp.time.seconds(since: first.time) - stamp.mediaTime) < 1e-6) }
    }

    @Test("a loop goes on growing over its rounds and ends when it is stopped")
    func loops() throws {
        let path = scratch.path("loop.mp4")
        try TestPicture.writeClip(path, times: (0..<10).map { Double($0) / 30 })
        let source = try ClipSource(path, options: .init(pace: .asap, loops: true))
        let recording = Recording.of(source) { frame in
            if frame.stamp.frame == 34 { source.stop() }
        }
        #expect(recording.isStopped && recording.ends.count == 1)
        #expect(recording.stamps.count >= 35)
        #expect(recording.stamps.map(\.frame) == Array(0..<recording.stamps.count))
        for (index, time) in recording.mediaTimes.enumerated() { #expect(abs(time - Double(index) / 30) < 0.002) }
    }

    @Test("gives decoder memory back: a long clip needs a few pictures only")
    func reusesMemory() throws {
        let path = scratch.path("long.mp4")
        try TestPicture.writeClip(path, times: (0..<120).map { Double($0) / 30 })
        let recording = try Recording.of(path)
        #expect(recording.stamps.count == 120)
        #expect(recording.memories.count < 20)
    }

    @Test("in real time the frames come in order, none before its time", .timeLimit(.minutes(5)))
    func realtime() throws {
        let path = scratch.path("clip.mp4")
        try TestPicture.writeClip(path, times: (0..<6).map { Double($0) / 30 })
        let before = ContinuousClock.now
        var arrivals: [(media: Double, captured: ContinuousClock.Instant)] = []
        let recording = try Recording.of(path, options: .init(pace: .realtime)) { frame in
            arrivals.append((frame.stamp.mediaTime, frame.captured))
        }
        #expect(arrivals.count == 6 && recording.isFinished)
        for arrival in arrivals { #expect(before.duration(to: arrival.captured) >= .seconds(arrival.media)) }
    }

    @Test("stop ends a wait for a frame that is hours away", .timeLimit(.minutes(5)))
    func stopDuringWait() throws {
        let path = scratch.path("slow.mkv")
        try TestPicture.writeClip(path, times: [0, 7200])
        let source = try ClipSource(path)
        let recording = Recording.of(source) { _ in source.stop() }
        #expect(recording.isStopped && recording.stamps.count == 1)
    }

    @Test("stop before run delivers no frame")
    func stopBeforeRun() throws {
        let path = scratch.path("clip.mp4")
        try TestPicture.writeClip(path)
        let source = try ClipSource(path)
        source.stop()
        let recording = Recording.of(source)
        #expect(recording.isStopped && recording.stamps.isEmpty && recording.ends.count == 1)
    }

    @Test("a closed mailbox ends the source", .timeLimit(.minutes(5)))
    func closedMailbox() async throws {
        let path = scratch.path("clip.mp4")
        try TestPicture.writeClip(path)
        let source = try ClipSource(path, options: .init(pace: .asap))
        let mailbox = FrameMailbox(policy: .every(capacity: 1))
        await withCheckedContinuation { ended in
            Thread.detachNewThread {
                source.run(into: mailbox)
                ended.resume()
            }
            mailbox.close()
        }
        #expect(mailbox.counts.taken == 0)
    }

    @Test("stop ends even a wait that no clock can count")
    func endlessWait() {
        let interrupt = Interrupt()
        Thread.detachNewThread { interrupt.stop.set() }
        #expect(!interrupt.stop.wait(for: .seconds(Int64.max)))
    }

    @Test(
        "turns as the file says, then as the user says",
        arguments: [(Orientation.up, Orientation.right), (.upMirrored, .leftMirrored), (.right, .down)]
    )
    func fileOrientation(asked: Orientation, expected: Orientation) throws {
        let upright = scratch.path("clip.mp4")
        try TestPicture.writeClip(upright, times: [0])
        var data = try Data(contentsOf: URL(filePath: upright))
        // The matrix of the track's header as a phone writes it that was held upright: to be turned clockwise.
        let matrix = try #require(data.range(of: Data("tkhd".utf8))).upperBound + 40
        let turn: [Int32] = [0, 1 << 16, 0, -1 << 16, 0, 0, 0, 0, 1 << 30]
        data.replaceSubrange(matrix..<matrix + 36, with: turn.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) })
        var options = FrameSourceOptions(pace: .asap)
        options.orientation = asked
        let recording = try Recording.of(scratch.write(data, to: "turned.mp4"), options: options)
        #expect(recording.orientations == [expected])
    }

    @Test("a clip that says nothing is turned as the user says", arguments: Orientation.allCases)
    func orientation(asked: Orientation) throws {
        let path = scratch.path("clip.mp4")
        try TestPicture.writeClip(path, times: [0])
        var options = FrameSourceOptions(pace: .asap)
        options.orientation = asked
        let recording = try Recording.of(path, options: options)
        #expect(recording.orientations == [asked])
    }
}
