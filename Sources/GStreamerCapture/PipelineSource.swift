import CGStreamer
import System

/// A GStreamer pipeline as a source of frames.
///
/// Cameras and other live pipelines are reopened within a second after each loss. The capture times of their frames
/// come from the pipeline's clock. Other pipelines end with their file, unless they loop.
package final class PipelineSource: FrameSource {
    /// The maximum length of one wait, in nanoseconds. Between waits, a stop and the time limit are checked.
    private static let slice: Int64 = 50_000_000

    private let description: PipelineDescription
    private let options: FrameSourceOptions
    private let isOver = StopSignal(false)
    /// The pipeline that `init` made; nil once `run` has taken it.
    private let made: Mutex<GStreamerPipeline?>

    /// Checks the description, without opening the camera or the file.
    /// - Throws: `SourceFailure` if GStreamer or an element is missing, or the description has an error.
    package init(_ description: PipelineDescription, options: FrameSourceOptions = FrameSourceOptions())
        throws(SourceFailure)
    {
        self.description = description
        self.options = options
        made = Mutex(try GStreamerPipeline(description))
    }

    package func stop() { isOver.set() }

    package func run(into mailbox: FrameMailbox) {
        var delivery = PictureDelivery(into: mailbox, until: isOver, longestGap: options.stallTimeout)
        // Kept until its loss is reported, because the pipeline of an unplugged camera may take long to stop.
        var pipeline: GStreamerPipeline?
        defer { withExtendedLifetime(pipeline) {} }
        // Whether the newest pipeline that started is live.
        var isLive = false
        SourceRunner(into: mailbox, until: isOver, waiting: 0.25...1).run { () throws(SourceFailure) in
            pipeline = nil
            do throws(SourceFailure) {
                let first = made.withLock { $0.take() }
                let next = if let first { first } else { try GStreamerPipeline(description) }
                pipeline = next
                return try play(next, &isLive, into: &delivery)
            } catch {
                guard isLive || description.isCamera else { return .failed(error) }
                throw error
            }
        }
    }

    /// Plays a pipeline to its end.
    /// - Returns: How the pipeline ended; nil to start it again.
    private func play(
        _ pipeline: GStreamerPipeline,
        _ isLive: inout Bool,
        into delivery: inout PictureDelivery
    ) throws(SourceFailure) -> SourceEvent.End? {
        let before = delivery.delivered
        var last = ContinuousClock.now
        while !isOver.isSet {
            // Going live says nothing of the first picture: a network camera still has to answer and send a key frame.
            let isFirst = delivery.delivered == before
            let limit = isFirst ? max(options.stallTimeout, options.openTimeout) : options.stallTimeout
            let (state, picture) = pipeline.next(nanoseconds: Self.slice)
            switch state {
            case .ready, .live:
                isLive = pipeline.isLive
                last = .now
                let timing: PictureDelivery.Timing =
                    isLive ? .live(hasTimes: false) : options.pace == .realtime ? .paced : .file
                delivery.begin(timing, rate: nil, isConnection: false)
            case .picture, .waiting:
                guard let picture else {
                    guard last.duration(to: .now) > limit else { break }
                    throw failure(.stalled, "no picture for \(limit); check the camera, its cable and the pipeline.")
                }
                let size = picture.stream.size
                guard size.width * size.height <= options.maximumPixels else {
                    throw .tooLarge(description.name, size, limit: options.maximumPixels)
                }
                guard deliver(picture, to: &delivery) else { return .stopped }
                last = .now
            case .failed:
                let (text, reason) = pipeline.failure ?? ("it cannot be started", .driverError)
                let remedy = "check the camera, the file or the pipeline"
                throw failure(reason, "\(text.withoutFullStop); \(remedy).")
            case .ended where isLive || description.isCamera:
                throw failure(.streamLost, "the stream ended; trying again, check the camera.")
            case .ended: return options.loops && delivery.delivered > before ? nil : .finished
            }
        }
        return .stopped
    }

    private func failure(_ reason: SourceFailure.Reason, _ text: String) -> SourceFailure {
        let text = "cannot get pictures from \(description.name): \(text.withoutPasswords)"
        return SourceFailure(reason: reason, description: text)
    }

    /// Delivers a picture to the `FrameMailbox`, or counts it as corrupt if its format or size is unusable.
    /// - Returns: False if the source was stopped or the mailbox is closed.
    private func deliver(_ picture: GStreamerPipeline.Picture, to delivery: inout PictureDelivery) -> Bool {
        guard var frame = picture.frame else {
            delivery.countDamage()
            return true
        }
        frame.orientation = options.wholeOrientation
        var stream = picture.stream
        stream.orientation = options.wholeOrientation
        return delivery.deliver(frame, of: stream, at: picture.time, age: picture.age)
    }
}

extension String {
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
