import ArgumentParser
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MQTT
import Synchronization

extension Benchmark {
    /// What many daemons on one machine and their broker cost.
    struct Fleet: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Run many daemons against one broker, and report messages, bytes, memory and processor time.",
            discussion: """
                Each figure is of one daemon unless it says otherwise. Run `benchmark fleet 40` for daemons with detection \
                off, and `benchmark fleet 2 --source clip.mp4` for daemons that see a face: all of them analyse each frame, \
                so take no more of them than the machine can run in real time: dropped frames say whether it can. The \
                latency is that from a frame's capture to the metadata at a subscriber on the same clock.
                """
        )

        @Argument(help: "How many daemons (1 to 1000).")
        var daemons: Int

        @Option(help: "A clip or picture that each daemon watches, again and again; without it, detection is off.")
        var source: String?

        @Option(help: "How long to measure, in seconds.")
        var seconds = 30.0

        func validate() throws {
            guard (1...1000).contains(daemons) else { throw ValidationError("1 to 1000 daemons, not \(daemons)") }
            guard seconds >= 1 else { throw ValidationError("--seconds must be 1 or more, not \(seconds)") }
        }

        func run() async throws {
            let directory = try TemporaryDirectory()
            let port = try LoopbackPort.free()
            let lines = [
                "listener \(port) 127.0.0.1", "allow_anonymous true", "log_type error", "max_connections -1",
                getuid() == 0 ? "user root" : "",
            ]
            let configuration = try directory.write(lines.joined(separator: "\n") + "\n", to: "mosquitto.conf")
            let broker = try await ChildProcess(MosquittoBroker.executable, ["-c", configuration])
            let traffic = Traffic()
            let connection = try await traffic.watch(port: port)
            let processes = try await start(port: port, directory: directory)
            // Each has published where it stands, so its models are loaded and the first messages are not counted.
            while traffic.cameras < daemons { try await Task.sleep(for: .milliseconds(100)) }
            try await Task.sleep(for: .seconds(5))

            let before = try times(processes)
            let beforeBroker = try times([broker])
            let start = ContinuousClock.now
            let sentBefore = traffic.sum
            traffic.beginMeasuring()
            let framesBefore = traffic.frames
            try await Task.sleep(for: .seconds(seconds))
            let elapsed = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
            let cpu = try times(processes) - before
            let brokerCPU = try times([broker]) - beforeBroker
            let sent = (
                messages: traffic.sum.messages - sentBefore.messages, bytes: traffic.sum.bytes - sentBefore.bytes
            )
            let memory = try processes.map { try Memory(of: $0.identifier) }
            let latencies = traffic.latencies
            report(sent, elapsed: elapsed, cpu: cpu, brokerCPU: brokerCPU, memory: memory)
            let frames = traffic.frames
            report(latencies, (frames.analysed - framesBefore.analysed, frames.dropped - framesBefore.dropped))
            for process in processes { process.signal(SIGTERM) }
            for process in processes { await process.waitUntilEnded() }
            _ = await connection.stop()
            broker.end()
        }

        private func start(port: Int, directory: TemporaryDirectory) async throws -> [ChildProcess] {
            let what =
                source.map { ["--source", $0, "--set", "clip.loop=true"] } ?? ["--set", "detection.enabled=false"]
            var processes: [ChildProcess] = []
            for number in 1...daemons {
                processes.append(
                    try await ChildProcess(
                        Benchmark.facetd,
                        [
                            "--mqtt", "mqtt://127.0.0.1:\(port)", "--topic", "camera\(number)/faces", "--set",
                            "camera.name=camera\(number)", "--set", "log.level=error", "--set", "stats.interval=2s",
                        ] + what,
                        environment: ["XDG_STATE_HOME": directory.path]
                    )
                )
            }
            return processes
        }

        private func report(
            _ sent: (messages: Int, bytes: Int),
            elapsed: Double,
            cpu: Double,
            brokerCPU: Double,
            memory: [Memory]
        ) {
            let count = Double(daemons)
            func line(_ name: String, _ value: Double, _ unit: String) {
                print(name.padding(toLength: 34, withPad: " ", startingAt: 0) + String(format: "%10.2f ", value) + unit)
            }
            print("\(daemons) daemons, \(source.map { "each watching \($0)" } ?? "detection off"), \(Int(elapsed)) s")
            line("messages", Double(sent.messages) / elapsed / count, "per second")
            line("payload", Double(sent.bytes) / elapsed / count, "bytes per second")
            line("processor time", cpu / elapsed / count * 1000, "ms per second")
            line("resident memory", memory.map(\.resident).reduce(0, +) / count / 1e6, "MB")
            line("its share of memory (PSS)", memory.map(\.share).reduce(0, +) / count / 1e6, "MB")
            line("all daemons' memory (sum of PSS)", memory.map(\.share).reduce(0, +) / 1e6, "MB")
            line("mosquitto, one subscriber", brokerCPU / Double(max(1, sent.messages)) * 1e6, "µs per message")
        }

        private func report(_ latencies: [Double], _ frames: (analysed: Int, dropped: Int)) {
            print("frames analysed \(frames.analysed), dropped \(frames.dropped), by the daemons' statistics")
            guard !latencies.isEmpty else { return }
            let sorted = latencies.sorted()
            func quantile(_ share: Double) -> String {
                String(format: "%.1f", 1000 * sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))])
            }
            print(
                "capture to subscriber, \(sorted.count) metadata messages: median \(quantile(0.5)) ms,",
                terminator: " "
            )
            print("99th percentile \(quantile(0.99)) ms, longest \(quantile(1)) ms")
        }

        /// The processor time of programs, in seconds, that of threads which have ended included.
        private func times(_ processes: [ChildProcess]) throws -> Double {
            processes.reduce(0) { sum, process in
                var clock = clockid_t()
                var time = timespec()
                guard clock_getcpuclockid(process.identifier, &clock) == 0, clock_gettime(clock, &time) == 0 else {
                    return sum
                }
                return sum + Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            }
        }
    }
}

