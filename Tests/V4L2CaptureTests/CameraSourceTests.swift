import CV4L2
import FaceMetadata
import Frames
import SystemPackage
import Testing

@testable import V4L2Capture

@Suite("Camera source against a scripted driver")
struct CameraSourceTests {
    typealias Fill = ScriptedV4L2.Fill

    /// Runs a camera until its script ends, and returns what it reported.
    func run(
        _ kernel: ScriptedV4L2,
        _ configuration: CameraConfiguration = CameraConfiguration(),
        _ options: FrameSourceOptions = FrameSourceOptions(),
        memory: CameraMemory = CameraMemory(),
        mailbox: FrameMailbox = FrameMailbox(policy: .every(capacity: 100))
    ) throws -> [SourceEvent] {
        try CameraSource(configuration, options, memory: memory, calls: kernel).run(into: mailbox)
        var events: [SourceEvent] = []
        while let event = mailbox.next() {
            events.append(event)
            if case .ended = event { break }
        }
        return events
    }

    /// Events in short: `streaming`, `frame 3`, `lost unplugged`, `ended stopped`.
    func short(_ events: [SourceEvent]) -> [String] {
        events.map { event in
            switch event {
            case .streaming: "streaming"
            case .frame(let frame): "frame \(frame.stamp.frame)"
            case .lost(let failure): "lost \(failure.reason)"
            case .ended(.failed(let failure)): "ended \(failure.reason)"
            case .ended(.stopped): "ended stopped"
            case .ended(.finished): "ended finished"
            }
        }
    }

    /// The device is closed and nothing mapped, once the frames are gone.
    func expectNothingLeft(_ kernel: ScriptedV4L2) {
        kernel.state.withLock { state in
            #expect(state.open.isEmpty)
            #expect(state.mappedCount == state.unmappedCount)
            #expect(!state.isStreaming)
        }
    }

    @Test(
        "auto takes the second camera if the first one is busy, whenever that shows",
        arguments: [.setFormat, .requestBuffers, .startStreaming] as [V4L2Request]
    )
    func secondCamera(request: V4L2Request) throws {
        let kernel = ScriptedV4L2([.buffers([.init(sequence: 0)])]) { state in
            state.nodes["/dev/video0"]?.failures[request] = .resourceBusy
            state.nodes["/dev/video1"] = .init(card: "Second", bus: "usb-2")
        }
        let events = try run(kernel, CameraConfiguration(device: .automatic))
        #expect(short(events) == ["streaming", "frame 0", "ended stopped"])
        guard case .streaming(let stream) = events.first else { return }
        #expect(stream.name == "/dev/video1")
    }

    @Test(
        "auto goes on to the second camera if the driver of the first one fails, and without another one says what failed",
        arguments: [
            (.setFormat, .setFormat), (.requestBuffers, .makeBuffers), (.queryBuffer, .makeBuffers),
        ] as [(V4L2Request, V4L2Operation)]
    )
    func failingDriver(request: V4L2Request, operation: V4L2Operation) throws {
        let failing = ScriptedV4L2.Node(failures: [request: .ioError])
        func events(_ other: ScriptedV4L2.Node? = nil) throws -> [SourceEvent] {
            let kernel = ScriptedV4L2([.buffers([Fill(sequence: 0)])]) { state in
                state.nodes["/dev/video0"] = failing
                state.nodes["/dev/video1"] = other
            }
            return try run(kernel, CameraConfiguration(device: .automatic))
        }
        let alone = try events()
        #expect(short(alone) == ["lost driver_error", "ended stopped"])
        guard case .lost(let failure) = alone.first else { return }
        #expect(failure == V4L2Error.failed(operation, device: "/dev/video0", .ioError).sourceFailure)
        let second = try events(.init(card: "Second", bus: "usb-2"))
        #expect(short(second) == ["streaming", "frame 0", "ended stopped"])
        // A camera that only libcamera can set up must still be handed on.
        let sensor = ScriptedV4L2.Node(driver: "rp1-cfe", card: "rp1-cfe", capabilities: 0x2400_0001)
        #expect(short(try events(sensor)) == ["lost not_found", "ended stopped"])
    }

