import FaceMetadata
package import Frames
import Synchronization
import System

/// A GStreamer pipeline as a source of frames.
///
/// Cameras and other live pipelines are made anew whenever they are lost: `.lost` says why, and tries follow each other
/// within a second. Their frames have the time of their capture by the pipeline's clock, and the newest one wins. Another
/// pipeline, of a file, plays at its own clock, and every frame is taken; it ends with the file.
package final class PipelineSource: FrameSource {
    package struct Options: Hashable, Sendable {
        /// How fast a pipeline of a file plays.
        package var pace = PlaybackPace.realtime
        /// Whether a pipeline of a file begins again at its end.
        package var loops = false
        package var orientation = Orientation.up
        /// For how long no picture may come before the source counts as lost.
        package var stallTimeout = Duration.seconds(2)

        package init(pace: PlaybackPace = .realtime, loops: Bool = false) {
            (self.pace, self.loops) = (pace, loops)
        }
    }

    /// How long starting may take: a network camera answers late, and a file is searched for its first picture.
    private static let startTimeout = Duration.seconds(10)
    /// How often a blocked wait looks whether it is to end, in nanoseconds.
    private static let slice: Int64 = 50_000_000

    private enum End {
        case stopped
        case finished
        case lost(SourceFailure)
    }

    private let description: PipelineDescription
    private let options: Options
    private let isOver = Monitor(false)
    /// The pipeline that `init` made, until it is played.
    private let made: Mutex<GStreamerPipeline?>

    /// Checks the description; the camera or the file is not touched before `run`.
    ///
    /// - Throws: `SourceFailure` if GStreamer or an element is missing, or the description has an error.
    package init(_ description: PipelineDescription, options: Options = Options()) throws(SourceFailure) {
        self.description = description
        self.options = options
        made = Mutex(try GStreamerPipeline(description))
    }

    package func stop() { isOver.update { $0 = true } }

    private var isStopped: Bool { isOver.update { $0 } }

    package func run(into mailbox: FrameMailbox) {
        var run = Run(mailbox: mailbox, orientation: options.orientation, name: description.name)
        mailbox.put(.ended(untilEnd(&run)))
    }

    private func untilEnd(_ run: inout Run) -> SourceEnd {
        var reported: SourceFailure?
        var backoff = Backoff(0.25...1)
        while !isStopped {
            let before = run.nextFrame
            var pipeline: GStreamerPipeline?
            switch playOnce(&pipeline, &run) {
            case .stopped: return .stopped
            case .finished:
                guard options.loops, run.nextFrame > before else { return .finished }
            case .lost(let failure):
                guard description.isCamera || run.isLive else { return .failed(failure) }
                if run.nextFrame > before {
                    backoff.reset()
                    reported = nil
                }
                // Once until it changes: a camera that is off for a night is one line in the log.
                if failure != reported, !run.mailbox.put(.lost(failure)) { return .stopped }
                reported = failure
                // Only then: a camera that is gone may take its time to stop.
                pipeline = nil
                _ = wait(until: .now + .seconds(backoff.next()))
            }
        }
        return .stopped
    }

    /// Plays a new pipeline until it ends.
    private func playOnce(_ current: inout GStreamerPipeline?, _ run: inout Run) -> End {
        let pipeline: GStreamerPipeline
        do throws(SourceFailure) { pipeline = try takePipeline() } catch { return .lost(error) }
        current = pipeline
        let begin = ContinuousClock.now
        while true {
            guard !isStopped else { return .stopped }
            switch pipeline.start(nanoseconds: Self.slice) {
            case .started(let isLive):
                run.begin(isLive: isLive, isPaced: !isLive && options.pace == .realtime)
                return play(pipeline, &run)
            case .failed: return .lost(failure(of: pipeline))
            case .waiting where begin.duration(to: .now) > Self.startTimeout: return .lost(stall(Self.startTimeout))
            case .waiting: break
            }
        }
    }

    /// The pipeline that `init` made, once; a new one afterwards.
    private func takePipeline() throws(SourceFailure) -> GStreamerPipeline {
        let first = made.withLock { made in
            let taken = made
            made = nil
            return taken
        }
        if let first { return first }
        return try GStreamerPipeline(description)
    }

    /// Waits for a moment.
    ///
    /// - Returns: false if the source was stopped before.
    private func wait(until moment: ContinuousClock.Instant) -> Bool {
        isOver.wait(for: ContinuousClock.now.duration(to: moment)) { $0 ? () : nil } == nil
    }

    private func play(_ pipeline: GStreamerPipeline, _ run: inout Run) -> End {
        var last = ContinuousClock.now
        while true {
            guard !isStopped else { return .stopped }
            switch pipeline.next(nanoseconds: Self.slice) {
            case .picture(let picture):
                guard run.deliver(picture, waitUntil: wait) else { return .stopped }
                last = .now
            case .waiting where last.duration(to: .now) > options.stallTimeout:
                return .lost(stall(options.stallTimeout))
            case .waiting: break
            case .failed: return .lost(failure(of: pipeline))
            case .ended where run.isLive || description.isCamera:
                return .lost(failure(.streamLost, "the stream ended; trying again, check the camera."))
            case .ended: return .finished
            }
        }
    }

    private func stall(_ time: Duration) -> SourceFailure {
        failure(.stalled, "no picture for \(time); check the camera, its cable and the pipeline.")
    }

    private func failure(of pipeline: GStreamerPipeline) -> SourceFailure {
        let (text, reason) = pipeline.failure ?? ("it cannot be started", .driverError)
        return failure(reason, "\(text.withoutFullStop); check the camera, the file or the pipeline.")
    }

    private func failure(_ reason: SourceFailure.Reason, _ text: String) -> SourceFailure {
        SourceFailure(reason: reason, description: "cannot get pictures from \(description.name): \(text)")
    }
}

