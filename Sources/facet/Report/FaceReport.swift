import FaceMessages
import FaceMetadata
import Frames
import MQTT
import OverlayRendering

/// What was seen over a stretch of time, gathered from a daemon's messages; times are seconds from its beginning.
struct FaceReport {
    /// A face's values from a time on, until its next sample.
    struct Sample: Hashable {
        var time: Double
        var face: FaceObject
    }

    /// An event and when it was settled.
    struct Happening: Hashable {
        var time: Double
        var kind: FaceEvent.Kind
    }

    /// One face from its coming to its going.
    struct Presence {
        let faceID: FaceID
        let start: Double
        fileprivate(set) var end: Double
        fileprivate(set) var samples: [Sample] = []
        fileprivate(set) var happenings: [Happening] = []

        /// How long it was there, in seconds.
        var duration: Double { end - start }

        /// The stretches of time in which something was so, for the face's values.
        func stretches(where isSo: (FaceObject) -> Bool) -> [ClosedRange<Double>] {
            var result: [ClosedRange<Double>] = []
            for (sample, end) in zip(samples, samples.dropFirst().map(\.time) + [end]) where isSo(sample.face) {
                if let last = result.last, last.upperBound == sample.time {
                    result[result.count - 1] = last.lowerBound...end
                } else {
                    result.append(sample.time...max(sample.time, end))
                }
            }
            return result
        }

        func seconds(where isSo: (FaceObject) -> Bool) -> Double {
            stretches(where: isSo).reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        }

        /// The value in the middle of all, each counted once a sample; nil if it was never known.
        func median(_ value: (FaceObject) -> Double?) -> Double? {
            let values = samples.compactMap { value($0.face) }.filter(\.isFinite).sorted()
            return values.isEmpty ? nil : values[values.count / 2]
        }

        func count(of topic: Topic) -> Int { happenings.count { Topic($0.kind) == topic } }
    }

    /// All faces, in the order they came.
    private(set) var presences: [Presence] = []

    /// The time of the last message, or the one set at the end.
    private(set) var end = 0.0
    private(set) var state = CameraState()
    private(set) var camera: String?
    /// What the status says about the source: its name, size and rate.
    private(set) var source: String?

    /// The size of the camera's upright picture, once it is known.
    private(set) var pictureSize: FrameSize?

    private var places: [FaceID: Int] = [:]

    init(source: String? = nil, pictureSize: FrameSize? = nil) {
        (self.source, self.pictureSize) = (source, pictureSize)
    }

    /// Takes what happened where messages come from; times never go back.
    mutating func take(_ occurrence: Subscriber.Occurrence, at seconds: Double) {
        switch occurrence {
        case .connection(let connection) where connection.isInterrupted:
            // While the connection is interrupted nothing is known of any face.
            _ = state.forget()
            closeAll(at: advance(to: seconds))
        case .message(let message):
            if case .decoded(let decoded) = message.content { take(decoded, at: seconds) }
        case .connection, .failed: break
        }
    }

    /// Takes a message that belongs to a time; times never go back.
    mutating func take(_ message: DecodedMessage, at seconds: Double) {
        let time = advance(to: seconds)
        let change = state.take(message)
        camera = camera ?? state.name
        if change.contains(.faces) {
            let present = Set(state.faces.map(\.faceID))
            for face in places.keys where !present.contains(face) { close(face, at: time) }
            for face in state.faces { note(face, at: time) }
        }
        if case .event(let message) = message { take(message.event, at: time) }
        if !state.mayShowFaces { closeAll(at: time) }
        if state.condition == .streaming {
            source = source ?? state.status?.detail
            pictureSize = pictureSize ?? (state.status?.picture).map(FrameSize.init)
        }
    }

    private mutating func take(_ event: FaceEvent, at time: Double) {
        if case .leave = event.kind { return close(event.face.faceID, at: time) }
        if places[event.face.faceID] == nil { note(event.face, at: time) }
        guard let place = places[event.face.faceID] else { return }
        presences[place].happenings.append(Happening(time: time, kind: event.kind))
    }

    private mutating func advance(to seconds: Double) -> Double {
        end = max(end, seconds)
        return end
    }

    /// Ends the stretch of time; faces that are still there stay to its end.
    mutating func finish(at seconds: Double? = nil) {
        closeAll(at: advance(to: seconds ?? end))
    }

    /// Width over height of the camera's picture, 16:9 if it is unknown.
    var aspect: Double {
        guard let size = pictureSize, size.height > 0, size.width > 0 else { return 16 / 9 }
        return Double(size.width) / Double(size.height)
    }

    /// How many faces there were at once, at the most.
    var largestCount: Int {
        let changes = presences.flatMap { [($0.start, 1), ($0.end, -1)] }.sorted { $0 < $1 }
        var (count, largest) = (0, 0)
        for (_, step) in changes {
            count += step
            largest = max(largest, count)
        }
        return largest
    }

    /// For how many seconds there was a face at all.
    var occupied: Double {
        var (sum, reached) = (0.0, 0.0)
        for presence in presences {
            sum += max(0, presence.end - max(reached, presence.start))
            reached = max(reached, presence.end)
        }
        return sum
    }

    private mutating func note(_ face: FaceObject, at time: Double) {
        let place = places[face.faceID] ?? presences.count
        if place == presences.count {
            presences.append(Presence(faceID: face.faceID, start: time, end: time))
            places[face.faceID] = place
        }
        presences[place].samples.append(Sample(time: time, face: face))
        presences[place].end = time
    }

    private mutating func closeAll(at time: Double) {
        for face in places.keys { close(face, at: time) }
    }

    private mutating func close(_ face: FaceID, at time: Double) {
        guard let place = places.removeValue(forKey: face) else { return }
        presences[place].end = time
    }
}
