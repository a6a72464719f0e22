import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Synchronization

@testable import FaceInference
@testable import FaceTracking

/// The recorded landmarks of one labelled clip.
struct Trace {
    /// One face in one frame.
    struct Sighting {
        var frame: Int
        var time: Double
        var lineage: Int
        var yaw: Double
        var pitch: Double
        var eyeDistance: Double
        var leftLids: FaceObservation.Lids
        var rightLids: FaceObservation.Lids
        var mouth: FaceObservation.MouthShape
        var gaze: Gaze
        var appearance: EachEye<EyeAppearance.Signal>?
    }

    /// What happened to a face, and when it was reported.
    struct Event {
        var name: String
        var lineage: Int
        /// When it was reported, in seconds.
        var reported: Double
        /// The frame that it belongs to, and its time.
        var frame: Int
        var time: Double
        var duration = 0.0
    }

    /// What a face does, as far as that is known.
    struct State {
        var isLooking: Bool?
        var isTalking: Bool?
        /// What is published of it that says how good a picture of a smile is.
        var face: FaceObject
    }

    let name: String
    var sightings: [Sighting]

    /// The labels of all clips, by name.
    static func labels(of set: TraceSet = .accuracy) throws -> [String: Any] {
        let data = try set.isHere ? Data(contentsOf: set.index) : PackedTraces.read("labels", of: set)
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    init(name: String, sightings: [Sighting]) {
        self.name = name
        self.sightings = sightings
    }

    init(_ name: String, of set: TraceSet = .accuracy) throws {
        self.name = name
        if let known = Self.read.withLock({ $0[name] }) {
            sightings = known
            return
        }
        let traces = try set.isHere ? [name: Self.recorded(name, of: set)] : PackedTraces.sightings(of: set)
        sightings = traces[name] ?? []
        Self.read.withLock { $0.merge(traces) { known, _ in known } }
    }

    /// What was read already: several tests go through all clips.
    private static let read = Mutex<[String: [Sighting]]>([:])

    private static func recorded(_ name: String, of set: TraceSet) throws -> [Sighting] {
        let file = name.replacing("/", with: "__") + ".jsonl.gz"
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "trace-to-numbers.py")
        let data = try Tool.run(
            "/usr/bin/env",
            [
                "python3", script.path, set.directory.appending(path: "traces/\(file)").path,
                set.directory.appending(path: "points.json").path,
            ]
        )
        let landmarks = FaceLandmarks()
        let length = 12 + 3 * FaceLandmarks.count
        return data.withUnsafeBytes { bytes in
            let numbers = bytes.bindMemory(to: Double.self)
            return stride(from: 0, to: numbers.count - numbers.count % length, by: length).map { start in
                for index in 0..<FaceLandmarks.count {
                    let place = start + 12 + 3 * index
                    landmarks[index] = PixelLandmark(
                        Float(numbers[place]),
                        Float(numbers[place + 1]),
                        Float(numbers[place + 2])
                    )
                }
                return Sighting(Array(numbers[start..<start + 12]), FaceGeometry(landmarks))
            }
        }
    }

    /// What was right of something in this clip, with the size of its faces.
    func count(_ figure: String, of all: Double, right: Double, wrong: Double? = nil) -> ClipCount {
        let distances = sightings.map(\.eyeDistance).sorted()
        let median = distances.isEmpty ? 0 : distances[distances.count / 2]
        let size = median < 40 ? "below 40 px" : median < 80 ? "40 to 80 px" : "from 80 px"
        return ClipCount(figure, in: name, of: all, right: right, wrong: wrong, group: "eyes \(size) apart")
    }

    /// Everything that the detectors report, as the tracker uses them.
    ///
    /// - Parameter watch: Called with each sighting, and what its face does then.
    /// - Returns: What happened, in order.
    func events(_ watch: (Sighting, State) -> Void = { _, _ in }) -> [Event] {
        var faces:
            [Int: (
                eyes: EyeOpenness, blink: BlinkDetector, closed: ClosedEyes, smile: SmileDetector, mouth: MouthDetector,
                gaze: GazeDetector, first: Double
            )] = [:]
        var events: [Event] = []
        for seen in sightings {
            var face =
                faces[seen.lineage]
                ?? (
                    EyeOpenness(), BlinkDetector(), ClosedEyes(), SmileDetector(), MouthDetector(), GazeDetector(),
                    seen.time
                )
            defer { faces[seen.lineage] = face }
            let openness = face.eyes.advance(EachEye(seen.leftLids, seen.rightLids), at: seen.time)
            let stamp = FrameStamp(frame: seen.frame, time: Timestamp(nanoseconds: 0), mediaTime: seen.time)
            let observation = FaceObservation.sample(yaw: seen.yaw, gaze: seen.gaze, eyeDistance: seen.eyeDistance)
            let options = FaceTracker.Options()
            let context = FrameContext(observation: observation, stamp: stamp, frameRate: 30, options: options)
            let isVisible = context.isVisible
            let canWink = context.canWink
            let blink = face.blink.advance(
                .init(openness: openness, appearance: seen.appearance, canWink: canWink),
                context
            )
            let smile = face.smile.advance(seen.mouth, context)
            let look = face.gaze.advance(areEyesOpen: openness.areOpen, context)
            let opened = face.mouth.advance(seen.mouth.opening, context)
            if !isVisible { face.closed.interrupt(at: seen.time) }
            let closed = isVisible ? face.closed.advance(openness, canBeOneEye: canWink, at: seen.time) : nil
            let bounds = NormalizedRect(x: 0.3, y: 0.3, width: 0.3, height: 0.3)
            var shown = FaceObject(faceID: FaceID(rawValue: seen.lineage), bounds: bounds, confidence: 1)
            (shown.smile, shown.pose) = (face.smile.amount, HeadPose(roll: 0, yaw: seen.yaw, pitch: seen.pitch))
            if isVisible {
                (shown.leftEyeClosed, shown.rightEyeClosed) = (face.closed.isClosed.left, face.closed.isClosed.right)
                (shown.leftEyeOpen, shown.rightEyeOpen) = (face.closed.openness.left, face.closed.openness.right)
            }
            let isLooking = face.gaze.look.isLooking
            let isTalking = face.mouth.isTalking
            watch(seen, State(isLooking: isLooking, isTalking: isTalking, face: shown))
            // Before its enter the face is not reported.
            guard seen.time - face.first >= 0.1 - Track.slack else { continue }
            if let blink {
                events.append(
                    Event(
                        name: blink.eyes == .both ? "blink" : "wink",
                        lineage: seen.lineage,
                        reported: seen.time,
                        frame: blink.opened.frame,
                        time: blink.opened.mediaTime,
                        duration: blink.duration
                    )
                )
            }
            for kind in [smile, look, opened, closed].compactMap(\.self) {
                events.append(
                    Event(
                        name: Topic(kind).rawValue,
                        lineage: seen.lineage,
                        reported: seen.time,
                        frame: seen.frame,
                        time: seen.time
                    )
                )
            }
        }
        return events
    }
}

