/// Why some events cannot fire although frames come.
public enum FaceAttention: String, Hashable, Sendable, CaseIterable {
    /// The picture is too dark to find faces or expressions.
    case tooDark = "too_dark"
    /// A face is too small to read its expression.
    case tooSmall = "too_small"
    /// A face is turned too far away to read its expression.
    case turnedAway = "turned_away"
    /// A face is seen that cannot be measured: turned away, covered, bent or blurred.
    case notMeasured = "not_measured"
    /// Too few frames are analysed to see blinks.
    case lowFrameRate = "low_frame_rate"
    /// There are more faces than the analysis may measure in each frame, so some events may be missed.
    case overBudget = "over_budget"
}
