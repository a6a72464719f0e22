public import FaceMetadata
package import Frames

extension Frame {
    /// How much detail a part of the picture's brightness has: the variance of its Laplacian, in grey levels squared.
    ///
    /// - Parameter rect: the part, as shares of the stored picture.
    /// - Returns: nil if the part is smaller than 3 × 3 pixels.
    package func detail(in rect: NormalizedRect) -> Double? {
        switch format {
        case .gray, .planarYUV: break
        default: return nil
        }
        let plane = planes.first
        let left = max(1, Int(rect.x * Double(size.width))), top = max(1, Int(rect.y * Double(size.height)))
        let right = min(size.width - 1, Int((rect.x + rect.width) * Double(size.width)))
        let bottom = min(size.height - 1, Int((rect.y + rect.height) * Double(size.height)))
        guard right - left >= 3, bottom - top >= 3 else { return nil }
        let pixels = plane.base.assumingMemoryBound(to: UInt8.self)
        var sum = 0.0
        var squares = 0.0
        for y in top..<bottom {
            let row = pixels + y * plane.bytesPerRow
            for x in left..<right {
                let around =
                    Int(row[x - 1]) + Int(row[x + 1]) + Int(row[x - plane.bytesPerRow])
                    + Int(row[x + plane.bytesPerRow])
                let value = Double(around - 4 * Int(row[x]))
                sum += value
                squares += value * value
            }
        }
        let count = Double((right - left) * (bottom - top))
        return squares / count - (sum / count) * (sum / count)
    }
}

extension NormalizedRect {
    /// The middle of a face's box: its eyes, nose and mouth, without the border of hair and ground.
    public var innerPart: NormalizedRect {
        NormalizedRect(x: x + 0.2 * width, y: y + 0.2 * height, width: 0.6 * width, height: 0.6 * height)
    }
}
