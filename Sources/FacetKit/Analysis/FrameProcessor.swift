/// Turns each frame into an update with a decoder, an analyzer and a tracker, and keeps the state of the source.
///
/// `@unchecked Sendable` because one thread at a time uses it: first the one that loads the models, then the run's.
final class FrameProcessor: @unchecked Sendable {
    /// Whether the source may skip frames, because there was neither a face nor motion for a second. False if updates
    /// contain all frames.
    var isQuiet: Bool {
        guard let quietSince, let lastStamp, options.frames == .none || options.maximumFrameRate != nil else {
            return false
        }
        return lastStamp.mediaTime - quietSince >= Self.quietDelay
    }

    private(set) var state = StreamState.starting
    private let meter: SessionMeter
    private var options: FaceSession.Options
    private var analyzer: FaceAnalyzer?
    private(set) var decoder: JPEGDecoder?
    private(set) var tracker: FaceTracker
    /// The meter that tells whether the place of an unseen face still shows the person; nil until it is needed.
    private var places: PlaceMeter?
    private var attention = AttentionFilter()
    /// The mean brightness, 0…1, below which a picture is too dark, because noise outweighs an eyelid's contrast.
    private static let darkest = 0.08

    /// The frame that is still to be searched.
    private var unsearched: Frame?
    private var lastStamp: FrameStamp?
    private var lastDelivery: Double?
    private var stream: StreamDescription?
    private var stallTimeout = 0.0
    /// The media time, in seconds, of the stream's last decodable frame; of its first frame if none was decodable.
    private var lastPicture: Double?
    /// The media time, in seconds, since which there was neither a face nor motion; nil while there is either.
    private var quietSince: Double?
    /// The seconds without a face or motion until `isQuiet` is true. A door frame hides a passing person for less.
    private static let quietDelay = 1.0

    init(_ options: FaceSession.Options, firstFaceID: FaceID, meter: SessionMeter) {
        self.options = options
        self.meter = meter
        tracker = FaceTracker(options: options.tracking, nextFaceID: firstFaceID)
    }

    /// Takes over options, and loads the models if none are loaded or the options for finding faces have changed.
    func load(_ wanted: FaceSession.Options) throws(FaceSessionError) {
        try wanted.check()
        if analyzer == nil || wanted.detection != options.detection {
            let last = analyzer?.lastLineage ?? 0
            do { analyzer = try FaceAnalyzer(wanted.detection, after: last) } catch { throw .inference(error) }
        }
        if decoder == nil {
            do { decoder = try JPEGDecoder() } catch { throw .decoder(reason: "\(error)") }
        }
        if wanted.tracking.hold == 0 || wanted.detection != options.detection { places = nil }
        let isMirrored = tracker.options.isMirrored
        options = wanted
        tracker.options = wanted.tracking
        tracker.options.isMirrored = isMirrored
        if !wanted.tracking.ignoresStill { analyzer?.forgetSetAside() }
    }

    /// Releases the models. All faces must have left before.
    func unload() { analyzer = nil }

    // MARK: - Source

    /// Prepares for a stream's frames. The stream counts as lost if no frame can be decoded for `options.stallTimeout`.
    func begin(_ stream: StreamDescription, _ options: FrameSourceOptions) -> FaceUpdate {
        self.stream = stream
        meter.use(decoder: stream.decoder)
        stallTimeout = options.stallTimeout / .seconds(1)
        tracker.options.isMirrored = options.isMirrored
        lastPicture = nil
        state = .streaming(stream)
        // Reasons from the stream before need not be true of this one.
        attention = AttentionFilter()
        return update()
    }

    /// Notes that no frames arrive any more, and lets all faces leave for `reason`.
    func interrupt(_ state: StreamState, reason: FaceEvent.LeaveReason) -> FaceUpdate {
        self.state = state
        analyzer?.reset()
        quietSince = nil
        places = nil
        attention = AttentionFilter()
        var update = update()
        if let lastStamp { update.events = tracker.endAll(reason: reason, at: lastStamp) }
        update.faces = []
        return update
    }

    // MARK: - Frames

