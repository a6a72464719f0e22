/// The colour matrix and the range of YUV samples.
public struct YUVEncoding: Hashable, Sendable {
    /// The standard that sets the weights of red, green and blue in the brightness.
    public enum Matrix: Hashable, Sendable {
        /// ITU-R BT.601, for standard definition, webcams and JPEG.
        case bt601
        /// ITU-R BT.709, for high definition.
        case bt709
        /// ITU-R BT.2020 with non-constant luminance, for HDR clips.
        case bt2020

        /// The weights of red and blue in the brightness, K_R and K_B in the standard. Green's weight is 1 minus both.
        package var weights: (red: Double, blue: Double) {
            switch self {
            case .bt601: (0.299, 0.114)
            case .bt709: (0.2126, 0.0722)
            case .bt2020: (0.2627, 0.0593)
            }
        }
    }

    /// The standard, such as BT.709, that sets the weights of red, green and blue in the brightness.
    public var matrix: Matrix
    /// Whether Y spans 0…255 (JPEG, most webcams' MJPG) and not 16…235 (video).
    public var isFullRange: Bool

    /// Makes an encoding from its matrix and its range.
    public init(matrix: Matrix, isFullRange: Bool) {
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// The encoding that is assumed for YUV from a camera or a clip that does not state its encoding.
    public static let video = YUVEncoding(matrix: .bt601, isFullRange: false)
    /// The encoding of a JPEG.
    public static let jpeg = YUVEncoding(matrix: .bt601, isFullRange: true)

    /// The value of Y for black, and the factor that expands Y to 0…255 (255/219 for the video range).
    var luma: (black: Double, factor: Double) { isFullRange ? (0, 1) : (16, 255.0 / 219) }
}
