/// The indices of the landmark model's 478 points, as in the MediaPipe face mesh. Left and right are the picture's.
enum FaceMeshIndices {
    /// The number of points without those of the irises.
    static let meshCount = 468
    static let leftEyeOuterCorner = 33
    static let rightEyeOuterCorner = 263
    static let leftMouthCorner = 61
    static let rightMouthCorner = 291
    static let upperLipInner = 13
    static let lowerLipInner = 14
    static let foreheadTop = 10
    static let chin = 152
    static let leftFaceSide = 234
    static let rightFaceSide = 454

    /// The corners of the mouth and the middles of the inner lips.
    static let mouth = [leftMouthCorner, rightMouthCorner, upperLipInner, lowerLipInner]

    /// The points of an eye: its left and right corner as seen in the picture, and the lids' edges from left to right.
    struct Eye {
        let leftCorner: Int
        let rightCorner: Int
        let upperLid: [Int]
        let lowerLid: [Int]
        /// All 16 points on the lids' edges.
        let lids: [Int]
        /// The centre of the iris, then four points around it.
        let iris: [Int]

        /// Makes an eye from the points that the model refines. The first 16 are the outer corner, the lower lid from
        /// there, the inner corner, and the upper lid from the outer to the inner corner.
        fileprivate init(_ refined: [Int], isLeft: Bool, iris: ClosedRange<Int>) {
            lids = Array(refined.prefix(16))
            leftCorner = lids[isLeft ? 0 : 8]
            rightCorner = lids[isLeft ? 8 : 0]
            lowerLid = isLeft ? Array(lids[1...7]) : lids[1...7].reversed()
            upperLid = isLeft ? Array(lids[9...15]) : lids[9...15].reversed()
            self.iris = Array(iris)
        }
    }

    static let leftEye = Eye(refinedLeftEye, isLeft: true, iris: 468...472)
    static let rightEye = Eye(refinedRightEye, isLeft: false, iris: 473...477)
    static let eyes = [leftEye, rightEye]

    /// The outline of the face, clockwise from the forehead's top.
    static let faceOval = [
        10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
        152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
    ]

    /// The points that the model's output for the lips refines, in the order of that output.
    static let refinedLips = [
        61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 185, 40, 39, 37, 0, 267, 269, 270, 409,
        78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 191, 80, 81, 82, 13, 312, 311, 310, 415,
        76, 77, 90, 180, 85, 16, 315, 404, 320, 307, 306, 184, 74, 73, 72, 11, 302, 303, 304, 408,
        62, 96, 89, 179, 86, 15, 316, 403, 319, 325, 292, 183, 42, 41, 38, 12, 268, 271, 272, 407,
    ]

    /// The points that the model's output for the picture's left eye refines, in the order of that output.
    static let refinedLeftEye = [
        33, 7, 163, 144, 145, 153, 154, 155, 133, 246, 161, 160, 159, 158, 157, 173, 130, 25, 110, 24,
        23, 22, 26, 112, 243, 247, 30, 29, 27, 28, 56, 190, 226, 31, 228, 229, 230, 231, 232, 233,
        244, 113, 225, 224, 223, 222, 221, 189, 35, 124, 46, 53, 52, 65, 143, 111, 117, 118, 119, 120,
        121, 128, 245, 156, 70, 63, 105, 66, 107, 55, 193,
    ]

    /// The points that the model's output for the picture's right eye refines, in the order of that output.
    static let refinedRightEye = [
        263, 249, 390, 373, 374, 380, 381, 382, 362, 466, 388, 387, 386, 385, 384, 398, 359, 255, 339, 254,
        253, 252, 256, 341, 463, 467, 260, 259, 257, 258, 286, 414, 446, 261, 448, 449, 450, 451, 452, 453,
        464, 342, 445, 444, 443, 442, 441, 413, 265, 353, 276, 283, 282, 295, 372, 340, 346, 347, 348, 349,
        350, 357, 465, 383, 300, 293, 334, 296, 336, 285, 417,
    ]
}
