/// The memory layout of a frame's samples: either brightness and two chroma channels, or red, green and blue.
struct FrameSamples {
    /// Channels with the same layout, in one plane or in planes with the same bytes per row.
    struct Group {
        typealias Base = UnsafePointer<UInt8>

        /// The address of each channel's first sample. With fewer than three channels, the rest repeat the first.
        let bases: InlineArray<3, Base>
        let channels: Int
        let bytesPerRow: Int
        /// The bytes from one sample to the next.
        var step: Int
        /// The right shifts that turn a pixel's column and row into those of its sample; 0 unless chroma is subsampled.
        var shiftX = 0
        var shiftY = 0

        /// Returns a channel's sample for the pixel in column x of row y.
        @inline(__always)
        func sample(_ channel: Int, _ x: Int, _ y: Int) -> UInt8 {
            row(channel, y)[(x &>> shiftX) &* step]
        }

        /// Returns the address of a channel's first sample in row y of the picture's pixels.
        @inline(__always)
        func row(_ channel: Int, _ y: Int) -> Base { bases[channel] + (y &>> shiftY) &* bytesPerRow }
    }

    /// The channel of brightness (gray and YUV), or the channels of red, green and blue.
    let first: Group
    /// The channels U and V; nil for gray and RGB.
    let chroma: Group?
    var isRGB: Bool { first.channels == 3 }
    var isGray: Bool { first.channels == 1 && chroma == nil }

    /// Finds the samples of a frame; nil for a JPEG, or if a plane is missing.
    init?(_ frame: Frame) {
        let base = frame.planes.first.bytes
        let bytesPerRow = frame.planes.first.bytesPerRow
        var first = Group(bases: [base, base, base], channels: 1, bytesPerRow: bytesPerRow, step: 1)
        var chroma: Group?
        func pair(_ u: Group.Base, _ v: Group.Base, _ row: Int, _ step: Int, _ x: Int, _ y: Int) -> Group {
            Group(bases: [u, v, u], channels: 2, bytesPerRow: row, step: step, shiftX: x, shiftY: y)
        }
        switch frame.format {
        case .gray: break
        case .planarYUV(let shiftX, let shiftY):
            guard let u = frame.planes.second, let v = frame.planes.third, u.bytesPerRow == v.bytesPerRow,
                0...4 ~= shiftX, 0...4 ~= shiftY
            else { return nil }
            chroma = pair(u.bytes, v.bytes, u.bytesPerRow, 1, shiftX, shiftY)
        case .nv12:
            guard let second = frame.planes.second else { return nil }
            chroma = pair(second.bytes, second.bytes + 1, second.bytesPerRow, 2, 1, 1)
        case .yuyv:
            first.step = 2
            chroma = pair(base + 1, base + 3, bytesPerRow, 4, 1, 0)
        case .packedRGB(let bytes, let red, let green, let blue):
            let bases: InlineArray<3, Group.Base> = [base + red, base + green, base + blue]
            first = Group(bases: bases, channels: 3, bytesPerRow: bytesPerRow, step: bytes)
        case .jpeg: return nil
        }
        self.first = first
        self.chroma = chroma
    }
}

extension Frame.Plane {
    /// The address of the top row, as C functions take it.
    package var bytes: UnsafePointer<UInt8> { base.assumingMemoryBound(to: UInt8.self) }
}

/// Converts YUV samples to RGB in any output range: R = luma · (Y − black) + redV · (V − 128), and so on.
struct YUVConversion {
    // The factors for samples with 16 fractional bits.
    private let luma, redV, greenU, greenV, blueU: Float
    /// The constant term of all three colours: the output's offset, minus what the black level of Y contributes.
    private let bias: Float
    // The output values of black and white, to which colours that RGB lacks are clamped.
    private let black, white: Float

