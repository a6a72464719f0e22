import FaceMetadata
import Frames

/// Finds faces with two detectors that cover for each other.
///
/// The short-range one is quick and sees large faces, but with little confidence it also takes prints and folds of
/// clothes for faces. The full-range one sees small faces too and none of those, but no face wider than about 0.4 of the
/// picture, and takes three times as long. Found on 2000 portraits, twelve group pictures and clips of signers in printed
/// clothes.
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

    /// From this share of the searched square on the full-range detector cannot be asked about a face.
    static let largeWidth: Float = 0.35

    init(_ liteRT: LiteRT) throws(InferenceError) {
        shortRange = try FaceDetector(.shortRange, liteRT.files.shortRangeDetector, in: liteRT)
        self.liteRT = liteRT
    }

    /// Finds faces in the part of the frame that lies in `rect`, the surest first.
    ///
    /// Whatever the search, the full-range detector is asked too when the other one is in doubt, and then about the whole.
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - rect: Where faces are wanted in the upright picture.
    ///   - search: What to look for.
    ///   - faces: The faces that are followed, in pixels of the upright picture.
    /// - Returns: Detections in pixels of the upright picture; followed faces may be among them.
    /// - Throws: `InferenceError` if a model fails or the frame's pixels cannot be read.
    func find(
        in frame: Frame,
        rect: NormalizedRect,
        _ search: SearchSchedule.Search,
        faces: [CropRegion]
    ) throws(InferenceError) -> [FaceDetection] {
        let near = search == .small ? [] : try shortRange.detect(in: frame, rect: rect)
        let side = CropRegion(letterboxing: rect, of: frame.uprightSize).side
        let sure = near.filter { Self.isSure($0, side: side) }
        let isSmallWanted =
            search == .small || search == .largeAndSmall || (search == .largeElseSmall && near.isEmpty)
        let isInDoubt = sure.count < near.count
        guard isSmallWanted || isInDoubt else { return sure }
        let part = isInDoubt ? rect : focus.next(in: frame, of: rect, faces: faces)
        return Self.combined(sure, try fullRangeDetector().detect(in: frame, rect: part))
    }

    /// The detector of small faces.
    func fullRangeDetector() throws(InferenceError) -> FaceDetector {
        if let fullRange { return fullRange }
        let made = try FaceDetector(.fullRange, liteRT.files.fullRangeDetector(), in: liteRT)
        fullRange = made
        return made
    }

    /// Forgets the scene: what comes next has nothing to do with what came before.
    func reset() {
        focus.reset()
    }

    /// Whether a short-range detection needs no second opinion.
    static func isSure(_ detection: FaceDetection, side: Float) -> Bool {
        detection.score >= sureScore || detection.width >= largeWidth * side
    }

    /// All short-range detections, and the full-range ones of other faces.
    static func combined(_ near: [FaceDetection], _ far: [FaceDetection]) -> [FaceDetection] {
        let further = far.filter { candidate in !near.contains { $0.intersectionOverUnion(candidate) > 0.3 } }
        return (near + further).sorted { $0.score > $1.score }
    }

    /// The mean brightness of what was looked at last, 0…1.
    func luminance(of rect: NormalizedRect, in size: FrameSize) -> Double {
        shortRange.luminance(of: rect, in: size)
    }
}
