import FaceMetadata
import FacetTestSupport
import Frames
import MediaFiles
import Testing

@testable import FaceInference

/// Pictures that must not show a face: every one is found in the frame in which it is.
@Suite("Face analyzer for hiding")
struct HidingAnalyzerTests {
    private static let (width, height) = (640, 480)

    /// The face of a portrait, as a square of `side` pixels.
    private static func face(_ side: Int) throws -> [UInt8] {
        let portrait = try Portrait.astronaut.frame()
        let scale = Float(220) / Float(side)
        let transform = AffineTransform(a: scale, b: 0, c: 0, d: scale, tx: 115, ty: 15)
        return try portrait.resampled(side: side, through: transform).rgb().bytes
    }

    /// A gray picture with squares at places.
    private static func frame(
        _ number: Int,
        rate: Double,
        _ squares: [(pixels: [UInt8], side: Int, x: Int, y: Int)]
    ) throws -> Frame {
        var bytes = [UInt8](repeating: 110, count: 3 * width * height)
        for (pixels, side, left, top) in squares {
            for row in 0..<side {
                let target = 3 * ((top + row) * width + left)
                bytes[target..<target + 3 * side] = pixels[3 * row * side..<3 * (row + 1) * side]
            }
        }
        let time = Double(number) / rate
        return try Frame(
            copying: bytes,
            size: FrameSize(width: width, height: height),
            format: .rgb24,
            stamp: FrameStamp(frame: number, time: Timestamp(nanoseconds: 0).advanced(bySeconds: time), mediaTime: time)
        )
    }

    /// - Returns: In how many frames there was a square that the analyzer did not find a face in.
    private func missed(
        _ frames: Range<Int>,
        rate: Double,
        _ squares: (Int) -> [(pixels: [UInt8], side: Int, x: Int, y: Int)]
    ) throws -> [Int] {
        var options = FaceAnalyzer.Options()
        options.isThorough = true
        options.isForHiding = true
        let analyzer = try FaceAnalyzer(options)
        return try frames.filter { number in
            let squares = squares(number)
            let analysis = try analyzer.analyze(try Self.frame(number, rate: rate, squares))
            let found = (analysis.observations.map(\.bounds) + analysis.unconfirmed.map(\.bounds)).map(\.center)
            return !squares.allSatisfy { _, side, x, y in
                found.contains {
                    let (column, row) = (Int($0.x * Double(Self.width)), Int($0.y * Double(Self.height)))
                    return x..<x + side ~= column && y..<y + side ~= row
                }
            }
        }
    }

    @Test("a face that is there for one frame beside one that is followed")
    func oneFrame() throws {
        let large = try Self.face(200)
        let small = try Self.face(56)
        func squares(_ number: Int) -> [(pixels: [UInt8], side: Int, x: Int, y: Int)] {
            let isThere = number % 7 == 6
            // In the corners, and below the large face, where its body would be.
            let place = [(20, 30), (550, 30), (20, 385), (550, 385), (290, 385)][number / 7 % 5]
            return [(large, 200, 220, 140)] + (isThere ? [(small, 56, place.0, place.1)] : [])
        }
        let missed = try missed(0..<70, rate: 30, squares)
        #expect(missed.isEmpty, "\(missed)")
    }

    @Test("faces in pictures that are a second apart")
    func timeLapse() throws {
        let face = try Self.face(64)
        func squares(_ number: Int) -> [(pixels: [UInt8], side: Int, x: Int, y: Int)] {
            (0...number % 3).map { index in
                (
                    face, 64, (number * 173 + index * 210) % (Self.width - 64),
                    (number * 71 + index * 130) % (Self.height - 64)
                )
            }
        }
        #expect(try missed(0..<12, rate: 1, squares) == [])
    }
}
