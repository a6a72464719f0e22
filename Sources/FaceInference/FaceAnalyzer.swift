public import FaceMetadata
package import Frames
import System

/// Finds faces in frames, follows them by their landmarks and measures them.
///
/// Frames of one source, in order, from one thread at a time. After `init`, a frame without new faces allocates no
/// large memory.
public final class FaceAnalyzer {
    /// What to look for.
    public struct Options: Hashable, Sendable {
        /// How thoroughly new faces are looked for.
        public enum Accuracy: String, Hashable, Sendable, CaseIterable {
            /// Faces wider than about a twentieth of the picture's longer side; while there is none at all, those wider
            /// than about an eighth in every frame and the smaller ones twice to ten times a second.
            case standard
            /// All of them in every frame while there is none, which takes four times as long.
            case high
        }

        /// The directory of the LiteRT library and the models; nil searches `ModelDirectory.searchPath`.
        public var modelDirectory: String?
        /// How thoroughly new faces are looked for.
        public var accuracy = Accuracy.standard
        /// How many faces are followed at the same time, at least 1.
        public var maximumFaces = 8
        /// The smallest face width as a share of the picture's shorter side; 0 for no limit.
        public var minimumSize = 0.0
        /// Where to look, in the upright picture: faces whose centre is elsewhere are ignored. Nil is everywhere.
        public var region: NormalizedRect?
        /// Where no face begins, in the upright picture: televisions, mirrors, a neighbour's window. One that begins elsewhere
        /// and whose centre moves into such an area stays.
        public var ignored: [PictureArea] = []
        /// Seconds of media time between searches for further faces while some are followed.
        public var searchInterval = 0.5

        /// The share of one core that the analysis may take, decoding not included; nil for no limit.
        ///
        /// Where all faces' landmarks in every frame would take more, new and large faces come first and the others keep
        /// those of an earlier frame. The same frames then need not give the same events any more.
        public var cpuBudget: Double?
        /// Whether every frame is searched for faces of all sizes, and the first one of each scene in close-up: for clips and
        /// pictures that are analysed ahead of their use. Costs several times as much.
        package var isThorough = false
        /// With `isThorough`: whether no face may be missed, for pictures that must not show one. Small faces are looked for in
        /// every frame both in the whole and where something changed, and in frames so far apart that nothing can be followed
        /// from one to the next, in close-up.
        package var isForHiding = false
        /// With `isThorough`: whether the first frame of each scene is searched for faces that lie on their side or upside
        /// down too.
        package var findsTurned = false
        /// Whether models are run only where the picture has changed; false runs them in every frame, to compare with.
        package var skipsUnchanged = true

        /// Makes the default options.
        public init() {}
    }

    package let options: Options
    private static let mostSetAside = 32
    /// With more seconds between two frames a person may be anywhere in the second: below ten frames a second, with a
    /// thousandth for times that are rounded.
    private static let longestStep = 0.101

    private let finder: FaceFinder
    private let landmarkModel: LandmarkModel
    private var faces: [FollowedFace] = []
    /// The pictures of faces that are not to be followed.
    private var setAside: [OwnMotionMeter] = []
    private var schedule: SearchSchedule
    /// That of the newest face.
    package private(set) var lastLineage: Int
    /// The media time at which the next frame is to be expected.
    private var nextTime = 0.0
    private var lastTime: Double?
    /// The lineages of the faces whose landmarks are computed in every frame, because something is decided by them.
    package var needingEveryFrame: Set<Int> = []
    /// Where the points of a candidate go that may turn out to be no face.
    private var spare = FaceLandmarks()
    private var budget: LandmarkBudget?
    private let scene: SceneGate
    private let workspace = UnchangedFace.Workspace()
    /// What the latest search beside followed faces was for.
    private enum Change { case none, new, lasting }
    private var change = Change.none

    /// Checks and loads the models, unless another analyzer of the process has, and compiles them: some 50 ms.
    /// - Parameters:
    ///   - options: What to look for.
    ///   - lineage: The last one of the analyzer before, so that no face of it is taken for one of this.
    /// - Throws: An error that names the file that is missing, damaged or of another version.
    package init(_ options: Options = Options(), after lineage: Int = 0) throws(InferenceError) {
        (self.options, lastLineage) = (options, lineage)
        let liteRT = try LiteRT.shared(in: ModelDirectory.find(options.modelDirectory))
        finder = try FaceFinder(liteRT)
        landmarkModel = try LandmarkModel(liteRT)
        budget = options.cpuBudget.map { LandmarkBudget(share: $0) }
        scene = SceneGate(region: options.region ?? .whole)
        let (interval, most) = (options.searchInterval, max(1, options.maximumFaces))
        schedule = SearchSchedule(interval: interval, maximumFaces: most, alwaysSmall: options.accuracy == .high)
    }

