import System

/// Finds faces in frames, follows and measures them: by the landmarks of a mesh, or else by the detector alone.
///
/// It takes the frames of one source, in order, from one thread at a time. After `init`, a frame without new faces
/// allocates no large memory.
public final class FaceAnalyzer {
    /// The options of the analysis: what to find, and what it may cost.
    public struct Options: Hashable, Sendable {
        /// How fine the search for new faces is.
        public enum Accuracy: String, Hashable, Sendable, CaseIterable {
            /// Faces from about a 60th of the picture's longer side on.
            case standard
            /// Faces of half that size too; a search takes four times as long.
            case high
        }

        /// The directory of the LiteRT library and the models; nil searches `ModelDirectory.searchPath`.
        public var modelDirectory: String?
        /// How fine the search for new faces is.
        public var accuracy = Accuracy.standard
        /// The most faces that are followed at the same time, at least 1.
        public var maximumFaces = 24
        /// The smallest face width as a share of the picture's shorter side; 0 for no limit.
        public var minimumSize = 0.0
        /// The part of the upright picture that counts: faces with their centre elsewhere are ignored; nil for all.
        public var region: NormalizedRect?
        /// The areas of the upright picture in which no face begins: televisions, mirrors, a neighbour's window. One
        /// that begins elsewhere and whose centre moves into such an area stays.
        public var ignored: [PictureArea] = []
        /// Seconds of media time between searches for further faces while some are followed.
        public var searchInterval = 0.5

        /// The share of one core that the analysis may take, decoding not included; nil for no limit.
        ///
        /// If all landmarks in every frame would take more, new and large faces come first and the others keep those of
        /// an earlier frame. The same frames then need not give the same events any more.
        public var cpuBudget: Double?
        /// Whether every frame is searched for faces, and the first one of each scene at several scales: for clips and
        /// pictures that are analysed ahead of their use. Costs several times as much.
        package var isThorough = false
        /// Whether, with `isThorough`, no face may be missed, for pictures that must not show one. Candidates count as
        /// faces without close-ups, and frames that are far apart are searched at several scales.
        package var isForHiding = false
        /// Whether, with `isThorough`, the first frame of a scene is also searched for faces on their side or upside
        /// down.
        package var findsTurned = false
        /// Whether models run only where the picture has changed; false, for comparison, runs them in every frame.
        package var skipsUnchanged = true

        /// Makes the default options.
        public init() {}
    }

    package let options: Options
    private static let mostSetAside = 32

    let finder: FaceFinder
    let landmarkModel: LandmarkModel
    /// The faces that the landmark model measures.
    var faces: [FollowedFace] = []
    /// The faces that only the detector sees.
    var detected: [DetectedFace] = []
    /// The motion meters of faces that are only pictures and not followed.
    var setAside: [OwnMotionMeter] = []
    var schedule: SearchSchedule
    package internal(set) var lastLineage: Int
    /// The expected media time of the next frame.
    private var nextTime = 0.0
    private(set) var lastTime: Double?
    /// The lineages of the faces whose landmarks are computed in every frame because a decision depends on them.
    package var needingEveryFrame: Set<Int> = []
    /// Memory for the points of a candidate, which may turn out not to be a face.
    var spare = FaceLandmarks()
    var budget: LandmarkBudget?
    let scene: SceneGate
    private let cuts = CutDetector()
    let workspace = UnchangedFace.Workspace()
    /// The number of latest searches beside followed faces, in a row, before which the scene there had changed.
    var changes = 0
    /// Whether the scene beside followed faces changes all the time.
    var isChanging: Bool { changes > 1 }

