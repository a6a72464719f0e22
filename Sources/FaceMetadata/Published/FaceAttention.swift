/// A reason why some events cannot be detected although frames arrive.
public enum FaceAttention: String, Hashable, Sendable, CaseIterable {
    /// The picture is too dark to find faces or to read expressions.
    case tooDark = "too_dark"
    /// A face is too small to read its expression.
    case tooSmall = "too_small"
    /// A face is turned too far away to read its expression.
    case turnedAway = "turned_away"
    /// A face is seen but cannot be measured, for example because it is covered, bent or blurred.
    case notMeasured = "not_measured"
    /// Too few frames per second are analysed to detect blinks.
    case lowFrameRate = "low_frame_rate"
    /// There are more faces than the CPU budget allows to measure in every frame, so that events may be missed.
    case overBudget = "over_budget"
}