    /// Finds and measures the faces in the next frame.
    /// - Throws: `unreadableFrame` for a frame whose pixels cannot be read, such as a JPEG that was not decoded; the
    ///   next frame can be tried all the same.
    package func analyze(_ frame: Frame) throws(InferenceError) -> FaceAnalysis {
        guard frame.format != .jpeg else { throw .unreadableFrame(reason: "it is a JPEG that was not decoded") }
        var analysis = FaceAnalysis()
        let start = ContinuousClock.now
        let taken = budget.map { _ in WorkTime.ofThread }
        let step = options.isThorough ? scene.step(to: frame) : .small
        if step == .cut { faces = [] }
        let count = faces.count
        let runs = landmarkModel.runs
        try followFaces(in: frame)
        let computed = landmarkModel.runs - runs
        // With another light alone, most faces are still where they were.
        analysis.isCut = step == .cut || (step == .light && 2 * faces.count < count)
        if options.isThorough {
            if analysis.isCut { finder.focus.reset() }
        } else if faces.count < count {
            analysis.isCut = scene.isOtherPicture(frame)
        }
        let followed = taken.map { _ in WorkTime.ofThread }
        analysis.landmarkTime = .now - start
        let due = options.isThorough ? .largeAndSmall : dueSearch(in: frame)
        if due != .none { try search(frame, due, &analysis) }
        analysis.landmarkRuns = landmarkModel.runs - runs
        noteTime(of: frame)
        if !faces.isEmpty {
            analysis.luminance = faces.reduce(0) { $0 + $1.luminance } / Double(faces.count)
        } else if scene.map.read(frame) {
            analysis.luminance = scene.map.luminance
        }
        analysis.observations = faces.map { face in
            let geometry = FaceGeometry(face.landmarks)
            var observation = geometry.observation(in: frame.uprightSize)
            observation.lineage = face.lineage
            observation.confidence = face.presence
            observation.isCarriedOver = face.isCarriedOver
            guard !face.isCarriedOver else { return observation }
            observation.eyePatches = geometry.eyePatches(in: frame)
            observation.ownMotion = face.ownMotion.measure(face, in: frame, workspace)
            return observation
        }
        if let taken, let followed {
            let (time, rest) = (frame.stamp.mediaTime, WorkTime.ofThread - followed)
            budget?.note(landmarks: followed - taken, of: computed, rest: rest, at: time)
        }
        return analysis
    }

    /// Looks at a small gray version of the next frame, while no face is followed, to see whether anything changed.
    /// - Returns: The frame's analysis if nothing did; nil if the frame must be given to `analyze` in colour and at
    ///   `usefulScale`, whether it was looked at here or not.
    package func glance(at frame: Frame) -> FaceAnalysis? {
        guard isIdle(at: frame.stamp.mediaTime), !scene.mustLook(at: frame) else { return nil }
        noteTime(of: frame)
        return FaceAnalysis(luminance: scene.map.luminance)
    }

    /// By how much the next frame can be scaled down for `glance`: 1, 2, 4 or 8; nil if there is no use in that.
    package func glanceScale(for size: FrameSize) -> Int? {
        isIdle(at: nextTime) ? ChangeMap.sufficientScale(for: size) : nil
    }

    /// Whether there was no face in the frame of that time, and nothing has changed lately.
    package func isAtRest(at time: Double) -> Bool { !options.isThorough && isIdle(at: time) && !scene.isChanging }

    /// Forgets all faces: what comes next has nothing to do with what came before.
    package func reset() {
        faces = []
        setAside = []
        lastTime = nil
        schedule.reset()
        change = .none
        finder.focus.reset()
        scene.reset()
    }

    /// Stops following faces that are only pictures: no landmarks are computed there until something changes by itself.
    package func setAside(_ lineages: [Int], in frame: Frame) {
        for face in faces where lineages.contains(face.lineage) {
            setAside.removeAll { $0.region(in: frame.uprightSize).isSameFace(as: face.region) }
            setAside.append(face.ownMotion)
        }
        // Those that were taken down are not known to be gone.
        setAside = setAside.suffix(Self.mostSetAside)
        faces.removeAll { lineages.contains($0.lineage) }
    }

