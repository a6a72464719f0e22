import FaceMetadata
import FacetTestSupport
import Testing

@testable import Frames

extension LuminanceGrid.Rectangle {
    fileprivate init(left: Float, top: Float, right: Float, bottom: Float) { self.init([left, top], [right, bottom]) }

    fileprivate var left: Float { low.x }
    fileprivate var top: Float { low.y }
    fileprivate var right: Float { high.x }
    fileprivate var bottom: Float { high.y }
}

@Suite("Luminance grid")
struct LuminanceGridTests {
    private typealias Rectangle = LuminanceGrid.Rectangle

    private static let size = FrameSize(width: 37, height: 29)

    private static func random(_ size: FrameSize) -> [UInt8] {
        var generator = SplitMix64(seed: 7)
        return (0..<size.width * size.height).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// The mean over a rectangle of an upright picture, from the overlap of every pixel with it.
    private func mean(_ rectangle: Rectangle, _ size: FrameSize, _ luma: (Int, Int) -> Float) -> Float {
        var sum: Float = 0
        var area: Float = 0
        for y in Int(rectangle.top.rounded(.down))..<Int(rectangle.bottom.rounded(.up)) {
            for x in Int(rectangle.left.rounded(.down))..<Int(rectangle.right.rounded(.up)) {
                let overlap =
                    (min(rectangle.right, Float(x + 1)) - max(rectangle.left, Float(x)))
                    * (min(rectangle.bottom, Float(y + 1)) - max(rectangle.top, Float(y)))
                sum += overlap * luma(min(max(x, 0), size.width - 1), min(max(y, 0), size.height - 1))
                area += overlap
            }
        }
        return sum / area
    }

    private func expect(
        _ frame: Frame,
        _ rectangle: Rectangle,
        columns: Int,
        rows: Int,
        tolerance: Float,
        _ luma: (Int, Int) -> Float
    ) {
        let grid = LuminanceGrid(columns: columns, rows: rows)
        var output = [Float](repeating: -1, count: columns * rows)
        #expect(grid.sample(frame, rectangle, into: &output))
        let width = (rectangle.right - rectangle.left) / Float(columns)
        let height = (rectangle.bottom - rectangle.top) / Float(rows)
        for row in 0..<rows {
            for column in 0..<columns {
                let cell = Rectangle(
                    left: rectangle.left + Float(column) * width,
                    top: rectangle.top + Float(row) * height,
                    right: rectangle.left + Float(column + 1) * width,
                    bottom: rectangle.top + Float(row + 1) * height
                )
                let expected = mean(cell, frame.size, luma)
                #expect(abs(output[row * columns + column] - expected) < tolerance, "cell \(column), \(row)")
            }
        }
    }

    @Test("is the area-weighted mean of the stored picture")
    func weighted() {
        let pixels = Self.random(Self.size)
        let frame = SyntheticPicture(Self.size, gray: pixels, .right).frame
        let rectangles = [
            Rectangle(left: 0, top: 0, right: Float(Self.size.width), bottom: Float(Self.size.height)),
            Rectangle(left: 3.25, top: 1.5, right: 19.75, bottom: 24.125),
            // Cells smaller than pixels, and a part outside the picture.
            Rectangle(left: -4.5, top: 20.25, right: 6, bottom: 27.5),
            Rectangle(left: 21, top: -3, right: 45.5, bottom: 33),
        ]
        for rectangle in rectangles {
            // Rows weigh in sixteenths, so a row that is cut may count 1/32 of its height too much or too little.
            expect(frame, rectangle, columns: 7, rows: 5, tolerance: 16) { x, y in
                Float(pixels[y * Self.size.width + x])
            }
        }
    }

    @Test("finds parts of the upright picture in the stored one", arguments: Orientation.allCases)
    func orientations(_ orientation: Orientation) {
        let frame = SyntheticPicture(Self.size, gray: Self.random(Self.size), orientation).frame
        let whole = frame.uprightSize
        let map = orientation.storedFromUpright(stored: Self.size)
        let all = Rectangle(left: 0, top: 0, right: Float(whole.width), bottom: Float(whole.height)).stored(in: frame)
        #expect(all == Rectangle(left: 0, top: 0, right: Float(Self.size.width), bottom: Float(Self.size.height)))
        // The pixel at column 3 of row 5.
        let pixel = Rectangle(left: 3, top: 5, right: 4, bottom: 6).stored(in: frame)
        let place = map(3, 5)
        #expect(
            pixel.left == place.x && pixel.right == place.x + 1 && pixel.top == place.y && pixel.bottom == place.y + 1
        )
    }