    /// Makes a conversion whose output is sample · scale + offset for an RGB sample of 0…255.
    init(_ encoding: YUVEncoding, scale: Float, offset: Float) {
        let (red, blue) = encoding.matrix.weights
        let green = 1 - red - blue
        // The video range has 224 steps of chroma.
        let chroma = 2 * (encoding.isFullRange ? 1 : 255.0 / 224)
        func factor(_ value: Double) -> Float { Float(value) * scale / 65536 }
        luma = factor(encoding.luma.factor)
        redV = factor(chroma * (1 - red))
        greenU = factor(-chroma * (1 - blue) * blue / green)
        greenV = factor(-chroma * (1 - red) * red / green)
        blueU = factor(chroma * (1 - blue))
        bias = offset - Float(encoding.luma.black * encoding.luma.factor) * scale
        black = offset
        white = offset + 255 * scale
    }

    /// The value of U and V of a pixel without colour, with 16 fractional bits.
    private static let neutral: Float = 128 * 65536

    /// Converts Y, with 16 fractional bits, to the value of red, green and blue in a pixel without colour.
    @inline(__always)
    func gray(_ y: Float) -> Float { clamped(y * luma + bias) }

    /// Converts Y, U and V, with 16 fractional bits, to red, green and blue.
    @inline(__always)
    func color(_ y: Float, _ u: Float, _ v: Float) -> (red: Float, green: Float, blue: Float) {
        let (gray, u, v) = (y * luma + bias, u - Self.neutral, v - Self.neutral)
        return (clamped(gray + v * redV), clamped(gray + u * greenU + v * greenV), clamped(gray + u * blueU))
    }

    /// Converts 16 neighbouring pixels, two per chroma sample, to BGRA. Rounds if `offset` in `init` is 0.5.
    @inline(__always)
    func block(
        _ luma: UnsafePointer<UInt8>,
        _ lumaStep: Int,
        _ u: UnsafePointer<UInt8>,
        _ v: UnsafePointer<UInt8>,
        _ step: Int
    ) -> SIMD16<UInt32> {
        var y = SIMD16<UInt32>()
        var cb = SIMD8<UInt32>()
        var cr = SIMD8<UInt32>()
        for index in 0..<16 { y[index] = UInt32(luma[index &* lumaStep]) }
        for index in 0..<8 { (cb[index], cr[index]) = (UInt32(u[index &* step]), UInt32(v[index &* step])) }
        // A whole number below 2²³ is in the low bits of the float that is 2²³ larger.
        let large: Float = 8_388_608
        @inline(__always) func whole(_ value: SIMD16<Float>) -> SIMD16<UInt32> {
            let raised = value.replacing(with: black, where: value .< black)
            let clamped = raised.replacing(with: white, where: raised .> white)
            let nearest = (clamped + large) - large
            let floor = nearest.replacing(with: nearest - 1, where: nearest .> clamped)
            return unsafeBitCast(floor + large, to: SIMD16<UInt32>.self) & 0xFF
        }
        @inline(__always) func twice(_ half: SIMD8<Float>) -> SIMD16<Float> {
            var pixels = SIMD16<Float>()
            pixels.evenHalf = half
            pixels.oddHalf = half
            return pixels
        }
        @inline(__always) func chroma(_ samples: SIMD8<UInt32>) -> SIMD8<Float> {
            (unsafeBitCast(samples | large.bitPattern, to: SIMD8<Float>.self) - large) * 65536 - Self.neutral
        }
        let gray = (unsafeBitCast(y | large.bitPattern, to: SIMD16<Float>.self) - large) * 65536 * self.luma + bias
        let blueness = chroma(cb)
        let redness = chroma(cr)
        let red = whole(gray + twice(redness * redV))
        let green = whole(gray + twice(blueness * greenU) + twice(redness * greenV))
        let blue = whole(gray + twice(blueness * blueU))
        return blue | green &<< 8 | red &<< 16 | 0xFF00_0000
    }

    @inline(__always)
    private func clamped(_ value: Float) -> Float {
        let raised = value < black ? black : value
        return raised > white ? white : raised
    }

    /// Replaces a row's YUV samples by red, green and blue.
    func convert(_ row: CropRow, _ columns: Range<Int>) {
        let (first, second, third) = (row.first, row.second, row.third)
        guard !row.samples.isGray else {
            for index in columns { first[index] = gray(first[index]) }
            return
        }
        for index in columns {
            (first[index], second[index], third[index]) = color(first[index], second[index], third[index])
        }
    }
}
