/// What the models measured on one face in one frame, before the face has an identity.
///
/// Left and right are the picture's. Lengths without a unit are shares of the distance between the outer eye corners in
/// space, so they do not change with the face's size, roll and yaw.
package struct FaceObservation: Hashable, Sendable {
    /// Constant as long as the landmarks were followed from frame to frame without a new detection.
    package var lineage: Int

    /// Forehead to chin, and the width of the face.
    package var bounds: NormalizedRect

    /// Where the head points.
    package var pose: HeadPose

    /// How sure the landmark model is that this is a face, 0…1.
    package var confidence: Double

    /// The centre of the eye at the picture's left.
    package var leftEye: NormalizedPoint

    /// The centre of the eye at the picture's right.
    package var rightEye: NormalizedPoint

    /// The centre of the mouth.
    package var mouth: NormalizedPoint

    /// The lids of the eye at the picture's left.
    package var leftLids: Lids

    /// The lids of the eye at the picture's right.
    package var rightLids: Lids

    /// The pixels around both eyes; nil if they were not sampled.
    package var eyePatches: EyePatches?

    /// The shape of the mouth.
    package var mouthShape: MouthShape

    /// The distance between the outer eye corners in pixels of the frame; small values make the rest less reliable.
    package var eyeDistance: Double

    /// Whether all this was measured in an earlier frame, because there was no time for this face in the newest one.
    package var isHeld: Bool

    /// The lids of one eye.
    package struct Lids: Hashable, Sendable {
        /// How far the upper lid lies above the line between the eye's corners, plus half of how far the lower lid lies
        /// below it: about 0.06 open, 0 closed.
        ///
        /// The lower lid counts half because smiles and squints move it.
        package var height: Double

        /// The distance between the eye's corners in the picture, in pixels.
        package var width: Double

        /// Makes lids from their height and the eye's width.
        package init(height: Double, width: Double) {
            self.height = height
            self.width = width
        }
    }

    /// The shape of a mouth, measured along the face's own axes.
    package struct MouthShape: Hashable, Sendable {
        /// The distance between the inner lips at their middle: 0 closed, about 0.2 wide open.
        package var opening: Double

        /// How far the corners lie below the middle of the upper lip's inner edge: below 0.09 in a smile, more where the
        /// jaw drops.
        package var cornerDrop: Double

        /// How much the mouth smiles: 0 is an average mouth at rest, 1 an average smile.
        package var smileLevel: Double

        /// Makes a shape from its measures.
        package init(opening: Double, cornerDrop: Double, smileLevel: Double) {
            self.opening = opening
            self.cornerDrop = cornerDrop
            self.smileLevel = smileLevel
        }
    }

    /// Makes an observation from what the models measured.
    package init(
        lineage: Int,
        bounds: NormalizedRect,
        pose: HeadPose,
        confidence: Double,
        leftEye: NormalizedPoint,
        rightEye: NormalizedPoint,
        mouth: NormalizedPoint,
        leftLids: Lids,
        rightLids: Lids,
        eyePatches: EyePatches? = nil,
        mouthShape: MouthShape,
        eyeDistance: Double,
        isHeld: Bool = false
    ) {
        self.lineage = lineage
        self.bounds = bounds
        self.pose = pose
        self.confidence = confidence
        self.leftEye = leftEye
        self.rightEye = rightEye
        self.mouth = mouth
        self.leftLids = leftLids
        self.rightLids = rightLids
        self.eyePatches = eyePatches
        self.mouthShape = mouthShape
        self.eyeDistance = eyeDistance
        self.isHeld = isHeld
    }
}

/// Small grey pictures of both eyes, for signals that see what the landmarks miss.
///
/// They are a value without a pointer, so an observation allocates nothing.
package struct EyePatches: Sendable {
    /// Pixels from the eye's corner at the left to the one at the right, and beyond.
    package static let width = 32

    /// Pixels from above the eye to below it.
    package static let height = 20

    /// How many pixels one eye has.
    package static let count = width * height

    /// Brightness 0…255: the rows of the eye at the picture's left from the top, then those of the other.
    package var pixels: InlineArray<1280, UInt8>

    /// Makes patches whose pixels `fill` writes; nil if it returns false.
    package init?(_ fill: (UnsafeMutableBufferPointer<UInt8>) -> Bool) {
        pixels = InlineArray(repeating: 0)
        var span = pixels.mutableSpan
        guard span.withUnsafeMutableBufferPointer(fill) else { return nil }
    }
}

extension EyePatches: Hashable {
    /// Whether all pixels are the same.
    package static func == (one: EyePatches, other: EyePatches) -> Bool {
        one.pixels.indices.allSatisfy { one.pixels[$0] == other.pixels[$0] }
    }

    /// Hashes all pixels.
    package func hash(into hasher: inout Hasher) {
        for index in pixels.indices { hasher.combine(pixels[index]) }
    }
}
