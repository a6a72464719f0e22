/// A face that is followed by its landmarks: the last ones give the region to look in for it in the next frame.
struct FollowedFace {
    let lineage: Int
    let landmarks: FaceLandmarks
    /// The landmark model's certainty that there is a face, 0…1.
    private(set) var presence = 0.0
    /// The region to look in in the next frame, in pixels of the last one.
    private(set) var region: CropRegion
    /// The comparison that decides in which frames the landmarks must be computed.
    let unchanged = UnchangedFace()
    /// The measurement of whether the face moves by itself.
    let ownMotion = OwnMotionMeter()
    private let computed = FaceLandmarks()
    /// Check that successive pictures of the face show the same one, in the frames in which its landmarks are computed.
    var continuity = FaceContinuity()
    /// Whether the landmarks were computed in the newest frame.
    var wasComputed = false
    /// The mean brightness of the crop from which the landmarks were computed, 0…1.
    var luminance = 0.0
    /// The frames in a row for which the landmarks were carried over, although the face may have moved.
    var carriedFrames = 0
    var isCarriedOver: Bool { carriedFrames > 0 }
    /// The distance that the region moved with the latest landmarks, as a share of its side.
    private(set) var shift: Float = 0
    /// The last upright picture's size: a JPEG may be decoded smaller from one frame to the next.
    private(set) var size: FrameSize
    /// The media time, in seconds, at which the face was found.
    let foundAt: Double
    /// The presence below which a face is lost: MediaPipe's own value.
    static let minimumPresence = 0.5
    /// The presence that a new face must have: true ones nearly always have 0.99, pictures without a face seldom 0.7;
    /// the worst, round letters in the sky of a cartoon, had 0.94.
    static let minimumPresenceAtBirth = 0.95
    /// The seconds for which a face counts as new: longer than its enter takes.
    private static let newness = 0.3

    /// The values by which the budget decides whether the face is computed in a frame of that time.
    func candidate(at time: Double) -> LandmarkBudget.Candidate {
        .init(side: region.side, isNew: (0..<Self.newness).contains(time - foundAt), waited: carriedFrames)
    }

    /// Leaves the landmarks where they are, in an upright picture of that size.
    mutating func carryOver(in size: FrameSize) {
        carriedFrames += 1
        guard size != self.size else { return }
        let factor = Float(size.width) / Float(self.size.width)
        // Pixel centres are at integers: the picture's edge is half a pixel before the first one.
        for index in landmarks.all.indices {
            let place = (landmarks[index] + 0.5) * factor - 0.5
            landmarks[index] = PixelLandmark(place.x, place.y, landmarks[index].z * factor)
        }
    }

    /// The region to look in in an upright picture of that size.
    func region(in size: FrameSize) -> CropRegion {
        size == self.size ? region : region.scaled(by: Float(size.width) / Float(self.size.width))
    }

    func landmarksWereComputed(in frame: Frame, _ workspace: UnchangedFace.Workspace) {
        computed.copy(landmarks)
        unchanged.computed(landmarks, in: frame, workspace)
    }

    /// Moves the last computed landmarks to where the face is now; false if it has changed, and they must be computed.
    mutating func reuseLandmarks(in frame: Frame, _ workspace: UnchangedFace.Workspace) -> Bool {
        guard let motion = unchanged.motion(in: frame, workspace) else { return false }
        for index in 0..<FaceLandmarks.count {
            let point = motion(SIMD2(computed[index].x, computed[index].y))
            landmarks[index] = PixelLandmark(point, landmarks[index].z)
        }
        carriedFrames = 0
        return true
    }

    /// The pixels that the longer side of the picture needs for the landmark model to lose no detail of this face.
    var neededSide: Float { Float(LandmarkModel.inputSize) * size.vector.max() / region.side }

    /// Takes the presence that the landmark model gave in a frame; false if no face is there any more.
    mutating func update(_ presence: Double, in size: FrameSize) -> Bool {
        self.presence = presence
        let before = self.region(in: size)
        self.size = size
        region = CropRegion(around: landmarks)
        shift = (region.center - before.center).magnitude.max() / before.side
        return presence > Self.minimumPresence && Self.isPlausible(region, in: size)
    }

    /// Whether a face can be in a region of an upright picture of that size; false for NaN.
    static func isPlausible(_ region: CropRegion, in size: FrameSize) -> Bool {
        let isInside = all(region.center .> 0) && all(region.center .< size.vector)
        return isInside && region.side >= 4 && region.side < 8 * size.vector.max()
    }
}