extension Trace {
    /// Gives every other sighting of a face the mouth and the yaw of the one before, which is the most that the
    /// analyzer does where only the mouth or the outline changed.
    mutating func delayMouth() {
        var last: [Int: (index: Int, isDelayed: Bool)] = [:]
        for index in sightings.indices {
            let lineage = sightings[index].lineage
            let before = last[lineage]
            last[lineage] = (index, false)
            guard let before, !before.isDelayed else { continue }
            let earlier = sightings[before.index]
            guard sightings[index].time - earlier.time < UnchangedFace.longestLag,
                earlier.mouth.smileLevel < UnchangedFace.mostSmileInLag
            else { continue }
            sightings[index].mouth = earlier.mouth
            sightings[index].yaw = earlier.yaw
            last[lineage] = (index, true)
        }
    }

    /// The trace played for some seconds, forwards, backwards and so on, each time with new noise like that of its
    /// landmarks.
    func played(for seconds: Double) -> Trace {
        let interval = sightings[1].time - sightings[0].time
        var result = Trace(name: name, sightings: [])
        var time = 0.0
        var round = 0
        while time < seconds {
            var played = self
            if round > 0 { played.addNoise(seed: UInt64(round)) }
            if round % 2 == 1 { played.sightings.reverse() }
            for var seen in played.sightings {
                seen.time = time
                seen.lineage = 1
                result.sightings.append(seen)
                time += interval
            }
            round += 1
        }
        return result
    }

    /// Adds as much noise to the lids, the mouth and the gaze as their signals have.
    mutating func addNoise(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let signals: [WritableKeyPath<Sighting, Double>] = [
            \.leftLids.height, \.rightLids.height, \.mouth.opening, \.mouth.cornerDrop, \.mouth.smileLevel,
            \.gaze.yaw, \.gaze.pitch,
        ]
        for signal in signals {
            let noise = noise(of: signal)
            for index in sightings.indices {
                // Nearly normal, with a variance of 1.
                let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0...1, using: &generator) }
                sightings[index][keyPath: signal] += noise * normal
            }
        }
    }

    /// The standard deviation of a signal's noise: from the median of its second differences, which leave out what
    /// moves.
    private func noise(of signal: KeyPath<Sighting, Double>) -> Double {
        let values = sightings.map { $0[keyPath: signal] }
        let differences = values.indices.dropLast(2).map { abs(values[$0] - 2 * values[$0 + 1] + values[$0 + 2]) }
        return 1.4826 * differences.sorted()[differences.count / 2] / 6.0.squareRoot()
    }
}

extension Trace.Sighting {
    /// Reads the first twelve numbers of a record of `trace-to-numbers.py`.
    fileprivate init(_ numbers: [Double], _ geometry: FaceGeometry) {
        frame = Int(numbers[0])
        time = numbers[1]
        lineage = Int(numbers[2])
        yaw = numbers[3]
        eyeDistance = numbers[4]
        leftLids = geometry.lids(of: FaceMeshIndices.leftEye)
        rightLids = geometry.lids(of: FaceMeshIndices.rightEye)
        mouth = geometry.mouthShape
        let pose = geometry.axes.pose(of: geometry.landmarks)
        pitch = pose.pitch ?? .nan
        gaze = geometry.gaze(with: pose) ?? Gaze(yaw: 90, pitch: 0)
        appearance =
            numbers[5] == 0
            ? nil
            : EachEye(
                .init(dissimilarity: numbers[6], center: numbers[7], logBrightness: numbers[8]),
                .init(dissimilarity: numbers[9], center: numbers[10], logBrightness: numbers[11])
            )
    }
}

extension Trace.Event {
    /// The event as a line that the daemon would print, for the scorer.
    var line: String {
        """
        {"topic":"faces/\(name)","payload":{"mediaTime":\(time),"frame":\(frame),"faceID":\(lineage),\
        "duration":\(duration)}}

        """
    }
}
