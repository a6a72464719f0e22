import CV4L2
import FaceMetadata
import Frames
import SystemPackage
import Testing

@testable import V4L2Capture

@Suite("Loss and return of a camera")
struct CameraLossTests {
    typealias Fill = ScriptedV4L2.Fill
    let source = CameraSourceTests()

    /// Camera gone from `/dev/video0`; `then` says what is there instead.
    static func replug(as path: String?) -> @Sendable (inout ScriptedV4L2.State) -> Void {
        { state in
            let node = state.nodes.removeValue(forKey: "/dev/video0") ?? ScriptedV4L2.Node()
            if let path { state.nodes[path] = node }
        }
    }

    @Test("unplugged: reported once, tried again with longer waits, found under another number, numbers go on")
    func returnsUnderAnotherNumber() throws {
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 0)]), .buffers([Fill(sequence: 1)]),
            .ready([.readable, .failed], dequeue: .operationNotSupportedByDevice),
            .buffers([Fill(sequence: 0)]),
        ]) { state in
            state.absences = [
                { state in
                    state.nodes = [:]
                },
                { _ in },
                { _ in },
                { state in
                    state.nodes["/dev/video2"] = ScriptedV4L2.Node()
                },
            ]
        }
        let configuration = CameraConfiguration(device: .path("/dev/video0"))
        let events = try source.run(kernel, configuration)
        #expect(
            source.short(events) == [
                "streaming", "frame 0", "frame 1", "lost unplugged", "streaming", "frame 2", "ended stopped",
            ]
        )
        #expect(kernel.state.withLock { $0.waits } == [250, 500, 500, 500])
        guard case .frame(let before) = events[2], case .streaming(let stream) = events[4],
            case .frame(let after) = events[5]
        else { return }
        #expect(stream.name == "/dev/video2")
        #expect(abs(after.stamp.mediaTime - before.stamp.mediaTime - 1.752) < 0.01)
        #expect(after.stamp.time > before.stamp.time)
    }

    @Test("the burst of empty buffers before an unplugging is counted and reported as nothing else")
    func survivesUnplugBurst() throws {
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 0)]),
            .buffers((0..<4).map { _ in Fill(sequence: 0, byteCount: 0, hasError: true, age: nil) }),
            .ready(.failed, dequeue: .operationNotSupportedByDevice),
        ])
        let mailbox = FrameMailbox(policy: .every(capacity: 100))
        let events = try source.run(kernel, mailbox: mailbox)
        #expect(source.short(events) == ["streaming", "frame 0", "lost unplugged", "ended stopped"])
        #expect(Tally(mailbox) == Tally(captured: 5, taken: 1, dropped: [.corrupt: 4]))
    }

    @Test(
        "a failure of the driver is a loss, and the camera is opened anew",
        arguments: [Errno.ioError, .invalidArgument, .brokenPipe]
    )
    func reopensAfterDriverError(_ errno: Errno) throws {
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 0)]), .ready([.readable, .failed], dequeue: errno), .buffers([Fill(sequence: 0)]),
        ]) { $0.absences = [{ _ in }] }
        let events = try source.run(kernel)
        #expect(
            source.short(events) == [
                "streaming", "frame 0", "lost driver_error", "streaming", "frame 1", "ended stopped",
            ]
        )
    }

    @Test("an error that stays without a reason ends the stream instead of spinning")
    func endsSilentError() throws {
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 0)]), .ready(.failed, dequeue: .resourceTemporarilyUnavailable),
        ])
        #expect(source.short(try source.run(kernel)) == ["streaming", "frame 0", "lost driver_error", "ended stopped"])
    }

    @Test("a failing poll is a loss")
    func survivesFailingPoll() throws {
        let kernel = ScriptedV4L2([.buffers([Fill(sequence: 0)]), .failing(.ioError)])
        #expect(source.short(try source.run(kernel)) == ["streaming", "frame 0", "lost driver_error", "ended stopped"])
    }

    @Test(
        "a buffer index that does not exist, or that the driver did not have, is a loss",
        arguments: [99, UInt32.max, 0]
    )
    func survivesBadIndex(_ index: UInt32) throws {
        // Buffer 0 is ours already when the driver claims it the second time.
        let kernel = ScriptedV4L2([.buffers([Fill(sequence: 0)]), .buffers([Fill(sequence: 1, index: index)])])
        do {
            let events = try source.run(kernel)
            #expect(source.short(events) == ["streaming", "frame 0", "lost driver_error", "ended stopped"])
        }
        source.expectNothingLeft(kernel)
    }

    @Test("no whole frame for the stall time is a loss; damaged ones do not count as life")
    func noticesStall() throws {
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 0)]), .buffers([Fill(sequence: 1, hasError: true)]), .silence,
        ])
        var options = FrameSourceOptions()
        options.stallTimeout = .milliseconds(700)
        let events = try source.run(kernel, CameraConfiguration(), options)
        #expect(source.short(events) == ["streaming", "frame 0", "lost stalled", "ended stopped"])
        guard case .lost(let failure) = events[2] else { return }
        #expect(failure.description.contains("700 ms"))
    }

    @Test("a camera that opens but sends nothing never counts as streaming, and is reported once")
    func noticesDeadCamera() throws {
        let kernel = ScriptedV4L2([.silence, .silence, .silence]) {
            $0.absences = [{ _ in }, { _ in }]
        }
        #expect(source.short(try source.run(kernel)) == ["lost stalled", "ended stopped"])
    }

    @Test(
        "a camera that is not to be had at the start is waited for",
        arguments: [
            (Errno.noSuchFileOrDirectory, "not_found"), (.permissionDenied, "permission_denied"),
            (.resourceBusy, "busy"), (.operationNotSupportedByDevice, "unplugged"),
        ]
    )
    func waitsAtStart(_ errno: Errno, _ reason: String) throws {
        let kernel = ScriptedV4L2([.buffers([Fill(sequence: 0)])]) { state in
            state.nodes["/dev/video0"]?.openFailure = errno
            state.absences = [
                { state in
                    state.nodes["/dev/video0"]?.openFailure = nil
                }
            ]
        }
        let events = try source.run(kernel, CameraConfiguration(device: .path("/dev/video0")))
        #expect(source.short(events) == ["lost \(reason)", "streaming", "frame 0", "ended stopped"])
    }

    @Test("unless it is not to be waited for")
    func failsFast() throws {
        let kernel = ScriptedV4L2 { $0.nodes = [:] }
        let configuration = CameraConfiguration(waitsForCamera: false)
        #expect(source.short(try source.run(kernel, configuration)) == ["ended not_found"])
    }

    @Test(
        "a busy camera is reported as such, whichever call says so",
        arguments: [V4L2Request.setFormat, .requestBuffers, .startStreaming]
    )
    func reportsBusy(_ request: V4L2Request) throws {
        let kernel = ScriptedV4L2 { $0.nodes["/dev/video0"]?.failures[request] = .resourceBusy }
        let events = try source.run(kernel, CameraConfiguration(waitsForCamera: false))
        #expect(source.short(events) == ["ended busy"])
        source.expectNothingLeft(kernel)
    }

    @Test("settings that can't be fulfilled end the source at the start, with the list of what can be")
    func refusesUnsupportedMode() throws {
        let kernel = ScriptedV4L2()
        let request = CaptureRequest(size: FrameSize(width: 1920, height: 1080), rate: 60)
        let events = try source.run(kernel, CameraConfiguration(request: request))
        #expect(source.short(events) == ["ended unsupported_mode"])
        guard case .ended(.failed(let failure)) = events[0] else { return }
        #expect(failure.description.contains("cannot do 1920x1080 at 60 fps; it can do: YUYV: 32x16 at 30 fps"))
        source.expectNothingLeft(kernel)
    }

    @Test("a node that is no camera ends the source at the start")
    func refusesMetadataNode() throws {
        let kernel = ScriptedV4L2 { state in
            state.nodes["/dev/video0"]?.capabilities = UInt32(V4L2_CAP_META_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
        }
        let events = try source.run(kernel, CameraConfiguration(device: .path("/dev/video0")))
        #expect(source.short(events) == ["ended not_a_camera"])
    }

    @Test("after the first frame even a camera that can't do what is asked for is waited out")
    func waitsForTheRightCamera() throws {
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 0)]), .ready(.failed, dequeue: .operationNotSupportedByDevice),
            .buffers([Fill(sequence: 0)]),
        ]) { state in
            state.absences = [
                { state in
                    state.nodes["/dev/video0"]?.formats = []
                },
                { state in
                    state.nodes["/dev/video0"] = ScriptedV4L2.Node()
                },
            ]
        }
        let events = try source.run(kernel)
        #expect(
            source.short(events) == [
                "streaming", "frame 0", "lost unplugged", "streaming", "frame 1", "ended stopped",
            ]
        )
    }

    @Test("what only libv4lconvert can read is the last resort, and is copied")
    func convertsAsLastResort() throws {
        let kernel = ScriptedV4L2([.buffers([Fill(sequence: 0, bytes: [9])])]) { state in
            let sizes = [CameraSize(FrameSize(width: 16, height: 8), rates: [30...30])]
            state.nodes["/dev/video0"]?.formats = [
                CameraFormat(fourCC: FourCC(rawValue: 0x5643_4750), name: "", sizes: sizes)
            ]
            state.nodes["/dev/video0"]?.converted = [
                CameraFormat(fourCC: .yu12, name: "", isEmulated: true, sizes: sizes)
            ]
        }
        let events = try source.run(kernel)
        #expect(source.short(events) == ["streaming", "frame 0", "ended stopped"])
        guard case .frame(let frame) = events[1] else { return }
        #expect(frame.format == .planarYUV(chromaShiftX: 1, chromaShiftY: 1))
        #expect(frame.planes.first.base.load(as: UInt8.self) == 9)
        source.expectNothingLeft(kernel)
    }

    @Test("without libv4lconvert's help too, a camera with strange formats is refused with their names")
    func refusesStrangeFormats() throws {
        let kernel = ScriptedV4L2 { state in
            let sizes = [CameraSize(FrameSize(width: 16, height: 8), rates: [30...30])]
            state.nodes["/dev/video0"]?.formats = [
                CameraFormat(fourCC: FourCC(rawValue: 0x5643_4750), name: "", sizes: sizes)
            ]
        }
        let events = try source.run(kernel)
        guard case .ended(.failed(let failure)) = events.first else {
            Issue.record("\(source.short(events))")
            return
        }
        #expect(failure.description.contains("PGCV"))
    }

    @Test("closed for a while, a camera is found under the number it has meanwhile, and numbers go on")
    func returnsAfterClosing() throws {
        let memory = CameraMemory()
        let configuration = CameraConfiguration(device: .path("/dev/video0"))
        let first = ScriptedV4L2([.buffers([Fill(sequence: 0)]), .buffers([Fill(sequence: 1)])])
        #expect(
            source.short(try source.run(first, configuration, memory: memory)) == [
                "streaming", "frame 0", "frame 1", "ended stopped",
            ]
        )
        let second = ScriptedV4L2([.buffers([Fill(sequence: 0)])]) { state in
            state.nodes = ["/dev/video1": ScriptedV4L2.Node()]
        }
        let events = try source.run(second, configuration, memory: memory)
        #expect(source.short(events) == ["streaming", "frame 2", "ended stopped"])
    }

    @Test("a replacement that lacks the mode is waited out, not the end of a source that worked")
    func replacementWithoutMode() throws {
        let memory = CameraMemory()
        var configuration = CameraConfiguration()
        configuration.request.size = FrameSize(width: 32, height: 16)
        _ = try source.run(ScriptedV4L2([.buffers([Fill(sequence: 0)])]), configuration, memory: memory)
        let replaced = ScriptedV4L2([.buffers([Fill(sequence: 0)])]) { state in
            let sizes = [CameraSize(FrameSize(width: 64, height: 64), rates: [30...30])]
            state.nodes["/dev/video0"]?.card = "Another"
            state.nodes["/dev/video0"]?.formats = [CameraFormat(fourCC: .yuyv, name: "YUYV", sizes: sizes)]
            state.absences = [
                { state in
                    state.nodes["/dev/video0"] = ScriptedV4L2.Node()
                }
            ]
        }
        let events = try source.run(replaced, configuration, memory: memory)
        #expect(source.short(events) == ["lost unsupported_mode", "streaming", "frame 1", "ended stopped"])
        // The camera has not shown yet that it has the other mode.
        configuration.request.size = FrameSize(width: 1920, height: 1080)
        let asked = try source.run(ScriptedV4L2(), configuration, memory: memory)
        #expect(source.short(asked) == ["ended unsupported_mode"])
    }

    @Test("what was captured before the machine slept is dropped as late")
    func suspend() throws {
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 0)]), .doing { $0.clock.suspended += 10_000_000_000 },
            .buffers([Fill(sequence: 1)]), .buffers([Fill(sequence: 2)]),
        ])
        let mailbox = FrameMailbox(policy: .every(capacity: 100))
        let events = try source.run(kernel, mailbox: mailbox)
        #expect(source.short(events) == ["streaming", "frame 0", "frame 2", "ended stopped"])
        #expect(Tally(mailbox) == Tally(captured: 3, taken: 2, dropped: [.late: 1]))
    }
}
