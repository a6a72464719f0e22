/// Why a JPEG could not be read or made.
public enum JPEGError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The frame holds pixels, not a JPEG.
    case notJPEG(PixelFormat)
    /// The JPEG is cut short or damaged; the words are the decoder's.
    case corrupt(String)
    /// The JPEG's own header says another size than the source negotiated.
    case sizeMismatch(expected: FrameSize, found: FrameSize)
    /// The JPEG is whole, but of a kind that is no camera picture (CMYK, for one).
    case unsupported(String)
    /// The pixels could not be made into a JPEG; the words are the encoder's.
    case notEncodable(String)
    /// The codec found no memory.
    case outOfMemory

    /// What failed, why, and what to do about it where something can be done.
    public var description: String {
        switch self {
        case .notJPEG(let format): "cannot decode the frame as JPEG: it holds pixels (\(format))"
        case .corrupt(let words): "cannot decode the JPEG: \(words); a loose cable or a crowded USB bus does this"
        case .sizeMismatch(let expected, let found):
            "cannot decode the JPEG: its header says \(found), the camera was set to \(expected)"
        case .unsupported(let words): "cannot decode the JPEG: \(words)"
        case .notEncodable(let words): "cannot make a JPEG of the frame: \(words)"
        case .outOfMemory: "cannot start the JPEG codec: out of memory"
        }
    }
}
