import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import SettingsFiles
import Testing

@testable import OverlayRendering

@Suite("An overlay of one's own")
struct OwnOverlayTests {
    private static let size = FrameSize(width: 240, height: 180)
    private static let red = 1, green = 2, blue = 3, yellow = 4

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try Data(quarters).write(to: URL(filePath: directory.file("a.png")))
    }

    // MARK: - The file

    private func problems(_ text: String) throws -> [String] {
        let path = try directory.write(text, to: "overlay.yaml")
        do throws(SettingsError) {
            _ = try OwnOverlay(path: path)
            return []
        } catch {
            return error.problems.map { $0.description.replacingOccurrences(of: directory.path + "/", with: "") }
        }
    }

    @Test("is read with its defaults, its pictures in the order of the file")
    func file() throws {
        let text = """
            z: {image: a.png, anchor: mouth}
            a:
              image: \(directory.file("a.png"))
              anchor: head
              width: 1.5
              offset: [0.1, -2, 0.3]
              rotation: -20
            b: {image: a.png, anchor: box, offset: [1, 2]}
            c: {image: a.png, anchor: head, around: true, tilt: 10}
            d: {image: a.png, anchor: eyes, turn: -90}
            """
        let parts = try OwnOverlay(path: directory.write(text, to: "overlay.yaml")).parts
        #expect(parts.map(\.anchor) == [.mouth, .head, .box, .head, .eyes])
        #expect(parts.map(\.form.width) == [1, 1.5, 1, 1, 1] && parts.map(\.form.rotation) == [0, -20, 0, 0, 0])
        #expect(parts.map(\.form.shape) == [.curved, .flat, .flat, .around, .flat])
        #expect(parts.map(\.form.turn) == [0, 0, 0, 0, -90] && parts.map(\.form.tilt) == [0, 0, 0, 10, 0])
        #expect(
            parts.prefix(3).map(\.form.offset) == [
                Vector(x: 0, y: 0, z: 0), Vector(x: 0.1, y: -2, z: 0.3), Vector(x: 1, y: 2, z: 0),
            ]
        )
        #expect(parts.allSatisfy { $0.picture.size == FrameSize(width: 64, height: 64) })
    }

    @Test(
        "that is wrong is refused with file, line, key, value and what is allowed",
        arguments: [
            (
                "hat: {image: a.png}",
                "overlay.yaml: hat.anchor: is missing: name what it sticks to, one of eyes, leftEye"
            ),
            ("hat: {anchor: head}", "overlay.yaml: hat.image: is missing: name a PNG file"),
            ("hat:\n  image: a.png\n  anchor: ear", #"overlay.yaml:3: hat.anchor: "ear" is not one of eyes, leftEye"#),
            (
                "hat: {image: a.png, anchor: head, width: 11}",
                #"overlay.yaml:1: hat.width: "11" is not a number from 0.01 to"#
            ),
            (
                "hat: {image: a.png, anchor: head, width: nan}",
                #"overlay.yaml:1: hat.width: "nan" is not a number from"#
            ),
            (
                "hat: {image: a.png, anchor: head, wdith: 1}",
                "overlay.yaml:1: hat.wdith: is not a setting; did you mean hat.width?"
            ),
            (
                "hat: {image: a.png, anchor: head, offset: 1}",
                "overlay.yaml:1: hat.offset: must be a list of a number from -10"
            ),
            (
                "hat: {image: a.png, anchor: head, offset: [1]}",
                "overlay.yaml:1: hat.offset: must be two numbers, right and down"
            ),
            (
                "hat: {image: a.png, anchor: head, offset: [1, x]}",
                #"overlay.yaml:1: hat.offset: "x" is not a number from -10 to 10"#
            ),
            (
                "hat: {image: a.png, anchor: box, offset: [1, 1, 1]}",
                "overlay.yaml:1: hat.offset: must be two numbers for"
            ),
            (
                "hat: {image: a.png, anchor: box, curved: true}",
                "overlay.yaml:1: hat.curved: is only for the anchors eyes"
            ),
            (
                "hat: {image: a.png, anchor: eyes, around: true}",
                "overlay.yaml:1: hat.around: is only for the anchor head"
            ),
            ("hat: {image: a.png, anchor: head, around: 1}", #"overlay.yaml:1: hat.around: "1" is not"#),
            (
                "hat: {image: a.png, anchor: box, tilt: 5}",
                "overlay.yaml:1: hat.tilt: is not for the anchor box, which does"
            ),
            (
                "hat: {image: a.png, anchor: eyes, turn: 181}",
                #"overlay.yaml:1: hat.turn: "181" is not a number from -180"#
            ),
            (
                "hat: {image: a.png, anchor: mouth, curved: true, turn: 5}",
                "overlay.yaml:1: hat.curved: is not for a picture with around, turn or tilt"
            ),
            ("hat: {image: b.png, anchor: box}", "overlay.yaml:1: hat.image: cannot use b.png: there is no such file"),
            (
                "hat: {image: overlay.yaml, anchor: box}",
                "overlay.yaml:1: hat.image: cannot use overlay.yaml: it is not a PNG"
            ),
            ("hat: {image: ., anchor: box}", "overlay.yaml:1: hat.image: cannot use .: it is a directory"),
            ("hat: a.png", "overlay.yaml: hat.anchor: is missing"),
            ("- image: a.png", "overlay.yaml: must hold keys and values, as docs/examples/overlays/party.yaml does"),
            ("", "overlay.yaml: holds no settings"),
            (String(repeating: "*a ", count: 20), "overlay.yaml: holds more than 16 YAML aliases"),
            (
                (0..<17).map { "p\($0): {image: a.png, anchor: box}\n" }.joined(),
                "overlay.yaml: holds 17 pictures; 16 are"
            ),
        ]
    )
    func refusals(text: String, beginning: String) throws {
        let problems = try problems(text)
        #expect(problems.first?.hasPrefix(beginning) == true, "\(problems)")
    }

    @Test("all that is wrong is reported at once")
    func allProblems() throws {
        let problems = try problems("hat: {image: a.png, anchor: ear, width: 0}\nbeard: {image: b.png, anchor: mouth}")
        #expect(problems.count == 3, "\(problems)")
    }

    @Test("a PNG that is damaged, or would fill the memory, is refused before it is decoded")
    func pictures() throws {
        func reason(_ png: [UInt8]) -> String {
            do throws(PastedPicture.Refusal) {
                _ = try PastedPicture(png: png)
                return ""
            } catch {
                return error.reason
            }
        }
        #expect(reason(quarters) == "")
        #expect(reason([]) == "it is not a PNG")
        #expect(reason(Array("GIF89a, and more than that".utf8)) == "it is not a PNG")
        for length in [8, 20, 40, 100, quarters.count - 20] {
            #expect(reason(Array(quarters.prefix(length))) == "it is a damaged PNG", "\(length)")
        }
        var bomb = quarters
        bomb.replaceSubrange(16..<24, with: [0, 0, 0xF0, 0, 0, 0, 0xF0, 0])
        #expect(reason(bomb) == "it is 61440x61440; 2048 pixels a side are allowed")
        bomb.replaceSubrange(16..<24, with: [0, 0, 0, 0, 0, 0, 0, 1])
        #expect(reason(bomb) == "it is a damaged PNG")
        let path = try directory.write(String(repeating: "x", count: PastedPicture.maximumBytes + 1), to: "large.png")
        let error = #expect(throws: PastedPicture.Refusal.self) { try PastedPicture(path: path) }
        #expect(error?.reason == "it is larger than 4 MiB")
    }

    // MARK: - The drawing

    /// Which quarter of the picture each pixel shows; 0 for none.
    private func drawn(_ part: String, _ pose: HeadPose, on scene: SurfaceFace? = nil) throws -> [[Int]] {
        let overlay = try OwnOverlay(text: "p: {image: a.png, \(part)}", pictures: try PastedPicture(png: quarters))
        let canvas = try Canvas(pixelSize: Self.size)
        canvas.clear(.black)
        overlay.draw([try #require(scene ?? face(pose))], snapshotFlash: 0, on: canvas)
        try canvas.check()
        return canvas.withPixels { pixels, bytesPerRow in
            (0..<Self.size.height).map { y in
                (0..<Self.size.width).map { x in
                    let pixel = y * bytesPerRow + 4 * x
                    switch (pixels[pixel + 2] > 200, pixels[pixel + 1] > 200, pixels[pixel] > 200) {
                    case (true, false, false): return Self.red
                    case (false, true, false): return Self.green
                    case (false, false, true): return Self.blue
                    case (true, true, false): return Self.yellow
                    default: return 0
                    }
                }
            }
        }
    }

    /// A face of 80×100 points around (120, 90), and its landmarks.
    private func face(_ pose: HeadPose) -> SurfaceFace? { surface(object(pose)) }

    private func object(_ pose: HeadPose) -> FaceObject {
        var face = FaceObject(
            faceID: FaceID(rawValue: 1),
            bounds: NormalizedRect(x: 80.0 / 240, y: 40.0 / 180, width: 80.0 / 240, height: 100.0 / 180),
            pose: pose,
            confidence: 1
        )
        face.leftEye = NormalizedPoint(x: 104.0 / 240, y: 72.0 / 180)
        face.rightEye = NormalizedPoint(x: 136.0 / 240, y: 72.0 / 180)
        face.mouth = NormalizedPoint(x: 120.0 / 240, y: 110.0 / 180)
        return face
    }

    private func surface(_ face: FaceObject) -> SurfaceFace? {
        PreviewLayerGeometry(
            size: SurfaceSize(width: 240, height: 180),
            pictureSize: Self.size
        )?
        .transformed(face)
    }

    /// The quarters around a point: above left, above right, below left, below right.
    private func corners(_ pixels: [[Int]], around x: Int, _ y: Int, _ away: Int = 6) -> [Int] {
        [
            pixels[y - away][x - away], pixels[y - away][x + away], pixels[y + away][x - away],
            pixels[y + away][x + away],
        ]
    }

    @Test(
        "sticks to its anchor",
        arguments: [
            ("eyes", 120, 72), ("leftEye", 104, 72), ("rightEye", 136, 72), ("mouth", 120, 110), ("upperLip", 120, 110),
            ("head", 120, 91),
            ("box", 120, 90),
        ]
    )
    func anchors(anchor: String, x: Int, y: Int) throws {
        let upright = [Self.red, Self.green, Self.blue, Self.yellow]
        let pixels = try drawn("anchor: \(anchor), width: 0.3", pose(0, 0, 0))
        #expect(corners(pixels, around: x, y) == upright)
        // Nothing else is drawn: 0.3 of 80 points are 24.
        #expect(pixels.joined().count { $0 > 0 } < 26 * 26)
        let moved = try drawn("anchor: \(anchor), width: 0.3, offset: [0.25, -0.25]", pose(0, 0, 0))
        #expect(corners(moved, around: x + 20, y - 20) == upright)
        let turned = try drawn("anchor: \(anchor), width: 0.3, rotation: 90", pose(0, 0, 0))
        #expect(corners(turned, around: x, y) == [Self.blue, Self.red, Self.yellow, Self.green])
    }

    @Test("turns with the head, but not where it sticks to the box", arguments: ["eyes", "mouth", "head", "box"])
    func roll(anchor: String) throws {
        let (x, y) = ["eyes": (120, 72), "mouth": (120, 110), "box": (120, 90)][anchor] ?? (101, 72)
        let pixels = try drawn("anchor: \(anchor), width: 0.25", pose(90, 0, 0))
        let expected = anchor == "box" ? [1, 2, 3, 4] : [Self.blue, Self.red, Self.yellow, Self.green]
        #expect(corners(pixels, around: x, y, 4) == expected, "\(anchor)")
    }

    @Test("is narrower where the head turns away, and an eye that is turned away has nothing on it")
    func yaw() throws {
        func columns(_ part: String, _ pose: HeadPose) throws -> (left: Int, right: Int) {
            let pixels = try drawn(part, pose).joined()
            return (
                pixels.count { $0 == Self.red || $0 == Self.blue },
                pixels.count { $0 == Self.green || $0 == Self.yellow }
            )
        }
        // The nose points to the picture's right, so the right half is turned away.
        let turned = try columns("anchor: eyes, width: 1", pose(0, 40, 0))
        #expect(Double(turned.right) < 0.6 * Double(turned.left) && turned.right > 0, "\(turned)")
        let ahead = try columns("anchor: eyes, width: 1", pose(0, 0, 0))
        #expect(abs(ahead.left - ahead.right) < ahead.left / 20, "\(ahead)")
        let flat = try columns("anchor: eyes, width: 1, curved: false", pose(0, 40, 0))
        #expect(flat.right > turned.right)
        let (near, far) = try (columns("anchor: leftEye", pose(0, 60, 0)), columns("anchor: rightEye", pose(0, 60, 0)))
        #expect(near.left > 0 && far.left + far.right == 0)
        // From behind there is nothing to see.
        let behind = try columns("anchor: head", pose(0, 180, 0))
        #expect(behind.left + behind.right == 0)
    }

    /// The columns that show anything, from the first to the last; nil if none does.
    private func columns(_ pixels: [[Int]]) -> ClosedRange<Int>? {
        let shown = pixels[0].indices.filter { column in pixels.contains { $0[column] > 0 } }
        return shown.first.flatMap { first in shown.last.map { first...$0 } }
    }

    @Test("that is turned is seen from the side to which it is turned")
    func turn() throws {
        let part = "anchor: eyes, width: 0.5, offset: [0.5, 0, -0.2], turn: 90"
        #expect(try columns(drawn(part, pose(0, 0, 0))) == nil && columns(drawn(part, pose(0, 40, 0))) == nil)
        // With the nose to the picture's left, the head's right side is seen, as wide as the turn leaves it.
        let seen = try #require(try columns(drawn(part, pose(0, -40, 0))))
        #expect((24...34).contains(seen.count) && seen.lowerBound > 120, "\(seen)")
        let tilted = try drawn("anchor: head, width: 0.5, tilt: 60", pose(0, 0, 0)).count { $0.contains { $0 > 0 } }
        #expect((18...23).contains(tilted), "half of 40 rows: \(tilted)")
    }

    @Test("around the head is as wide as its file says from every side, and its middle is in front")
    func around() throws {
        for yaw in [0.0, -40, 40] {
            let pixels = try drawn("anchor: head, width: 0.8, around: true", pose(0, yaw, 0))
            let seen = try #require(columns(pixels))
            #expect((60...80).contains(seen.count), "\(yaw): \(seen)")
            let middle = try #require(pixels[91].firstIndex { $0 == Self.yellow || $0 == Self.green })
            // It is held by the eyes, which stay where they are.
            #expect(abs(middle - 120) < 4, "\(yaw): \(middle)")
        }
    }

    @Test("stays on the upper lip while the mouth opens")
    func upperLip() throws {
        func rows(_ anchor: String, open: Double) throws -> Int? {
            var object = object(pose(0, 0, 0))
            object.mouthOpen = open
            return try drawn("anchor: \(anchor), width: 0.2", pose(0, 0, 0), on: surface(object))
                .firstIndex { $0.contains { $0 > 0 } }
        }
        let closed = try #require(try rows("upperLip", open: 0))
        let open = try #require(try rows("upperLip", open: 0.5))
        // The middle of the mouth stays here, so the lip is half of the opening above it.
        #expect((7...9).contains(closed - open), "\(closed) \(open)")
        #expect(try rows("mouth", open: 0) == rows("mouth", open: 0.5))
    }

    @Test("on top of a head that tilts back stays above the eyes, and never jumps")
    func tiltedBack() throws {
        func lowest(_ pitch: Double) throws -> Int {
            let pixels = try drawn("anchor: head, width: 0.6, offset: [0, -0.95]", pose(0, 0, pitch))
            return try #require(pixels.lastIndex { $0.contains { $0 > 0 } })
        }
        // The eyes lie at 72, the face is 80 wide.
        let rows = try stride(from: -6.0, through: 45, by: 1).map(lowest)
        #expect(rows.allSatisfy { $0 < 64 }, "\(rows)")
        #expect(zip(rows, rows.dropFirst()).allSatisfy { abs($0 - $1) <= 2 }, "\(rows)")
        let edge = try drawn("anchor: head, width: 0.6, offset: [0, -0.95]", pose(0, 0, 45)).count {
            $0.contains { $0 > 0 }
        }
        #expect(edge > 40, "it still stands upright: \(edge) of 48 rows")
    }

    @Test("the example cat has its nose on the nose")
    func catsNose() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let cat = try OwnOverlay(path: root.appending(path: "docs/examples/overlays/cat.yaml").path)
        let canvas = try Canvas(pixelSize: FrameSize(width: 960, height: 720))
        canvas.clear(.black)
        let geometry = try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: Self.size))
        var object = object(pose(0, 0, 0))
        // As the canonical face has them, in a box of 320×400 pixels around (480, 360).
        object.leftEye = NormalizedPoint(x: 0.5 - 0.205 / 3, y: 0.5 - 0.19 * 400 / 720)
        object.rightEye = NormalizedPoint(x: 0.5 + 0.205 / 3, y: 0.5 - 0.19 * 400 / 720)
        object.mouth = NormalizedPoint(x: 0.5, y: 0.5 + 0.20 * 400 / 720)
        cat.draw([try #require(geometry.transformed(object))], snapshotFlash: 0, on: canvas)
        let column = canvas.colors.map { $0[480] }
        let pink = column.indices.filter { column[$0].z > column[$0].y + 40 }
        let middle = try #require(pink.first) + pink.count / 2
        // The tip of the nose lies 4 % of the face's height below its middle.
        #expect((360...400).contains(middle), "\(middle)")
    }

    @Test("is as wide as its file says on a large face too", arguments: ["eyes", "mouth", "head"])
    func largeFace(anchor: String) throws {
        let size = FrameSize(width: 1600, height: 1200)
        let overlay = try OwnOverlay(
            text: "p: {image: a.png, anchor: \(anchor), width: 0.5, curved: false}",
            pictures: try PastedPicture(png: quarters)
        )
        let canvas = try Canvas(pixelSize: size)
        let bounds = NormalizedRect(x: 0.25, y: 0.1, width: 0.5, height: 0.8)
        let face = PreviewLayerGeometry(size: canvas.size, pictureSize: size)?
            .transformed(sampleFace(bounds: bounds, pose: pose(0, 0, 0)))
        overlay.draw([try #require(face)], snapshotFlash: 0, on: canvas)
        let widest = canvas.withPixels { pixels, bytesPerRow in
            (0..<size.height).map { y in (0..<size.width).count { pixels[y * bytesPerRow + 4 * $0 + 3] > 0 } }.max()
        }
        // Half of 800 points, and a little more for what is nearer than the middle of the head.
        #expect((390...450).contains(widest ?? 0), "\(widest ?? 0)")
    }

    @Test("has no seam between its cells", arguments: ["eyes", "head", "box"], [0.0, 25, 50])
    func seams(anchor: String, yaw: Double) throws {
        let picture = try PastedPicture(png: quarters)
        let overlay = try OwnOverlay(text: "p: {image: a.png, anchor: \(anchor), width: 1.1}", pictures: picture)
        let canvas = try Canvas(pixelSize: Self.size)
        overlay.draw([try #require(face(pose(17, yaw, 10)))], snapshotFlash: 0, on: canvas)
        canvas.withPixels { pixels, bytesPerRow in
            for y in 0..<Self.size.height {
                let row = (0..<Self.size.width).map { pixels[y * bytesPerRow + 4 * $0 + 3] }
                guard let first = row.firstIndex(of: 255), let last = row.lastIndex(of: 255) else { continue }
                #expect(row[first...last].allSatisfy { $0 == 255 }, "row \(y): \(row[first...last])")
            }
        }
    }

    @Test("is one picture in a document, in front of a plain ground")
    func document() throws {
        let overlay = try OwnOverlay(
            text: "p: {image: a.png, anchor: eyes}",
            pictures: try PastedPicture(png: quarters)
        )
        for pose in [pose(0, 0, 0), pose(20, 40, 10)] {
            let shown = try #require(face(pose))
            let bytes = try Canvas.svg(size: Self.size) {
                overlay.draw([shown], snapshotFlash: 0, on: $0)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.components(separatedBy: "<image").count == 2 && text.contains("data:image/png;base64,"))
            #expect(bytes.count < 60_000)
        }
    }
}
