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
    /// U and V.
    let chroma: Group?

    /// Whether `first` has the colours.
    var isRGB: Bool { first.channels == 3 }

    /// Finds the samples in a frame; nil for a JPEG, or if a plane is missing.
    init?(_ frame: Frame) {
        let (plane, base) = (frame.planes.0, frame.planes.0.bytes)
        func brightness(step: Int) -> Group {
            Group(bases: [base, base, base], channels: 1, bytesPerRow: plane.bytesPerRow, step: step)
        }
        func chroma(_ u: UnsafePointer<UInt8>, _ v: UnsafePointer<UInt8>, _ row: Int, _ step: Int, _ x: Int, _ y: Int)
            -> Group
        {
            Group(bases: [u, v, u], channels: 2, bytesPerRow: row, step: step, shiftX: x, shiftY: y)
        }
        switch frame.format {
        case .gray: (first, self.chroma) = (brightness(step: 1), nil)
        case .planarYUV(let shiftX, let shiftY):
            guard let u = frame.planes.1, let v = frame.planes.2, u.bytesPerRow == v.bytesPerRow,
                0...4 ~= shiftX, 0...4 ~= shiftY
            else { return nil }
            first = brightness(step: 1)
            self.chroma = chroma(u.bytes, v.bytes, u.bytesPerRow, 1, shiftX, shiftY)
        case .nv12:
            guard let second = frame.planes.1 else { return nil }
            first = brightness(step: 1)
            self.chroma = chroma(second.bytes, second.bytes + 1, second.bytesPerRow, 2, 1, 1)
        case .yuyv: (first, self.chroma) = (brightness(step: 2), chroma(base + 1, base + 3, plane.bytesPerRow, 4, 1, 0))
        case .packedRGB(let bytes, let red, let green, let blue):
            let bases: InlineArray<3, _> = [base + red, base + green, base + blue]
            first = Group(bases: bases, channels: 3, bytesPerRow: plane.bytesPerRow, step: bytes)
            self.chroma = nil
        case .jpeg: return nil
        }
    }
}

extension Frame.Plane {
    /// The plane's bytes as C functions take them.
    var bytes: UnsafePointer<UInt8> { base.assumingMemoryBound(to: UInt8.self) }
}

extension YUVEncoding {
    /// What makes red, green and blue of 0…255 from samples: R = luma · (Y − black) + redV · (V − 128), and so on.
    ///
    /// In the video range there are 219 steps of brightness and 224 of chroma.
    var factors: (luma: Double, black: Double, redV: Double, greenU: Double, greenV: Double, blueU: Double) {
        let (red, blue) = matrix.weights
        let green = 1 - red - blue
        let chroma = 2 * (isFullRange ? 1 : 255.0 / 224)
        return (
            luma: isFullRange ? 1 : 255.0 / 219, black: isFullRange ? 0 : 16, redV: chroma * (1 - red),
            greenU: -chroma * (1 - blue) * blue / green, greenV: -chroma * (1 - red) * red / green,
            blueU: chroma * (1 - blue)
        )
    }
}
