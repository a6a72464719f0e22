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
    private var fullRange: FaceDetector?
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
        let isSmallWanted =
            search == .small || search == .largeAndSmall || (search == .largeElseSmall && near.isEmpty)
        let isInDoubt = sure.count < near.count
        guard isSmallWanted || isInDoubt else { return sure }
        let part = isInDoubt ? rect : focus.next(in: frame, map, faces: faces)
        return Self.combined(sure, try fullRangeDetector().detect(in: frame, rect: part))
    }

    func fullRangeDetector() throws(InferenceError) -> FaceDetector {
        if let fullRange { return fullRange }
        let made = try FaceDetector(.fullRange, in: liteRT)
        fullRange = made
        return made
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
            let square = CropRegion(center: detection.center, side: width * detection.size.max(), rotation: 0)
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
}
