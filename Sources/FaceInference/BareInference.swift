import FaceMetadata
package import Frames

/// The least that following one face costs: its crop and one run of the landmark model.
///
/// The benchmark compares the daemon with it; nothing else uses it.
package final class BareInference {
    private let model: LandmarkModel
    private let landmarks = FaceLandmarks()
    private let region: CropRegion

    /// Loads the model and looks for the face to follow.
    ///
    /// - Returns: Nil if there is no face in the frame.
    /// - Throws: `InferenceError` if the models cannot be used.
    package init?(_ frame: Frame) throws(InferenceError) {
        let options = FaceAnalyzer.Options()
        let analyzer = try FaceAnalyzer(options)
        guard let face = try analyzer.analyze(frame).observations.first,
            let found = analyzer.landmarks(of: face.lineage)
        else { return nil }
        region = CropRegion(around: found)
        let files = try ModelFiles(directory: ModelDirectory.find(options.modelDirectory))
        model = try LandmarkModel(files, in: LiteRT(files))
    }

    /// Samples the crop and runs the model.
    ///
    /// - Throws: `InferenceError` if the model fails.
    package func run(_ frame: Frame) throws(InferenceError) {
        _ = try model.find(landmarks, in: frame, region: region)
    }
}