    /// Analyses a frame, reports the update, and only then searches for faces that come while others are followed: a
    /// search takes several times as long as following.
    func advance(to frame: Frame, _ report: (FaceUpdate) -> Void) throws(FaceSessionError) {
        report(try follow(frame))
        guard let analyzer, let frame = exchange(&unsearched, with: nil) else { return }
        meter.beginFrame()
        defer { meter.endFrame() }
        do {
            meter.record(.detect, try analyzer.search(frame))
        } catch {
            guard error.isOfFrame else { throw .inference(error) }
        }
    }

    private func follow(_ frame: Frame) throws(FaceSessionError) -> FaceUpdate {
        guard let analyzer, let decoder else { return update() }
        meter.beginFrame()
        defer { meter.endFrame() }
        lastStamp = frame.stamp
        let time = frame.stamp.mediaTime
        let picture: Frame?
        let analysis: FaceAnalysis
        do {
            (analysis, picture) = try analyse(frame, with: analyzer, decoder)
        } catch {
            if let error = error as? InferenceError, !error.isOfFrame { throw .inference(error) }
            meter.count(.corrupt)
            if let loss = loss(at: time, "\(error)") { return interrupt(.lost(loss), reason: .cameraLost) }
            return update(tracker.skip(to: frame.stamp), of: frame)
        }
        lastPicture = time
        if case .lost = state, let stream { state = .streaming(stream) }
        meter.count(\.analysed)
        meter.record(.landmarks, analysis.landmarkTime)
        if analysis.ranDetector { meter.record(.detect, analysis.detectionTime) }
        if analysis.awaitsSearch { unsearched = picture }
        // Without `isThorough`, the tracker decides which faces are still the same after a seeming cut.
        let isNewScene = analysis.isCut && options.detection.isThorough
        let gone = isNewScene ? tracker.endAll(reason: .left, at: frame.stamp) : []
        var observations = analysis.observations
        let readings = picture.map { readPlaces(in: $0, afterCut: analysis.isCut, &observations) } ?? [:]
        let skipped = frame.skipped
        let isCut = analysis.isCut
        let tracked = meter.measure(.track) {
            tracker.advance(to: frame.stamp, with: observations, skipped: skipped, isCut: isCut, readings: readings)
        }
        analyzer.needingEveryFrame = tracker.needingEveryFrame
        if !tracked.setAside.isEmpty, let picture { analyzer.setAside(tracked.setAside, in: picture) }
        var reasons = tracked.attention
        if let luminance = analysis.luminance, luminance < Self.darkest { reasons.insert(.tooDark) }
        if analysis.observations.contains(where: \.isCarriedOver) { reasons.insert(.overBudget) }
        attention.advance(FaceAttention.allCases.filter(reasons.contains), at: time)
        var update = update(tracked, of: frame)
        update.events.insert(contentsOf: gone, at: 0)
        update.sightings = tracked.sightings + analysis.unconfirmed.map { FaceSighting(track: nil, face: $0) }
        update.isCut = isNewScene
        update.isPartlySearched = analysis.isPartlySearched
        update.isOverLimit = analysis.isOverLimit
        update.problem = places?.drainError()
        if options.landmarks { addLandmarks(of: analyzer, in: (picture ?? frame).uprightSize, to: &update) }
        let isQuiet = update.faces.isEmpty && analyzer.isQuiet(at: time)
        quietSince = isQuiet ? quietSince ?? time : nil
        if isDeliveryDue(at: time) {
            lastDelivery = time
            update.frame = picture
        }
        return update
    }

    /// Returns, once, the failure to report after `stallTimeout` without a decodable frame; nil at all other times.
    private func loss(at time: Double, _ reason: String) -> SourceFailure? {
        let since = lastPicture ?? time
        lastPicture = since
        guard time - since >= stallTimeout, case .streaming(let stream) = state else { return nil }
        return SourceFailure(
            reason: .undecodable,
            description: """
                cannot decode the pictures of \(stream.name): frames come, but none could be decoded for \(stallTimeout) s \
                (\(reason)); waiting for one that can, check the cable or choose another format.
                """
        )
    }

