/// The faces and events of a period, gathered from a daemon's messages. Times are in seconds since its beginning.
package struct FaceReport {
    /// The values of a face, which are valid from a time until its next sample.
    struct Sample: Hashable {
        var time: Double
        var face: FaceObject
    }

    /// An event and the time at which it was reported.
    struct Happening: Hashable {
        var time: Double
        var message: EventMessage

        var faceID: FaceID { message.event.face.faceID }
        var topic: Topic { Topic(message.event.kind) }

        /// Whether the event is a `leave` that the face did not cause, but for example a lost camera or the clip's end.
        var isEndOfSource: Bool {
            if case .leave(_, _, let reason) = message.event.kind { ![.left, .still].contains(reason) } else { false }
        }
    }

    struct Presence {
        let faceID: FaceID
        let start: Double
        fileprivate(set) var end: Double
        var samples: [Sample] = []
        var happenings: [Happening] = []
        /// The number of events of each kind, including those that were removed from `happenings`.
        fileprivate(set) var counts: [Topic: Int] = [:]

        var duration: Double { end - start }

        /// The intervals during which a condition was true of the face's values.
        func stretches(where isSo: (FaceObject) -> Bool) -> [ClosedRange<Double>] {
            var result: [ClosedRange<Double>] = []
            for (sample, end) in zip(samples, samples.dropFirst().map(\.time) + [end]) where isSo(sample.face) {
                let isGoingOn = result.last?.upperBound == sample.time
                let start = isGoingOn ? result.removeLast().lowerBound : sample.time
                result.append(start...max(start, end))
            }
            return result
        }

        func seconds(where isSo: (FaceObject) -> Bool) -> Double {
            stretches(where: isSo).reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        }

        /// The median of each of the head's angles over all samples; nil if no angles are known.
        var medianPose: HeadPose? {
            let poses = samples.compactMap(\.face.pose)
            func median(_ angle: (HeadPose) -> Double?) -> Double? {
                let angles = poses.compactMap(angle).filter(\.isFinite).sorted()
                return angles.isEmpty ? nil : angles[angles.count / 2]
            }
            return median(\.roll).map { HeadPose(roll: $0, yaw: median(\.yaw), pitch: median(\.pitch)) }
        }

        func count(of topic: Topic) -> Int { counts[topic, default: 0] }
        var smiling: Double { seconds { $0.smiling == true } }
        var looking: Double { seconds { $0.looking == true } }
        /// The sample with the best smile; nil if the face did not smile.
        var bestSmile: Sample? { bestSmiles.first }
        private var bestSmiles: [Sample] {
            samples.filter { $0.face.isSeen && $0.face.smiling == true }.bestSmiles(\.face)
        }
        /// The samples best suited as portraits, best first: the best smiles, or else one large and frontal view.
        var portraits: [Sample] {
            let smiles = bestSmiles
            guard smiles.isEmpty else { return smiles }
            let best = samples.filter(\.face.isSeen).max { $0.face.viewQuality < $1.face.viewQuality }
            return best.map { [$0] } ?? []
        }

        /// The time at which the eyes were most closed in a blink that lasted `duration` and was reported at `time`.
        func closure(before time: Double, _ duration: Double) -> Double {
            let first = time - duration - Self.blinkDelay
            let during = samples.filter { $0.face.isSeen && first <= $0.time && $0.time <= time }
            let openness = during.compactMap { sample in
                let eyes = [sample.face.leftEyeOpen, sample.face.rightEyeOpen].compactMap(\.self)
                return eyes.isEmpty ? nil : (time: sample.time, sum: eyes.reduce(0, +))
            }
            if let least = openness.min(by: { $0.sum < $1.sum }) { return least.time }
            let closed = stretches { $0.leftEyeClosed == true || $0.rightEyeClosed == true }
            let last = closed.last { $0.lowerBound <= time && $0.upperBound > first }
            return last.map { ($0.lowerBound + $0.upperBound) / 2 } ?? time - duration / 2
        }

        /// The maximum time, in seconds, from the end of a blink to its event.
        private static let blinkDelay = 0.4

        /// The samples that show an event best: the peak of a smile, closed eyes, the last sighting before a leave.
        func samples(showing happening: Happening) -> [Sample] {
            var time = happening.time
            switch happening.message.event.kind {
            case .smile:
                let smile = samples.drop { $0.time < time - MessageTrack.rounding }.prefix { $0.face.smiling == true }
                let best = smile.filter(\.face.isSeen).bestSmiles(\.face)
                if !best.isEmpty { return best }
            case .blink(_, let duration): time = closure(before: time, duration)
            case .leave(_, let lastSeen, _):
                let event = happening.message.event
                return [Sample(time: time - max(0, event.stamp.time.seconds(since: lastSeen)), face: event.face)]
            default: break
            }
            let shown = samples.last { $0.time <= time + MessageTrack.rounding && $0.face.isSeen } ?? samples.first
            return shown.map { [Sample(time: time, face: $0.face)] } ?? []
        }
    }

    /// The name of the report's source, without anything that should not be public. See `name(of:)`.
    var title = ""
    /// The date at which a live report began; nil for a clip, whose times have nothing to do with the clock.
    var began: Date?
    /// The stays of faces, from arrival to leave, in order of arrival. If there are too many, the longest are kept.
    var presences: [Presence] = []
    var limits = Limits()
    var kept = (samples: 0, happenings: 0)
    /// The minimum time, in seconds, between two samples of one face after the next thinning.
    var resolution = 0.1
    /// The totals of the faces that were removed from `presences`.
    var others = Figures()
    /// The maximum number of faces that were present at the same time.
    private(set) var largestCount = 0
    /// The total time, in seconds, with at least one face.
    private(set) var occupied = 0.0
    /// The end of the report so far: the time of the newest message, or the one given to `finish`.
    package private(set) var end = 0.0
    package private(set) var state = CameraState()
    package private(set) var camera: String?
    /// The source as the daemon's status names it, such as `/dev/video0: YUYV 640x480 at 30.0 frames/s`.
    package private(set) var source: String?
    /// The size of the camera's upright picture; nil until it is known.
    private(set) var pictureSize: FrameSize?
    /// Whether a signal ended the report before its source ended.
    var isInterrupted = false
    /// The number of the signal that came before the source's end; 0 if none did.
    var signal: CInt = 0
    /// The error that ended the source.
    package internal(set) var failure: (any Error)?
    package var endsEarly: Bool { isInterrupted || failure != nil }
    /// The index in `presences` of each face that is present now.
    var indices: [FaceID: Int] = [:]

    /// A source's name without path, credentials and query: a file's name, a URL's host, or just `exec` or `gstreamer`.
    package static func name(of source: String) -> String {
        for prefix in ["exec", "gstreamer"] where source.hasPrefix(prefix + ":") { return prefix }
        if source.contains("://"), !source.hasPrefix("file:") { return URLComponents(string: source)?.host ?? "stream" }
        let isFile = source.hasPrefix("file:") || OutputPath.isClip(source) || fileExists(source)
        return isFile || source.hasPrefix("/") ? URL(filePath: source).lastPathComponent : source
    }

    /// The two parts of `source`: the source's name, and its format such as `YUYV 640x480 at 30.0 frames/s`.
    private var parts: (name: Substring, form: Substring)? {
        guard let source, let separator = source.ranges(of: ": ").last else { return nil }
        return (source[..<separator.lowerBound], source[separator.upperBound...])
    }

    var form: String? { parts.map { String($0.form) } }
    /// The clip that the messages are about; nil if their source is not a clip.
    package var file: String? { parts.map { String($0.name) }.flatMap { OutputPath.isClip($0) ? $0 : nil } }

    /// Adds a message or a change of the connection at `seconds`, or at `end` if that is later.
    mutating func apply(_ occurrence: Subscriber.Occurrence, at seconds: Double) {
        if case .connection(let connection) = occurrence, connection.isInterrupted {
            // Without a connection, it is unknown whether the faces are still there.
            _ = state.forget()
            closeAll(at: advance(to: seconds))
        }
        if let message = occurrence.decoded { apply(message, at: seconds) }
    }

    /// Adds a message at `seconds`, or at `end` (the time of the newest message so far) if that is later.
    mutating func apply(_ message: DaemonMessage, at seconds: Double) {
        let time = advance(to: seconds)
        let change = state.take(message)
        camera = camera ?? state.name
        if change.contains(.faces) {
            let present = Set(state.faces.map(\.faceID))
            for face in indices.keys where !present.contains(face) { close(face, at: time) }
            for face in state.faces { note(face, at: time) }
        }
        if case .event(let message) = message { apply(message, at: time) }
        if !state.mayShowFaces { closeAll(at: time) }
        thin()
        if state.condition == .streaming {
            source = source ?? state.status?.detail
            pictureSize = pictureSize ?? (state.status?.picture).map(FrameSize.init)
        }
    }

    private mutating func apply(_ message: EventMessage, at time: Double) {
        let face = message.event.face.faceID
        let isLeave = Topic(message.event.kind) == .leave
        if !isLeave, indices[face] == nil { note(message.event.face, at: time) }
        // The metadata without the face may come before the face's leave event.
        guard let index = presences.lastIndex(where: { $0.faceID == face }) else { return }
        presences[index].happenings.append(Happening(time: time, message: message))
        presences[index].counts[Topic(message.event.kind), default: 0] += 1
        kept.happenings += 1
        if isLeave { close(face, at: time) }
    }

    private mutating func advance(to seconds: Double) -> Double {
        guard seconds > end else { return end }
        largestCount = max(largestCount, indices.count)
        if !indices.isEmpty { occupied += seconds - end }
        end = seconds
        return end
    }

    /// Ends the report at `seconds`, or at the newest message if nil. Faces that are still present count until then.
    mutating func finish(at seconds: Double? = nil) {
        largestCount = max(largestCount, indices.count)
        closeAll(at: advance(to: seconds ?? end))
    }

    var happenings: [Happening] { presences.flatMap(\.happenings).sorted { $0.time < $1.time } }

    func presence(of happening: Happening) -> Presence? {
        presences.last { $0.faceID == happening.faceID && $0.start <= happening.time }
    }

    /// The totals of all faces, including those that were removed from `presences`.
    var figures: Figures { presences.reduce(into: others) { $0.add($1) } }

    /// The seconds for which each cell of a grid, row by row, was inside a face. Cells near a face's border count less.
    func heat(columns: Int, rows: Int) -> [Double] {
        var seconds = [Double](repeating: 0, count: columns * rows)
        /// The cells that a face covers along one axis, each with its squared distance from the middle (1 at the edge).
        func cells(_ edge: Double, _ length: Double, of count: Int) -> [(index: Int, distance: Double)] {
            let middle = (edge + length / 2) * Double(count)
            let half = max(0.5, length / 2 * Double(count))
            return (0..<count).compactMap { index in
                let distance = (Double(index) + 0.5 - middle) / half
                return abs(distance) <= 1 ? (index, distance * distance) : nil
            }
        }
        for face in presences {
            for (sample, end) in zip(face.samples, face.samples.dropFirst().map(\.time) + [face.end]) {
                let bounds = sample.face.bounds
                let across = cells(bounds.x, bounds.width, of: columns)
                for row in cells(bounds.y, bounds.height, of: rows) {
                    for column in across {
                        let weight = max(0, 1 - row.distance - column.distance)
                        seconds[row.index * columns + column.index] += weight * max(0, end - sample.time)
                    }
                }
            }
        }
        return seconds
    }

    private mutating func note(_ face: FaceObject, at time: Double) {
        let index = indices[face.faceID] ?? presences.count
        if index == presences.count {
            // Without metadata, a face whose leave was missed would be present for ever.
            if indices.count >= MessageLimits.entries, let first = indices.min(by: { $0.value < $1.value })?.key {
                close(first, at: time)
            }
            presences.append(Presence(faceID: face.faceID, start: time, end: time))
            indices[face.faceID] = index
        }
        presences[index].samples.append(Sample(time: time, face: face))
        kept.samples += 1
        presences[index].end = time
    }

    private mutating func closeAll(at time: Double) { for face in indices.keys { close(face, at: time) } }

    private mutating func close(_ face: FaceID, at time: Double) {
        if let index = indices.removeValue(forKey: face) { presences[index].end = time }
    }
}
