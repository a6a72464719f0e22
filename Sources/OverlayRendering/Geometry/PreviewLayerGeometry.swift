package import FaceMetadata
package import Frames

/// Where a picture lies on a drawing surface: the geometry of AVCaptureVideoPreviewLayer.
///
/// The picture's coordinates are the metadata's 0…1; it is cropped to its clean aperture, mirrored, and fitted by gravity.
package struct PreviewLayerGeometry: Hashable, Sendable {
    /// The size of the drawing surface in points.
    package let size: SurfaceSize
    /// The size of the picture that metadata refers to, in pixels.
    package let pictureSize: FrameSize
    /// Whether the picture is mirrored left to right as the viewer sees it, as people expect of their own image.
    let isMirrored: Bool
    /// Maps the picture's 0…1 to the surface's points.
    let surfaceFromPicture: PlaneTransform
    /// Where the visible part of the picture lies on the surface; reaches beyond it with `resizeAspectFill`.
    let visibleRect: SurfaceRect

    /// Makes the geometry; nil unless picture, surface and the part of the picture that is shown each have a finite area.
    package init?(
        size: SurfaceSize,
        pictureSize: FrameSize,
        videoGravity: VideoGravity = .resizeAspect,
        isMirrored: Bool = false,
        cleanAperture: NormalizedRect = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    ) {
        let lengths = [
            size.width, size.height, Double(pictureSize.width), Double(pictureSize.height),
            cleanAperture.width, cleanAperture.height,
        ]
        guard lengths.allSatisfy({ $0 > 0 && $0.isFinite }), cleanAperture.x.isFinite, cleanAperture.y.isFinite else {
            return nil
        }
        (self.size, self.pictureSize, self.isMirrored) = (size, pictureSize, isMirrored)
        let shown = SurfaceSize(
            width: cleanAperture.width * Double(pictureSize.width),
            height: cleanAperture.height * Double(pictureSize.height)
        )
        let rect = videoGravity.pictureRect(of: shown, on: size)
        let (x, y) = (1 / cleanAperture.width, 1 / cleanAperture.height)
        let crop = PlaneTransform.scaling(x, y, -cleanAperture.x * x, -cleanAperture.y * y)
        let mirror = isMirrored ? PlaneTransform.scaling(-1, 1, 1, 0) : .identity
        let fit = PlaneTransform.scaling(rect.width, rect.height, rect.x, rect.y)
        visibleRect = rect
        surfaceFromPicture = crop.then(mirror).then(fit)
    }

    func surfacePoint(fromPicture point: NormalizedPoint) -> SurfacePoint { surfaceFromPicture.point(point.x, point.y) }

    func surfaceRect(fromPicture rect: NormalizedRect) -> SurfaceRect {
        SurfaceRect(
            corner: surfaceFromPicture.point(rect.x, rect.y),
            opposite: surfaceFromPicture.point(rect.x + rect.width, rect.y + rect.height)
        )
    }
}

/// How a picture fills a surface of another shape, as AVLayerVideoGravity.
package enum VideoGravity: String, Hashable, Sendable, CaseIterable {
    /// The whole picture is visible and keeps its shape; bars stay free at two sides.
    case resizeAspect = "contain"
    /// The surface is filled and the picture keeps its shape; two of its sides are cut off.
    case resizeAspectFill = "cover"
    /// The picture is stretched to the surface.
    case resize = "fill"

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

/// In double precision, unlike the map that samples pixels: conversions must survive the round trip.
typealias PlaneTransform = AffineMap<Double>

extension PlaneTransform {
    static func scaling(_ x: Double, _ y: Double, _ tx: Double = 0, _ ty: Double = 0) -> PlaneTransform {
        PlaneTransform(a: x, b: 0, c: 0, d: y, tx: tx, ty: ty)
    }

    func point(_ x: Double, _ y: Double) -> SurfacePoint {
        let (x, y) = self(x, y)
        return SurfacePoint(x: x, y: y)
    }
}
