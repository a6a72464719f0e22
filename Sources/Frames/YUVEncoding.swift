/// How YUV samples stand for colours.
public struct YUVEncoding: Hashable, Sendable {
    /// Which weights turn red, green and blue into brightness.
    public enum Matrix: Hashable, Sendable {
        /// ITU-R BT.601: standard definition, webcams, JPEG.
        case bt601
        /// ITU-R BT.709: high definition.
        case bt709

        /// The shares of red and blue in brightness, K_R and K_B of the recommendation; green has the rest.
        package var weights: (red: Double, blue: Double) {
            switch self {
            case .bt601: (0.299, 0.114)
            case .bt709: (0.2126, 0.0722)
            }
        }
    }

    /// The weights.
    public var matrix: Matrix
    /// Whether Y spans 0…255 (JPEG, most webcams' MJPG) and not 16…235 (video).
    public var isFullRange: Bool

    /// Makes an encoding from its weights and its range.
    public init(matrix: Matrix, isFullRange: Bool) {
        (self.matrix, self.isFullRange) = (matrix, isFullRange)
    }

    /// What a YUV camera or clip means that does not say otherwise.
    public static let video = YUVEncoding(matrix: .bt601, isFullRange: false)
    /// What a JPEG means.
    public static let jpeg = YUVEncoding(matrix: .bt601, isFullRange: true)

    /// What makes red, green and blue of 0…255 from samples: R = luma · (Y − black) + redV · (V − 128), and so on.
    ///
    /// In the video range there are 219 steps of brightness and 224 of chroma.
    var factors: (luma: Double, black: Double, redV: Double, greenU: Double, greenV: Double, blueU: Double) {
        let (red, blue) = matrix.weights
        let green = 1 - red - blue
        let chroma = 2 * (isFullRange ? 1 : 255.0 / 224)
        return (
            luma: isFullRange ? 1 : 255.0 / 219, black: isFullRange ? 0 : 16, redV: chroma * (1 - red),
            greenU: -chroma * (1 - blue) * blue / green, greenV: -chroma * (1 - red) * red / green,
            blueU: chroma * (1 - blue)
        )
    }
}
