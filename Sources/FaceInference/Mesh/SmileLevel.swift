/// The smile level of a face: a weighted sum of positions of mouth, cheeks and lids along the head's axes.
enum SmileLevel {
    /// Mirrored pairs of points (on the midline, twice the same point) and their weights. `across` weights half the
    /// distance of a pair, `height` and `depth` its mean position relative to the midpoint of the outer eye corners, in
    /// units of these corners' distance. `Tools/smile-level.py` fits the weights to landmarks of labelled clips.
    private static let weights: [(left: Int, right: Int, across: Float, height: Float, depth: Float)] = [
        (61, 291, 2.384, 3.126, -3.100),
        (40, 270, -0.090, 0.044, -0.276),
        (39, 269, -0.118, -0.037, -0.095),
        (37, 267, 0.265, -0.108, -0.013),
        (84, 314, -0.058, -0.027, -0.277),
        (181, 405, -0.072, -0.007, -0.387),
        (91, 321, -0.003, 0.037, -0.428),
        (146, 375, 0.041, 0.094, -0.413),
        (185, 409, -0.034, 0.106, -0.338),
        (78, 308, 0.192, 0.134, -0.343),
        (80, 310, 0.304, 0.060, -0.228),
        (81, 311, 0.433, 0.015, -0.051),
        (82, 312, 0.915, -0.026, 0.095),
        (87, 317, 0.670, -0.053, -0.255),
        (178, 402, 0.348, -0.031, -0.335),
        (88, 318, 0.257, 0.006, -0.358),
        (95, 324, 0.198, 0.051, -0.364),
        (191, 415, 0.219, 0.095, -0.331),
        (50, 280, 0.465, 0.071, -0.061),
        (205, 425, 0.543, 0.029, 0.075),
        (206, 426, 0.298, 0.043, -0.866),
        (117, 346, -0.785, -0.045, 0.594),
        (145, 374, -0.729, 0.451, 4.573),
        (144, 373, -0.182, 0.623, 6.901),
        (153, 380, -1.476, 0.227, 3.885),
        (159, 386, 0.809, 1.207, 1.668),
        (129, 358, 0.016, -0.007, 0.120),
        (98, 327, 0.175, 0.002, -0.322),
        (13, 13, 0.000, -1.446, 1.365),
        (14, 14, 0.000, -1.957, 1.365),
        (17, 17, 0.000, 0.428, 0.000),
    ]
    private static let bias: Float = -0.714

    /// Returns the level: 0 at rest, 1 in an average smile. `unit` is the outer eye corners' distance in pixels.
    static func level(of landmarks: FaceLandmarks, _ axes: HeadAxes, unit: Float) -> Float {
        let origin = (point(FaceMeshIndices.leftEyeOuterCorner) + point(FaceMeshIndices.rightEyeOuterCorner)) / 2
        func point(_ index: Int) -> SIMD3<Float> { HeadAxes.space(landmarks[index]) }
        // The sums are linear, so the axes are needed once, not for each point.
        var (across, height, depth) = (SIMD3<Float>.zero, SIMD3<Float>.zero, SIMD3<Float>.zero)
        for pair in weights {
            let left = point(pair.left)
            let right = point(pair.right)
            let middle = (left + right) / 2 - origin
            across += pair.across / 2 * (right - left)
            height += pair.height * middle
            depth += pair.depth * middle
        }
        return (across * axes.x + height * axes.y + depth * axes.z).sum() / unit + bias
    }
}
