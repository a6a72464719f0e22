import Foundation

/// All messages about a clip, in order of time, for drawing over the clip.
package struct MessageTrack: Sendable {
    package struct Entry: Hashable, Sendable {
        /// The seconds from the clip's first frame; a message without a frame has the time of the message before it.
        package var mediaTime: Double
        package var message: DaemonMessage
    }

    /// The tolerance, in seconds, for the rounded times of messages, so that a frame's own message is not missed.
    package static let rounding = 0.0005
    package private(set) var entries: [Entry] = []
    package let camera: String
    /// The time of the last message that belongs to a frame, in seconds.
    package private(set) var end = 0.0
    /// The time of the first metadata with a face, in seconds; nil if there is none.
    package private(set) var firstFace: Double?
    /// The first status that says that the source streams; nil if there is none.
    package private(set) var streamStatus: DaemonStatus?

    /// A function that gets each message as soon as it is read, and may append it to the entries.
    package typealias Take = (inout [Entry], Entry) -> Void

    /// Reads lines as `facetd --print` writes them: one JSON object each, with `topic` and `payload`. `take` gets each
    /// message and by default keeps it. Messages of discovery, pictures and statistics are skipped.
    ///
    /// - Throws: `MessageTrackError` for an unreadable line, several cameras, or no metadata and no streaming status.
    package init<Rows: Sequence>(rows: Rows, _ take: Take = { $0.append($1) }) throws(MessageTrackError)
    where Rows.Element: StringProtocol {
        var cameras: Set<String> = []
        var hasMetadata = false
        for (index, row) in rows.enumerated() where !row.allSatisfy(\.isWhitespace) {
            guard let message = try Self.message(in: row, number: index + 1) else { continue }
            if let stamp = message.stamp { end = stamp.mediaTime }
            if let origin = message.origin { cameras.insert(origin.camera) }
            let entry = Entry(mediaTime: end, message: message)
            hasMetadata = hasMetadata || entry.metadata != nil
            if firstFace == nil, entry.metadata?.faces.isEmpty == false { firstFace = end }
            streamStatus = streamStatus ?? entry.streamStatus
            take(&entries, entry)
        }
        // For a clip without faces, a daemon publishes only its status.
        guard hasMetadata || streamStatus != nil else { throw .noMetadata }
        guard cameras.count == 1, let camera = cameras.first else { throw .severalCameras(cameras.sorted()) }
        self.camera = camera
    }

    private static func message(in row: some StringProtocol, number: Int) throws(MessageTrackError) -> DaemonMessage? {
        guard let json = try? JSONSerialization.jsonObject(with: Data(row.utf8)) else {
            throw .badLine(number: number, reason: "it is not JSON")
        }
        guard let fields = json as? [String: Any], let name = fields["topic"] as? String,
            let payload = fields["payload"]
        else { throw .badLine(number: number, reason: "it has no topic and payload") }
        guard let topic = Topic(name: name), topic != .previewJPEG, topic != .stats else { return nil }
        do {
            // The payload as it was published: a text is sent bare, all else as JSON.
            let bytes =
                try (payload as? String).map { Data($0.utf8) }
                ?? JSONSerialization.data(withJSONObject: payload, options: .fragmentsAllowed)
            return try MessageDecoder().decode(bytes, on: topic)
        } catch {
            throw .badLine(number: number, reason: String(describing: error))
        }
    }
}

/// Applies the messages of a track to a scene as time advances.
package struct MessagePlayback: Sendable {
    package private(set) var scene = Scene()
    package let track: MessageTrack
    private var next = 0

    package init(_ track: MessageTrack) { self.track = track }

    /// Applies the messages up to a time in the clip, in seconds, and returns their events. Time must not go back.
    @discardableResult
    package mutating func advance(to mediaTime: Double) -> [EventMessage] {
        var events: [EventMessage] = []
        while next < track.entries.count, track.entries[next].mediaTime <= mediaTime + MessageTrack.rounding {
            let entry = track.entries[next]
            next += 1
            scene.apply(entry.message, at: entry.mediaTime)
            if case .event(let message) = entry.message { events.append(message) }
        }
        scene.advance(to: mediaTime)
        if let before = scene.state.shown, let after = track.entries[next...].lazy.compactMap(\.metadata).first,
            before.origin.boot == after.origin.boot
        {
            scene.show(FaceHistory.faces(at: mediaTime, between: before, and: after))
        }
        return events
    }
}

extension MessageTrack.Entry {
    fileprivate var streamStatus: DaemonStatus? {
        guard case .status(let status, _) = message, status.cameraState == .streaming else { return nil }
        return status
    }

    fileprivate var metadata: MetadataMessage? { if case .metadata(let message) = message { message } else { nil } }
}

/// The reason why a file does not contain the messages of a clip.
package struct MessageTrackError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    private static let command = "facetd --source CLIP --pace asap --no-mqtt --print --every-change"
    static let noMetadata = Self(description: "there is no metadata message in it; write one with `\(command)`")

    static func badLine(number: Int, reason: String) -> Self {
        Self(description: "line \(number) is not a message as `facetd --print` writes them: \(reason)")
    }

    static func severalCameras(_ cameras: [String]) -> Self {
        let names = cameras.joined(separator: ", ")
        return Self(description: "it holds messages of several cameras (\(names)); one at a time can be drawn")
    }
}
