import CTurboJPEG

/// Why a JPEG could not be read or made.
package enum JPEGError: Error, Hashable, Sendable, CustomStringConvertible {
    case notJPEG(PixelFormat)
    case corrupt(String)
    case sizeMismatch(expected: FrameSize, found: FrameSize)
    case tooLarge(FrameSize, limit: Int)
    case unsupported(String)
    case notEncodable(String)
    case outOfMemory

    package var description: String {
        switch self {
        case .notJPEG(let format): "cannot decode the frame as JPEG: it holds pixels (\(format))"
        case .corrupt(let words): "cannot decode the JPEG: \(words); a loose cable or a crowded USB bus does this"
        case .sizeMismatch(let expected, let found):
            "cannot decode the JPEG: its header says \(found), the camera was set to \(expected)"
        case .tooLarge(let size, let limit):
            "cannot decode the JPEG: its header says \(size), more than the \(limit) pixels allowed"
        case .unsupported(let words): "cannot decode the JPEG: \(words)"
        case .notEncodable(let words): "cannot make a JPEG of the frame: \(words)"
        case .outOfMemory: "cannot start the JPEG codec: out of memory"
        }
    }
}

/// The chroma subsamplings that a JPEG may have, under TurboJPEG's names.
///
/// Built from the C enumeration's values, whose Swift type differs from that of the functions' parameters.
struct JPEGSubsampling: Equatable {
    let code: Int32
    let format: PixelFormat

    private init(_ code: TJSAMP, _ format: PixelFormat) {
        self.code = Int32(code.rawValue)
        self.format = format
    }

    static let gray = JPEGSubsampling(TJSAMP_GRAY, .gray)
    static let yuv420 = JPEGSubsampling(TJSAMP_420, .planarYUV(chromaShiftX: 1, chromaShiftY: 1))
    static let yuv444 = JPEGSubsampling(TJSAMP_444, .planarYUV(chromaShiftX: 0, chromaShiftY: 0))

    static let all = [
        gray, yuv420, yuv444,
        JPEGSubsampling(TJSAMP_422, .planarYUV(chromaShiftX: 1, chromaShiftY: 0)),
        JPEGSubsampling(TJSAMP_440, .planarYUV(chromaShiftX: 0, chromaShiftY: 1)),
        JPEGSubsampling(TJSAMP_411, .planarYUV(chromaShiftX: 2, chromaShiftY: 0)),
    ]
}
