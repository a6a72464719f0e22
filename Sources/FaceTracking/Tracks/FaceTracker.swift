/// Turns the observations of each frame into faces with an identity, and into events.
///
/// Its only clock is the `mediaTime` of the frames, so the same frames always give the same events.
public struct FaceTracker: Sendable {
    /// The options: how faces are followed, and which events are detected.
    public struct Options: Hashable, Sendable {
        /// How long a face must be seen before its `enter` event, in seconds.
        public var enterDelay = 0.1
        /// How long a face may be unseen, in seconds, before it leaves or its place is examined (see `hold`).
        public var patience = 0.7
        /// How long a face may be unseen, in seconds, while the picture of its place shows that the person is still
        /// there: turned away, covered or bent. With 0, faces leave after `patience` in any case.
        public var hold = 600.0
        /// The settings that define what counts as a smile.
        public var smile = SmileSettings()
        /// How long a smile may stay below 0.58 of its highest level without ending, in seconds, as it does in a laugh.
        ///
        /// With 0 s, 167 of 188 labelled smiles are events and 33 are reported twice. With 0.5 s, these are 162 and 10.
        /// With 1.5 s, they are 158 and 7, because smiles that follow each other closely count as one.
        public var smileMerge = 0.5
        /// The minimum distance of the outer eye corners, in pixels, for expressions to be known.
        ///
        /// At 24 pixels an open eye is about four pixels high. Below, the landmarks jitter as much as in a blink.
        public var smallestEyeDistance = 24.0
        /// The maximum yaw to either side, in degrees, for expressions to be known.
        public var yawLimit = 35.0
        /// Areas with distinct names. Events tell when a face enters or leaves one. Faces elsewhere are tracked, too.
        public var zones: [Zone] = []
        /// The seconds without any movement in a face after which it counts as `still`, that is, as a mere picture.
        public var stillAfter = 30.0
        /// Whether faces that are `still` leave, and are followed again only when something changes where they were.
        public var ignoresStill = false
        /// Whether signs are detected: deliberate blinks, winks, nods and shakes of the head.
        public var readsSigns = false
        /// Whether the source's picture is a mirror image. Winks, which name the person's own eye, depend on it.
        package var isMirrored = false
        /// The settings that define when a face counts as looking at the camera or another target.
        public var look = LookSettings()
        /// The camera's diagonal field of view, in degrees, from which distances are computed.
        ///
        /// Webcams have 60 to 80. If the source crops the picture, the field of view is less than the data sheet says.
        public var fieldOfView = 70.0

        /// Makes the default options.
        public init() {}
    }

    /// The faces after a frame, and the events of the frame.
    package struct Update: Hashable, Sendable {
        /// All present faces, ordered by identity. A face that is hidden for a moment keeps its last values. A held
        /// one, kept because the picture of its place still shows the person, has no measurements.
        package var faces: [FaceObject] = []
        /// The faces that were seen in this very frame, with unsmoothed bounds and pose, even if they have not entered.
        package var sightings: [FaceSighting] = []
        package var events: [FaceEvent] = []
        /// The reasons why some events cannot be detected although faces are seen.
        package var attention: Set<FaceAttention> = []
        /// The analyzer's numbers for the faces that left because they are only pictures of faces.
        package var setAside: [Int] = []
    }

    /// The options in use; a change takes effect with the next frame.
    package var options: Options
    private(set) var tracks: [Track] = []
    private var rate = FrameRateMeter()
    private var trackCount = 0
    /// The identity that the next face to enter will get.
    package private(set) var nextFaceID: FaceID

    /// Makes a tracker without faces, whose first face gets `nextFaceID`.
    package init(options: Options = Options(), nextFaceID: FaceID = FaceID(rawValue: 1)) {
        self.options = options
        self.nextFaceID = nextFaceID
    }

    /// Processes the observations of the next frame.
    /// - Parameters:
    ///   - stamp: The frame's stamp.
    ///   - observations: The faces that were observed in the frame.
    ///   - skipped: The number of frames that the source left out before this one because nothing happened.
    ///   - isCut: Whether the scene seems to have changed. Faces are then recognized by place, size and clothes only.
    ///   - readings: What the places of unseen faces show, by track number; needed to keep these faces as present.
    /// - Returns: The faces and events after this frame.
    package mutating func advance(
        to stamp: FrameStamp,
        with observations: [FaceObservation],
        skipped: Int = 0,
        isCut: Bool = false,
        readings: [Int: PlaceReading] = [:]
    ) -> Update {
        rate.advance(to: stamp.mediaTime, skipped: skipped)
        var update = Update()
        if rate.value < BlinkDetector.minimumRate { update.attention.insert(.lowFrameRate) }
        if isCut { for index in tracks.indices { tracks[index].wasCut = true } }
        let usable = observations.filter(\.isFinite)
        let assigned = Assignment.tracks(of: usable, among: tracks, at: stamp.mediaTime)
        for (observation, known) in zip(usable, assigned) {
            if known == nil {
                trackCount += 1
                tracks.append(Track(observation, number: trackCount, at: stamp))
            }
            observe(observation, known ?? tracks.count - 1, at: stamp, &update)
        }
        if options.ignoresStill { dropStill(at: stamp, &update) }
        update.events += dropGone(at: stamp, readings)
        update.faces = faces
        return update
    }

    /// Processes a frame that could not be analysed. Time passes, so faces may leave.
    package mutating func skip(to stamp: FrameStamp) -> Update {
        let events = dropGone(at: stamp, nil)
        return Update(faces: faces, events: events)
    }

