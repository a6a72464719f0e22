/// Where the samples of a frame's pixels lie in memory: brightness and two of chroma, or red, green and blue.
struct FrameSamples {
    /// Samples that lie alike, in one plane or in planes with the same rows.
    struct Group {
        /// The first sample of each channel; of one or two channels the others are the first again.
        let bases: InlineArray<3, UnsafePointer<UInt8>>
        let channels: Int
        let bytesPerRow: Int
        /// Bytes from a sample to the next.
        let step: Int
        /// The powers of two by which the samples are fewer than the pixels.
        var shiftX = 0
        var shiftY = 0

        /// A channel's sample for the pixel at a column of a row.
        @inline(__always)
        func sample(_ channel: Int, _ x: Int, _ y: Int) -> UInt8 {
            bases[channel][(y &>> shiftY) &* bytesPerRow &+ (x &>> shiftX) &* step]
        }
    }

    /// The brightness, or all three colours.
    let first: Group
    /// U and V; nil for gray, and if `first` has the colours.
    let chroma: Group?
    var isRGB: Bool { first.channels == 3 }

    /// Finds the samples in a frame; nil for a JPEG, or if a plane is missing.
    init?(_ frame: Frame) {
        let (base, bytesPerRow) = (frame.planes.first.bytes, frame.planes.first.bytesPerRow)
        func brightness(step: Int) -> Group {
            Group(bases: [base, base, base], channels: 1, bytesPerRow: bytesPerRow, step: step)
        }
        func chroma(_ u: UnsafePointer<UInt8>, _ v: UnsafePointer<UInt8>, _ row: Int, _ step: Int, _ x: Int, _ y: Int)
            -> Group
        {
            Group(bases: [u, v, u], channels: 2, bytesPerRow: row, step: step, shiftX: x, shiftY: y)
        }
        switch frame.format {
        case .gray: (first, self.chroma) = (brightness(step: 1), nil)
        case .planarYUV(let shiftX, let shiftY):
            guard let u = frame.planes.second, let v = frame.planes.third, u.bytesPerRow == v.bytesPerRow,
                0...4 ~= shiftX, 0...4 ~= shiftY
            else { return nil }
            (first, self.chroma) = (brightness(step: 1), chroma(u.bytes, v.bytes, u.bytesPerRow, 1, shiftX, shiftY))
        case .nv12:
            guard let second = frame.planes.second else { return nil }
            (first, self.chroma) = (
                brightness(step: 1), chroma(second.bytes, second.bytes + 1, second.bytesPerRow, 2, 1, 1)
            )
        case .yuyv: (first, self.chroma) = (brightness(step: 2), chroma(base + 1, base + 3, bytesPerRow, 4, 1, 0))
        case .packedRGB(let bytes, let red, let green, let blue):
            let bases: InlineArray<3, _> = [base + red, base + green, base + blue]
            (first, self.chroma) = (Group(bases: bases, channels: 3, bytesPerRow: bytesPerRow, step: bytes), nil)
        case .jpeg: return nil
        }
    }
}

extension Frame.Plane {
    /// The plane's bytes as C functions take them.
    var bytes: UnsafePointer<UInt8> { base.assumingMemoryBound(to: UInt8.self) }
}

/// Turns YUV samples into RGB in a range of numbers.
struct YUVConversion {
    // Factors of samples with 16 bits behind the point.
    private let luma, redV, greenU, greenV, blueU: Float
    /// What black brightness and neutral chroma add up to.
    private let bias: Float
    // The numbers for black and white: YUV reaches colours that RGB has not.
    private let black, white: Float

    /// Makes a conversion in which a sample of 0…255 of RGB becomes sample · scale + offset.
    init(_ encoding: YUVEncoding, scale: Float, offset: Float) {
        let factors = encoding.factors
        func factor(_ value: Double) -> Float { Float(value) * scale / 65536 }
        luma = factor(factors.luma)
        redV = factor(factors.redV)
        greenU = factor(factors.greenU)
        greenV = factor(factors.greenV)
        blueU = factor(factors.blueU)
        bias = offset - Float(factors.black * factors.luma) * scale
        black = offset
        white = offset + 255 * scale
    }

    /// A sample that is neither red nor blue.
    private static let neutral: Float = 128 * 65536

    /// What red, green and blue all are without chroma, of a sample with 16 bits behind the point.
    @inline(__always)
    func gray(_ y: Float) -> Float { clamped(y * luma + bias) }

    /// The colour of samples with 16 bits behind the point.
    @inline(__always)
    func color(_ y: Float, _ u: Float, _ v: Float) -> (red: Float, green: Float, blue: Float) {
        let (gray, u, v) = (y * luma + bias, u - Self.neutral, v - Self.neutral)
        return (clamped(gray + v * redV), clamped(gray + u * greenU + v * greenV), clamped(gray + u * blueU))
    }

    @inline(__always)
    private func clamped(_ value: Float) -> Float {
        let raised = value < black ? black : value
        return raised > white ? white : raised
    }

    /// Puts red, green and blue in the place of a row's samples.
    func convert(_ row: CropRow, _ columns: Range<Int>) {
        let (first, second, third) = (row.first, row.second, row.third)
        for index in columns {
            (first[index], second[index], third[index]) = color(first[index], second[index], third[index])
        }
    }
}
