import ArgumentParser
import DaemonCore
import FaceInference
import FaceMessages
import FaceMetadata
import FacetKit
import Foundation
import Frames
import Logging
import MQTT
import MediaFiles
import System

extension Benchmark {
    /// What the daemon costs per frame, against the least that following one face costs.
    struct Tracking: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Time the daemon's whole way from frame to message, against bare crop and mesh."
        )

        @Argument(help: "A clip that begins with a face, and shows one.")
        var clip: String

        @Option(help: "The port of a broker on this machine to send the messages to.")
        var port: Int?

        func run() async throws {
            let frames = try RecordedFrames(clip)
            guard let first = frames.frames.first, let bare = try BareInference(first) else {
                throw ValidationError("\(clip) does not begin with a face: give a clip that shows one all the time")
            }
            let daemon = try DaemonUnderTest(frames, brokerPort: port)
            let broker = port.map(String.init) ?? "none"
            print("frames: \(frames.frames.count) of \(first.size), \(first.format); broker: \(broker)")
            try await Benchmark.compare(
                Contender("bare") { _ in for frame in frames.frames { try bare.run(frame) } },
                Contender("daemon") { round in try daemon.run(round: round) },
                items: frames.frames.count
            )
            await daemon.stop()
            print("messages: \(daemon.messages)")
            let count = Double(frames.frames.count * Benchmark.rounds)
            let stages = daemon.stages.map { stage in
                "\(stage.name) \(String(format: "%.3f", 1000 * stage.mean * Double(stage.runs) / count)) ms"
            }
            print("daemon, a frame, by stage: \(stages.joined(separator: ", "))")
        }
    }
}

/// The daemon's own parts from the mailbox to the broker, fed from memory.
final class DaemonUnderTest {
    private let session: FaceSession
    private let pipeline: Pipeline
    private let publisher: Publisher
    private let round = Monitor(0)
    private let connection: BrokerConnection?
    private let counter = CountingSink()

    var messages: Int { counter.count }
    /// How long each stage has taken.
    var stages: [DaemonStats.Stage] { session.meter.figures().stages }

    init(_ frames: RecordedFrames, brokerPort: Int?) throws {
        let logger = Logger(label: "benchmark")
        let origin = MessageOrigin(camera: "benchmark", boot: ULID.make(at: .wallClock()))
        var sinks: [any MessageSink] = [counter]
        connection = try brokerPort.map { port in
            try BrokerConnection(
                settings: BrokerSettings(host: "127.0.0.1", port: port, clientID: "benchmark"),
                logger: logger
            )
        }
        if let connection {
            try connection.start()
            sinks.append(BrokerSink(connection: connection, base: "benchmark"))
        }
        var settings = Settings()
        settings.detection.options.maximumFaces = 4
        publisher = try Publisher(origin: origin, wanted: settings.publish, ledger: Ledger(), sinks: sinks)
        session = try FaceSession(source: .custom(RecordedSource(frames, round: round)))
        pipeline = try Pipeline(
            settings: settings,
            status: StatusReporter(
                publisher: publisher,
                isDetecting: true,
                logger: Logger(label: "status") { _ in SwiftLogNoOpLogHandler() }
            ),
            meter: session.meter,
            logger: Logger(label: "pipeline") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    func run(round: Int) throws {
        self.round.update { $0 = round }
        try session.run { pipeline.publish($0) }
    }

    func stop() async {
        publisher.finish()
        _ = await connection?.stop()
    }
}

/// The recorded frames as a source.
private final class RecordedSource: FrameSource {
    private let frames: RecordedFrames
    private let round: Monitor<Int>

    init(_ frames: RecordedFrames, round: Monitor<Int>) {
        self.frames = frames
        self.round = round
    }

    func run(into mailbox: FrameMailbox) { frames.play(into: mailbox, round: round.update { $0 }) }

    func stop() {}
}

/// Counts messages, so that a daemon that does nothing does not pass for a fast one.
private final class CountingSink: MessageSink {
    private let total = Monitor(0)

    var count: Int { total.update { $0 } }

    func send(_ message: Message) {
        total.update { $0 += 1 }
    }
}
