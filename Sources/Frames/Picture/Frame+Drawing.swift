extension Frame {
    /// Converts the picture, as stored, to BGRA in a pool's memory; nil if the frame lacks planes or is a JPEG.
    package func drawnAsStored(in pool: inout PixelMemoryPool) -> Frame? {
        let memory = pool.lend(byteCount: 4 * size.width * size.height)
        let bytes = memory.base.assumingMemoryBound(to: UInt8.self)
        var opaque = self
        opaque.hasOpacity = false
        guard opaque.drawBGRA(stride: 1, into: bytes, bytesPerRow: 4 * size.width) else { return nil }
        return packed(.bgra, of: size, memory, bytesPerPixel: 4)
    }

    /// Converts the picture to an upright RGB picture of the size `target` in a pool's memory; nil if the frame lacks
    /// planes or is a JPEG. Scaling averages pixels, which is good enough for viewing.
    package func drawnUpright(of target: FrameSize, in pool: inout PixelMemoryPool) -> Frame? {
        let memory = pool.lend(byteCount: 3 * target.width * target.height)
        let storedFromUpright = orientation.storedFromUpright(stored: size)
        let upright = uprightSize
        // Each drawn pixel is the average of n × n evenly spaced source pixels, so that fine patterns do not shimmer.
        let samples = min(4, (upright.width + target.width - 1) / target.width)
        let area = samples * samples
        let isDrawn = readColors { color in
            var next = memory.base.assumingMemoryBound(to: UInt8.self)
            for y in 0..<target.height {
                for x in 0..<target.width {
                    var sum = (r: 0, g: 0, b: 0)
                    for sample in 0..<area {
                        let uprightX = (x * samples + sample % samples) * upright.width / (target.width * samples)
                        let uprightY = (y * samples + sample / samples) * upright.height / (target.height * samples)
                        let stored = storedFromUpright(Float(uprightX), Float(uprightY))
                        let pixel = color(Int(stored.x), Int(stored.y))
                        sum = (sum.r + Int(pixel.r), sum.g + Int(pixel.g), sum.b + Int(pixel.b))
                    }
                    (next[0], next[1], next[2]) = (UInt8(sum.r / area), UInt8(sum.g / area), UInt8(sum.b / area))
                    next += 3
                }
            }
        }
        guard isDrawn else { return nil }
        var drawn = packed(.rgb24, of: target, memory, bytesPerPixel: 3)
        drawn.orientation = .up
        return drawn
    }

    /// Returns this frame with packed pixels in `memory` in place of its own.
    private func packed(_ format: PixelFormat, of size: FrameSize, _ memory: PixelMemory, bytesPerPixel: Int) -> Frame {
        var drawn = self
        drawn.size = size
        drawn.format = format
        drawn.encoding = .jpeg
        drawn.hasOpacity = false
        drawn.planes = Planes(Plane(base: UnsafeRawPointer(memory.base), bytesPerRow: bytesPerPixel * size.width))
        drawn.lease = memory
        return drawn
    }

    /// Writes every `stride`th pixel of every `stride`th stored row as BGRA, with colours premultiplied by the opacity.
    /// - Returns: False, with nothing written, if the frame lacks planes or is a JPEG.
    @discardableResult
    package func drawBGRA(stride: Int, into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int) -> Bool {
        let opacity = hasOpacity ? planes.first : nil
        let drawn = stride == 1 && !hasOpacity ? drawBlocks(into: target, bytesPerRow: bytesPerRow) : 0
        return readColors { color in
            for row in 0..<size.height / stride {
                var pixel = target + row * bytesPerRow + 4 * drawn
                for column in drawn..<size.width / stride {
                    let color = color(column * stride, row * stride)
                    let alpha = opacity.map { $0.bytes[row * stride * $0.bytesPerRow + column * stride * 4 + 3] } ?? 255
                    // Subtracts the white over which the colour was blended.
                    let white = 255 - alpha
                    @inline(__always) func own(_ sample: UInt8) -> UInt8 { sample > white ? sample - white : 0 }
                    (pixel[0], pixel[1], pixel[2], pixel[3]) = (own(color.b), own(color.g), own(color.r), alpha)
                    pixel += 4
                }
            }
        }
    }

    /// Writes the picture as opaque BGRA, in blocks of 16 pixels, if every two neighbours in a row share their chroma.
    /// - Returns: The number of columns written in each row: a multiple of 16, or 0 if no chroma is shared.
    private func drawBlocks(into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int) -> Int {
        guard let samples = FrameSamples(self), let chroma = samples.chroma, chroma.shiftX == 1 else { return 0 }
        let conversion = YUVConversion(encoding, scale: 1, offset: 0.5)
        let columns = size.width & ~15
        for row in 0..<size.height {
            let pixels = UnsafeMutableRawPointer(target + row * bytesPerRow)
            let luma = samples.first.row(0, row)
            let u = chroma.row(0, row)
            let v = chroma.row(1, row)
            for column in Swift.stride(from: 0, to: columns, by: 16) {
                let half = column / 2 &* chroma.step
                let step = samples.first.step
                let block = conversion.block(luma + column &* step, step, u + half, v + half, chroma.step)
                pixels.storeBytes(of: block, toByteOffset: 4 &* column, as: SIMD16<UInt32>.self)
            }
        }
        return columns
    }

    /// Calls `body` with a function that returns the colour of the stored pixel in column x of row y.
    /// - Returns: False if the frame lacks planes or is a JPEG.
    @inline(__always)
    fileprivate func readColors(_ body: (_ color: (_ x: Int, _ y: Int) -> (r: UInt8, g: UInt8, b: UInt8)) -> Void)
        -> Bool
    {
        guard let samples = FrameSamples(self) else { return false }
        let first = samples.first
        // The offset makes the conversion to integers round.
        let conversion = YUVConversion(encoding, scale: 1, offset: 0.5)
        func fixed(_ sample: UInt8) -> Float { Float(Int32(sample) << 16) }
        if samples.isRGB {
            body { x, y in (first.sample(0, x, y), first.sample(1, x, y), first.sample(2, x, y)) }
        } else if let chroma = samples.chroma {
            body { x, y in
                let (u, v) = (fixed(chroma.sample(0, x, y)), fixed(chroma.sample(1, x, y)))
                let color = conversion.color(fixed(first.sample(0, x, y)), u, v)
                return (UInt8(color.red), UInt8(color.green), UInt8(color.blue))
            }
        } else {
            body { x, y in
                let gray = UInt8(conversion.gray(fixed(first.sample(0, x, y))))
                return (gray, gray, gray)
            }
        }
        return true
    }
}