    /// Analyses a frame. Also returns it decoded, or nil if a coarse comparison showed that nothing had changed.
    private func analyse(
        _ frame: Frame,
        with analyzer: FaceAnalyzer,
        _ decoder: JPEGDecoder
    ) throws -> (FaceAnalysis, Frame?) {
        guard frame.format == .jpeg else { return (try analyzer.analyze(frame, isReportedFirst: true), frame) }
        let time = frame.stamp.mediaTime
        let isDue = isDeliveryDue(at: time)
        // Without people, the analyzer decodes whole pictures often enough for learning the empty room.
        let request = tracker.placeRequest(at: time)
        let arePlacesRead = request.map { !$0.isEmpty && places?.isDue($0, at: time) ?? true } ?? false
        let isGray = !isDue && !arePlacesRead
        // A JPEG in which nothing has changed is decoded only small and gray.
        if isGray, let scale = analyzer.glanceScale(for: frame.size) {
            let small = try meter.measureDecoding { try decoder.decode(frame, decimation: scale, isGray: true) }
            if let analysis = analyzer.glance(at: small) { return (analysis, nil) }
        }
        let scale = isDue && options.frames == .full ? 1 : analyzer.usefulScale(for: frame.uprightSize)
        let picture = try meter.measureDecoding { try decoder.decode(frame, decimation: scale) }
        return (try analyzer.analyze(picture, isReportedFirst: true), picture)
    }

    /// Examines the places of unseen faces, and adds the clothes of seen faces to the observations, if that is due.
    private func readPlaces(
        in picture: Frame,
        afterCut isCut: Bool,
        _ observations: inout [FaceObservation]
    ) -> [Int: PlaceReading] {
        let time = picture.stamp.mediaTime
        guard let request = tracker.placeRequest(at: time, besides: observations),
            isCut || places?.isDue(request, at: time) ?? true
        else { return [:] }
        let meter = places ?? PlaceMeter(options.detection)
        places = meter
        return meter.answer(request, in: picture, &observations)
    }

    /// Whether the update for a frame of this media time, in seconds, contains the frame.
    private func isDeliveryDue(at time: Double) -> Bool {
        guard options.frames != .none else { return false }
        guard let rate = options.maximumFrameRate, let lastDelivery, time >= lastDelivery else { return true }
        // A tenth of slack: a camera's jitter must not halve the rate.
        return time - lastDelivery >= 0.9 / rate
    }

    private func addLandmarks(of analyzer: FaceAnalyzer, in size: FrameSize, to update: inout FaceUpdate) {
        update.landmarks = tracker.lineages.compactMapValues { analyzer.landmarks(of: $0)?.shares(of: size) }
        let meshes = update.landmarks.mapValues { $0.map { NormalizedPoint(x: $0.x, y: $0.y) } }
        for index in update.faces.indices { update.faces[index].mesh = meshes[update.faces[index].faceID] ?? [] }
        for (index, seen) in update.sightings.enumerated() {
            update.sightings[index].face.mesh = meshes[seen.face.faceID] ?? []
        }
    }

    private func update(_ tracked: FaceTracker.Update, of frame: Frame) -> FaceUpdate {
        var update = update()
        update.captured = frame.captured
        update.faces = tracked.faces
        update.events = tracked.events
        return update
    }

    /// Makes an update about the current state, without a frame or events.
    func update() -> FaceUpdate {
        let faces = tracker.faces
        let attention = attention.settled
        return FaceUpdate(state: state, stamp: lastStamp, faces: faces, attention: attention, counts: meter.counts)
    }
}

extension InferenceError {
    /// Whether the error concerns only this frame, so that the next one can still be tried.
    fileprivate var isOfFrame: Bool { if case .unreadableFrame = self { true } else { false } }
}

/// Debounces the reasons why events cannot be detected: passes them on only once they have not changed for a while.
struct AttentionFilter {
    /// The seconds for which reasons must stay unchanged: longer than a glance aside, but a short wait for a user.
    private static let settling = 2.0

    /// The reasons to report: the last ones that were unchanged for long enough.
    private(set) var settled: [FaceAttention] = []
    private var candidate: [FaceAttention] = []
    private var since = 0.0

    /// Updates `settled` with the reasons that apply to a frame, and the frame's media time in seconds.
    mutating func advance(_ attention: [FaceAttention], at time: Double) {
        if attention != candidate {
            candidate = attention
            since = time
        }
        if time - since >= Self.settling { settled = candidate }
    }
}
