import FaceMessages
import FaceMetadata
import Frames
import Testing

@testable import OverlayRendering

@Suite("The overlay santa")
struct SantaOverlayTests {
    private static let size = FrameSize(width: 720, height: 720)

    /// A face of 200×232 points in the middle of the lower half.
    private static let bounds = NormalizedRect(x: 260.0 / 720, y: 380.0 / 720, width: 200.0 / 720, height: 232.0 / 720)

    private func surface(_ pose: HeadPose, _ bounds: NormalizedRect = Self.bounds, open: Double? = nil) throws
        -> SurfaceFace
    {
        var face = FaceObject(faceID: FaceID(rawValue: 1), bounds: bounds, pose: pose, confidence: 1)
        face.mouthOpen = open
        let geometry = PreviewLayerGeometry(size: SurfaceSize(width: 720, height: 720), pictureSize: Self.size)
        return try #require(geometry?.transformed(face))
    }

    /// The brightest channel of each pixel.
    private func drawn(_ faces: [SurfaceFace], on ground: Double = 0) throws -> [[Int]] {
        let canvas = try Canvas(pixelSize: Self.size)
        canvas.clear(Color(red: ground, green: ground, blue: ground))
        SantaOverlay().draw(faces, snapshotFlash: 0, on: canvas)
        try canvas.check()
        return canvas.brightness(columns: Self.size.width, rows: Self.size.height, levels: 255)
    }

    @Test(
        "the hat has no hole between its tip and its body",
        arguments: [-40.0, -20, 0, 20, 40].map { pose(0, $0, 0) } + [pose(0, 0, -20), pose(0, 0, 20), pose(0, 20, -10)]
    )
    func noHole(pose: HeadPose) throws {
        let pixels = try drawn([try surface(pose)])
        // Above the brim each row of the hat is one run from its middle to the side of the tip.
        let top = try #require(pixels.firstIndex { $0.contains { $0 > 0 } })
        let brim = 496 - Int(232 * ((pose.pitch ?? 0) > 0 ? 0.66 : 0.52))
        #expect(top < brim - 80)
        for row in top..<brim {
            let shown = pixels[row].indices.filter { $0 >= 360 && pixels[row][$0] > 0 }
            guard let first = shown.first, let last = shown.last else { continue }
            #expect(last - first < shown.count, "row \(row)")
        }
    }

    @Test("the tip falls away from a neighbour, back between two, and never jumps")
    func neighbour() throws {
        let face = try surface(pose(0, 0, 0))
        func neighbour(_ widths: Double) throws -> SurfaceFace {
            var bounds = Self.bounds
            bounds.x += widths * bounds.width
            return try surface(pose(0, 0, 0), bounds)
        }
        #expect(SantaOverlay.side(of: face, among: [face]) == 1)
        #expect(try SantaOverlay.side(of: face, among: [face, neighbour(1.3)]) == -1)
        #expect(try SantaOverlay.side(of: face, among: [neighbour(-1.3), face]) == 1)
        #expect(try abs(SantaOverlay.side(of: face, among: [neighbour(-1.3), face, neighbour(1.3)])) < 1e-9)
        let sides = try (0...60).map {
            try SantaOverlay.side(of: face, among: [face, neighbour(-3 + 0.1 * Double($0))])
        }
        #expect(zip(sides, sides.dropFirst()).allSatisfy { abs($0 - $1) < 0.25 }, "\(sides)")
        // Where nothing is drawn of the neighbour: above it.
        func reach(_ faces: [SurfaceFace]) throws -> (Int?, Int?) {
            let canvas = try drawn(faces)[376 - 60]
            return (canvas.firstIndex { $0 > 0 }, canvas.lastIndex { $0 > 0 })
        }
        let alone = try reach([face])
        let beside = try reach([face, neighbour(1.6)])
        #expect(try #require(beside.0) < #require(alone.0) - 10)
    }

    @Test("the shadow of the brim fades without a step")
    func shadow() throws {
        let ground = 153
        let pixels = try drawn([try surface(pose(0, 0, 0))], on: 0.6)
        // Down the forehead from the fur, which is brighter than the ground.
        let column = pixels[380..<450].map { $0[360] }
        let start = try #require(column.lastIndex { $0 > ground + 8 }) + 3
        let shade = column[start...]
        #expect(try #require(shade.min()) < ground - 15, "\(column)")
        #expect(zip(shade, shade.dropFirst()).allSatisfy { (-1...4).contains($1 - $0) }, "\(Array(shade))")
    }

    @Test("in profile nothing of the beard stands before the nose", arguments: [-80.0, -60, 60, 80])
    func profile(yaw: Double) throws {
        let face = try surface(pose(0, yaw, 0))
        let pixels = try drawn([face])
        let head = face.headAtMouth
        let side = yaw < 0 ? -1.0 : 1
        // From below the eyes down to the moustache, from the cheek forwards.
        let rows = Int(head.point(0, -0.12, 0).y)..<Int(head.point(0, 0, 0).y)
        let cheek = Int(head.front(side * 0.02, 0).x)
        for row in rows {
            let before = side < 0 ? pixels[row][..<cheek] : pixels[row][cheek...]
            #expect(!before.contains { $0 > 0 }, "row \(row)")
        }
    }

    @Test("the beard leaves a mouth free, the more the wider it is open, and its halves turn with the head")
    func beard() throws {
        func hole(_ open: Double?) throws -> Int {
            let column = try drawn([try surface(pose(0, 0, 0), open: open)]).map { $0[360] }
            return column[530..<700].split { $0 > 0 }.map(\.count).max() ?? 0
        }
        let unknown = try hole(nil)
        let closed = try hole(0)
        let open = try hole(1)
        #expect(unknown == closed && closed > 10 && open > closed + 40, "\(unknown) \(closed) \(open)")
        func halves(_ yaw: Double) throws -> Double {
            let face = try surface(pose(0, yaw, 0))
            let row = try drawn([face])[610]
            let middle = Int(face.headAtMouth.point(0, CanonicalFace.mouthY + 0.3, HeadModel.depth).x)
            return Double(row[..<middle].count { $0 > 0 }) / Double(row[middle...].count { $0 > 0 })
        }
        let left = try halves(-30)
        let ahead = try halves(0)
        let right = try halves(30)
        #expect(left < 0.7 && abs(ahead - 1) < 0.1 && right > 1.4, "\(left) \(ahead) \(right)")
    }
}
