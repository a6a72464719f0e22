/// The reason why a frame cannot be made, or its pixels cannot be read.
public enum FrameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The width or the height is not between 1 and 32,767.
    case unusableSize(FrameSize)
    /// The format is impossible, such as a colour's offset outside the pixel or chroma subsampled by more than 16.
    case unusableFormat(PixelFormat)
    /// The number of planes does not fit the pixel format.
    case wrongPlanes(PixelFormat, expected: Int, given: Int)
    /// A plane has fewer bytes than its rows take.
    case tooShort(plane: Int, bytes: Int, needed: Int)
    /// The bytes from one row of a plane to the next are fewer than a row has, or 2 GiB or more.
    case overlappingRows(plane: Int, bytesPerRow: Int, needed: Int)
    /// The planes of U and V have different numbers of bytes per row, though they are read together.
    case differentChromaRows(u: Int, v: Int)
    /// The frame's media time is negative, longer than 30 years or not a number.
    case unusableTime
    /// The frame is a JPEG that cannot be decoded. The value is the decoder's reason.
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
