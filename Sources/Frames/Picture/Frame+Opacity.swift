// Partly transparent pixels. A frame stores their colours blended over white, and their opacity in the fourth byte.
// From both, the unblended colours can be computed, except those of fully transparent pixels.

extension Frame {
    /// Blends RGBA pixels, whose colours are not premultiplied, over white in place.
    /// - Returns: Whether any pixel is not opaque.
    package static func layOverWhite(_ pixels: UnsafeMutablePointer<UInt8>, bytesPerRow: Int, _ size: FrameSize) -> Bool
    {
        var least: UInt8 = 255
        for y in 0..<size.height {
            var pixel = pixels + y * bytesPerRow
            for _ in 0..<size.width {
                let alpha = pixel[3]
                if alpha < 255 {
                    least = min(least, alpha)
                    let share = UInt16(alpha)
                    let white = UInt16(255 - alpha) * 255 + 127
                    for channel in 0..<3 { pixel[channel] = UInt8((UInt16(pixel[channel]) * share + white) / 255) }
                }
                pixel += 4
            }
        }
        return least < 255
    }

    /// A copy of the frame, blended over white. The frame's colours must be premultiplied by opacity, the fourth byte.
    package var overWhite: Frame {
        let memory = PixelMemory(byteCount: size.width * size.height * 4)
        var least: UInt8 = 255
        var next = memory.base.assumingMemoryBound(to: UInt8.self)
        for y in 0..<size.height {
            let row = planes.first.bytes + y * planes.first.bytesPerRow
            for x in 0..<size.width {
                let alpha = row[4 * x + 3]
                least = min(least, alpha)
                for channel in 0..<3 { next[channel] = min(row[4 * x + channel], alpha) + (255 - alpha) }
                next[3] = alpha
                next += 4
            }
        }
        var made = self
        made.planes = Planes(Plane(base: UnsafeRawPointer(memory.base), bytesPerRow: size.width * 4))
        (made.lease, made.hasOpacity) = (memory, least < 255)
        return made
    }

    /// Removes the white over which the colours of `pixels`, an RGBA copy of this frame, are blended, and sets opacity.
    package func takeFromWhite(_ pixels: UnsafeMutablePointer<UInt8>, bytesPerRow: Int) {
        for y in 0..<size.height {
            let row = planes.first.bytes + y * planes.first.bytesPerRow
            var pixel = pixels + y * bytesPerRow
            for x in 0..<size.width {
                let alpha = Int(row[4 * x + 3])
                for channel in 0..<3 where alpha < 255 {
                    let own = max(0, Int(pixel[channel]) + alpha - 255) * 255
                    pixel[channel] = alpha == 0 ? 0 : UInt8(min(255, (own + alpha / 2) / alpha))
                }
                pixel[3] = UInt8(alpha)
                pixel += 4
            }
        }
    }
}
