import System

/// Finds faces in frames, follows them and measures them: by their landmarks, or else by the detector alone.
///
/// It takes the frames of one source, in order, from one thread at a time. After `init`, only a frame with new faces
/// allocates much memory.
public final class FaceAnalyzer {
    /// The options of the analysis: what to find, and how much time it may take.
    public struct Options: Hashable, Sendable {
        /// How small the faces are that a search for new faces can find.
        public enum Accuracy: String, Hashable, Sendable, CaseIterable {
            /// Finds faces of at least about 1/60 of the picture's longer side.
            case standard
            /// Finds faces of at least about 1/120 of the picture's longer side, but a search takes four times as long.
            case high
        }

        /// The directory of the LiteRT library and the models; nil searches `ModelDirectory.searchPath`.
        public var modelDirectory: String?
        /// How small the faces are that a search for new faces can find.
        public var accuracy = Accuracy.standard
        /// The maximum number of faces that are followed at the same time, at least 1.
        public var maximumFaces = 24
        /// The minimum width of a face as a fraction of the picture's shorter side; 0 for no limit.
        public var minimumSize = 0.0
        /// The part of the upright picture to analyse; nil for all. A face whose centre is outside it is ignored.
        public var region: NormalizedRect?
        /// The areas of the upright picture in which no new face is accepted, such as televisions, mirrors or a
        /// neighbour's window. A face that is found elsewhere and then moves into such an area is still followed.
        public var ignored: [PictureArea] = []
        /// The interval between searches for further faces while some are followed, in seconds of media time.
        public var searchInterval = 0.5

        /// The fraction of one core that the analysis may take, without decoding; nil for no limit.
        ///
        /// If computing all landmarks in every frame would take more, new and large faces come first and the others
        /// keep their earlier landmarks. The same frames then do not always give the same events.
        public var cpuBudget: Double?
        /// Whether every frame is searched for faces, which takes several times as long. Meant for clips and pictures
        /// that are analysed ahead of their use.
        package var isThorough = false
        /// Whether faces are to be hidden, so that none may be missed. With `isThorough`, every frame that differs from
        /// the one before is then searched at several scales, others in turns, and candidates that no followed face
        /// covers are reported as unconfirmed.
        package var isForHiding = false
        /// Whether, with `isThorough`, a scene's first frame is also searched for faces on their side or upside down.
        package var findsTurned = false
        /// Whether models run only where the picture has changed. False, for comparison, runs them in every frame.
        package var skipsUnchanged = true

        /// Makes the default options.
        public init() {}
    }

    package let options: Options
    private static let mostSetAside = 32

    let finder: FaceFinder
    package let landmarkModel: LandmarkModel
    /// The faces that are followed by their landmarks.
    var faces: [FollowedFace] = []
    /// The faces that are followed by the detector alone.
    var detected: [DetectedFace] = []
    /// The motion meters of faces that are no longer followed because they are only pictures, such as posters.
    var setAside: [OwnMotionMeter] = []
    var schedule: SearchSchedule
    package internal(set) var lastLineage: Int
    /// The expected media time of the next frame, in seconds.
    private var nextTime = 0.0
    private(set) var lastTime: Double?
    /// The numbers of the followed faces whose landmarks must be computed in every frame, even if hardly changed.
    package var needingEveryFrame: Set<Int> = []
    /// Memory for the landmarks of a candidate, reused if the candidate is not a face.
    var spare = FaceLandmarks()
    var budget: LandmarkBudget?
    let scene: SceneGate
    private let cuts = CutDetector()
    let workspace = UnchangedFace.Workspace()
    /// The number of searches in a row before which the picture had changed outside the followed faces.
    var changes = 0
    /// Whether the picture keeps changing outside the followed faces.
    var isChanging: Bool { changes > 1 }

