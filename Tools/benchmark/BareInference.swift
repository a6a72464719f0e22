import FaceInference
import FaceMetadata
import Frames

/// The least that following one face costs: its crop and one run of the landmark model.
final class BareInference {
    private let model: LandmarkModel
    private let landmarks = FaceLandmarks()
    private let region: CropRegion

    /// Loads the model and looks for the face to follow.
    ///
    /// - Returns: Nil if there is no face in the frame.
    init?(_ frame: Frame) throws(InferenceError) {
        let analyzer = try FaceAnalyzer()
        guard let face = try analyzer.analyze(frame).observations.first,
            let found = analyzer.landmarks(of: face.lineage)
        else { return nil }
        region = CropRegion(around: found)
        model = try LandmarkModel(LiteRT.shared(in: ModelDirectory.find()))
    }

    func run(_ frame: Frame) throws(InferenceError) {
        _ = try model.find(landmarks, in: frame, region: region)
    }
}
