/// Runs the face detector on a frame's wanted region at one or several scales, or on close-ups: crops around one face.
final class FaceFinder {
    /// The minimum score of a candidate in the search. Both of its close-ups must reach `leastScore`, and two of the
    /// three scores must reach `sureScore`. Large faces score higher in the search, small ones in the close-ups.
    ///
    /// Chosen on 140 pictures of streets and rooms (docs/accuracy.md): one search of each finds 78 % of 110 faces, with
    /// two false ones. If both close-ups had to score 0.6, it would find 75 %, with three false ones. A dog's face has
    /// the three scores 0.83, 0 and 0.64.
    static let candidateScore: Float = 0.35
    private static let leastScore: Float = 0.3
    private static let sureScore: Float = 0.68
    /// The minimum score to keep following a face. While a face is new it must reach the higher `newScore`, because
    /// what wrongly looks like a face in one frame seldom does in the next ones.
    private static let followingScore: Float = 0.4
    private static let newScore: Float = 0.62
    /// The minimum size of an accepted face, in pixels of the detector's input in the search.
    private static let smallestCandidate: Float = 8
    /// The sides of the two close-ups as multiples of the face's size. Both are scaled to `closerPixels` a side.
    private static let closerSides: [Float] = [4, 2.5]
    private static let closerPixels = 160
    /// The maximum length of a region's longer side, in pixels of the detector's input; `finePixels` for high accuracy.
    static let usualPixels = 640
    static let finePixels = 1280
    /// The size of the smallest face that the detector finds, in pixels of its input.
    private static let smallestFace = 12.0
    /// The size to which the closer of the two close-ups scales a face, in pixels. A larger original does not help.
    static let closerFacePixels = Float(closerPixels) / closerSides[1]

    /// The part of the upright picture that is searched.
    let region: NormalizedRect
    private let options: FaceAnalyzer.Options
    private let liteRT: LiteRT
    private let closer: FaceDetector
    /// The parameters of a search. Each combination keeps its detector until frames of another shape need another size.
    private struct Use: Hashable {
        var pixels: Int
        var reach: Float
        var isOnSide: Bool
    }

    private var detectors: [Use: FaceDetector] = [:]

    init(_ liteRT: LiteRT, _ options: FaceAnalyzer.Options = .init()) throws(InferenceError) {
        self.liteRT = liteRT
        self.options = options
        region = options.region ?? .whole
        closer = try FaceDetector(width: Self.closerPixels, height: Self.closerPixels, in: liteRT)
    }

    /// Finds candidates for faces in the region, highest score first, in pixels of the upright picture.
    ///
    /// The searched area reaches beyond each edge of `region` by `reach` times its longer side, because a face that an
    /// edge cuts is found more reliably with some space around it. The area's longer side is scaled to `pixels`. The
    /// area is turned by `rotation`, in radians.
    func find(
        in frame: Frame,
        pixels: Int,
        reach: Float = 0,
        rotation: Float = 0
    ) throws(InferenceError) -> [FaceDetection] {
        let extent = region.extent(in: frame.uprightSize)
        let longer = extent.max()
        guard longer > 0 else { return [] }
        let side = (1 + 2 * reach) * longer
        func length(_ extent: Float) -> Int {
            let wanted = (extent + 2 * reach * longer) / side * Float(pixels)
            return max(1, Int((wanted / Float(FaceDetector.unit)).rounded(.up))) * FaceDetector.unit
        }
        let isOnSide = rotation.magnitude > 0.7 && rotation.magnitude < 2.5
        let (width, height) = isOnSide ? (length(extent.y), length(extent.x)) : (length(extent.x), length(extent.y))
        let use = Use(pixels: pixels, reach: reach, isOnSide: isOnSide)
        let detector = try detector(for: use, width: width, height: height)
        let center = SIMD2<Float>(region.center.vector) * frame.uprightSize.vector - 0.5
        // The input's sides are rounded up to multiples of the detector's unit.
        let shown = side * Float(max(width, height)) / Float(pixels)
        let square = CropRegion(center: center, side: shown, rotation: rotation)
        return try detector.detect(in: frame, region: square, minimumScore: Self.candidateScore)
    }

    /// Returns the minimum size of an accepted face, in pixels of an upright picture of this size.
    func leastSide(in size: FrameSize) -> Float {
        Self.smallestCandidate * region.extent(in: size).max() / Float(pixels(in: size))
    }

    private func detector(for use: Use, width: Int, height: Int) throws(InferenceError) -> FaceDetector {
        if let known = detectors[use], known.width == width, known.height == height { return known }
        let new = try FaceDetector(width: width, height: height, in: liteRT)
        detectors[use] = new
        return new
    }

