package import Frames
import Synchronization
import System

/// A GStreamer pipeline as a source of frames.
///
/// Cameras and other live pipelines are made anew whenever they are lost: `.lost` says why, and tries follow each other
/// within a second. Their frames have the time of their capture by the pipeline's clock, and the newest one wins.
/// Another pipeline, of a file, plays at its own clock, and every frame is taken; it ends with the file.
package final class PipelineSource: FrameSource {
    /// Nanoseconds after which a blocked wait checks whether it must end.
    private static let slice: Int64 = 50_000_000

    private let description: PipelineDescription
    private let options: FrameSourceOptions
    private let isOver = StopSignal(false)
    /// The pipeline that `init` made, until it is played.
    private let made: Mutex<GStreamerPipeline?>

    /// Checks the description; the camera or the file is not touched before `run`.
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
        var run = Run()
        mailbox.put(.ended(delivery.untilEnd(waiting: 0.25...1) { play(&run, into: &$0) }))
    }

    private struct Run {
        /// The newest pipeline, kept until its loss was reported, since a camera that is gone may stop slowly.
        var pipeline: GStreamerPipeline?
        /// Whether the newest pipeline that started is live.
        var isLive = false
    }

    private func play(_ run: inout Run, into delivery: inout PictureDelivery) -> PictureDelivery.Attempt {
        run.pipeline = nil
        let pipeline: GStreamerPipeline
        do throws(SourceFailure) {
            // The one that `init` made the first time, then a new one.
            pipeline = if let first = made.withLock({ $0.take() }) { first } else { try GStreamerPipeline(description) }
        } catch {
            return lost(error, run)
        }
        run.pipeline = pipeline
        let before = delivery.delivered
        var last = ContinuousClock.now
        while !isOver.isSet {
            let limit = pipeline.hasStarted ? options.stallTimeout : options.openTimeout
            switch pipeline.next(nanoseconds: Self.slice) {
            case .started:
                run.isLive = pipeline.isLive
                last = .now
                let timing: PictureDelivery.Timing =
                    run.isLive ? .live(hasTimes: false) : options.pace == .realtime ? .paced : .file
                delivery.begin(timing, rate: nil, isConnection: false)
            case .picture(let picture):
                let size = picture.stream.size
                guard size.width * size.height <= options.maximumPixels else {
                    return lost(.tooLarge(description.name, size, limit: options.maximumPixels), run)
                }
                guard deliver(picture, to: &delivery) else { return .ended(.stopped) }
                last = .now
            case .waiting where last.duration(to: .now) > limit:
                return lost(.stalled, "no picture for \(limit); check the camera, its cable and the pipeline.", run)
            case .waiting: break
            case .failed:
                let (text, reason) = pipeline.failure ?? ("it cannot be started", .driverError)
                let remedy = "check the camera, the file or the pipeline"
                return lost(reason, "\(text.withoutFullStop); \(remedy).", run)
            case .ended where run.isLive || description.isCamera:
                return lost(.streamLost, "the stream ended; trying again, check the camera.", run)
            case .ended: return options.loops && delivery.delivered > before ? .finishedRound : .ended(.finished)
            }
        }
        return .ended(.stopped)
    }

    private func lost(_ reason: SourceFailure.Reason, _ text: String, _ run: Run) -> PictureDelivery.Attempt {
        let text = "cannot get pictures from \(description.name): \(text.withoutPasswords)"
        return lost(SourceFailure(reason: reason, description: text), run)
    }

    /// Cameras and other live pipelines are tried again.
    private func lost(_ failure: SourceFailure, _ run: Run) -> PictureDelivery.Attempt {
        run.isLive || description.isCamera ? .lost(failure) : .ended(.failed(failure))
    }

    /// Delivers a picture; one with an unusable format or size is counted as corrupt.
    /// - Returns: False if the source was stopped or the mailbox closed.
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
