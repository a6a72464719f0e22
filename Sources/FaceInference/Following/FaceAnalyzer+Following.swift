extension FaceAnalyzer {
    /// The side of the smallest region, in pixels, in which the landmark model runs: its face has 16 pixels between the
    /// outer eye corners, the least with which blinks are seen.
    private static let smallestMesh: Float = 40

    /// Follows all faces into a frame.
    /// - Returns: Whether a model ran for one of them, because something changed there.
    @discardableResult
    func followFaces(in frame: Frame) throws(InferenceError) -> Bool {
        let before = count
        let runs = landmarkModel.runs
        var hasRun = try followDetected(in: frame)
        var kept: [FollowedFace] = []
        let choice = budget?.choice(of: faces.map { $0.candidate(at: frame.stamp.mediaTime) })
        for (index, var face) in faces.enumerated() {
            let place = face.region(in: frame.uprightSize)
            let presence = try presence(of: &face, in: frame, isDue: choice?[index] ?? true)
            guard face.update(presence, in: frame.uprightSize) else {
                try detect(face.lineage, at: place, in: frame)
                continue
            }
            guard isWanted(face.landmarks.outline, in: frame.uprightSize) else { continue }
            // With `isThorough`, every cut ends all faces.
            if face.wasComputed, !options.isThorough { face.continuity.take(face.region, in: frame) }
            // Of two that follow the same face, as when people pass behind each other, the one that moved less was
            // first.
            if let rival = kept.firstIndex(where: { $0.region.isSameFace(as: face.region) }) {
                if face.shift < kept[rival].shift { kept[rival] = face }
            } else {
                kept.append(face)
            }
        }
        faces = kept
        hasRun = hasRun || landmarkModel.runs > runs
        dropDoubles()
        if count < before { schedule.noteLoss(at: frame.stamp.mediaTime) }
        return hasRun
    }

    /// Finds the landmarks of a followed face: computes them, moves those of an earlier frame if the face has not
    /// changed, or leaves them where they are if the budget does not allow computing them.
    /// - Returns: How sure the model is that there is a face, 0…1.
    private func presence(of face: inout FollowedFace, in frame: Frame, isDue: Bool) throws(InferenceError) -> Double {
        face.wasComputed = false
        let mayReuse = options.skipsUnchanged && !needingEveryFrame.contains(face.lineage)
        if mayReuse, face.reuseLandmarks(in: frame, workspace) { return face.presence }
        guard isDue else {
            face.carryOver(in: frame.uprightSize)
            return face.presence
        }
        let presence = try landmarkModel.find(face.landmarks, in: frame, region: face.region(in: frame.uprightSize))
        face.luminance = landmarkModel.luminance()
        face.wasComputed = true
        face.carriedFrames = 0
        if options.skipsUnchanged { face.landmarksWereComputed(in: frame, workspace) }
        return presence
    }

    // MARK: By the detector alone

    /// Goes on following, by the detector, a face that the landmark model has lost, if it is still there.
    private func detect(_ lineage: Int, at place: CropRegion, in frame: Frame) throws(InferenceError) {
        guard let found = try finder.follow(FaceDetection(in: place), in: frame) else { return }
        append(found.face, lineage, luminance: found.luminance, in: frame)
    }

    func append(_ detection: FaceDetection, _ lineage: Int, luminance: Double, in frame: Frame) {
        guard isWanted(detection.corners, in: frame.uprightSize) else { return }
        let size = frame.uprightSize
        let time = frame.stamp.mediaTime
        detected.append(DetectedFace(detection, lineage: lineage, luminance: luminance, in: size, at: time))
    }

    private func followDetected(in frame: Frame) throws(InferenceError) -> Bool {
        let size = frame.uprightSize
        let time = frame.stamp.mediaTime
        var hasRun = false
        var kept: [DetectedFace] = []
        for var face in detected {
            face.enter(size)
            if face.isDue(at: time) || !options.skipsUnchanged {
                hasRun = true
                guard let found = try finder.follow(face.detection, isNew: face.isNew(at: time), in: frame),
                    isWanted(found.face.corners, in: size)
                else { continue }
                face.update(found.face, luminance: found.luminance, at: time)
                if !options.isThorough { face.continuity.take(face.region, in: frame) }
            }
            if face.asksForMesh(at: time), try beginMesh(at: face.region, face.lineage, in: frame) { continue }
            kept.append(face)
        }
        detected = kept
        return hasRun
    }

    /// Begins to follow a face by its landmarks if the landmark model is sure that there is one. It runs twice, the
    /// second time in the region of its own answer, which is the better one.
    func beginMesh(at place: CropRegion, _ lineage: Int, in frame: Frame) throws(InferenceError) -> Bool {
        // In a smaller region it measures nothing that the detector does not see, and takes four times as long.
        guard place.side >= Self.smallestMesh else { return false }
        let size = frame.uprightSize
        let time = frame.stamp.mediaTime
        var region = place
        var presence = 0.0
        for _ in 0..<2 {
            presence = try landmarkModel.find(spare, in: frame, region: region)
            region = CropRegion(around: spare)
            guard FollowedFace.isPlausible(region, in: size) else { return false }
        }
        // The mesh may have slipped to another face, or off this one.
        guard presence > FollowedFace.minimumPresenceAtBirth, region.isSameFace(as: place),
            isWanted(spare.outline, in: size), !faces.contains(where: { $0.region.isSameFace(as: region) })
        else { return false }
        var face = FollowedFace(
            lineage: lineage,
            landmarks: spare,
            presence: presence,
            region: region,
            size: size,
            foundAt: time
        )
        spare = FaceLandmarks()
        face.luminance = landmarkModel.luminance()
        if options.skipsUnchanged { face.landmarksWereComputed(in: frame, workspace) }
        faces.append(face)
        return true
    }

    /// Ends the following by the detector of a face that is also followed by landmarks, and of one of two equal ones.
    private func dropDoubles() {
        var known = faces.map(\.region)
        detected.removeAll { face in
            if known.contains(where: { $0.isSameFace(as: face.region) }) { return true }
            known.append(face.region)
            return false
        }
    }

    /// Whether a face with those corners has the size and the place that the options want.
    func isWanted(_ corners: (low: SIMD2<Float>, high: SIMD2<Float>), in size: FrameSize) -> Bool {
        let shorter = Double(min(size.width, size.height))
        guard Double(corners.high.x - corners.low.x) >= options.minimumSize * shorter else { return false }
        return options.region?.contains(size.share(of: (corners.low + corners.high) / 2)) ?? true
    }
}
