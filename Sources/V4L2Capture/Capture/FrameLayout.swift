import CV4L2

/// The layout of a frame's planes in a buffer, according to the format that the driver has set.
struct FrameLayout {
    var format: PixelFormat
    var size: FrameSize
    var encoding: YUVEncoding
    private var planes: [(offset: Int, bytesPerRow: Int)] = []
    /// The driver's bytes per row and the conversion to single bytes, for formats with two bytes per sample; else nil.
    private(set) var wide: (bytesPerRow: Int, depth: GrayDepth)?
    /// The number of bytes of a whole frame; for a JPEG, the minimum.
    var byteCount: Int
    /// The minimum number of bytes of a JPEG: those of its headers.
    private static let fewestJPEGBytes = 128

    /// The readable formats, the cheapest first; gray comes last because the models were trained with colours.
    static let formats: [(name: FourCC, pixels: PixelFormat)] = [
        (.yuyv, .yuyv), (.nv12, .nv12), (.yu12, .planarYUV(chromaShiftX: 1, chromaShiftY: 1)),
        (.yv12, .planarYUV(chromaShiftX: 1, chromaShiftY: 1)), (.yuv422p, .planarYUV(chromaShiftX: 1, chromaShiftY: 0)),
        (.rgb3, .rgb24), (.bgr3, .bgr24), (.xr24, .bgra), (.mjpg, .jpeg), (.jpeg, .jpeg), (.grey, .gray),
        (.y16, .gray), (.y12, .gray), (.y10, .gray),
    ]

    /// The formats with two bytes per sample, each with the minimum number of bits that are used.
    static let wide: [FourCC: Int] = [.y16: 8, .y12: 12, .y10: 10]

    /// Makes a layout for the format that the driver has set; nil if the format cannot be read or is invalid.
    init?(_ answer: v4l2_pix_format) {
        let name = FourCC(rawValue: answer.pixelformat)
        size = FrameSize(answer)
        guard let known = Self.formats.first(where: { $0.name == name }), let rows = try? known.pixels.rows(in: size)
        else { return nil }
        format = known.pixels
        encoding = format == .jpeg ? .jpeg : YUVEncoding(answer)
        // Some drivers leave the bytes per row at 0.
        let depth = Self.wide[name]
        let first = max(Int(answer.bytesperline), rows[0].bytes * (depth == nil ? 1 : 2))
        guard first <= Int(Int32.max) else { return nil }
        if let depth { wide = (first, GrayDepth(atLeast: depth)) }
        byteCount = 0
        for row in rows {
            // Chroma rows have padding in proportion to luma rows.
            let bytesPerRow = first * row.bytes / rows[0].bytes
            planes.append((byteCount, depth == nil ? bytesPerRow : row.bytes))
            byteCount += bytesPerRow * row.count
        }
        if format == .jpeg { byteCount = Self.fewestJPEGBytes }
        if name == .yv12 { planes.swapAt(1, 2) }
    }

    /// Whether `used` bytes make a whole frame; of a JPEG, only the size and the start are checked.
    func isWhole(_ base: UnsafeRawPointer, byteCount used: Int) -> Bool {
        guard used >= byteCount else { return false }
        guard case .jpeg = format else { return true }
        return base.load(as: UInt8.self) == 0xFF && base.load(fromByteOffset: 1, as: UInt8.self) == 0xD8
    }

    func planes(at base: UnsafeRawPointer, byteCount used: Int) -> Frame.Planes {
        if case .jpeg = format { return Frame.Planes(Frame.Plane(base: base, bytesPerRow: used)) }
        return Frame.Planes(planes.lazy.map { Frame.Plane(base: base + $0.offset, bytesPerRow: $0.bytesPerRow) })
    }
}

extension FrameSize {
    init(_ answer: v4l2_pix_format) { self.init(width: Int(answer.width), height: Int(answer.height)) }
}

extension YUVEncoding {
    /// Makes the encoding that the driver reports, with V4L2's defaults for everything that the driver leaves open.
    init(_ answer: v4l2_pix_format) {
        let colorspace = answer.colorspace
        let isHighDefinition =
            answer.ycbcr_enc == V4L2_YCBCR_ENC_709.rawValue
            || answer.ycbcr_enc == V4L2_YCBCR_ENC_DEFAULT.rawValue
                && (colorspace == V4L2_COLORSPACE_REC709.rawValue || colorspace == V4L2_COLORSPACE_DCI_P3.rawValue)
        let isFullRange =
            answer.quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue
            || answer.quantization == V4L2_QUANTIZATION_DEFAULT.rawValue
                && colorspace == V4L2_COLORSPACE_JPEG.rawValue
        self.init(matrix: isHighDefinition ? .bt709 : .bt601, isFullRange: isFullRange)
    }
}

/// Converts the 16-bit words of infrared cameras to bytes of brightness. Measures how many bits of a word are used,
/// since drivers do not say: words of the format Y16 may have 10 or 12 bits, those of Y10 may use the highest bits.
struct GrayDepth {
    /// The reciprocal of the fraction of words that may exceed `bits` and count as damaged. If more do, `bits` grows.
    private static let damagedShare = 1000

    /// The number of bits used of each word; at first the minimum for the format.
    private(set) var bits: Int

    init(atLeast bits: Int) { self.bits = bits }

    /// Converts a picture of little-endian words, with `bytesPerRow` from row to row, to bytes without gaps.
    mutating func narrow(
        _ words: UnsafeRawPointer,
        bytesPerRow: Int,
        _ size: FrameSize,
        into bytes: UnsafeMutableRawPointer
    ) {
        let (width, height) = (size.width, size.height)
        func row(_ index: Int) -> UnsafeBufferPointer<UInt16> {
            let start = (words + index * bytesPerRow).assumingMemoryBound(to: UInt16.self)
            return UnsafeBufferPointer(start: start, count: width)
        }
        // The number of words by their number of bits, and the number of words with more than `bits`.
        var counts = InlineArray<17, Int>(repeating: 0)
        var higher = 0
        for index in 0..<height {
            for word in row(index) where Int(word) >> bits > 0 {
                counts[16 - word.leadingZeroBitCount] += 1
                higher += 1
            }
        }
        while higher > width * height / Self.damagedShare {
            bits += 1
            higher -= counts[bits]
        }
        let shift = UInt16(bits - 8)
        for index in 0..<height {
            let line = (bytes + index * width).assumingMemoryBound(to: UInt8.self)
            let words = row(index)
            for column in 0..<width { line[column] = UInt8(min(255, words[column] &>> shift)) }
        }
    }
}
