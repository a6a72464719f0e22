import FaceMessages
import FaceMetadata
import Frames
import Testing

@testable import OverlayRendering

/// Each overlay on black, against a reference of 24×18 cells: the brightness of each in 16 steps.
///
/// Text is drawn with whatever font the machine has, so the overlays with words are compared without them.
@Suite("Overlays")
struct OverlayTests {
    private static let columns = 24
    private static let rows = 18

    /// A face that fills half of 240×180 points.
    private func face(_ pose: HeadPose, scale: Int = 1) -> SurfaceFace? {
        let face = FaceObject(
            faceID: FaceID(rawValue: 1),
            bounds: NormalizedRect(x: 0.325, y: 0.25, width: 0.35, height: 0.55),
            pose: pose,
            confidence: 1
        )
        return PreviewLayerGeometry(
            size: SurfaceSize(width: Double(240 * scale), height: Double(180 * scale)),
            pictureSize: FrameSize(width: 240, height: 180)
        )?
        .transformed(face)
    }

    @Test("an overlay does not reach over the picture's edge into the bars beside it")
    func letterbox() throws {
        let canvas = try Canvas(pixelSize: FrameSize(width: 240, height: 400))
        let size = FrameSize(width: 240, height: 180)
        let geometry = try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: size))
        var scene = Scene()
        let bounds = NormalizedRect(x: 0.3, y: 0.05, width: 0.4, height: 0.6)
        scene.apply(metadata([sampleFace(bounds: bounds, pose: pose(0, 0, 0))], frame: 0), at: 0)
        canvas.clear(.black)
        canvas.draw(scene, geometry, overlay: SantaOverlay(), at: 0)
        let rows = canvas.brightness(columns: 1, rows: 40).map { $0[0] }
        #expect(rows[..<11].allSatisfy { $0 == 0 }, "\(rows)")
        #expect(rows[11] > 0, "the hat is there, up to the edge")
    }

    private func grid(_ overlay: any Overlay, _ pose: HeadPose) throws -> [[Int]] {
        let canvas = try Canvas(pixelSize: FrameSize(width: 240, height: 180))
        canvas.clear(.black)
        overlay.draw([try #require(face(pose))], snapshotFlash: 0, on: canvas)
        try canvas.check()
        return canvas.brightness(columns: Self.columns, rows: Self.rows)
    }

    @Test(
        "are drawn as the reference shows",
        arguments: [
            ("box", pose(0, 0, 0)), ("box", pose(20, 0, 0)), ("box", pose(0, 40, 0)),
            ("hearts", pose(0, 0, 0)), ("hearts", pose(20, 0, 0)),
            ("santa", pose(0, 0, 0)), ("santa", pose(20, 0, 0)), ("santa", pose(0, -30, 0)),
            ("santa", pose(0, 0, 20)), ("hearts", pose(0, 60, 0)), ("box", pose(0, 0, 30)),
            ("square", pose(20, 0, 0)),
        ]
    )
    func reference(name: String, pose: HeadPose) throws {
        let overlay = try #require(OverlayName(rawValue: name)).overlay
        let drawn = try grid(overlay, pose)
        let angles = [pose.roll, pose.yaw ?? 0, pose.pitch ?? 0].map { String(Int($0)) }
        let key = ([name] + (pose.pitch == 0 ? angles.dropLast() : angles)).joined(separator: " ")
        let text = drawn.map { $0.map { String($0, radix: 16) }.joined() }.joined(separator: "\n")
        let reference = try #require(lookReferences[key], "no reference for \(key):\n\(text)")
        let expected = reference.split(separator: "\n").map { $0.compactMap(\.hexDigitValue) }
        #expect(expected.count == Self.rows && expected.allSatisfy { $0.count == Self.columns })
        let apart = zip(drawn.joined(), expected.joined()).map { abs($0 - $1) }
        #expect(apart.allSatisfy { $0 <= 1 }, "\(key) is now\n\(text)")
        #expect(apart.reduce(0, +) < Self.columns * Self.rows / 20, "\(key) is now\n\(text)")
    }

    @Test(
        "the mesh's points, irises and rays lie where they are in the picture, mirrored too",
        arguments: [false, true]
    )
    func mesh(isMirrored: Bool) throws {
        var face = sampleFace(bounds: NormalizedRect(x: 0.1, y: 0.1, width: 0.4, height: 0.8), pose: pose(0, 0, 0))
        func point(_ x: Double, _ y: Double) -> NormalizedPoint { NormalizedPoint(x: x, y: y) }
        face.mesh = (0..<468).map { point(0.25 + Double($0 % 22) / 220, 0.7 + Double($0 / 22) / 220) }
        for (x, y) in [(0.2, 0.4), (0.4, 0.4)] {
            face.mesh += [point(x, y), point(x - 0.02, y), point(x, y - 0.02), point(x + 0.02, y), point(x, y + 0.02)]
        }
        face.gaze = Gaze(yaw: 60, pitch: 0)
        func brightness(_ face: FaceObject) throws -> [[Int]] {
            let geometry = try #require(
                PreviewLayerGeometry(
                    size: SurfaceSize(width: 400, height: 400),
                    pictureSize: FrameSize(width: 400, height: 400),
                    isMirrored: isMirrored
                )
            )
            let canvas = try Canvas(pixelSize: FrameSize(width: 400, height: 400))
            canvas.clear(.black)
            let drawn = try #require(geometry.transformed(face))
            MeshOverlay().draw([drawn], snapshotFlash: 0, on: canvas)
            return canvas.brightness(columns: 40, rows: 40).map { isMirrored ? $0.reversed() : $0 }
        }
        let drawn = try brightness(face)
        // An iris, the points, and a ray towards the picture's right; no ray without a gaze.
        #expect(drawn[16][7] > 0 && drawn[29][11] > 0)
        #expect(drawn[15...16].contains { $0[23] > 0 })
        face.gaze = nil
        #expect(try brightness(face)[15...16].allSatisfy { $0[23] == 0 })
    }

    @Test(
        "are the same at every size, but for the rounding of pixels",
        // The mesh's words are in whatever font the machine has; what stands out of the face is in perspective, which
        // depends on the size.
        arguments: ["box", "hearts", "square", "pixelate", "blur", "silhouette"]
    )
    func everySize(name: String) throws {
        let overlay = try overlays()[name]
        let grids = try [1, 3].map { scale in
            let canvas = try Canvas(pixelSize: FrameSize(width: 240 * scale, height: 180 * scale))
            canvas.clear(Color(red: 0.4, green: 0.4, blue: 0.4))
            overlay.draw(
                [try #require(face(pose(10, 0, 0), scale: scale))],
                snapshotFlash: 0,
                on: canvas
            )
            return canvas.brightness(columns: Self.columns, rows: Self.rows)
        }
        let apart = zip(grids[0].joined(), grids[1].joined()).map { abs($0 - $1) }
        #expect(apart.allSatisfy { $0 <= 2 })
    }

    @Test("draw nothing without a face", arguments: overlayNames)
    func nobody(name: String) throws {
        let canvas = try Canvas(pixelSize: FrameSize(width: 32, height: 32))
        canvas.clear(.black)
        try overlays()[name].draw([], snapshotFlash: 0, on: canvas)
        #expect(canvas.brightness(columns: 4, rows: 4).joined().allSatisfy { $0 == 0 })
    }

    @Test("survive faces that are no faces", arguments: overlayNames)
    func nonsense(name: String) throws {
        let overlay = try overlays()[name]
        let rects = [
            NormalizedRect(x: 0, y: 0, width: 0, height: 0), NormalizedRect(x: .nan, y: 0, width: 1, height: 1),
            NormalizedRect(x: 0, y: 0, width: .infinity, height: 1), NormalizedRect(x: 0, y: 0, width: -1, height: -1),
            NormalizedRect(x: -9, y: -9, width: 19, height: 19), NormalizedRect(x: 0.5, y: 0.5, width: 1e-9, height: 1),
            NormalizedRect(x: 0, y: 0, width: 1e12, height: 1e12),
        ]
        let geometry = try #require(
            PreviewLayerGeometry(
                size: SurfaceSize(width: 64, height: 64),
                pictureSize: FrameSize(width: 64, height: 64)
            )
        )
        for rect in rects {
            for pose in [pose(0, 0, 0), pose(.nan, 0, 0), pose(45, 90, -90)] {
                let canvas = try Canvas(pixelSize: FrameSize(width: 64, height: 64))
                if let face = geometry.transformed(sampleFace(bounds: rect, pose: pose)) {
                    overlay.draw([face], snapshotFlash: 0, on: canvas)
                }
                // However the first face was drawn, the next one is drawn too.
                overlay.draw(
                    [try #require(geometry.transformed(sampleFace()))],
                    snapshotFlash: 0,
                    on: canvas
                )
                try canvas.check()
                // An overlay that makes the picture coarse shows nothing where there is no picture.
                let cells = canvas.brightness(columns: 8, rows: 8).joined()
                #expect(overlay.hidesFaces || cells.contains { $0 > 0 }, "\(rect) \(pose)")
            }
        }
    }

    @Test(
        "survive any number in a message",
        arguments: overlayNames,
        [1e300, -1e300, 1e18, .infinity, .nan, 19.9]
    )
    func numbers(name: String, number: Double) throws {
        let overlay = try overlays()[name]
        let near = min(max(number, -19.9), 19.9)
        var faces = [sampleFace(), sampleFace(), sampleFace(), sampleFace()]
        faces[0].confidence = number
        faces[0].smile = number
        faces[0].pose = pose(number, number, number)
        faces[1].bounds = NormalizedRect(x: number, y: number, width: number, height: number)
        faces[2].bounds = NormalizedRect(x: near, y: -near, width: 19.9, height: 19.9)
        faces[3].leftEye = NormalizedPoint(x: number, y: near)
        faces[3].rightEye = NormalizedPoint(x: near, y: -near)
        faces[3].mouth = NormalizedPoint(x: near, y: number)
        let size = FrameSize(width: 320, height: 180)
        let canvas = try Canvas(pixelSize: size)
        for picture in [size, FrameSize(width: 1, height: 32767), FrameSize(width: 32767, height: 1)] {
            for gravity in VideoGravity.allCases {
                let geometry = try #require(
                    PreviewLayerGeometry(size: canvas.size, pictureSize: picture, videoGravity: gravity)
                )
                let drawn = faces.compactMap { geometry.transformed($0) }
                overlay.draw(drawn, snapshotFlash: 0, on: canvas)
                try canvas.check()
            }
        }
    }

    @Test(
        "overlays that hide faces leave no detail of a head, seen or hidden, and all of the rest",
        arguments: ["pixelate", "blur", "silhouette"]
    )
    func privacy(name: String) throws {
        let overlay = try #require(OverlayName(rawValue: name)).overlay
        let size = FrameSize(width: 320, height: 240)
        let canvas = try Canvas(pixelSize: size)
        // Stripes of one pixel: the finest detail there is.
        canvas.clear(.black)
        for x in stride(from: 0.0, to: 320, by: 2) {
            canvas.fill(Outline(SurfaceRect(x: x, y: 0, width: 1, height: 240)), .white)
        }
        var face = sampleFace()
        face.isSeen = false
        var scene = Scene()
        scene.apply(metadata([face], frame: 0), at: 0)
        let geometry = try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: size))
        canvas.draw(scene, geometry, overlay: overlay, at: 0)
        try canvas.check()
        canvas.withPixels { pixels, bytesPerRow in
            func contrast(_ x: Double, _ y: Double) -> Int {
                let place = Int(y * 240) * bytesPerRow + 4 * Int(x * 320)
                return abs(Int(pixels[place]) - Int(pixels[place + 4]))
            }
            for eye in [face.leftEye, face.rightEye, face.mouth] {
                #expect(contrast(eye?.x ?? 0, eye?.y ?? 0) < 24)
            }
            // The shoulders below are part of a silhouette.
            #expect(contrast(0.1, 0.5) == 255 && contrast(0.9, 0.5) == 255 && contrast(0.5, 0.02) == 255)
        }
    }

    // MARK: - Shapes

    /// What an overlay leaves of a ground, and draws on it: the pixels' blue, green and red.
    private func pixels(_ overlay: any Overlay, _ faces: [FaceObject], _ size: FrameSize, on ground: Color = .black)
        throws
        -> [[SIMD3<Int>]]
    {
        let canvas = try Canvas(pixelSize: size)
        canvas.clear(ground)
        let geometry = try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: size))
        let drawn = faces.compactMap { geometry.transformed($0) }
        overlay.draw(drawn, snapshotFlash: 0, on: canvas)
        try canvas.check()
        return canvas.colors
    }

    @Test("a silhouette is a head on wider shoulders, and has an edge to its neighbour and none inside a face")
    func silhouettes() throws {
        // Two faces of 80×96 pixels side by side, and one alone.
        let size = FrameSize(width: 640, height: 360)
        let faces = [0.25, 0.41, 0.8].enumerated().map { index, x in
            let bounds = NormalizedRect(x: x - 0.0625, y: 0.3, width: 0.125, height: 0.267)
            return sampleFace(id: index + 1, bounds: bounds, pose: pose(0, 0, 0))
        }
        let drawn = try pixels(PrivacyOverlay(style: .silhouette), faces, size, on: .white)
        func width(_ row: Int) -> Int { drawn[row][416...].count { $0.x < 250 } }
        // At the eyes no wider than hair; the shoulders stand out.
        #expect((88...136).contains(width(138)), "\(width(138))")
        #expect(width(268) > 150, "\(width(268))")
        let between = drawn[156][160...262].map(\.y)
        #expect(try #require(between.max()) > #require(between.min()) + 40, "\(between)")
        for x in [160, 262, 512] { #expect(Set(drawn[156][x - 24...x + 24]).count == 1) }
    }

    @Test("a closed eye has a lid and no squashed heart")
    func lid() throws {
        var face = sampleFace(bounds: NormalizedRect(x: 0.3, y: 0.2, width: 0.4, height: 0.6), pose: pose(0, 0, 0))
        (face.leftEyeClosed, face.rightEyeClosed) = (true, false)
        let drawn = try pixels(HeartsOverlay(), [face], FrameSize(width: 400, height: 320))
        let left = try #require(face.leftEye)
        let right = try #require(face.rightEye)
        func red(_ point: NormalizedPoint, down: Int) -> Int { drawn[Int(point.y * 320) + down][Int(point.x * 400)].z }
        #expect(red(left, down: 0) == 0 && red(left, down: 12) > 200)
        #expect(red(right, down: 0) > 200)
    }

    @Test("the words beside a large face are no larger than a line of the picture")
    func largeLabel() throws {
        var face = sampleFace(bounds: NormalizedRect(x: 0.25, y: 0.15, width: 0.5, height: 0.84), pose: pose(0, 0, 0))
        (face.leftEyeClosed, face.rightEyeClosed) = (nil, nil)
        let drawn = try pixels(LabelOverlay(), [face], FrameSize(width: 1280, height: 720), on: .white)
        // Above the box, which is nearly as high as the picture.
        let plate = drawn[..<96].count { row in row.contains { $0.max() < 120 } }
        #expect((20...46).contains(plate), "\(plate)")
    }

    @Test("squares are squares on a small face too, and leave no more detail", arguments: [24.0, 40, 60, 120])
    func squares(width: Double) throws {
        let size = FrameSize(width: 320, height: 240)
        let canvas = try Canvas(pixelSize: size)
        var random = SeededGenerator(state: 7)
        for index in 0..<64 * 48 {
            let (x, y) = (Double(index % 64) * 5, Double(index / 64) * 5)
            let gray = Double.random(in: 0...1, using: &random)
            canvas.fill(
                Outline(SurfaceRect(x: x, y: y, width: 5, height: 5)),
                Color(red: gray, green: gray, blue: gray)
            )
        }
        let before = canvas.colors
        let geometry = try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: size))
        let bounds = NormalizedRect(
            x: 0.5 - width / 640,
            y: 0.5 - width / 400,
            width: width / 320,
            height: width / 200
        )
        let face = try #require(geometry.transformed(sampleFace(bounds: bounds, pose: pose(0, 0, 0))))
        PrivacyOverlay(style: .pixelate).draw([face], snapshotFlash: 0, on: canvas)
        let after = canvas.colors
        let (columns, rows) = (
            Int(160 - width * 0.4)..<Int(160 + width * 0.4), Int(120 - width * 0.4)..<Int(120 + width * 0.4)
        )
        let steps = rows.flatMap { y in columns.map { abs(after[y][$0].x - after[y][$0 + 1].x) } }
        // Much of a row is plain, and what is between is steep.
        #expect(steps.count { $0 == 0 } > steps.count / 3, "\(steps.prefix(columns.count))")
        func detail(_ pixels: [[SIMD3<Int>]]) -> Int {
            rows.flatMap { y in
                columns.map { x in
                    let around = pixels[y - 1][x].x + pixels[y + 1][x].x + pixels[y][x - 1].x + pixels[y][x + 1].x
                    return (around - 4 * pixels[y][x].x) * (around - 4 * pixels[y][x].x)
                }
            }.reduce(0, +)
        }
        #expect(detail(after) * 8 < detail(before), "\(detail(after)) of \(detail(before))")
    }

    // MARK: - Words

    @Test("the mesh's panel is as large beside any face, whatever is known of it, and stays on its side")
    func meshPanel() throws {
        let size = FrameSize(width: 640, height: 480)
        func face(_ x: Double, _ width: Double) -> FaceObject {
            sampleFace(bounds: NormalizedRect(x: x, y: 0.3, width: width, height: width * 1.6), pose: pose(0, 0, 0))
        }
        func plate(_ face: FaceObject) throws -> Int {
            try pixels(MeshOverlay(), [face], size, on: .white).joined().count {
                (100...130).contains($0.x) && $0.x == $0.z
            }
        }
        var unknown = face(0.3, 0.1)
        (unknown.smile, unknown.leftEyeClosed, unknown.pose) = (nil, nil, nil)
        let areas = try [face(0.3, 0.1), face(0.2, 0.3), unknown].map(plate)
        #expect(areas[0] > 4000 && areas.allSatisfy { abs($0 - areas[0]) < areas[0] / 8 }, "\(areas)")

        let canvas = try Canvas(pixelSize: size)
        let geometry = try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: size))
        func side(_ x: Double) throws -> PanelPlace.Side? {
            let shown = try #require(geometry.transformed(face(x, 0.3)))
            MeshOverlay().draw([shown], snapshotFlash: 0, on: canvas)
            return canvas.panelSides[shown.faceID]
        }
        // Where there is no room it changes once, and not with each tremble.
        #expect(try [0.3, 0.65, 0.3].map(side) == [.right, .left, .left])
    }

    @Test("where a terminal writes the words, whole cells stand for them and no letters are drawn")
    func cellWords() throws {
        let canvas = try Canvas(pixelSize: FrameSize(width: 320, height: 192))
        let geometry = try #require(
            PreviewLayerGeometry(size: canvas.size, pictureSize: FrameSize(width: 320, height: 192))
        )
        canvas.textCell = SurfaceSize(width: 4, height: 8)
        let face = try #require(geometry.transformed(sampleFace(pose: pose(0, 0, 0))))
        canvas.clear(.black)
        BoxOverlay().draw([face], snapshotFlash: 0, on: canvas)
        let box = canvas.colors
        canvas.clear(.black)
        LabelOverlay().draw([face], snapshotFlash: 0, on: canvas)
        #expect(canvas.colors == box)
        let words = canvas.removeWords()
        #expect(words.map(\.lines) == [["smile"]] && canvas.removeWords().isEmpty)
        let place = try #require(words.first)
        #expect((0...80 - 7).contains(place.cell.x) && (0..<24).contains(place.cell.y))
        #expect(place.cell.y * 8 + 8 <= Int(face.bounds.y) + 4)
        // The numbers' plate is as wide whatever they are.
        let widths = try [pose(0, 0, 0), pose(-25, 30, -20)].map { pose in
            let face = try #require(geometry.transformed(sampleFace(pose: pose)))
            MeshOverlay().draw([face], snapshotFlash: 0, on: canvas)
            return canvas.removeWords().map(\.width)
        }
        #expect(widths[0].count == 1 && widths[0] == widths[1])
    }

    /// The colours of all pixels inside the faces' boxes.
    private func insides(of faces: [SurfaceFace], _ canvas: Canvas) -> [UInt8] {
        canvas.withPixels { pixels, bytesPerRow in
            faces.flatMap { drawn -> [UInt8] in
                let box = drawn.bounds
                // The lines of the overlays themselves lie on the border.
                let (dx, dy) = (box.width * 0.15, box.height * 0.15)
                return (Int(box.y + dy)..<Int(box.y + box.height - dy)).flatMap { y in
                    (Int(box.x + dx)..<Int(box.x + box.width - dx)).map { pixels[y * bytesPerRow + 4 * $0 + 2] }
                }
            }
        }
    }

    @Test(
        "the words of an overlay never cover a face, where there is room and where there is none",
        arguments: [
            [
                NormalizedRect(x: 0.3, y: 0.45, width: 0.3, height: 0.5),
                NormalizedRect(x: 0.65, y: 0.4, width: 0.3, height: 0.4),
            ],
            [NormalizedRect(x: 0.02, y: 0.02, width: 0.96, height: 0.96)],
            (0..<6).map {
                NormalizedRect(x: 0.03 + 0.33 * Double($0 % 3), y: $0 < 3 ? 0.04 : 0.53, width: 0.28, height: 0.38)
            },
        ]
    )
    func panels(boxes: [NormalizedRect]) throws {
        let size = FrameSize(width: 320, height: 240)
        let geometry = try #require(
            PreviewLayerGeometry(size: SurfaceSize(width: 320, height: 240), pictureSize: size)
        )
        let faces = boxes.enumerated().compactMap { index, box in
            geometry.transformed(sampleFace(id: index + 1, bounds: box))
        }
        let canvas = try Canvas(pixelSize: size)
        canvas.clear(Color(red: 0, green: 0, blue: 1))
        SquareOverlay().draw(faces, snapshotFlash: 0, on: canvas)
        #expect(insides(of: faces, canvas).allSatisfy { $0 == 0 })
    }

    @Test("the square's overlay flashes when a picture is taken")
    func snapshotFlash() throws {
        let canvas = try Canvas(pixelSize: FrameSize(width: 16, height: 16))
        canvas.clear(.black)
        SquareOverlay().draw([], snapshotFlash: 1, on: canvas)
        #expect(canvas.brightness(columns: 2, rows: 2).joined().allSatisfy { $0 == 15 })
    }

    @Test("a smile's mark brightens the box")
    func smileMark() throws {
        var shown = try #require(face(pose(0, 0, 0)))
        let bright = try [[:], [Topic.smile: 1.0]].map { marks in
            let canvas = try Canvas(pixelSize: FrameSize(width: 240, height: 180))
            canvas.clear(.black)
            shown.flashes = marks
            BoxOverlay().draw([shown], snapshotFlash: 0, on: canvas)
            return canvas.brightness(columns: 24, rows: 18)[9][12]
        }
        #expect(bright[0] == 0 && bright[1] > 2)
    }
}

