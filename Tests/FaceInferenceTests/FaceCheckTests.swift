import FaceMetadata
import Frames
import Testing

@testable import FaceInference

@Suite("The search of single pictures")
struct FaceCheckTests {
    @Test(
        "squares cover a picture, so that a face on the border of one lies inside another",
        arguments: [(640, 480), (480, 640), (1920, 1080), (300, 300), (2000, 300)]
    )
    func squares(width: Int, height: Int) {
        let size = FrameSize(width: width, height: height)
        let side = 0.75 * Double(min(width, height))
        let squares = FaceFinder.tiles(of: .wholePicture, in: size, side: Float(side)).map { tile in
            NormalizedRect(
                x: Double(tile.center.x - tile.side / 2) / Double(width),
                y: Double(tile.center.y - tile.side / 2) / Double(height),
                width: Double(tile.side) / Double(width),
                height: Double(tile.side) / Double(height)
            )
        }
        // Faces of a seventh of the shorter side, at every place.
        let (faceX, faceY) = (side / 5.25 / Double(width), side / 5.25 / Double(height))
        for row in 0...40 {
            for column in 0...40 {
                let (x, y) = (Double(column) / 40 * (1 - faceX), Double(row) / 40 * (1 - faceY))
                let isInside = squares.contains { square in
                    x >= square.x - 1e-6 && x + faceX <= square.x + square.width + 1e-6 && y >= square.y - 1e-6
                        && y + faceY <= square.y + square.height + 1e-6
                }
                #expect(isInside, "\(x), \(y)")
            }
        }
    }
}