    package func forgetSetAside() { setAside = [] }

    private func noteTime(of frame: Frame) {
        let time = frame.stamp.mediaTime
        nextTime = time + max(0, time - (lastTime ?? time))
        lastTime = time
    }

    /// The landmarks of a face in the frame analysed last, in pixels of its upright picture; nil if it is not there.
    package func landmarks(of lineage: Int) -> FaceLandmarks? { faces.first { $0.lineage == lineage }?.landmarks }

    /// By how much the next frame could be scaled down while it is decoded, without the models seeing less: 1, 2, 4 or 8.
    package func usefulScale(for size: FrameSize) -> Int {
        let longer = size.vector.max()
        // The detectors see the region alone.
        let side = FaceFinder.neededSide * longer / max(1, scene.map.region.extent(in: size).max())
        var needed = faces.map(\.neededSide).max() ?? 0
        switch schedule.due(at: nextTime, following: faces.count, isChanging: change == .lasting) {
        case .none: break
        case .small, .largeAndSmall:
            // Small faces have fewer pixels than the landmark model takes, even at full size.
            if options.accuracy == .high { return 1 }
            needed = max(needed, 2 * side)
        case .large, .largeElseSmall: needed = max(needed, side)
        }
        return [8, 4, 2].first { longer / Float($0) >= needed } ?? 1
    }

    // MARK: Following

    private func followFaces(in frame: Frame) throws(InferenceError) {
        var kept: [FollowedFace] = []
        let choice = budget?.choice(of: faces.map { $0.candidate(at: frame.stamp.mediaTime) })
        for (index, var face) in faces.enumerated() {
            let presence = try presence(of: &face, in: frame, isDue: choice?[index] ?? true)
            guard face.update(presence, in: frame.uprightSize), isWanted(face, in: frame.uprightSize) else { continue }
            // Two that came to follow the same face, as when one person passes behind another: the one that moved less
            // has been there before.
            if let rival = kept.firstIndex(where: { $0.region.isSameFace(as: face.region) }) {
                if face.shift < kept[rival].shift { kept[rival] = face }
            } else {
                kept.append(face)
            }
        }
        if kept.count < faces.count { schedule.noteLoss(at: frame.stamp.mediaTime) }
        faces = kept
    }

    /// Finds the landmarks of a followed face: computes them, or moves those of an earlier frame if the face has not
    /// changed; or leaves them where they are if they cannot be computed in this frame.
    /// - Returns: How sure the model is that there is a face, 0…1.
    private func presence(of face: inout FollowedFace, in frame: Frame, isDue: Bool) throws(InferenceError) -> Double {
        face.beginFrame()
        let mayReuse = options.skipsUnchanged && !needingEveryFrame.contains(face.lineage)
        if mayReuse, face.reuseLandmarks(in: frame, workspace) { return face.presence }
        guard isDue else {
            face.carryOver(in: frame.uprightSize)
            return face.presence
        }
        let presence = try landmarkModel.find(face.landmarks, in: frame, region: face.region(in: frame.uprightSize))
        face.luminance = landmarkModel.luminance()
        if options.skipsUnchanged { face.landmarksWereComputed(in: frame, workspace) }
        return presence
    }

    // MARK: Searching

    private typealias Search = SearchSchedule.Search

    /// What to look for in a frame: while no face is followed, nothing unless the scene has changed.
    private func dueSearch(in frame: Frame) -> Search {
        let time = frame.stamp.mediaTime
        guard isIdle(at: time) else { return dueSearchBesideFaces(in: frame) }
        guard scene.mustLook(at: frame) else { return .none }
        return schedule.due(at: time, following: 0, isChanging: scene.isChanging)
    }

    /// What to look for while faces are followed or were lost a moment ago: nothing, for up to a second, if only the followed
    /// people moved.
    private func dueSearchBesideFaces(in frame: Frame) -> Search {
        let time = frame.stamp.mediaTime
        let isChanging = change == .lasting || !options.skipsUnchanged
        var search = schedule.due(at: time, following: faces.count, isChanging: isChanging)
        guard options.skipsUnchanged, !faces.isEmpty, !schedule.hasLost(at: time) else {
            scene.reset()
            return search
        }
        guard search != .none || (isChanging && schedule.canCompare(at: time, following: faces.count)) else {
            return .none
        }
        let hasChanged = scene.hasChanged(in: frame, beside: faces.map(\.region))
        if scene.wasCut {
            schedule.noteCut()
            search = schedule.due(at: time, following: faces.count)
        }
        if search != .none {
            // A face that came is not always found by the first search; the next one is from another position.
            if !hasChanged, change == .none, !schedule.isHurried { search = schedule.overdue(at: time) }
            change = !hasChanged || !scene.canCompare ? .none : change == .none ? .new : .lasting
        }
        if search == .none { schedule.notePostponement(at: time) } else { scene.noteSearch() }
        return search
    }

