/// Small grey pictures of both eyes, used to detect blinks that the landmarks miss. The pixels are stored in the value
/// itself, so that making it allocates no memory.
package struct EyePatches: Sendable {
    /// The width of each eye's picture in pixels. The picture reaches a little beyond both corners of the eye.
    package static let width = 32
    /// The height of each eye's picture in pixels. The picture reaches from above the upper lid to below the lower lid.
    package static let height = 20
    package static let count = width * height

    /// The brightnesses, 0…255, row by row from the top: first the eye on the left in the picture, then the other eye.
    package var pixels: InlineArray<1280, UInt8>

    /// Makes the pictures from the pixels that `fill` writes; nil if `fill` returns false.
    package init?(_ fill: (UnsafeMutableBufferPointer<UInt8>) -> Bool) {
        pixels = InlineArray(repeating: 0)
        var span = pixels.mutableSpan
        guard span.withUnsafeMutableBufferPointer(fill) else { return nil }
    }
}