    @Test("is exact where cells begin at whole pixels")
    func wholePixels() {
        let size = FrameSize(width: 40, height: 30)
        let pixels = Self.random(size)
        let frame = SyntheticPicture(size, gray: pixels).frame
        expect(frame, Rectangle(left: 4, top: 6, right: 36, bottom: 27), columns: 8, rows: 7, tolerance: 0.001) {
            Float(pixels[$1 * size.width + $0])
        }
    }

    @Test("reads the brightness of every format", arguments: SyntheticPicture.Layout.allCases)
    func formats(_ layout: SyntheticPicture.Layout) {
        let size = FrameSize(width: 24, height: 18)
        let frame = SyntheticPicture(size, layout, .jpeg).frame
        // Of RGB formats a brightness with other weights is taken.
        let isRGB = if case .packedRGB = frame.format { true } else { false }
        let rectangle = Rectangle(left: 2, top: 3, right: 22, bottom: 15)
        expect(frame, rectangle, columns: 5, rows: 4, tolerance: isRGB ? 40 : 0.001) {
            Float(SyntheticPicture.luma($0, $1))
        }
    }

    @Test("reads every n-th row of cells with many rows")
    func highCells() {
        let size = FrameSize(width: 16, height: 96)
        let pixels = (0..<size.width * size.height).map { UInt8($0 / size.width) }
        let frame = SyntheticPicture(size, gray: pixels).frame
        expect(frame, Rectangle(left: 0, top: 0, right: 16, bottom: 96), columns: 2, rows: 3, tolerance: 2) { _, y in
            Float(y)
        }
    }

    @Test("has bounds on its sums that the brightest picture does not exceed", arguments: [7.9, 8, 8.5, 15.9, 33])
    func white(_ cellHeight: Double) {
        let size = FrameSize(width: 700, height: 100)
        let frame = SyntheticPicture(size, gray: [UInt8](repeating: 255, count: 70_000)).frame
        let rectangle = Rectangle(left: 0.5, top: 0.3, right: 699.5, bottom: 0.3 + 2 * Float(cellHeight))
        expect(frame, rectangle, columns: 3, rows: 2, tolerance: 0.01) { _, _ in 255 }
    }

    @Test("refuses what has no pixels or no area")
    func nothing() {
        let frame = SyntheticPicture(Self.size, gray: Self.random(Self.size)).frame
        var jpeg = frame
        jpeg.format = .jpeg
        let grid = LuminanceGrid(columns: 2, rows: 2)
        var output: [Float] = [1, 2, 3, 4]
        let whole = Rectangle(left: 0, top: 0, right: 10, bottom: 10)
        #expect(!grid.sample(jpeg, whole, into: &output))
        #expect(!grid.sample(frame, Rectangle(left: 3, top: 0, right: 3, bottom: 9), into: &output))
        #expect(!grid.sample(frame, Rectangle(left: .nan, top: 0, right: 3, bottom: 9), into: &output))
        #expect(!grid.sample(frame, Rectangle(left: 0, top: 0, right: 1e9, bottom: 9), into: &output))
        #expect(output == [1, 2, 3, 4])
    }

    @Test("lies in columns for comparisons by sensor rows")
    func columns() {
        let frame = SyntheticPicture(FrameSize(width: 4, height: 2), gray: [1, 2, 3, 4, 11, 12, 13, 14]).frame
        var output = [Float](repeating: 0, count: 8)
        let grid = LuminanceGrid(columns: 4, rows: 2, order: .columns)
        #expect(grid.sample(frame, Rectangle(left: 0, top: 0, right: 4, bottom: 2), into: &output))
        #expect(output == [1, 11, 2, 12, 3, 13, 4, 14])
    }
}