extension Canvas {
    /// The pixels' blue, green and red.
    var colors: [[SIMD3<Int>]] {
        withPixels { pixels, bytesPerRow in
            (0..<pixelSize.height).map { y in
                (0..<pixelSize.width).map { x in
                    let pixel = y * bytesPerRow + 4 * x
                    return SIMD3(Int(pixels[pixel]), Int(pixels[pixel + 1]), Int(pixels[pixel + 2]))
                }
            }
        }
    }

    /// The mean of each cell's pixels' strongest colour, 0…`levels`: red lines count as much as white ones.
    func brightness(columns: Int, rows: Int, levels: Int = 15) -> [[Int]] {
        let (width, height) = (pixelSize.width, pixelSize.height)
        return withPixels { pixels, bytesPerRow in
            (0..<rows).map { row in
                (0..<columns).map { column in
                    var sum = 0
                    var count = 0
                    for y in row * height / rows..<(row + 1) * height / rows {
                        for x in column * width / columns..<(column + 1) * width / columns {
                            let pixel = y * bytesPerRow + 4 * x
                            sum += Int(max(pixels[pixel], pixels[pixel + 1], pixels[pixel + 2]))
                            count += 1
                        }
                    }
                    return (sum * levels + count * 255 / 2) / (count * 255)
                }
            }
        }
    }
}
