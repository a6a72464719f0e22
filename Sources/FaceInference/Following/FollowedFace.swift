/// A face that is followed by its landmarks, which give the region in which to look for it in the next frame.
struct FollowedFace {
    let lineage: Int
    let landmarks: FaceLandmarks
    /// The landmark model's confidence that there is a face, 0…1.
    private(set) var presence = 0.0
    /// The region in which to look for the face in the next frame, in pixels of the last frame's upright picture.
    private(set) var region: CropRegion
    /// The comparison that decides in which frames the landmarks must be computed.
    let unchanged = UnchangedFace()
    /// The meter that tells whether the face moves by itself, unlike a poster's.
    let ownMotion = OwnMotionMeter()
    private let computed = FaceLandmarks()
    /// The check that the face looks the same from one computation of its landmarks to the next.
    var continuity = FaceContinuity()
    /// Whether the landmarks were computed in the newest frame.
    var wasComputed = false
    /// The mean brightness of the face when its landmarks were last computed, 0…1.
    var luminance = 0.0
    /// How many frames in a row the landmarks stayed in place, for lack of budget, although the face may have moved.
    var carriedFrames = 0
    var isCarriedOver: Bool { carriedFrames > 0 }
    /// How far the region moved in the last frame, as a fraction of its side.
    private(set) var shift: Float = 0
    /// The size of the last frame's upright picture.
    private(set) var size: FrameSize
    /// The media time, in seconds, at which the face was found.
    let foundAt: Double
    /// The confidence below which a face is lost, as in MediaPipe.
    static let minimumPresence = 0.5
    /// The minimum confidence for a new face. Real faces nearly always reach 0.99, pictures without a face seldom 0.7.
    /// The highest value of a picture without a face was 0.94, for round letters in the sky of a cartoon.
    static let minimumPresenceAtBirth = 0.95
    /// How long after it was found a face counts as new, in seconds. It exceeds the default delay of the enter event.
    static let newness = 0.3

    /// Returns the values by which the budget decides whether to compute the landmarks in a frame of this media time.
    func candidate(at time: Double) -> LandmarkBudget.Candidate {
        .init(side: region.side, isNew: (0..<Self.newness).contains(time - foundAt), waited: carriedFrames)
    }

    /// Converts the face to a picture of another size: a JPEG may be decoded at a different scale in each frame.
    mutating func enter(_ size: FrameSize) {
        guard size != self.size else { return }
        let factor = Float(size.width) / Float(self.size.width)
        region = region.scaled(by: factor)
        // Pixel centres are at integers: the picture's edge is half a pixel before the first one.
        for index in landmarks.all.indices {
            let place = (landmarks[index] + 0.5) * factor - 0.5
            landmarks[index] = PixelLandmark(place.x, place.y, landmarks[index].z * factor)
        }
        self.size = size
    }

    func landmarksWereComputed(in frame: Frame, _ workspace: UnchangedFace.Workspace) {
        computed.copy(landmarks)
        unchanged.computed(landmarks, in: frame, workspace)
    }

    /// Moves the last computed landmarks along with the face. Returns false if the face has changed and needs new ones.
    mutating func reuseLandmarks(in frame: Frame, _ workspace: UnchangedFace.Workspace) -> Bool {
        guard let motion = unchanged.motion(in: frame, workspace) else { return false }
        for index in 0..<FaceLandmarks.count {
            let point = motion(SIMD2(computed[index].x, computed[index].y))
            landmarks[index] = PixelLandmark(point, landmarks[index].z)
        }
        carriedFrames = 0
        return true
    }

    /// How long the frame's longer side must be, in pixels, so that the landmark model loses no detail of this face.
    var neededSide: Float { Float(LandmarkModel.inputSize) * size.vector.max() / region.side }

    /// Updates the face to its new landmarks and the model's confidence. Returns false if the face is lost.
    mutating func update(_ presence: Double) -> Bool {
        self.presence = presence
        let before = region
        region = CropRegion(around: landmarks)
        shift = (region.center - before.center).magnitude.max() / before.side
        return presence > Self.minimumPresence && Self.isPlausible(region, in: size)
    }

    /// Whether a region can contain a face in an upright picture of this size; false for NaN.
    static func isPlausible(_ region: CropRegion, in size: FrameSize) -> Bool {
        let isInside = all(region.center .> 0) && all(region.center .< size.vector)
        return isInside && region.side >= 4 && region.side < 8 * size.vector.max()
    }
}
