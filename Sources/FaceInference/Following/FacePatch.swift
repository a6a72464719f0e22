/// The brightness of a face at 16 × 16 points that turn and scale with it. Comparing it between successive frames tells
/// a moving camera from a cut. It does not identify people.
struct FacePatch {
    private static let side = 16
    private static let sampler = LumaSampler(width: side, height: side)
    /// The minimum correlation of two successive patches of one face.
    private static let leastCorrelation: Float = 0.8

    private var samples: [Float]

    /// Samples the face in a region of the landmark model; nil if the frame has no readable pixels.
    init?(_ region: CropRegion, in frame: Frame) {
        var bytes = [UInt8](repeating: 0, count: Self.side * Self.side)
        var inner = region
        inner.side /= CropRegion.margin
        let transform = inner.uprightFromInput(width: Self.side, height: Self.side)
        guard Self.sampler.sample(frame, through: transform, into: &bytes) else { return nil }
        let mean = bytes.reduce(0) { $0 + Float($1) } / Float(bytes.count)
        samples = bytes.map { Float($0) - mean }
        let length = samples.reduce(0) { $0 + $1 * $1 }.squareRoot()
        if length > 0 { for index in samples.indices { samples[index] /= length } }
    }

    /// Whether another patch, from an adjacent frame, shows the same face.
    func continues(_ other: FacePatch) -> Bool {
        zip(samples, other.samples).reduce(0) { $0 + $1.0 * $1.1 } >= Self.leastCorrelation
    }
}

/// Tracks whether a followed face looks the same from one measurement to the next.
struct FaceContinuity {
    private var patch: FacePatch?
    /// Whether the newest patch showed the same face as the one before.
    private(set) var isUnbroken = true

    /// Compares the face in a newly measured frame with its patch from the previous one.
    mutating func take(_ region: CropRegion, in frame: Frame) {
        guard let new = FacePatch(region, in: frame) else { return }
        if let patch { isUnbroken = new.continues(patch) }
        patch = new
    }
}
