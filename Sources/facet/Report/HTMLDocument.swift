import FaceMetadata
import Foundation
import Frames
import OverlayRendering

/// What the pages have in common that are one file and need no other.
enum HTMLDocument {
    /// The colours and the type of the live page: the first rule of its style sheet.
    static let colors = String(
        decoding: PackageResources.page_css.prefix { $0 != UInt8(ascii: "}") } + "}\n".utf8,
        as: UTF8.self
    )

    /// Draws a part of a picture in a scale, with what `draw` adds to it.
    ///
    /// - Returns: the source of an `img`; nil if the part has no area.
    static func image(
        _ part: NormalizedRect,
        of picture: Picture,
        scale: Double,
        with encoder: JPEGEncoder,
        draw: (Canvas, PreviewLayerGeometry) -> Void = { _, _ in }
    ) throws -> String? {
        guard let size = picture.uprightSize else { return nil }
        let canvas = try Canvas(
            pixelSize: FrameSize(
                width: max(1, Int(part.width * Double(size.width) * scale)),
                height: max(1, Int(part.height * Double(size.height) * scale))
            )
        )
        guard
            let geometry = PreviewLayerGeometry(
                size: canvas.size,
                pictureSize: size,
                videoGravity: .resizeAspectFill,
                cleanAperture: part
            )
        else { return nil }
        canvas.clear(.black)
        canvas.draw(picture, geometry)
        draw(canvas, geometry)
        let jpeg = try canvas.withFrame { try encoder.encode($0) }
        return "data:image/jpeg;base64,\(Data(jpeg).base64EncodedString())"
    }
}

extension [UInt8] {
    /// The text of a page with its comments replaced that name a value.
    func filled(_ values: [String: String]) -> String {
        values.reduce(String(decoding: self, as: UTF8.self)) { page, value in
            page.replacingOccurrences(of: "<!-- \(value.key) -->", with: value.value)
        }
    }
}