    /// Checks and loads the models, unless another analyzer of the process has, and compiles them: some 50 ms.
    /// - Parameters:
    ///   - options: What to look for.
    ///   - lineage: The last lineage of the previous analyzer: this one's are greater, so that faces are not confused.
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
    /// - Throws: `unreadableFrame` for a frame whose pixels cannot be read, such as a JPEG that was not decoded; the
    ///   next frame can be tried all the same.
    package func analyze(_ frame: Frame) throws(InferenceError) -> FaceAnalysis {
        guard frame.format != .jpeg else { throw .unreadableFrame(reason: "it is a JPEG that was not decoded") }
        var analysis = FaceAnalysis()
        let start = ContinuousClock.now
        let taken = budget.map { _ in WorkTime.ofThread }
        let runs = landmarkModel.runs
        analysis.isCut = try follow(into: frame)
        let computed = landmarkModel.runs - runs
        let followed = budget.map { _ in WorkTime.ofThread }
        analysis.landmarkTime = .now - start
        if options.isThorough || isSearchDue(in: frame, afterCut: analysis.isCut) { try search(frame, &analysis) }
        analysis.landmarkRuns = landmarkModel.runs - runs
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

    /// Follows all faces into a frame.
    /// - Returns: Whether the frame seems to show another scene than the one before it.
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
        // A picture without changes, faces included, is not compared.
        guard try followFaces(in: frame) else { return false }
        guard cuts.step(to: frame, scene.map) == .cut else { return false }
        // If only the camera moves, the pictures of the faces go on.
        let followed = count
        faces.removeAll { !$0.continuity.isUnbroken }
        detected.removeAll { !$0.continuity.isUnbroken }
        guard count < followed else { return false }
        schedule.noteCut()
        return true
    }

    /// Looks at a small gray version of the next frame, while no face is followed, to see whether anything changed.
    /// - Returns: The frame's analysis if nothing did; nil if the frame must be given to `analyze` in colour and at
    ///   `usefulScale`, whether it was looked at here or not.
    package func glance(at frame: Frame) -> FaceAnalysis? {
        guard isIdle(at: frame.stamp.mediaTime), !scene.mustSearch(at: frame) else { return nil }
        noteTime(of: frame)
        return FaceAnalysis(luminance: scene.map.luminance)
    }

    /// The factor by which the next frame can be scaled down for `glance`: 1, 2, 4 or 8; nil if that is of no use.
    package func glanceScale(for size: FrameSize) -> Int? {
        isIdle(at: nextTime) ? ChangeMap.sufficientScale(for: size) : nil
    }

    /// Whether no face was in the frame of that time, and nothing has changed lately.
    package func isQuiet(at time: Double) -> Bool {
        !options.isThorough && isIdle(at: time) && !scene.isChanging(at: time)
    }

    /// Forgets all faces, because the next frame has nothing to do with the ones before.
    package func reset() {
        forgetFaces()
        setAside = []
        lastTime = nil
        schedule.reset()
        changes = 0
        scene.reset()
        cuts.reset()
    }

    /// The number of faces that are followed.
    var count: Int { faces.count + detected.count }

    /// The regions of the faces that are followed, in pixels of the upright picture.
    var regions: [CropRegion] { faces.map(\.region) + detected.map(\.region) }

    private func forgetFaces() {
        faces = []
        detected = []
    }

    /// Stops following faces that are only pictures: no landmarks are computed there until something changes by itself.
    package func setAside(_ lineages: [Int], in frame: Frame) {
        for face in faces where lineages.contains(face.lineage) {
            setAside.removeAll { $0.region(in: frame.uprightSize).isSameFace(as: face.region) }
            setAside.append(face.ownMotion)
        }
        // Pictures that were taken down are not known to be gone.
        setAside = setAside.suffix(Self.mostSetAside)
        faces.removeAll { lineages.contains($0.lineage) }
    }

    package func forgetSetAside() { setAside = [] }

    private func noteTime(of frame: Frame) {
        let time = frame.stamp.mediaTime
        nextTime = time + max(0, time - (lastTime ?? time))
        lastTime = time
    }

    /// The landmarks of a face in the last frame, in pixels of its upright picture; nil if there are none.
    package func landmarks(of lineage: Int) -> FaceLandmarks? { faces.first { $0.lineage == lineage }?.landmarks }

    /// The factor, 1, 2, 4 or 8, by which the next frame can be decoded smaller without the models seeing less.
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

    /// Whether no face is followed or was just lost, so that only a change of the scene is a reason to search.
    func isIdle(at time: Double) -> Bool {
        options.skipsUnchanged && count == 0 && !schedule.hasLost(at: time)
    }
}
