import System

extension FaceAnalyzer {
    /// The maximum time between two frames, in seconds, in which a followed face is assumed to stay near its last
    /// place: a tenth of a second, plus a thousandth for rounded timestamps.
    static let longestStep = 0.101
    /// The maximum time between two frames, in seconds, for thorough searches of different sizes of faces.
    package static let closeStep = 0.06
    /// The fraction of a detected face's box that a followed face must cover so that hiding that face is enough.
    private static let coveredShare = 0.8

    /// Whether to search a frame for new faces: as `scene` decides while no face is followed. While faces are followed
    /// or were just lost, a search waits longer if only those people move.
    func isSearchDue(in frame: Frame) -> Bool {
        let time = frame.stamp.mediaTime
        guard !isIdle(at: time) else { return scene.mustSearch(at: frame) }
        let isChanging = isChanging || !options.skipsUnchanged
        var isDue = schedule.isDue(at: time, following: count, isChanging: isChanging)
        guard options.skipsUnchanged, count > 0, !schedule.hasLost(at: time) else {
            scene.reset()
            return isDue
        }
        guard isDue || (isChanging && schedule.canCompare(at: time, following: count)) else { return false }
        let hasChanged = scene.hasChanged(in: frame, beside: regions)
        if scene.wasCut {
            schedule.noteCut()
            isDue = schedule.isDue(at: time, following: count)
        }
        if isDue {
            // A face that came is not always found by the first search.
            if !hasChanged, changes == 0, !schedule.isHurried { isDue = schedule.isOverdue(at: time) }
            changes = hasChanged && scene.canCompare ? changes + 1 : 0
        }
        if isDue { scene.noteSearch() } else { schedule.lastPostponement = time }
        return isDue
    }

    /// Searches a frame whose analysis `awaitsSearch`, before the next frame is analysed.
    /// - Returns: The duration of the search. The faces that it found are followed from the next frame on.
    package func search(_ frame: Frame) throws(InferenceError) -> Duration {
        var analysis = FaceAnalysis()
        let start = budget.map { _ in WorkTime.ofThread }
        try search(frame, &analysis)
        if let start { budget?.spentSince += WorkTime.ofThread - start }
        return analysis.detectionTime
    }

    /// Searches a frame for faces that are not followed yet, and begins to follow them.
    func search(_ frame: Frame, _ analysis: inout FaceAnalysis) throws(InferenceError) {
        let start = ContinuousClock.now
        let size = frame.uprightSize
        let time = frame.stamp.mediaTime
        let isApart = time - (lastTime ?? time) > Self.longestStep
        let pictures = setAside.filter { $0.isUnchanged(in: frame, workspace) }.map { $0.region(in: size) }
        let mayAlternate =
            options.skipsUnchanged && (options.isThorough ? !mayMiss(in: frame, analysis) : count > 0 && isChanging)
        let isCoarse = schedule.mayBeCoarse(mayAlternate: mayAlternate)
        analysis.isPartlySearched = options.isThorough && mayAlternate
        let searches = isCoarse ? FaceFinder.large : mayAlternate ? FaceFinder.small : FaceFinder.everySize
        let detections =
            if !options.isForHiding, !(options.findsTurned && analysis.isCut) {
                try finder.find(in: frame, pixels: finder.pixels(in: size) / (isCoarse ? 2 : 1))
            } else if analysis.isCut || isApart {
                try finder.findEverything(in: frame, turned: options.findsTurned)
            } else {
                try finder.findNext(searches, in: frame)
            }
        schedule.noteSearch(at: time, isCoarse: isCoarse)
        for detection in detections {
            let region = CropRegion(around: detection)
            let isKnown = (regions + pictures).contains { $0.isSameFace(as: region) }
            let isFollowed = isKnown ? true : try consider(detection, in: frame, &analysis)
            // In frames that are far apart, a followed face may have jumped to another one, and its landmarks may have
            // been pulled aside by another face.
            if !isFollowed || (options.isForHiding && (isApart || !isCovered(detection.box))) {
                analysis.unconfirmed.append(detection.face(in: size))
            }
        }
        analysis.detectionTime = .now - start
    }

    /// Whether a face that this frame shows may be gone from the next one. If not, thorough searches of a frame and of
    /// the next one can find different sizes of faces.
    private func mayMiss(in frame: Frame, _ analysis: FaceAnalysis) -> Bool {
        let time = frame.stamp.mediaTime
        let isNext = time - (lastTime ?? -.infinity) <= Self.closeStep
        guard !analysis.isCut, isNext, !schedule.hasLost(at: time) else { return true }
        defer { scene.noteSearch() }
        return scene.hasChanged(in: frame, beside: regions, seesBodies: options.isForHiding)
    }

    /// Whether the bounds of one followed face cover most of a box, in pixels of the upright picture.
    private func isCovered(_ box: NormalizedRect) -> Bool {
        let outlines = faces.map(\.landmarks.outline) + detected.map(\.detection.corners)
        return outlines.contains { low, high in
            NormalizedRect(from: .init(low), to: .init(high)).overlap(with: box) >= Self.coveredShare * box.area
        }
    }

    /// Begins to follow a candidate if it is wanted and close-ups confirm it. It is followed by its landmarks if the
    /// landmark model finds them, otherwise by the detector alone.
    /// - Returns: Whether the face is followed now, was followed before, or is known to be only a picture.
    private func consider(
        _ candidate: FaceDetection,
        in frame: Frame,
        _ analysis: inout FaceAnalysis
    ) throws(InferenceError) -> Bool {
        let size = frame.uprightSize
        guard !options.ignored.contains(where: { $0.contains(size.share(of: candidate.center)) }),
            isWanted(candidate.corners, in: size)
        else { return false }
        guard count < schedule.maximumFaces else {
            if try finder.confirm(candidate, in: frame) != nil { analysis.isOverLimit = true }
            return false
        }
        guard let face = try finder.confirm(candidate, in: frame), face.face.side >= finder.leastSide(in: size)
        else { return false }
        let region = CropRegion(around: face.face)
        guard !regions.contains(where: { $0.isSameFace(as: region) }) else { return true }
        let isPicture = setAside.contains {
            $0.region(in: size).isSameFace(as: region) && $0.isUnchanged(region, in: frame, workspace)
        }
        guard !isPicture else { return true }
        lastLineage += 1
        if try !beginMesh(at: region, lastLineage, in: frame) {
            append(face.face, lastLineage, luminance: face.luminance, in: frame)
        }
        return true
    }
}
