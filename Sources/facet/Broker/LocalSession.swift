import ArgumentParser
import FaceInference
import FaceMessages
import FaceMetadata
import FaceSession
import Frames
import MQTT
import Synchronization
import System

/// `--source`: pictures and faces from a session in this program instead of a daemon's.
struct SourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Look at this camera, clip or stream without a daemon or a broker: auto, /dev/video0, clip.mp4, rtsp://….",
            valueName: "source"
        )
    )
    var source: String?

    @Option(
        help: ArgumentHelp(
            "The camera by its name, or by what its topics begin with, where the broker has several.",
            valueName: "name"
        )
    )
    var camera: String?

    func validate() throws {
        guard source == nil || camera == nil else {
            throw ValidationError("--camera names a camera on the broker; it and --source exclude each other")
        }
    }

    /// Where a live command's messages and pictures come from.
    func subscriber(
        _ broker: BrokerOptions,
        command: String,
        topics: [Topic] = Topic.viewed,
        capacity: Int = 1024
    ) async throws -> Subscriber {
        guard let source else {
            let isPlural = camera != nil || BrokerOptions.isPlural(broker.topic)
            let base =
                isPlural
                ? try await CameraChoice.base(named: camera, broker, command: command) : try broker.base()
            return try Subscriber(
                broker,
                command: command,
                topics: topics,
                patterns: [base],
                capacity: capacity
            )
        }
        let base = try broker.base()
        do throws(FaceSessionError) {
            return Subscriber(try LocalSession(source), topic: base, name: source, capacity: capacity)
        } catch {
            throw CommandFailure(error.description)
        }
    }
}

/// A session in this program, as the messages of a daemon that looks at the same source.
final class LocalSession: Sendable {
    /// The topic and the payload of each message; ends with the session.
    let messages: AsyncStream<Message>

    private let session: FaceSession
    private let ticket = RunTicket()
    private let thread = Mutex<JoinableThread?>(nil)

    /// Opens a clip; a camera is opened when the session runs.
    init(_ text: String, capacity: Int = 64) throws(FaceSessionError) {
        var options = FaceSession.Options()
        options.frames = .full
        // As a terminal or a clip needs them.
        options.maximumFrameRate = 30
        let session = try FaceSession(source: FaceSession.Source(text), options: options)
        let (messages, continuation) = AsyncStream.makeStream(
            of: Message.self,
            bufferingPolicy: .bufferingNewest(capacity)
        )
        self.messages = messages
        self.session = session
        do {
            let thread = try JoinableThread(named: "session") { [ticket] in
                let feed = Feed(camera: text, continuation)
                do throws(FaceSessionError) {
                    try session.run(ticket) { feed.take($0) }
                } catch {
                    feed.fail(error)
                }
                continuation.finish()
            }
            self.thread.withLock { $0 = thread }
        } catch {
            throw .thread(error)
        }
    }

    /// Closes the source.
    func stop() {
        session.cancel(ticket)
        thread.withLock(\.self)?.join()
    }
}

/// Makes the messages of a session's updates, on the session's thread.
private final class Feed {
    private let encoder: MessageEncoder
    private let jpeg = try? JPEGEncoder(quality: 90, maximumWidth: 1920)
    private let messages: AsyncStream<Message>.Continuation
    private var state: StreamState?

    init(camera: String, _ messages: AsyncStream<Message>.Continuation) {
        encoder = MessageEncoder(camera: camera, boot: ULID.make(at: .wallClock()))
        self.messages = messages
    }

    func take(_ update: FaceUpdate) {
        if update.state != state {
            state = update.state
            messages.yield(encoder.status(status(update.state)))
        }
        for event in update.events {
            messages.yield(encoder.event(event, id: ULID.make(at: .wallClock()), seq: 0, latency: nil))
        }
        guard let stamp = update.stamp else { return }
        messages.yield(encoder.metadata(update.faces, at: stamp))
        guard let frame = update.frame else { return }
        // A picture that cannot be encoded is missing; the next one comes soon.
        if let picture = try? jpeg?.encode(frame) { messages.yield(encoder.preview(picture, of: stamp)) }
    }

    /// The session has failed for good.
    func fail(_ error: FaceSessionError) {
        var status = status(.ended)
        status.cameraState = .lost
        status.detail = error.description
        messages.yield(encoder.status(status))
    }

    private func status(_ state: StreamState) -> DaemonStatus {
        var status = DaemonStatus(
            state: .online,
            detect: true,
            version: facetVersion,
            attention: [],
            time: .wallClock()
        )
        switch state {
        case .starting: status.cameraState = .starting
        case .streaming(let stream):
            status.cameraState = .streaming
            status.detail = stream.summary
        case .lost(let failure):
            status.cameraState = .lost
            status.reason = failure.reason
            status.detail = failure.description
        case .paused: status.cameraState = .disabled
        case .ended: status.state = .stopped
        }
        return status
    }
}
