/// How a picture fills a surface of another shape, as AVLayerVideoGravity.
package enum VideoGravity: String, Hashable, Sendable, CaseIterable {
    /// The whole picture is visible and keeps its shape; bars stay free at two sides.
    case resizeAspect
    /// The surface is filled and the picture keeps its shape; two of its sides are cut off.
    case resizeAspectFill
    /// The picture is stretched to the surface.
    case resize

    /// Where a picture of that size lies on a surface, in points.
    func pictureRect(of picture: SurfaceSize, on surface: SurfaceSize) -> SurfaceRect {
        let (horizontal, vertical) = (surface.width / picture.width, surface.height / picture.height)
        let scale: Double
        switch self {
        case .resizeAspect: scale = min(horizontal, vertical)
        case .resizeAspectFill: scale = max(horizontal, vertical)
        case .resize: return SurfaceRect(x: 0, y: 0, width: surface.width, height: surface.height)
        }
        let (width, height) = (picture.width * scale, picture.height * scale)
        return SurfaceRect(
            x: (surface.width - width) / 2,
            y: (surface.height - height) / 2,
            width: width,
            height: height
        )
    }
}