    @Test("if all cameras are busy, that is what is reported")
    func allBusy() throws {
        let kernel = ScriptedV4L2 { state in
            state.nodes["/dev/video0"]?.failures[.startStreaming] = .resourceBusy
            state.nodes["/dev/video1"] = state.nodes["/dev/video0"]
        }
        #expect(short(try run(kernel, CameraConfiguration(device: .automatic))) == ["lost busy", "ended stopped"])
    }

    @Test("a rate beyond the driver's numbers, as uvcvideo makes one of an interval of 0, is set as far as it goes")
    func tenMillionFrames() throws {
        let kernel = ScriptedV4L2([.buffers([.init(sequence: 0)])]) { state in
            state.nodes["/dev/video0"]?.formats[0].sizes[0].rates = [10_000_000...10_000_000]
        }
        #expect(short(try run(kernel)) == ["streaming", "frame 0", "ended stopped"])
        kernel.state.withLock { #expect($0.rateSet == UInt32.max) }
    }

    @Test("a rate that is no number of frames is an error, not a crash", arguments: [10_000_000, -1.0])
    func impossibleRate(rate: Double) throws {
        let kernel = ScriptedV4L2([.buffers([.init(sequence: 0)])]) { state in
            state.nodes["/dev/video0"]?.formats[0].sizes[0].rates = []
        }
        let events = short(try run(kernel, CameraConfiguration(request: CaptureRequest(rate: rate))))
        #expect(events == ["ended unsupported_mode"])
    }

    @Test("a stream that cannot be stopped is not said to have failed to start")
    func stopping() throws {
        let kernel = ScriptedV4L2 { $0.nodes["/dev/video0"]?.failures[.stopStreaming] = .ioError }
        let stream = try CaptureStream(V4L2Device(path: "/dev/video0", calls: kernel), CameraConfiguration(), .up)
        #expect(throws: V4L2Error.failed(.stopStreaming, device: "/dev/video0", .ioError)) {
            try stream.setStreaming(false)
        }
    }

