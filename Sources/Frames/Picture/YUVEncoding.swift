/// The meaning of YUV samples: the weights of the colours, and the range.
public struct YUVEncoding: Hashable, Sendable {
    /// The weights that turn red, green and blue into brightness.
    public enum Matrix: Hashable, Sendable {
        /// ITU-R BT.601: standard definition, webcams, JPEG.
        case bt601
        /// ITU-R BT.709: high definition.
        case bt709
        /// ITU-R BT.2020, not of constant luminance: HDR clips.
        case bt2020

        /// The shares of red and blue in brightness, K_R and K_B of the recommendation; green has the rest.
        package var weights: (red: Double, blue: Double) {
            switch self {
            case .bt601: (0.299, 0.114)
            case .bt709: (0.2126, 0.0722)
            case .bt2020: (0.2627, 0.0593)
            }
        }
    }

    /// The weights.
    public var matrix: Matrix
    /// Whether Y spans 0…255 (JPEG, most webcams' MJPG) and not 16…235 (video).
    public var isFullRange: Bool

    /// Makes an encoding from its weights and its range.
    public init(matrix: Matrix, isFullRange: Bool) {
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// The encoding of a camera or a clip in YUV that does not say which one it has.
    public static let video = YUVEncoding(matrix: .bt601, isFullRange: false)
    /// The encoding of a JPEG.
    public static let jpeg = YUVEncoding(matrix: .bt601, isFullRange: true)

    /// Black level, and the factor that expands luma to 0…255 (255/219 for video range).
    var luma: (black: Double, factor: Double) { isFullRange ? (0, 1) : (16, 255.0 / 219) }
}
