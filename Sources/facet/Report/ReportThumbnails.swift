import FaceMessages
import FaceMetadata
import Frames
import OverlayRendering

/// Small pictures of the faces in a report, cut out of the clip that it is about.
struct ReportThumbnails {
    struct Thumbnail {
        /// When, in seconds of the clip.
        var time: Double
        /// What it shows.
        var caption: String
        /// The picture, 96 pixels wide and high, for screens with a fine grid in twice as many.
        var jpeg: [UInt8]
    }

    /// Pictures of a face's smiles, at the most.
    private static let smiles = 3

    private struct Wish {
        var faceID: FaceID
        var sample: FaceReport.Sample
        var caption: String
    }

    private static let size = FrameSize(width: 192, height: 192)

    private var wishes: [Wish]
    private let picture = Picture()
    private let encoder: JPEGEncoder

    /// The pictures made so far.
    private(set) var thumbnails: [FaceID: [Thumbnail]] = [:]

    /// Chooses the moments to show: each face at its best, and with its first smiles.
    init(of report: FaceReport) throws {
        wishes = ReportPage.detailed(report).flatMap(Self.wishes).sorted { $0.sample.time < $1.sample.time }
        do {
            encoder = try JPEGEncoder(quality: 80)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    var isComplete: Bool { wishes.isEmpty }

    /// Cuts out the faces that are wanted from a frame of the clip; frames come in order.
    mutating func take(_ frame: Frame) throws {
        // Times in messages are rounded.
        while let wish = wishes.first, wish.sample.time <= frame.stamp.mediaTime + 0.0005 {
            wishes.removeFirst()
            try picture.update(from: frame)
            guard let jpeg = try cut(wish.sample.face) else { continue }
            let thumbnail = Thumbnail(time: wish.sample.time, caption: wish.caption, jpeg: jpeg)
            thumbnails[wish.faceID, default: []].append(thumbnail)
        }
    }

    private static func wishes(of face: FaceReport.Presence) -> [Wish] {
        let best = face.samples.filter(\.face.isSeen).max { quality($0.face) < quality($1.face) }
        let smiles = face.happenings.filter { $0.kind == .smile }.prefix(Self.smiles).compactMap { happening in
            face.samples.last { $0.time <= happening.time + 0.0005 }.map {
                Wish(faceID: face.faceID, sample: $0, caption: "smile")
            }
        }
        return (best.map { [Wish(faceID: face.faceID, sample: $0, caption: "face \(face.faceID.rawValue)")] } ?? [])
            + smiles
    }

    /// How well a face is seen: large, and turned to the camera.
    private static func quality(_ face: FaceObject) -> Double {
        let turn = face.pose.map { abs($0.yaw) + abs($0.pitch) } ?? 45
        let isWhole =
            face.bounds.x >= 0 && face.bounds.y >= 0 && face.bounds.x + face.bounds.width <= 1
            && face.bounds.y + face.bounds.height <= 1
        return (face.bounds.width * face.bounds.height).squareRoot() * max(0.1, 1 - turn / 90) * (isWhole ? 1 : 0.3)
    }

    /// The face with some of what is around it, as a square.
    private func cut(_ face: FaceObject) throws -> [UInt8]? {
        guard let size = picture.uprightSize else { return nil }
        let (width, height) = (Double(size.width), Double(size.height))
        let side = 1.6 * max(face.bounds.width * width, face.bounds.height * height)
        let part = NormalizedRect(
            x: face.bounds.center.x - side / width / 2,
            y: face.bounds.center.y - side / height / 2,
            width: side / width,
            height: side / height
        )
        let canvas = try Canvas(pixelSize: Self.size)
        guard let geometry = PreviewLayerGeometry(size: canvas.size, pictureSize: size, cleanAperture: part) else {
            return nil
        }
        canvas.clear(.black)
        canvas.draw(picture, geometry)
        return try canvas.withFrame { try encoder.encode($0) }
    }
}
