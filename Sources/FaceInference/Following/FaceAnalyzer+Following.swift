extension FaceAnalyzer {
    /// The minimum side of a region, in pixels, for the landmark model to be used there. The face in such a region has
    /// 16 pixels between its outer eye corners, the minimum with which blinks are detected.
    private static let smallestMesh: Float = 40

    /// Updates all followed faces to a new frame.
    /// - Returns: Whether a model had to run for a face, because something may have changed there.
    @discardableResult
    func followFaces(in frame: Frame) throws(InferenceError) -> Bool {
        let before = count
        let runs = landmarkModel.runs
        let hasRun = try followDetected(in: frame)
        var kept: [FollowedFace] = []
        let choice = budget?.choice(of: faces.map { $0.candidate(at: frame.stamp.mediaTime) })
        for (index, var face) in faces.enumerated() {
            face.enter(frame.uprightSize)
            let place = face.region
            let presence = try presence(of: &face, in: frame, isDue: choice?[index] ?? true)
            guard face.update(presence) else {
                // The detector alone goes on following a face that the landmark model has lost, if it is still there.
                if let found = try finder.follow(FaceDetection(in: place), in: frame) {
                    append(found.face, face.lineage, luminance: found.luminance, in: frame)
                }
                continue
            }
            guard isWanted(face.landmarks.outline, in: frame.uprightSize) else { continue }
            // With `isThorough` this is not needed, because every cut ends all faces.
            if face.wasComputed, !options.isThorough { face.continuity.take(face.region, in: frame) }
            // Two may have come to follow the same face, as when people pass behind each other. The one that moved less
            // is kept.
            if let rival = kept.firstIndex(where: { $0.region.isSameFace(as: face.region) }) {
                if face.shift < kept[rival].shift { kept[rival] = face }
            } else {
                kept.append(face)
            }
        }
        faces = kept
        dropDoubles()
        if count < before { schedule.lastLoss = frame.stamp.mediaTime }
        return hasRun || landmarkModel.runs > runs
    }

    /// Updates the landmarks of a followed face: moves the last ones along if the face has not changed, else computes
    /// new ones, or leaves the last ones in place if the budget does not allow that.
    /// - Returns: The landmark model's confidence that there is a face, 0…1.
    private func presence(of face: inout FollowedFace, in frame: Frame, isDue: Bool) throws(InferenceError) -> Double {
        face.wasComputed = false
        let mayReuse = options.skipsUnchanged && !needingEveryFrame.contains(face.lineage)
        if mayReuse, face.reuseLandmarks(in: frame, workspace) { return face.presence }
        guard isDue else {
            face.carriedFrames += 1
            return face.presence
        }
        let presence = try landmarkModel.find(face.landmarks, in: frame, region: face.region)
        face.luminance = landmarkModel.luminance()
        face.wasComputed = true
        face.carriedFrames = 0
        if options.skipsUnchanged { face.landmarksWereComputed(in: frame, workspace) }
        return presence
    }

    // MARK: By the detector alone

    func append(_ detection: FaceDetection, _ lineage: Int, luminance: Double, in frame: Frame) {
        guard isWanted(detection.corners, in: frame.uprightSize) else { return }
        detected.append(DetectedFace(detection, lineage: lineage, luminance: luminance, in: frame))
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

    /// Begins to follow a face by its landmarks, and returns whether the landmark model is sure enough of the face. The
    /// model runs twice, the second time in the region that its first landmarks give, which fits better.
    func beginMesh(at place: CropRegion, _ lineage: Int, in frame: Frame) throws(InferenceError) -> Bool {
        // In a smaller region it measures nothing that the detector does not measure, and takes four times as long.
        guard place.side >= Self.smallestMesh else { return false }
        let size = frame.uprightSize
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
            foundAt: frame.stamp.mediaTime
        )
        spare = FaceLandmarks()
        face.luminance = landmarkModel.luminance()
        if options.skipsUnchanged { face.landmarksWereComputed(in: frame, workspace) }
        faces.append(face)
        return true
    }

    /// Drops detected faces that are also followed by landmarks, and one of two detected faces that are the same.
    private func dropDoubles() {
        var known = faces.map(\.region)
        detected.removeAll { face in
            if known.contains(where: { $0.isSameFace(as: face.region) }) { return true }
            known.append(face.region)
            return false
        }
    }

    /// Whether a face with these corners, in pixels, has the size and the position that the options want.
    func isWanted(_ corners: (low: SIMD2<Float>, high: SIMD2<Float>), in size: FrameSize) -> Bool {
        let shorter = Double(min(size.width, size.height))
        guard Double(corners.high.x - corners.low.x) >= options.minimumSize * shorter else { return false }
        return options.region?.contains(size.share(of: (corners.low + corners.high) / 2)) ?? true
    }
}