    /// Compiles the models in about 50 ms. First loads and checks them, unless another analyzer in use has done so.
    /// - Parameters:
    ///   - options: What to look for.
    ///   - lineage: The last number that the previous analyzer gave to a face. New faces get greater numbers.
    /// - Throws: An error that names the file that is missing, damaged or of another version.
    package init(_ options: Options = Options(), after lineage: Int = 0) throws(InferenceError) {
        self.options = options
        lastLineage = lineage
        let liteRT = try LiteRT.shared(in: ModelDirectory.find(options.modelDirectory))
        finder = try FaceFinder(liteRT, options)
        landmarkModel = try LandmarkModel(liteRT)
        budget = options.cpuBudget.map { LandmarkBudget(share: $0) }
        scene = SceneGate(region: finder.region)
        schedule = SearchSchedule(interval: options.searchInterval, maximumFaces: max(1, options.maximumFaces))
    }

    /// Finds and measures the faces in the next frame.
    /// - Parameters:
    ///   - frame: The frame.
    ///   - isReportedFirst: Whether the caller calls `search` for a frame whose analysis `awaitsSearch`, after it has
    ///     reported the followed faces. No report then waits for a search, and faces that come are seen a frame later.
    /// - Returns: The faces that are followed in this frame, and what a search found, if one was made.
    /// - Throws: `unreadableFrame` if the frame's pixels cannot be read, such as a JPEG that was not decoded. The
    ///   analyzer can still take the next frame.
    package func analyze(_ frame: Frame, isReportedFirst: Bool = false) throws(InferenceError) -> FaceAnalysis {
        guard frame.format != .jpeg else { throw .unreadableFrame(reason: "it is a JPEG that was not decoded") }
        var analysis = FaceAnalysis()
        let start = ContinuousClock.now
        let taken = budget.map { _ in WorkTime.ofThread }
        let runs = landmarkModel.runs
        analysis.isCut = try follow(into: frame)
        let computed = landmarkModel.runs - runs
        let followed = budget.map { _ in WorkTime.ofThread }
        analysis.landmarkTime = .now - start
        if options.isThorough || analysis.isCut || isSearchDue(in: frame) {
            // On a slow source, a face that is seen a frame later may enter a second later.
            let isNextSoon = frame.stamp.mediaTime - (lastTime ?? -.infinity) <= Self.longestStep
            analysis.awaitsSearch = isReportedFirst && isNextSoon && !options.isThorough && !analysis.isCut && count > 0
            if !analysis.awaitsSearch { try search(frame, &analysis) }
        }
        noteTime(of: frame)
        if count > 0 {
            let sum = faces.reduce(0) { $0 + $1.luminance } + detected.reduce(0) { $0 + $1.luminance }
            analysis.luminance = sum / Double(count)
        } else if scene.map.read(frame) {
            analysis.luminance = scene.map.luminance
        }
        analysis.observations = faces.map { observation(of: $0, in: frame) } + detected.map { $0.observation }
        if !detected.isEmpty { analysis.observations.sort { $0.lineage < $1.lineage } }
        if let taken, let followed {
            let other = WorkTime.ofThread - followed
            budget?.note(landmarks: followed - taken, of: computed, other: other, at: frame.stamp.mediaTime)
        }
        return analysis
    }

