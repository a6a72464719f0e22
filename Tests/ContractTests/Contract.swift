import FaceMessages
import Foundation
import MQTT

/// The published contract, and the script that holds messages against it with the jsonschema library.
enum Contract {
    /// What Debian's packages python3-jsonschema and python3-yaml are for.
    static let interpreter = "/usr/bin/python3"
    static let isCheckable = (try? run(["-c", "import jsonschema, yaml"]))?.status == 0
    static let packageDirectory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let directory = packageDirectory.appending(path: "config").path

    /// An operation of `asyncapi.yaml`.
    struct Operation: Decodable {
        var address: String
        var action: String
        var contentType: String
        var qos: Int?
        var retain: Bool?
    }

    /// Checks the contract's own files.
    ///
    /// - Returns: What is wrong with them, and the operations if nothing is.
    static func document() throws -> (problems: [String], operations: [Operation]) {
        let (status, lines) = try run([script, directory, "document"])
        guard status == 0 else { return (lines, []) }
        return ([], try lines.map { try JSONDecoder().decode(Operation.self, from: Data($0.utf8)) })
    }

    /// Holds messages against the contract.
    ///
    /// - Returns: What is wrong with them, one line per problem: the message's index, its topic, the problem.
    static func problems(
        with messages: [SentMessage],
        base: String = "faces",
        prefix: String = "homeassistant"
    ) throws -> [String] {
        let encoder = JSONEncoder()
        let input = try messages.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }.joined()
        let (status, lines) = try run([script, directory, "messages", base, prefix], input: input)
        return status == 0 || !lines.isEmpty ? lines : ["the script failed with status \(status)"]
    }

    /// Which messages problems are about.
    static func indices(of problems: [String]) -> Set<Int> {
        Set(problems.compactMap { $0.split(separator: ":").first.flatMap { Int($0) } })
    }

    private static var script: String {
        packageDirectory.appending(path: "Tests/ContractTests/hold-against-contract.py").path
    }

    private static func run(_ arguments: [String], input: String = "") throws -> (status: Int32, lines: [String]) {
        let process = Process()
        process.executableURL = URL(filePath: interpreter)
        process.arguments = arguments
        // A file: a pipe that is not read yet would block the program that writes.
        let file = FileManager.default.temporaryDirectory.appending(path: "facet-\(UUID().uuidString).jsonl")
        try Data(input.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text.split(separator: "\n").map(String.init))
    }
}

/// A message as it went over the wire.
struct SentMessage: Encodable {
    var topic: String
    var qos: Int
    var retain: Bool
    var contentType: String?
    var properties: [[String]]
    var payload: Data

    /// What a message of this program says of itself.
    init(_ message: Message, base: String = "faces") {
        topic = message.topic.name(under: base)
        qos = message.topic.qos
        retain = message.topic.isRetained
        contentType = message.contentType
        properties = message.userProperties.map { [$0.name, $0.value] }
        payload = Data(message.payload)
    }

    /// What a subscriber received, with the quality of service and retention that the broker's log tells.
    init(_ message: MQTTMessage, qos: Int, retain: Bool) {
        topic = message.topic
        self.qos = qos
        self.retain = retain
        contentType = message.contentType
        properties = message.userProperties.map { [$0.name, $0.value] }
        payload = Data(message.payload)
    }

    var text: String { String(decoding: payload, as: UTF8.self) }
}