/// A program's memory in bytes, from `/proc/PID/smaps_rollup`.
private struct Memory {
    /// What is in RAM.
    var resident = 0.0
    /// The same with pages that several programs share counted in part: the sum over programs is what they take.
    var share = 0.0

    init(of identifier: Int32) throws {
        let text = try String(contentsOfFile: "/proc/\(identifier)/smaps_rollup", encoding: .utf8)
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count >= 2, let kilobytes = Double(fields[1]) else { continue }
            if fields[0] == "Rss:" { resident = kilobytes * 1024 }
            if fields[0] == "Pss:" { share = kilobytes * 1024 }
        }
    }
}

/// What all daemons publish, as a subscriber of everything counts it.
private final class Traffic: Sendable {
    private struct State {
        var messages = 0
        var bytes = 0
        var cameras: Set<String> = []
        var isMeasuring = false
        /// The times from capture to arrival here, in seconds.
        var latencies: [Double] = []
        /// Frames analysed and dropped, by the topic that says so.
        var frames: [String: (analysed: Int, dropped: Int)] = [:]
    }

    /// What is read of messages.
    private struct Payload: Decodable {
        struct Frames: Decodable {
            var analysed: Int
            var dropped: [String: Int]
        }

        var time: String?
        var frames: Frames?
    }

    private let state = Mutex(State())

    var sum: (messages: Int, bytes: Int) { state.withLock { ($0.messages, $0.bytes) } }
    /// The latencies of the metadata that came since `beginMeasuring`, in seconds.
    var latencies: [Double] { state.withLock(\.latencies) }
    /// The frames of all daemons.
    var frames: (analysed: Int, dropped: Int) {
        state.withLock { state in
            state.frames.values.reduce((0, 0)) { ($0.0 + $1.analysed, $0.1 + $1.dropped) }
        }
    }
    /// How many daemons have published their status.
    var cameras: Int { state.withLock { $0.cameras.count } }

    /// Keeps the latencies of what comes from now on.
    func beginMeasuring() {
        state.withLock { $0.isMeasuring = true }
    }

    /// Subscribes and counts from then on.
    func watch(port: Int) async throws -> BrokerConnection {
        var settings = BrokerSettings(host: "127.0.0.1", port: port, clientID: "benchmark-fleet")
        settings.incomingCapacity = 100_000
        let connection = try BrokerConnection(settings: settings, logger: .silent)
        try connection.subscribe("#")
        try connection.start()
        _ = await connection.occurrences.first { $0.state?.isConnected == true }
        Task {
            for await case .message(let message) in connection.occurrences {
                let now = Timestamp.wallClock()
                let payload = try? JSONDecoder().decode(Payload.self, from: Data(message.payload))
                state.withLock { state in
                    state.messages += 1
                    state.bytes += message.payload.count
                    if message.topic.hasSuffix("/status") { state.cameras.insert(message.topic) }
                    if let frames = payload?.frames {
                        state.frames[message.topic] = (frames.analysed, frames.dropped.values.reduce(0, +))
                    }
                    if message.topic.hasSuffix("/metadata"), state.isMeasuring,
                        let captured = payload?.time.flatMap({ Timestamp(iso8601: $0) })
                    {
                        state.latencies.append(Double(now.nanoseconds - captured.nanoseconds) / 1e9)
                    }
                }
            }
        }
        return connection
    }
}
