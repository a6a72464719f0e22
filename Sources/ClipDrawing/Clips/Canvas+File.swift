import Companion
import Foundation
import MediaFiles
import OverlayRendering

extension Canvas {
    /// Writes what was drawn as a picture file.
    package func write(to path: String) throws {
        try OutputPath.checkPicture(path)
        try withFrame { try PictureWriter.write($0, to: path) }
    }
}
