import FacetTestSupport
import Foundation
import Logging
import MQTT

/// The programs as users run them, built beside the tests.
enum BuiltProgram {
    /// Starts a program of the package.
    static func start(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> ChildProcess {
        try await ChildProcess(BuildProducts.program(name), arguments, environment: environment)
    }

    /// Runs a program of the package to its end.
    ///
    /// - Returns: Its exit status, and everything it wrote.
    static func run(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> (status: Int?, output: String) {
        let program = try await start(name, arguments, environment: environment)
        await program.waitUntilEnded()
        return program.result
    }
}

extension ChildProcess {
    /// The exit status, once it has ended, and everything it wrote.
    var result: (status: Int?, output: String) {
        (exitStatus, output)
    }

    /// The messages that `--print` wrote, by topic, in order.
    var messages: [PrintedMessage] {
        output.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("{") else { return nil }
            return try? JSONDecoder().decode(PrintedMessage.self, from: Data(line.utf8))
        }
    }
}

/// A line that `--print` wrote, as far as these tests look at it.
struct PrintedMessage: Decodable {
    struct Payload: Decodable {
        var state: String?
        var cameraState: String?
        var reason: String?
        var frame: Int?
        var faceID: Int?
        var seq: Int?
        var duration: Double?
        var outboxDetail: String?
        /// The faces of metadata; events have a number under the same key.
        var faces: [Face]? { list?.value }

        private var list: Faces?

        private struct Faces: Decodable {
            var value: [Face]?

            init(from decoder: any Decoder) throws {
                value = try? decoder.singleValueContainer().decode([Face].self)
            }
        }

        private enum CodingKeys: String, CodingKey {
            case state, cameraState, reason, frame, faceID, seq, duration, outboxDetail
            case list = "faces"
        }
    }

    struct Face: Decodable {
        var faceID: Int
        var roll: Double?
    }

    var topic: String
    var payload: Payload?

    private enum CodingKeys: CodingKey {
        case topic
        case payload
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        topic = try container.decode(String.self, forKey: .topic)
        // A count is a bare number, and the state of detection a text.
        payload = try? container.decode(Payload.self, forKey: .payload)
    }
}

extension MosquittoBroker {
    /// A client that the broker has subscribed to all that a daemon publishes.
    func subscriber() async throws -> BrokerConnection {
        var settings = BrokerSettings(host: host, port: port, clientID: "subscriber")
        settings.incomingCapacity = 100_000
        let subscriber = try BrokerConnection(settings: settings, logger: Logger(label: "test"))
        try subscriber.subscribe("faces/#")
        try subscriber.start()
        try await waitForLog("subscriber 0 faces/#")
        return subscriber
    }
}
