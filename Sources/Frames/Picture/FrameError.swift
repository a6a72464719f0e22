/// Why a frame cannot be made, or its pixels cannot be read.
public enum FrameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Width and height must be between 1 and 32,767.
    case unusableSize(FrameSize)
    /// The format describes no pixels: an offset outside the pixel, chroma planes smaller than a sixteenth.
    case unusableFormat(PixelFormat)
    /// The format has another number of planes.
    case wrongPlanes(PixelFormat, expected: Int, given: Int)
    /// A plane has fewer bytes than its rows take.
    case tooShort(plane: Int, bytes: Int, needed: Int)
    /// Rows of a plane are closer to each other than they are long, or 2 GiB or more apart.
    case overlappingRows(plane: Int, bytesPerRow: Int, needed: Int)
    /// The planes of U and V, which are read together, have different numbers of bytes from a row to the next.
    case differentChromaRows(u: Int, v: Int)
    /// The frame's media time is negative, longer than 30 years or no number.
    case unusableTime
    /// The frame is a JPEG that cannot be decoded, with the decoder's reason.
    case undecodable(String)

    /// What was tried and why it failed.
    public var description: String {
        switch self {
        case .unusableSize(let size): "cannot make a frame of \(size): width and height must be 1 to 32767 pixels"
        case .unusableFormat(let format): "cannot make a frame: \(format) describes no pixels"
        case .wrongPlanes(let format, let expected, let given):
            "cannot make a frame: \(format) has \(expected) planes, \(given) were given"
        case .tooShort(let plane, let bytes, let needed):
            "cannot make a frame: plane \(plane) has \(bytes) bytes, its rows take \(needed)"
        case .overlappingRows(let plane, let bytesPerRow, let needed):
            "cannot make a frame: plane \(plane) has \(bytesPerRow) bytes from row to row; \(needed) to \(Int32.max) can be"
        case .differentChromaRows(let u, let v):
            "cannot make a frame: from row to row, U has \(u) bytes and V \(v); give both the same"
        case .unusableTime:
            "cannot make a frame: its media time is not from 0 to \(Int(FrameStamp.longestMediaTime)) seconds"
        case .undecodable(let reason): "cannot read the frame's pixels: \(reason)"
        }
    }
}