    private func observation(of face: FollowedFace, in frame: Frame) -> FaceObservation {
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

    /// Updates the followed faces to a new frame, and drops those that a cut ended.
    /// - Returns: Whether the frame seems to begin another scene.
    private func follow(into frame: Frame) throws(InferenceError) -> Bool {
        let before = count
        if options.isThorough {
            let step = cuts.step(to: frame, scene.map) ?? .cut
            if step == .cut { forgetFaces() }
            try followFaces(in: frame)
            // If only the light changed, most faces are still where they were.
            return step == .cut || (step == .light && 2 * count < before)
        }
        guard before > 0 else {
            cuts.reset()
            return false
        }
        // If no model had to run, the picture has not changed, and the frames need not be compared.
        guard try followFaces(in: frame), cuts.step(to: frame, scene.map) == .cut else { return false }
        // If only the camera moved, the faces still look the same.
        let followed = count
        faces.removeAll { !$0.continuity.isUnbroken }
        detected.removeAll { !$0.continuity.isUnbroken }
        guard count < followed else { return false }
        schedule.noteCut()
        return true
    }

    /// Checks a small gray version of the next frame for changes, if no face is followed.
    /// - Returns: The analysis; nil if `analyze` must take the frame instead, in colour and at `usefulScale`.
    package func glance(at frame: Frame) -> FaceAnalysis? {
        guard isIdle(at: frame.stamp.mediaTime), !scene.mustSearch(at: frame) else { return nil }
        noteTime(of: frame)
        return FaceAnalysis(luminance: scene.map.luminance)
    }

    /// Returns the factor, 1, 2, 4 or 8, by which to scale down the next frame for `glance`; nil to use `analyze`.
    package func glanceScale(for size: FrameSize) -> Int? {
        isIdle(at: nextTime) ? ChangeMap.sufficientScale(for: size) : nil
    }

    /// Whether, at this media time, no face is followed and nothing has changed lately; false with `isThorough`.
    package func isQuiet(at time: Double) -> Bool {
        !options.isThorough && isIdle(at: time) && !scene.isChanging(at: time)
    }

    /// Forgets all faces and the scene, because the next frame does not continue the previous ones.
    package func reset() {
        forgetFaces()
        setAside = []
        lastTime = nil
        schedule.reset()
        changes = 0
        scene.reset()
        cuts.reset()
    }

    var count: Int { faces.count + detected.count }

    /// The regions of the faces that are followed, in pixels of the upright picture.
    var regions: [CropRegion] { faces.map(\.region) + detected.map(\.region) }

    private func forgetFaces() {
        faces = []
        detected = []
    }

    /// Stops following faces that are only pictures. Their landmarks are not computed until they move by themselves.
    package func setAside(_ lineages: [Int], in frame: Frame) {
        for face in faces where lineages.contains(face.lineage) {
            setAside.removeAll { $0.region(in: frame.uprightSize).isSameFace(as: face.region) }
            setAside.append(face.ownMotion)
        }
        // Limited, because the analyzer does not notice when a picture is taken down.
        setAside = setAside.suffix(Self.mostSetAside)
        faces.removeAll { lineages.contains($0.lineage) }
    }

    package func forgetSetAside() { setAside = [] }

    private func noteTime(of frame: Frame) {
        let time = frame.stamp.mediaTime
        nextTime = time + max(0, time - (lastTime ?? time))
        lastTime = time
    }

    /// Returns the landmarks of a face in the last frame, in pixels of its upright picture; nil if there are none.
    package func landmarks(of lineage: Int) -> FaceLandmarks? { faces.first { $0.lineage == lineage }?.landmarks }

    /// Returns the factor, 1, 2, 4 or 8, by which the next frame can be decoded smaller without loss for the models.
    package func usefulScale(for size: FrameSize) -> Int {
        let longer = size.vector.max()
        var needed = (faces.map(\.neededSide) + detected.map(\.neededSide)).max() ?? 0
        if schedule.isDue(at: nextTime, following: count, isChanging: isChanging) {
            if options.accuracy == .high { return 1 }
            // The detector sees the region alone, and needs half as much again for close-ups.
            let share = finder.region.extent(in: size).max() / longer
            needed = max(needed, 1.5 * Float(finder.pixels(in: size)) / max(share, 0.01))
        }
        return [8, 4, 2].first { longer / Float($0) >= needed } ?? 1
    }

    /// Whether no face is followed and none was just lost, so that only a change of the picture is a reason to search.
    func isIdle(at time: Double) -> Bool {
        options.skipsUnchanged && count == 0 && !schedule.hasLost(at: time)
    }
}