    /// A face found in a close-up, and its mean brightness, 0…1.
    typealias CloseUp = (face: FaceDetection, luminance: Double)

    /// Runs the detector on two close-ups of a candidate. Returns the face in the closer one; nil if not confirmed.
    func confirm(
        _ candidate: FaceDetection,
        in frame: Frame,
        rotation: Float = 0
    ) throws(InferenceError) -> CloseUp? {
        var scores = [candidate.score]
        var face: CloseUp?
        for factor in Self.closerSides {
            face = try closeUp(of: candidate, factor, in: frame, minimumScore: Self.leastScore, rotation: rotation)
            guard let face else { return nil }
            scores.append(face.face.score)
        }
        return scores.count { $0 >= Self.sureScore } >= 2 ? face : nil
    }

    /// Finds a face again at or near the place where it was a moment ago; nil if it is not there.
    func follow(_ face: FaceDetection, isNew: Bool = false, in frame: Frame) throws(InferenceError) -> CloseUp? {
        let score = isNew ? Self.newScore : Self.followingScore
        for factor in Self.closerSides.reversed() {
            if let found = try closeUp(of: face, factor, in: frame, minimumScore: score) { return found }
        }
        return nil
    }

    private func closeUp(
        of face: FaceDetection,
        _ factor: Float,
        in frame: Frame,
        minimumScore: Float,
        rotation: Float = 0
    ) throws(InferenceError) -> CloseUp? {
        let region = CropRegion(center: face.center, side: factor * face.side, rotation: rotation)
        let found = try closer.detect(in: frame, region: region, minimumScore: minimumScore)
        let place = CropRegion(around: face)
        let same = found.filter { place.isSameFace(as: CropRegion(around: $0)) }
        return same.first.map { ($0, closer.luminance(of: $0, in: region)) }
    }

    /// Returns the length, in input pixels, of the region's longer side at which the smallest wanted faces are found.
    func pixels(in size: FrameSize) -> Int {
        let most = options.accuracy == .high ? Self.finePixels : Self.usualPixels
        let smallest = options.minimumSize * Double(size.vector.min())
        guard smallest > 0 else { return most }
        let needed = Self.smallestFace / smallest * Double(region.extent(in: size).max())
        let units = min((needed / Double(FaceDetector.unit)).rounded(.up), Double(most / FaceDetector.unit))
        return max(6, Int(units)) * FaceDetector.unit
    }

    // MARK: Searches in which no face may be missed

    /// The arguments of `find` for one search.
    typealias Search = (pixels: Int, reach: Float)

    /// The searches of a frame in which every face must be found.
    static let everySize = small + large
    /// The search that finds most faces. Where frames follow closely, they can take turns at `small` and `large`.
    static let small: [Search] = [(usualPixels, 0)]
    /// The searches for faces that the picture's edge or something else covers in part. The small scale of the last one
    /// is for large faces that are half covered. One such face scores 0.8 there, but 0.2 in the search before.
    static let large: [Search] = [(usualPixels / 2, 0.25), (usualPixels / 4, 0)]

    /// Finds faces of all sizes, highest score first. `turned` adds faces on their side or upside down.
    func findEverything(in frame: Frame, turned: Bool = false) throws(InferenceError) -> [FaceDetection] {
        var found: [FaceDetection] = []
        for quarter in 0..<(turned ? 4 : 1) {
            let rotation = Float(quarter) * .pi / 2
            found += try find(in: frame, pixels: Self.finePixels, rotation: rotation)
            found += try findNext(in: frame, rotation: rotation)
            // A face that fills the picture is found only when it is scaled down.
            found += try find(in: frame, pixels: Self.usualPixels / 4, reach: 0.25, rotation: rotation)
        }
        return FaceDetection.best(found, mostOverlap: 0.3)
    }

    /// Finds faces by `searches`, in a scene that `findEverything` searched. A picture of at least 512 pixels is not
    /// enlarged, because a face that is found only when enlarged is too small to be recognised. Enlarging a smaller
    /// picture helps to find faces that its edge cuts off.
    func findNext(
        _ searches: [Search] = FaceFinder.everySize,
        in frame: Frame,
        rotation: Float = 0
    ) throws(InferenceError) -> [FaceDetection] {
        let most = max(512, frame.uprightSize.width, frame.uprightSize.height)
        var found: [FaceDetection] = []
        for (pixels, reach) in searches {
            found += try find(in: frame, pixels: min(pixels, most), reach: reach, rotation: rotation)
        }
        return FaceDetection.best(found, mostOverlap: 0.3)
    }
}
