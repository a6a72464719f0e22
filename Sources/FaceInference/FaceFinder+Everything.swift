import FaceMetadata
import Frames

/// For clips and pictures that are analysed ahead, where a face that is found late is a face that was not covered.
extension FaceFinder {
    /// Finds faces of all sizes in a part of the frame, the surest first, in pixels of the upright picture; if `turned`, those too that
    /// lie on their side or upside down. The full-range detector looks in squares of `sides` pixels, or of sizes that show it all; the
    /// short-range one is believed where it is not sure if `withDoubtful`.
    func findEverything(
        in frame: Frame,
        rect: NormalizedRect,
        turned: Bool = false,
        sides: [Float]? = nil,
        withDoubtful: Bool = false
    ) throws(InferenceError) -> [FaceDetection] {
        let far = try fullRangeDetector()
        let shorter = Float(min(frame.uprightSize.width, frame.uprightSize.height))
        // The largest ones hold a face as high as the picture of which an edge leaves a half.
        let all =
            [2 * (0.5 + Self.reach) * shorter]
            + (sides ?? Self.sides(of: rect, in: frame.uprightSize, smallest: Float(far.kind.inputSize) / 2))
        var tiles = all.flatMap { Self.tiles(of: rect, in: frame.uprightSize, side: $0) }
        for share in sides == nil ? Self.between : Self.betweenFew {
            tiles += all.flatMap { Self.tiles(of: rect, in: frame.uprightSize, side: share * $0) }
                .filter { $0.reachesBeyond(frame.uprightSize) }
        }
        var found: [FaceDetection] = []
        for quarter in 0..<(turned ? 4 : 1) {
            var region = CropRegion(letterboxing: rect, of: frame.uprightSize)
            region.rotation = Float(quarter) * .pi / 2
            // A face that an edge cuts is found where the square shows more than the picture around it.
            for factor: Float in [1, 1 + 2 * Self.reach] {
                var whole = region
                whole.side *= factor
                let near = try shortRange.detect(in: frame, region: whole)
                found = Self.combined(found, near.filter { withDoubtful || Self.isSure($0, side: whole.side) })
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
        var parts = isComplete || isWholeDue ? [rect] : []
        if isComplete || !isWholeDue {
            let part = focus.next(in: frame, map, faces: faces)
            if parts != [part] { parts.append(part) }
        }
        var found = near
        for part in parts { found = Self.combined(found, try fullRangeDetector().detect(in: frame, rect: part)) }
        return found
    }

    /// How large the squares are in which faces are looked for, as shares of the shorter side of the part of the picture: each
    /// about 0.7 times the one before, as a face that an edge cuts is found in some sizes of a square and not in others.
    private static let shares: [Float] = [1, 0.7, 0.5, 0.35, 0.25]
    /// How large the squares between two of these sizes are, which are only laid along the picture's edges; and where there are
    /// few sizes, as for a preview, which has to be searched several times a second.
    private static let between: [Float] = [0.89, 0.79], betweenFew: [Float] = [0.84]

    /// The same in pixels, as long as they have half as many as the detector takes.
    private static func sides(of rect: NormalizedRect, in size: FrameSize, smallest: Float) -> [Float] {
        let largest = min(Float(rect.width) * Float(size.width), Float(rect.height) * Float(size.height))
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
        let (left, top) = (Float(rect.x) * Float(size.width), Float(rect.y) * Float(size.height))
        let longest = max(Float(rect.width) * Float(size.width), Float(rect.height) * Float(size.height))
        let side = max(side, smallestSide, longest / mostAlongEdge)
        // A quarter of overlap: a face of the size that a square is for lies in one of them as a whole.
        func centers(_ length: Float) -> [Float] {
            let way = length + 2 * reach * side - side
            let count = max(1, Int((way / (0.75 * side)).rounded(.up)) + 1)
            let step = count > 1 ? way / Float(count - 1) : 0
            return (0..<count).map { (0.5 - reach) * side + Float($0) * step }
        }
        return centers(Float(rect.height) * Float(size.height)).flatMap { y in
            centers(Float(rect.width) * Float(size.width)).map { x in
                CropRegion(center: SIMD2(left + x, top + y), side: side, rotation: 0)
            }
        }
    }
}

extension CropRegion {
    /// Whether an upright square shows more than a picture.
    fileprivate func reachesBeyond(_ size: FrameSize) -> Bool {
        let (low, high) = (center - side / 2, center + side / 2)
        return low.min() < 0 || high.x > Float(size.width) || high.y > Float(size.height)
    }
}
