import Frames
import Glibc
import MediaFiles
import ToolPictures

/// Reads a picture between its pixels.
struct Resampler {
    private let source: RGBPicture

    init(_ source: RGBPicture) {
        self.source = source
    }

    /// A part of the picture enlarged or reduced, by cubic interpolation: first along the rows, then along the columns.
    ///
    /// - Parameters:
    ///   - scale: pixels of the result for one of the source.
    ///   - left: the part's left edge, in pixels of the result.
    ///   - top: its top edge.
    ///   - size: its size, in pixels of the result.
    /// - Returns: the part.
    func scaled(by scale: Double, left: Double, top: Double, size: FrameSize) -> RGBPicture {
        let columns = Self.taps(count: size.width, from: left, scale: scale, limit: source.size.width)
        let rows = Self.taps(count: size.height, from: top, scale: scale, limit: source.size.height)
        var wide = [Float](repeating: 0, count: size.width * source.size.height * 3)
        let needed = (rows.first?.places[0] ?? 0)...(rows.last?.places[3] ?? 0)
        for y in needed {
            for (x, tap) in columns.enumerated() {
                for channel in 0..<3 {
                    var sum: Float = 0
                    for k in 0..<4 {
                        sum +=
                            tap.weights[k] * Float(source.bytes[(y * source.size.width + tap.places[k]) * 3 + channel])
                    }
                    wide[(y * size.width + x) * 3 + channel] = sum
                }
            }
        }
        var bytes = [UInt8](repeating: 0, count: size.width * size.height * 3)
        let rowLength = size.width * 3
        for (y, tap) in rows.enumerated() {
            for x in 0..<rowLength {
                var sum: Float = 0.5
                for k in 0..<4 { sum += tap.weights[k] * wide[tap.places[k] * rowLength + x] }
                bytes[y * rowLength + x] = UInt8(min(255, max(0, sum)))
            }
        }
        return RGBPicture(size: size, bytes: bytes)
    }

    private struct Tap {
        var places: [Int]
        var weights: [Float]
    }

    private static func taps(count: Int, from start: Double, scale: Double, limit: Int) -> [Tap] {
        (0..<count).map { index in
            let position = (Double(index) + start + 0.5) / scale - 0.5
            let first = Int(position.rounded(.down)) - 1
            let places = (0..<4).map { min(limit - 1, max(0, first + $0)) }
            return Tap(places: places, weights: (0..<4).map { weight(position - Double(first + $0)) })
        }
    }

    /// Keys' cubic with a = −1/2.
    private static func weight(_ distance: Double) -> Float {
        let d = abs(distance)
        if d < 1 { return Float((1.5 * d - 2.5) * d * d + 1) }
        return d < 2 ? Float(((-0.5 * d + 2.5) * d - 4) * d + 2) : 0
    }
}
