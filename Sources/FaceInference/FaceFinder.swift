import FaceMetadata
import Frames

/// Finds faces with two detectors that cover for each other.
///
/// The short-range one is quick and sees large faces, but takes prints and folds of clothes for faces with little confidence. The
/// full-range one takes three times as long and sees small faces too, but none wider than about 0.4 of the picture. Found on 2000
/// portraits, twelve group pictures and clips of signers in printed clothes.
final class FaceFinder {
    let shortRange: FaceDetector
    // Compiled when it is first needed, since it takes 10 MB; its file is checked at once.
    private(set) lazy var fullRange = Result { () throws(InferenceError) in try FaceDetector(.fullRange, in: liteRT) }
    var focus = SearchFocus()
    /// Whether the next of `findNext` is for the whole picture.
    var isWholeDue = false
    private let liteRT: LiteRT
    /// Pixels of the picture's longer side for the detectors to see all they can: twice the larger input, so that they do
    /// not see the scaling's own blur.
    static let neededSide: Float = 2 * Float(DetectorKind.fullRange.inputSize)
    /// From this score on a short-range detection is believed; false ones reach 0.72, a hundredth of true ones are below.
    static let sureScore: Float = 0.75
    /// How much wider than its box the squares are in which a new face is looked for once more, and the score that it must
    /// have in one of them.
    private static let confirmingWidths: [Float] = [4.5, 3, 2]
    private static let confirmingScore: Float = 0.72
    /// From this share of the searched square on the full-range detector cannot be asked about a face.
    static let largeWidth: Float = 0.35

    init(_ liteRT: LiteRT) throws(InferenceError) {
        shortRange = try FaceDetector(.shortRange, in: liteRT)
        self.liteRT = liteRT
    }

    /// Finds faces in the part of the frame that the change map covers, the surest first, in pixels of the upright picture; followed ones
    /// may be among them if they are small. The full-range detector is asked too, about the whole, when the other one is in doubt.
    func find(
        in frame: Frame,
        _ map: ChangeMap,
        _ search: SearchSchedule.Search,
        faces: [CropRegion]
    ) throws(InferenceError) -> [FaceDetection] {
        let rect = map.region
        // What is followed needs no second opinion.
        let near = try (search == .small ? [] : shortRange.detect(in: frame, rect: rect)).filter { detection in
            !faces.contains { $0.isSameFace(as: CropRegion(around: detection)) }
        }
        let side = CropRegion(letterboxing: rect, of: frame.uprightSize).side
        let sure = near.filter { Self.isSure($0, side: side) }
        let isSmallWanted = search == .small || search == .largeAndSmall || (search == .largeElseSmall && near.isEmpty)
        let isInDoubt = sure.count < near.count
        guard isSmallWanted || isInDoubt else { return sure }
        let part = isInDoubt ? rect : focus.next(in: frame, map, faces: faces)
        return Self.combined(sure, try fullRange.get().detect(in: frame, rect: part))
    }

    /// Whether the short-range detector finds a new face in squares around it too, and is sure of it in one of them.
    ///
    /// A hand may look like a face in one crop, and the landmark model is sure of it (presence 1.0). Of 11708 detections of faces
    /// in crops at random one is below this score, of half covered ones 1 %; of 28 of hands, sleeves, prints and leaves all, with
    /// 0.70 at most. A skull on a sweater reached 0.79 in one square and was not found in the two others; each of 2087 faces is
    /// found in two at least.
    func confirms(_ detection: FaceDetection, in frame: Frame) throws(InferenceError) -> Bool {
        var scores: [Float] = []
        for width in Self.confirmingWidths {
            let square = CropRegion(center: detection.center, side: width * detection.size.max())
            let found = try shortRange.detect(in: frame, region: square)
            if let score = Self.score(of: detection, among: found) { scores.append(score) }
            if Self.areEnough(scores) { return true }
        }
        return false
    }

    /// The best score among detections of the same face; nil if none is of it.
    static func score(of detection: FaceDetection, among found: [FaceDetection]) -> Float? {
        found.filter(detection.isSameFace).map(\.score).max()
    }

    /// Whether the scores of a face in the squares in which it was found confirm it.
    static func areEnough(_ scores: [Float]) -> Bool {
        scores.count >= 2 && scores.contains { $0 >= confirmingScore }
    }

    /// Whether a short-range detection needs no second opinion.
    static func isSure(_ detection: FaceDetection, side: Float) -> Bool {
        detection.score >= sureScore || detection.size.x >= largeWidth * side
    }

    /// All short-range detections, and the full-range ones of other faces.
    static func combined(_ near: [FaceDetection], _ far: [FaceDetection]) -> [FaceDetection] {
        (near + far.filter { !near.contains(where: $0.isSameFace) }).sorted { $0.score > $1.score }
    }

    // MARK: For clips and pictures that are analysed ahead, where a face that is found late is a face that was not covered

