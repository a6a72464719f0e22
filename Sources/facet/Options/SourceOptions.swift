import ArgumentParser
import Companion
import FaceMessages
import FacetKit
import Foundation

/// `--source`: pictures and faces from a session in this program instead of a daemon's.
struct SourceOptions: ParsableArguments {
    @Option(
        help: .init(
            "Look at this camera, clip or stream without a daemon or a broker: auto, /dev/video0, clip.mp4, rtsp://….",
            valueName: "source"
        )
    )
    var source: String?

    @OptionGroup var broker: BrokerOptions

    /// Whether the source is a file, which ends, and is there to be looked through.
    var isFile: Bool {
        source.map { !FaceSession.Source.isCamera($0) && FileManager.default.fileExists(atPath: $0) } ?? false
    }

    /// Connects for a command, or opens the source.
    func subscriber(
        command: String,
        topics: [Topic] = Topic.viewed,
        all: Bool = false,
        capacity: Int = 1024,
        largest: Int? = nil,
        loops: Bool = false
    ) async throws -> Subscriber {
        guard let source else {
            return try await broker.access().subscriber(command, topics, all: all, capacity: capacity, largest: largest)
        }
        guard broker.camera == nil else {
            throw ValidationError("--camera names a camera on the broker; it and --source exclude each other")
        }
        return try Subscriber(source: source, loops: loops)
    }
}
