import Frames

/// A face that is followed from frame to frame: its last landmarks tell where to look for it in the next frame.
struct TrackedFace {
    let lineage: Int
    let landmarks: FaceLandmarks
    /// How sure the landmark model was, 0…1.
    private(set) var presence = 0.0
    /// Where to look in the next frame, in pixels of the last one.
    private(set) var region: CropRegion
    /// The last upright picture's size: a JPEG may be decoded smaller from one frame to the next.
    private var size: FrameSize

    /// The presence under which a face is lost: MediaPipe's own.
    static let minimumPresence = 0.5

    /// The presence that a new face must have: true ones have 0.99 nearly always, pictures of no face seldom 0.7.
    static let minimumPresenceAtBirth = 0.8

    init(lineage: Int, landmarks: FaceLandmarks, region: CropRegion, size: FrameSize) {
        self.lineage = lineage
        self.landmarks = landmarks
        self.region = region
        self.size = size
    }

    /// Where to look in an upright picture of that size.
    func region(in size: FrameSize) -> CropRegion {
        size == self.size ? region : region.scaled(by: Float(size.width) / Float(self.size.width))
    }

    /// How many pixels the longer side of the picture must have for the landmark model to lose nothing of this face.
    var neededSide: Float {
        Float(LandmarkModel.inputSize) * Float(max(size.width, size.height)) / region.side
    }

    /// Takes in what the landmark model said about a frame.
    ///
    /// - Returns: False if this is no face, or no longer one in the picture.
    mutating func update(_ presence: Double, in size: FrameSize) -> Bool {
        self.presence = presence
        self.size = size
        region = CropRegion(around: landmarks)
        // Also false for what is not a number.
        let isInside =
            region.centerX > 0 && region.centerX < Float(size.width)
            && region.centerY > 0 && region.centerY < Float(size.height)
        let isSized = region.side >= 4 && region.side < 8 * Float(max(size.width, size.height))
        return presence > Self.minimumPresence && isInside && isSized
    }
}