    /// Finds faces of all sizes in a part of the frame, the surest first, in pixels of the upright picture; if `turned`, those too that
    /// lie on their side or upside down. The full-range detector looks in squares of sizes that show it all; for a preview in those
    /// of `previewSide` pixels alone, and the short-range one is believed then also where it is not sure.
    func findEverything(
        in frame: Frame,
        rect: NormalizedRect,
        turned: Bool = false,
        previewSide: Float? = nil
    ) throws(InferenceError) -> [FaceDetection] {
        let far = try fullRange.get()
        let size = frame.uprightSize
        // The largest ones hold a face as high as the picture of which an edge leaves a half.
        let largest = 2 * (0.5 + Self.reach) * size.vector.min()
        let all = [largest] + (previewSide.map { [$0] } ?? Self.sides(of: rect, in: size))
        var tiles = all.flatMap { Self.tiles(of: rect, in: size, side: $0) }
        for share in previewSide == nil ? Self.between : Self.betweenFew {
            tiles += all.flatMap { Self.tiles(of: rect, in: size, side: share * $0) }.filter { $0.reachesBeyond(size) }
        }
        var found: [FaceDetection] = []
        for quarter in 0..<(turned ? 4 : 1) {
            var region = CropRegion(letterboxing: rect, of: size)
            region.rotation = Float(quarter) * .pi / 2
            // A face that an edge cuts is found where the square shows more than the picture around it.
            for factor: Float in [1, 1 + 2 * Self.reach] {
                var whole = region
                whole.side *= factor
                let near = try shortRange.detect(in: frame, region: whole)
                found = Self.combined(found, near.filter { previewSide != nil || Self.isSure($0, side: whole.side) })
                found = Self.combined(found, try far.detect(in: frame, region: whole))
            }
            for var tile in tiles {
                tile.rotation = region.rotation
                found = Self.combined(found, try far.detect(in: frame, region: tile))
            }
        }
        return found
    }

    /// Finds faces of all sizes in a frame of a scene that was searched before: small ones in every other frame in the whole,
    /// in the others in the part where something changed; in both in every frame if the search is to be complete.
    func findNext(
        in frame: Frame,
        _ map: ChangeMap,
        faces: [CropRegion],
        isComplete: Bool
    ) throws(InferenceError) -> [FaceDetection] {
        let rect = map.region
        let region = CropRegion(letterboxing: rect, of: frame.uprightSize)
        let near = try shortRange.detect(in: frame, region: region).filter { Self.isSure($0, side: region.side) }
        isWholeDue.toggle()
        let part = isComplete || !isWholeDue ? focus.next(in: frame, map, faces: faces) : rect
        let parts = (isComplete || isWholeDue) && part != rect ? [rect, part] : [part]
        var found = near
        for part in parts { found = Self.combined(found, try fullRange.get().detect(in: frame, rect: part)) }
        return found
    }

    /// How large the squares are in which faces are looked for, as shares of the shorter side of the part of the picture: each
    /// about 0.7 times the one before, as a face that an edge cuts is found in some sizes of a square and not in others.
    private static let shares: [Float] = [1, 0.7, 0.5, 0.35, 0.25]
    /// How large the squares between two of these sizes are, which are only laid along the picture's edges; and where there are
    /// few sizes, as for a preview, which has to be searched several times a second.
    private static let between: [Float] = [0.89, 0.79], betweenFew: [Float] = [0.84]

    /// The same in pixels, as long as they have half as many as the detector takes.
    private static func sides(of rect: NormalizedRect, in size: FrameSize) -> [Float] {
        let (largest, smallest) = (rect.extent(in: size).min(), Float(DetectorKind.fullRange.inputSize) / 2)
        return shares.map { $0 * largest }.filter { $0 > 0 && ($0 == largest || $0 >= smallest) }
    }

    /// How far squares reach beyond the edges, as a share of their side.
    private static let reach: Float = 0.25
    /// How many squares along an edge are enough, and the fewest pixels of their side: a picture may have any shape.
    private static let (mostAlongEdge, smallestSide): (Float, Float) = (100, 32)

    /// Overlapping squares that cover a part of the picture and reach beyond its edges, so that a face that an edge cuts is found.
    ///
    /// Their side is the one in pixels that is given, but larger where a picture of a few rows would need thousands.
    static func tiles(of rect: NormalizedRect, in size: FrameSize, side: Float) -> [CropRegion] {
        let corner = SIMD2(Float(rect.x), Float(rect.y)) * size.vector
        let extent = rect.extent(in: size)
        let side = max(side, smallestSide, extent.max() / mostAlongEdge)
        // A quarter of overlap: a face of the size that a square is for lies in one of them as a whole.
        func centers(_ length: Float) -> [Float] {
            let way = length + 2 * reach * side - side
            let count = max(1, Int((way / (0.75 * side)).rounded(.up)) + 1)
            let step = count > 1 ? way / Float(count - 1) : 0
            return (0..<count).map { (0.5 - reach) * side + Float($0) * step }
        }
        return centers(extent.y).flatMap { y in
            centers(extent.x).map { x in CropRegion(center: corner + SIMD2(x, y), side: side) }
        }
    }
}
