/// Small grey pictures of both eyes, for signals that see what the landmarks miss.
///
/// They are a value without a pointer, so an observation allocates nothing.
package struct EyePatches: Sendable {
    /// The width of a patch in pixels, from beyond one corner of the eye to beyond the other.
    package static let width = 32
    /// The height of a patch in pixels, from above the eye to below it.
    package static let height = 20
    package static let count = width * height

    /// The brightnesses 0…255: the rows of the eye at the picture's left from the top, then those of the other eye.
    package var pixels: InlineArray<1280, UInt8>

    /// Makes patches whose pixels `fill` writes; nil if it returns false.
    package init?(_ fill: (UnsafeMutableBufferPointer<UInt8>) -> Bool) {
        pixels = InlineArray(repeating: 0)
        var span = pixels.mutableSpan
        guard span.withUnsafeMutableBufferPointer(fill) else { return nil }
    }
}
