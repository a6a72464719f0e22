import FaceInference
import Frames

/// Looks at a preview picture for what metadata does not show.
enum PictureExamination {
    /// What to say about the way the camera hangs; nil if the faces are upright, or if there is none.
    ///
    /// A picture that cannot be decoded and models that are missing are reported elsewhere.
    static func orientation(of jpeg: [UInt8]) -> Finding? {
        guard let frame = try? JPEGDecoder().decode(jpeg), let check = try? UprightCheck(),
            let better = try? check.betterOrientation(of: frame)
        else { return nil }
        return finding(better)
    }

    /// The finding that the picture should be turned.
    static func finding(_ better: Orientation) -> Finding {
        guard better == .down else {
            return .remark(
                "orientation",
                "the faces lie on their side",
                remedy: "set camera.orientation to \(better.rawValue)"
            )
        }
        return .remark(
            "orientation",
            "the faces are upside down, and few of them are found",
            remedy: "turn the picture by 180° with camera.orientation: 3 instead of 1, 8 instead of 6"
        )
    }
}
