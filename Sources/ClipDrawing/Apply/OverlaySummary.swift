/// The counts of frames, faces and smiles in one file that `facet apply` draws over, and the warnings about the file.
struct OverlaySummary {
    /// The maximum number of lost faces, or of times, that one warning lists.
    private static let named = 5
    /// The maximum time, in seconds, from the first to the last of the three frames that `noteJumps` compares.
    private static let longestJump = 0.2

    let hidesFaces: Bool
    let maximumFaces: Int
    private(set) var frames = 0
    private(set) var faces = 0
    private(set) var smiles = 0
    private(set) var lost: [(face: FaceID, time: Double)] = []
    private(set) var recent: [(time: Double, faces: [NormalizedRect])] = []
    /// The times, in seconds, of frames that lack a fast-moving face that the frames before and after them show.
    private(set) var missed: [Double] = []
    private(set) var damaged = 0
    private(set) var isOverLimit = false
    /// The highest number, so far, of places hidden in one frame that may be faces but were never confirmed as such.
    private(set) var places = 0
    /// The time of the last check for faces on their side, and whether it found any.
    private(set) var lastCheck: (time: Double, isTurned: Bool)?
    /// The time of the first of two successive checks that found faces on their side; nil if there were no such checks.
    private(set) var turned: Double?
    var isEmpty: Bool { faces + places == 0 }

    mutating func add(_ update: FaceUpdate) {
        if update.frame != nil { frames += 1 }
        damaged = update.counts.dropped[.corrupt, default: 0]
        isOverLimit = isOverLimit || update.isOverLimit
        if hidesFaces, update.stamp != nil { noteJumps(update) }
        for event in update.events {
            switch event.kind {
            case .enter: faces += 1
            case .smile: smiles += 1
            case .leave(_, let lastSeen, .left) where !update.isCut && event.face.bounds.isInside:
                let unseen = Double(event.stamp.time.nanoseconds - lastSeen.nanoseconds) * 1e-9
                lost.append((event.face.faceID, max(0, event.stamp.mediaTime - unseen)))
            default: break
            }
        }
    }

    /// Notes the middle one of the last three frames if it lacks a face whose boxes in the other two do not overlap.
    private mutating func noteJumps(_ update: FaceUpdate) {
        // In a frame that was searched in part, nothing has moved.
        if update.isCut || update.isPartlySearched { recent = [] }
        recent.append((update.mediaTime, update.sightings.map(\.face.bounds)))
        guard recent.count == 3 else { return }
        defer { recent.removeFirst() }
        let before = recent[0]
        let now = recent[1]
        let after = recent[2]
        guard now.faces.count < min(before.faces.count, after.faces.count), after.time - before.time <= Self.longestJump
        else { return }
        func apart(_ faces: [NormalizedRect], _ others: [NormalizedRect]) -> [NormalizedRect] {
            faces.filter { face in !others.contains { face.intersectionOverUnion($0) > 0 } }
        }
        let gone = apart(before.faces, now.faces)
        let come = apart(after.faces, now.faces)
        if !apart(gone, come).isEmpty, !apart(come, gone).isEmpty { missed.append(now.time) }
    }

    /// Checks a frame for faces on their side, at most once a second. Sets `turned` if two successive checks find some.
    mutating func check(_ frame: Frame, with check: FaceCheck) throws {
        let time = frame.stamp.mediaTime
        guard turned == nil, lastCheck.map({ time >= $0.time + 1 }) ?? true else { return }
        let isTurned = try check.hasTurnedFace(in: frame)
        if isTurned, let lastCheck, lastCheck.isTurned { turned = lastCheck.time }
        lastCheck = (time, isTurned)
    }

    /// Raises `places` if more places than that are hidden in a frame without being confirmed as faces.
    mutating func hide(_ faces: [FaceObject]) { places = max(places, faces.count { $0.faceID.rawValue <= 0 }) }

    /// Sets the counts for a single picture: its confirmed faces, and the places that were hidden as possible faces.
    mutating func showsPicture(with faces: [FaceObject], hiding hidden: [FaceObject]) {
        hide(hidden)
        let entered = faces.filter { $0.faceID.rawValue > 0 }
        frames = 1
        self.faces = entered.count
        smiles = entered.count { $0.smiling == true }
    }

    var sentence: String {
        let found = "\(faces.counted("face")), \(smiles.counted("smile")), \(frames.counted("frame"))"
        guard hidesFaces else { return found }
        guard !isEmpty else { return "\(found); found no face to hide" }
        let hidden = faces > 0 ? ["hid \(faces - lost.count) of \(faces)"] : []
        let kind = places == 1 ? "a face" : "faces"
        let others = places > 0 ? ["hid \(places.counted("place")) that may be \(kind)"] : []
        return "\(found); \((hidden + others).joined(separator: " and "))"
    }

    /// The warnings about missing frames, and about faces that may have been left without the overlay.
    var warnings: [String] {
        var warnings: [String] = []
        if damaged > 0 {
            warnings.append("damaged: at least \(damaged.counted("frame")) could not be decoded and will be missing")
        }
        if isOverLimit {
            let rest = hidesFaces ? "hidden only where the detector saw them" : "not drawn over"
            warnings.append(
                "more than \(maximumFaces) faces at the same time; the others were \(rest): raise --maximum-faces"
            )
        }
        func list(_ texts: [String]) -> String {
            let more = texts.count > Self.named ? " and \(texts.count - Self.named) more" : ""
            return texts.prefix(Self.named).joined(separator: ", ") + more
        }
        if hidesFaces, !lost.isEmpty {
            let times = list(lost.map { "face \($0.face.rawValue) at \(Seconds.text($0.time))" })
            warnings.append("lost inside the picture: \(times); what is seen of them after that is bare")
        }
        if let turned {
            let time = Seconds.text(turned)
            warnings.append("a face lies on its side or upside down at \(time) and may be bare: add --turned")
        }
        if hidesFaces, !missed.isEmpty {
            let times = list(missed.map { Seconds.text($0) })
            warnings.append("not found in single frames: a face that jumps, at \(times); it may be bare there")
        }
        return warnings
    }
}