/// What one run of a source has delivered.
private struct Run {
    let mailbox: FrameMailbox
    let orientation: Orientation
    let name: String
    private(set) var isLive = false
    /// Whether its pictures wait for their time.
    private var isPaced = false
    private(set) var nextFrame = 0
    private var announced: StreamDescription?
    private var started: (clock: ContinuousClock.Instant, wall: Timestamp)?
    private var latest = -1.0
    /// What is added to the times of a pipeline that begins again.
    private var offset = 0.0
    private var copies = PixelMemoryPool()

    init(mailbox: FrameMailbox, orientation: Orientation, name: String) {
        (self.mailbox, self.orientation, self.name) = (mailbox, orientation, name)
    }

    /// Begins with a pipeline that was just started.
    mutating func begin(isLive: Bool, isPaced: Bool) {
        (self.isLive, self.isPaced) = (isLive, isPaced)
        announced = nil
        offset = latest < 0 ? 0 : latest + 1.0 / 30
    }

    /// Puts a picture into the mailbox; what its format or its size makes unusable is counted as corrupt.
    ///
    /// - Returns: false if the mailbox is closed or the wait for the picture's time ended early.
    mutating func deliver(
        _ picture: GStreamerPipeline.Picture,
        waitUntil wait: (ContinuousClock.Instant) -> Bool
    ) -> Bool {
        // What a network's buffer adds to each picture is no sign that this one has become stale.
        let age = picture.age.map { $0 < .seconds(1) ? $0 : .zero } ?? .zero
        var captured = ContinuousClock.now - age
        let now = Timestamp.wallClock().advanced(bySeconds: -(age / .seconds(1)))
        let start = started ?? (captured, now)
        started = start
        let elapsed = start.clock.duration(to: captured) / .seconds(1)
        let next = isLive ? elapsed : picture.time.map { $0 + offset } ?? elapsed
        // Two pictures of one moment keep their order.
        latest = max(next, latest < 0 ? 0 : latest + 0.000_001)
        if isPaced {
            captured = start.clock.advanced(by: .seconds(latest))
            guard wait(captured) else { return false }
        }
        // The wall clock may be set while a camera runs.
        let time = isLive ? now : start.wall.advanced(bySeconds: latest)
        let stamp = FrameStamp(frame: nextFrame, time: time, mediaTime: latest)
        nextFrame += 1
        let (planes, owner) = pixels(of: picture)
        guard
            var frame = try? Frame(
                planes: planes,
                keptBy: owner,
                size: picture.size,
                format: picture.format,
                encoding: picture.encoding,
                orientation: orientation,
                stamp: stamp
            )
        else {
            mailbox.count(.corrupt)
            return true
        }
        frame.captured = captured
        return announce(picture) && mailbox.put(.frame(frame))
    }

    /// The picture's memory; of a live one a copy: cameras have few buffers, and libcamera 0.0.3 crashes if one is given back
    /// after the camera was closed.
    private mutating func pixels(
        of picture: GStreamerPipeline.Picture
    ) -> (planes: [(bytes: UnsafeRawBufferPointer, bytesPerRow: Int)], owner: any AnyObject & Sendable) {
        // Each plane reaches to the end of the picture, so the longest is all of it.
        let all = picture.planes.map(\.bytes).max { $0.count < $1.count }
        guard isLive, let all, let begin = all.baseAddress, !all.isEmpty else { return (picture.planes, picture.lease) }
        return withExtendedLifetime(picture.lease) {
            let memory = copies.take(byteCount: all.count)
            memory.base.copyMemory(from: begin, byteCount: all.count)
            let planes = picture.planes.map { plane, bytesPerRow in
                let start = memory.base + (all.count - plane.count)
                return (UnsafeRawBufferPointer(start: start, count: plane.count), bytesPerRow)
            }
            return (planes, memory)
        }
    }

    /// Says what streams, if that is new.
    private mutating func announce(_ picture: GStreamerPipeline.Picture) -> Bool {
        let stream = StreamDescription(
            name: name,
            size: picture.size,
            format: picture.formatName,
            rate: picture.rate,
            orientation: orientation,
            isLive: isLive
        )
        guard stream != announced else { return true }
        announced = stream
        return mailbox.put(.streaming(stream))
    }
}

extension String {
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