    @Test("reports that it streams with the first frame, delivers frames and stops")
    func streams() throws {
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 0, bytes: [1])]), .buffers([Fill(sequence: 1, bytes: [2])]),
        ])
        do {
            var options = FrameSourceOptions()
            options.orientation = .right
            let events = try run(kernel, CameraConfiguration(), options)
            #expect(short(events) == ["streaming", "frame 0", "frame 1", "ended stopped"])
            guard case .streaming(let stream) = events[0], case .frame(let frame) = events[2] else { return }
            let expected = StreamDescription(
                name: "/dev/video0",
                size: FrameSize(width: 32, height: 16),
                format: "YUYV",
                rate: 30,
                orientation: .right
            )
            #expect(stream == expected)
            #expect(frame.format == .yuyv)
            #expect(frame.orientation == .right)
            #expect(frame.planes.first.base.load(as: UInt8.self) == 2)
            #expect(frame.planes.first.bytesPerRow == 64)
        }
        expectNothingLeft(kernel)
    }

    @Test("of four buffers at once the newest is delivered and each goes back exactly once")
    func takesNewest() throws {
        let kernel = ScriptedV4L2([.buffers((0..<4).map { Fill(sequence: $0, bytes: [UInt8($0) + 10]) })])
        let mailbox = FrameMailbox(policy: .every(capacity: 100))
        do {
            let events = try run(kernel, mailbox: mailbox)
            #expect(short(events) == ["streaming", "frame 3", "ended stopped"])
            guard case .frame(let frame) = events[1] else { return }
            #expect(frame.planes.first.base.load(as: UInt8.self) == 13)
            #expect(kernel.state.withLock { $0.requeues } == [0: 1, 1: 1, 2: 1])
        }
        #expect(Tally(mailbox) == Tally(captured: 4, taken: 1, dropped: [.late: 3]))
    }

    @Test("a frame that is let go gives its buffer back exactly once, while it streams and not after")
    func requeuesOnRelease() throws {
        // A mailbox for the newest frame only: each one pushes the one before out.
        let kernel = ScriptedV4L2((0..<20).map { .buffers([Fill(sequence: $0)]) })
        let mailbox = FrameMailbox(policy: .newest)
        do {
            let events = try run(kernel, mailbox: mailbox)
            #expect(short(events) == ["streaming", "frame 19", "ended stopped"])
        }
        #expect(kernel.state.withLock { $0.requeues.values.reduce(0, +) } == 19)
        #expect(Tally(mailbox) == Tally(captured: 20, taken: 1, dropped: [.late: 19]))
        expectNothingLeft(kernel)
    }

    @Test("leaves the driver two buffers however long frames are held, and copies then")
    func neverStarvesDriver() throws {
        let kernel = ScriptedV4L2((0..<12).map { .buffers([Fill(sequence: $0, bytes: [UInt8($0)])]) })
        do {
            let events = try run(kernel)
            let pixels = events.compactMap { event -> UInt8? in
                guard case .frame(let frame) = event else { return nil }
                return frame.planes.first.base.load(as: UInt8.self)
            }
            #expect(pixels == (0..<12).map { UInt8($0) })
            // The one being taken is the one below two.
            #expect(kernel.state.withLock { $0.fewestQueued } == CaptureLoop.fewestQueued - 1)
        }
        expectNothingLeft(kernel)
    }

    @Test("copies at once what v4l2loopback delivers, which fills buffers it was not given back")
    func copiesFromLoopback() throws {
        let kernel = ScriptedV4L2((0..<3).map { .buffers([Fill(sequence: $0, bytes: [UInt8($0)])]) }) { state in
            state.nodes["/dev/video0"]?.driver = "v4l2 loopback"
        }
        do {
            let events = try run(kernel)
            let pixels = events.compactMap { event -> UInt8? in
                guard case .frame(let frame) = event else { return nil }
                return frame.planes.first.base.load(as: UInt8.self)
            }
            #expect(pixels == [0, 1, 2])
            // No frame holds a buffer of the driver's, though all are still here.
            #expect(kernel.state.withLock { $0.madePrivate == 0 && $0.mappedCount == $0.unmappedCount })
        }
        expectNothingLeft(kernel)
    }

    @Test("a frame outlives its camera")
    func framesOutliveDevice() throws {
        let kernel = ScriptedV4L2([.buffers([Fill(sequence: 0, bytes: [42])])])
        do {
            let events = try run(kernel)
            #expect(kernel.state.withLock { $0.open.isEmpty && $0.mappedCount == $0.unmappedCount + 1 })
            #expect(kernel.state.withLock { $0.madePrivate } == 1)
            guard case .frame(let frame) = events[1] else { return }
            #expect(frame.planes.first.base.load(as: UInt8.self) == 42)
        }
        expectNothingLeft(kernel)
    }

    @Test("a readiness that was none changes nothing")
    func survivesSpuriousReadiness() throws {
        let kernel = ScriptedV4L2([
            .ready(.readable, dequeue: .resourceTemporarilyUnavailable), .buffers([Fill(sequence: 0)]),
        ])
        #expect(short(try run(kernel)) == ["streaming", "frame 0", "ended stopped"])
    }

    @Test("damaged, empty and short buffers are counted, given back and never delivered")
    func dropsCorrupt() throws {
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 0)]),
            .buffers((1..<4).map { Fill(sequence: $0, byteCount: 0, hasError: true) }),
            .buffers([Fill(sequence: 4, hasError: true)]),
            .buffers([Fill(sequence: 5, byteCount: 100)]),
            .buffers([Fill(sequence: 6)]),
        ])
        let mailbox = FrameMailbox(policy: .every(capacity: 100))
        #expect(short(try run(kernel, mailbox: mailbox)) == ["streaming", "frame 0", "frame 6", "ended stopped"])
        #expect(Tally(mailbox) == Tally(captured: 7, taken: 2, dropped: [.corrupt: 5]))
        #expect(kernel.state.withLock { $0.requeues.values.reduce(0, +) } == 5)
    }

    @Test("a good frame keeps its number when damaged ones come with it")
    func damagedAfterGood() throws {
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 0), Fill(sequence: 1, hasError: true), Fill(sequence: 2, byteCount: 100)]),
            .buffers([Fill(sequence: 3, hasError: true), Fill(sequence: 4), Fill(sequence: 6, hasError: true)]),
            .buffers([Fill(sequence: 7)]),
        ])
        let events = short(try run(kernel))
        #expect(events == ["streaming", "frame 0", "frame 4", "frame 7", "ended stopped"])
    }

    @Test("a stamp that no clock gives is as good as none")
    func impossibleStamps() throws {
        let stamps = [(Int.max, 0), (.min, 0), (0, .max), (0, .min), (Int.max / 1_000_000_000, 999_999)]
        let fills = stamps.enumerated().map { Fill(sequence: UInt32($0), stamp: $1) }
        let events = try run(ScriptedV4L2(fills.map { .buffers([$0]) }))
        let times = events.compactMap { if case .frame(let frame) = $0 { frame.stamp.mediaTime } else { nil } }
        #expect(times.map { ($0 * 1000).rounded() } == [0, 1, 2, 3, 4])
    }

    @Test("a short MJPG, or bytes that are no JPEG, are corrupt")
    func judgesJPEG() throws {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF]
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 0, bytes: jpeg, byteCount: 500)]),
            .buffers([Fill(sequence: 1, bytes: jpeg, byteCount: 3)]),
            .buffers([Fill(sequence: 2, bytes: [0, 0], byteCount: 500)]),
        ]) { state in
            let sizes = [CameraSize(FrameSize(width: 32, height: 16), rates: [30...30])]
            state.nodes["/dev/video0"]?.formats = [CameraFormat(fourCC: .mjpg, name: "", sizes: sizes)]
        }
        let mailbox = FrameMailbox(policy: .every(capacity: 100))
        let events = try run(kernel, mailbox: mailbox)
        #expect(short(events) == ["streaming", "frame 0", "ended stopped"])
        guard case .frame(let frame) = events[1] else { return }
        #expect(frame.format == .jpeg)
        #expect(frame.planes.first.bytesPerRow == 500)
        #expect(mailbox.counts.dropped == [.corrupt: 2])
    }

    @Test("gaps in the sequence are counted, and frame numbers count what is missing")
    func countsGaps() throws {
        let kernel = ScriptedV4L2([
            .buffers([Fill(sequence: 7)]), .buffers([Fill(sequence: 8)]), .buffers([Fill(sequence: 12)]),
        ])
        let mailbox = FrameMailbox(policy: .every(capacity: 100))
        #expect(
            short(try run(kernel, mailbox: mailbox)) == ["streaming", "frame 0", "frame 1", "frame 5", "ended stopped"]
        )
        #expect(Tally(mailbox) == Tally(captured: 3, taken: 3, dropped: [.sequenceGap: 3]))
    }

    @Test("ends at once when it was stopped before, and when the mailbox is closed")
    func stopsEarly() throws {
        let closed = FrameMailbox(policy: .newest)
        closed.close()
        let kernel = ScriptedV4L2([.buffers([Fill(sequence: 0)]), .buffers([Fill(sequence: 1)])])
        try CameraSource(CameraConfiguration(), calls: kernel).run(into: closed)
        #expect(kernel.state.withLock { $0.script.count } == 1)
        expectNothingLeft(kernel)
    }
}
