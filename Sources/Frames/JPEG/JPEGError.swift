import CTurboJPEG

/// The reason why a JPEG could not be read or made.
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

/// The formats to which JPEGs are decoded, each under TurboJPEG's constant for its chroma subsampling.
let jpegFormats: [UInt32: PixelFormat] = [
    TJSAMP_GRAY.rawValue: .gray,
    TJSAMP_420.rawValue: .planarYUV(chromaShiftX: 1, chromaShiftY: 1),
    TJSAMP_444.rawValue: .planarYUV(chromaShiftX: 0, chromaShiftY: 0),
    TJSAMP_422.rawValue: .planarYUV(chromaShiftX: 1, chromaShiftY: 0),
    TJSAMP_440.rawValue: .planarYUV(chromaShiftX: 0, chromaShiftY: 1),
    TJSAMP_411.rawValue: .planarYUV(chromaShiftX: 2, chromaShiftY: 0),
]