    /// Removes all faces at once, and returns the ends of their expressions and their `leave` events for `reason`.
    package mutating func endAll(reason: FaceEvent.LeaveReason, at stamp: FrameStamp) -> [FaceEvent] {
        let events = tracks.flatMap { $0.leave(reason: reason, at: stamp) }
        tracks = []
        rate = FrameRateMeter()
        return events
    }

    /// The present faces, seen or unseen, ordered by identity.
    package var faces: [FaceObject] { tracks.compactMap(\.face).sorted { $0.faceID < $1.faceID } }

    /// The analyzer's numbers for the faces whose landmarks are needed in the next frame even if it hardly differs.
    package var needingEveryFrame: Set<Int> { Set(tracks.lazy.filter(\.needsEveryFrame).map(\.lineage)) }

    /// The number that the analyzer last gave to each present face while following it, by the face's identity.
    package var lineages: [FaceID: Int] {
        Dictionary(uniqueKeysWithValues: tracks.compactMap { track in track.face.map { ($0.faceID, track.lineage) } })
    }

    private mutating func observe(_ seen: FaceObservation, _ index: Int, at stamp: FrameStamp, _ update: inout Update) {
        tracks[index].observe(FrameContext(observation: seen, stamp: stamp, frameRate: rate.value, options: options))
        if tracks[index].canEnter(at: stamp, after: options.enterDelay) {
            update.events.append(tracks[index].enter(as: nextFaceID, at: stamp))
            nextFaceID = FaceID(rawValue: nextFaceID.rawValue + 1)
        }
        update.events += tracks[index].drainExpressionEvents()
        update.sightings.append(tracks[index].sighting(seen))
        guard tracks[index].face != nil else { return }
        // The yaw is unknown if the head is turned very far.
        let isTurned = seen.pose.yaw.map { abs($0) > options.yawLimit } ?? true
        if isTurned { update.attention.insert(.turnedAway) }
        if seen.eyeDistance < options.smallestEyeDistance {
            update.attention.insert(.tooSmall)
        } else if !seen.hasMesh, !isTurned {
            update.attention.insert(.notMeasured)
        }
    }

    private mutating func dropStill(at stamp: FrameStamp, _ update: inout Update) {
        for track in tracks where track.face?.still == true {
            update.events += track.leave(reason: .still, at: stamp)
            update.setAside.append(track.lineage)
        }
        tracks.removeAll { $0.face?.still == true }
    }

    /// Removes the faces that are gone and returns their events; `readings` is nil for a frame that was not analysed.
    private mutating func dropGone(at stamp: FrameStamp, _ readings: [Int: PlaceReading]?) -> [FaceEvent] {
        var events: [FaceEvent] = []
        var gone: Set<Int> = []
        for index in tracks.indices where tracks[index].lastSeen != stamp {
            tracks[index].miss(at: stamp, wasLookedAt: readings != nil, options)
            let isThere = tracks[index].isThere(readings, at: stamp, options)
            events += tracks[index].drainExpressionEvents()
            guard !isThere else { continue }
            events += tracks[index].leave(reason: .left, at: stamp)
            gone.insert(tracks[index].number)
        }
        if !gone.isEmpty { tracks.removeAll { gone.contains($0.number) } }
        return events
    }

    /// Returns the request to examine the places of unseen people in a frame; nil if `Options.hold` is 0.
    package func placeRequest(at time: Double, besides observations: [FaceObservation] = []) -> PlaceRequest? {
        guard options.hold > 0 else { return nil }
        let unseen = tracks.lazy.filter { track in !observations.contains { $0.lineage == track.lineage } }
        func isNew(_ seen: FaceObservation) -> Bool {
            !tracks.contains { $0.hasEntered && $0.lineage == seen.lineage }
        }
        var request = PlaceRequest()
        request.isEmpty = !tracks.contains(where: \.hasEntered)
        request.hasUnseen = tracks.contains { $0.face?.isSeen == false }
        request.comparesClothes = tracks.contains { $0.hold != nil } && observations.contains(where: isNew)
        request.queries = unseen.compactMap { $0.place(at: time, options) }
        request.unseen = unseen.map(\.bounds)
        return request
    }
}

extension FaceObservation {
    /// Whether the bounds are not empty and every number is finite. Other values would spoil the filters for good.
    fileprivate var isFinite: Bool {
        let numbers =
            [bounds.x, bounds.y, bounds.width, bounds.height, pose.roll, confidence, eyeDistance]
            + [leftLids, rightLids].flatMap { [$0.height, $0.width] }
            + [mouthShape.opening, mouthShape.cornerDrop, mouthShape.smileLevel]
            + [leftEye, rightEye, mouth].flatMap { [$0.x, $0.y] }
            + [pose.yaw, pose.pitch, gaze?.yaw, gaze?.pitch, irisDiameter, ownMotion?.size].compactMap(\.self)
        return bounds.width > 0 && bounds.height > 0 && numbers.allSatisfy(\.isFinite)
    }
}

/// Measures the rate of analysed frames.
struct FrameRateMeter {
    private var last: Double?
    private var interval: Double?
    /// The rate in frames per second; an assumed 30 until it is known.
    var value: Double { interval.map { 1 / $0 } ?? 30 }

    /// Processes a frame's time in seconds, and the number of frames that were left out before it.
    mutating func advance(to time: Double, skipped: Int = 0) {
        defer { last = time }
        guard let last, time > last else { return }
        let new = (time - last) / Double(1 + skipped)
        // One late frame out of ten must not stop the detection of blinks. One slow second must.
        interval = interval.map { $0 + 0.1 * (new - $0) } ?? new
    }
}
