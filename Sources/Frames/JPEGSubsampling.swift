import CTurboJPEG

/// The chroma subsamplings that a JPEG may have, under TurboJPEG's names.
///
/// Built from the C enumeration's values, whose Swift type differs from that of the functions' parameters.
struct JPEGSubsampling: Equatable {
    /// TurboJPEG's number.
    let code: Int32
    /// What decoded planes are in.
    let format: PixelFormat

    private init(_ code: TJSAMP, _ format: PixelFormat) {
        self.code = Int32(code.rawValue)
        self.format = format
    }

    static let gray = JPEGSubsampling(TJSAMP_GRAY, .gray)
    static let yuv420 = JPEGSubsampling(TJSAMP_420, .planarYUV(chromaShiftX: 1, chromaShiftY: 1))

    private static let all = [
        gray, yuv420,
        JPEGSubsampling(TJSAMP_444, .planarYUV(chromaShiftX: 0, chromaShiftY: 0)),
        JPEGSubsampling(TJSAMP_422, .planarYUV(chromaShiftX: 1, chromaShiftY: 0)),
        JPEGSubsampling(TJSAMP_440, .planarYUV(chromaShiftX: 0, chromaShiftY: 1)),
        JPEGSubsampling(TJSAMP_411, .planarYUV(chromaShiftX: 2, chromaShiftY: 0)),
    ]

    /// Nil for a number that is not in the list.
    init?(code: Int32) {
        guard let found = Self.all.first(where: { $0.code == code }) else { return nil }
        self = found
    }

    /// Nil for a format whose planes a JPEG can't have.
    init?(format: PixelFormat) {
        guard let found = Self.all.first(where: { $0.format == format }) else { return nil }
        self = found
    }

    /// How many planes there are: 1 or 3.
    var planeCount: Int { self == .gray ? 1 : 3 }
}