    /// Whether no face is followed nor was lost a moment ago, so that only a change of the scene is a reason to look.
    private func isIdle(at time: Double) -> Bool {
        options.skipsUnchanged && faces.isEmpty && !schedule.hasLost(at: time)
    }

    private func search(_ frame: Frame, _ search: Search, _ analysis: inout FaceAnalysis) throws(InferenceError) {
        let start = ContinuousClock.now
        let time = frame.stamp.mediaTime
        let isApart = options.isForHiding && time - (lastTime ?? time) > Self.longestStep
        let pictures = setAside.filter { $0.isUnchanged(in: frame, workspace) }.map { $0.region(in: frame.uprightSize) }
        let regions = faces.map(\.region) + pictures
        let detections =
            if !options.isThorough {
                try finder.find(in: frame, scene.map, search, faces: regions)
            } else if analysis.isCut || isApart {
                try finder.findEverything(in: frame, rect: scene.map.region, turned: options.findsTurned)
            } else {
                try finder.findNext(in: frame, scene.map, faces: regions, isComplete: options.isForHiding)
            }
        let searched = ContinuousClock.now
        schedule.noteSearch(search, at: time)
        for detection in detections {
            let region = CropRegion(around: detection)
            let isKnown = (faces.map(\.region) + pictures).contains { $0.isSameFace(as: region) }
            let isFollowed = isKnown ? true : try consider(detection, region, in: frame, &analysis)
            // In frames that are apart, what is followed there may be another face's remains.
            if isApart || !isFollowed { analysis.unconfirmed.append(detection.face(in: frame.uprightSize)) }
        }
        analysis.detectionTime = searched - start
        analysis.landmarkTime += .now - searched
    }

    /// Begins to follow the face that was detected in a region if the landmark model, and a closer look, agree that it is one.
    /// - Returns: Whether the face is followed now, or was before.
    private func consider(
        _ detection: FaceDetection,
        _ region: CropRegion,
        in frame: Frame,
        _ analysis: inout FaceAnalysis
    ) throws(InferenceError) -> Bool {
        guard options.isThorough || faces.count < schedule.maximumFaces else { return false }
        let (size, time) = (frame.uprightSize, frame.stamp.mediaTime)
        let center = detection.face(in: size).bounds.center
        guard !options.ignored.contains(where: { $0.contains(center) }) else { return false }
        let presence = try landmarkModel.find(spare, in: frame, region: region)
        var face = FollowedFace(lineage: lastLineage + 1, landmarks: spare, region: region, size: size, foundAt: time)
        guard face.update(presence, in: size), presence > FollowedFace.minimumPresenceAtBirth, isWanted(face, in: size)
        else { return false }
        guard !faces.contains(where: { $0.region.isSameFace(as: face.region) }) else { return true }
        let isPicture = setAside.contains {
            $0.region(in: size).isSameFace(as: face.region) && $0.isUnchanged(face.region, in: frame, workspace)
        }
        guard !isPicture else { return true }
        guard faces.count < schedule.maximumFaces else {
            analysis.isOverLimit = true
            return false
        }
        // What is analysed ahead is to miss no face, though a hand may be one.
        if !options.isThorough, try !finder.confirms(detection, in: frame) { return false }
        lastLineage += 1
        spare = FaceLandmarks()
        face.luminance = landmarkModel.luminance()
        if options.skipsUnchanged { face.landmarksWereComputed(in: frame, workspace) }
        faces.append(face)
        return true
    }

    /// Whether a face is where and as large as the options want it.
    private func isWanted(_ face: FollowedFace, in size: FrameSize) -> Bool {
        let (low, high) = face.landmarks.outline
        let shorter = Double(min(size.width, size.height))
        guard Double(high.x - low.x) >= options.minimumSize * shorter else { return false }
        return options.region?.contains(size.share(of: (low + high) / 2)) ?? true
    }
}
