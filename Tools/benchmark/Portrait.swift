import ArgumentParser
import FaceInference
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MediaFiles

/// A picture with a face, to put into a `RoomScene`.
struct Portrait {
    let picture: Frame
    let face: NormalizedRect

    /// The first pictures of a folder that have a face, in the order of their names.
    static func load(_ folder: String, count: Int) throws -> [Portrait] {
        let analyzer = try FaceAnalyzer()
        var found: [Portrait] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
            guard found.count < count else { break }
            guard let picture = try? PictureFile.load(folder + "/" + name) else { continue }
            analyzer.reset()
            guard let face = try analyzer.analyze(picture).observations.first else { continue }
            found.append(Portrait(picture: picture, face: face.bounds))
        }
        guard found.count == count else {
            throw ValidationError("\(folder) has \(found.count) pictures with a face, not \(count); run deploy/setup")
        }
        return found
    }

    /// A person with this face, `width` pixels wide.
    func sitter(width: Double, at center: (x: Int, y: Int), visible: Range<Double>) -> RoomScene.Sitter {
        RoomScene.Sitter(picture, face: face, width: width, at: center, visible: visible)
    }
}
