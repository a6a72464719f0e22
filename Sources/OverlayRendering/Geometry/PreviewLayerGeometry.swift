/// The place of a picture, whose coordinates are the metadata's 0…1, on a drawing surface. As in
/// AVCaptureVideoPreviewLayer, it is cropped to its clean aperture, mirrored, and fitted by gravity.
package struct PreviewLayerGeometry: Hashable, Sendable {
    /// The size of the picture that metadata refers to, in pixels.
    let pictureSize: FrameSize
    /// Whether the picture is mirrored left to right as the viewer sees it, as people expect of their own image.
    let isMirrored: Bool
    /// Maps the picture's 0…1 to the surface's points.
    let surfaceFromPicture: PlaneTransform
    /// The visible part of the picture on the surface; it reaches beyond with `resizeAspectFill`.
    let visibleRect: SurfaceRect

    /// Makes the geometry; nil unless picture, surface and the visible part of the picture each have a finite area.
    package init?(
        size: SurfaceSize,
        pictureSize: FrameSize,
        videoGravity: VideoGravity = .resizeAspect,
        isMirrored: Bool = false,
        cleanAperture: NormalizedRect = .whole
    ) {
        let aperture = cleanAperture.size
        let lengths = [size, pictureSize.points, aperture].flatMap { [$0.width, $0.height] }
        guard lengths.allSatisfy({ $0 > 0 && $0.isFinite }), cleanAperture.x.isFinite, cleanAperture.y.isFinite else {
            return nil
        }
        self.pictureSize = pictureSize
        self.isMirrored = isMirrored
        visibleRect = videoGravity.pictureRect(of: aperture * pictureSize.points, on: size)
        let crop = PlaneTransform.scaling(1 / aperture, -cleanAperture.origin * (1 / aperture))
        let mirror = isMirrored ? PlaneTransform.scaling([-1, 1], [1, 0]) : .identity
        let fit = PlaneTransform.scaling(visibleRect.size, visibleRect.origin)
        surfaceFromPicture = crop.then(mirror).then(fit)
    }

    func surfacePoint(fromPicture point: NormalizedPoint) -> SurfacePoint { surfaceFromPicture.point(point.vector) }

    func surfaceRect(fromPicture rect: NormalizedRect) -> SurfaceRect {
        let corners = [rect.origin, rect.origin + rect.size].map(surfaceFromPicture.point)
        return SurfaceRect(corner: corners[0], opposite: corners[1])
    }
}

/// The way in which a picture fills a surface of another shape, as AVLayerVideoGravity.
package enum VideoGravity: String, Hashable, Sendable, CaseIterable {
    /// The whole picture is visible and keeps its shape; bars stay free at two sides.
    case resizeAspect = "contain"
    /// The surface is filled and the picture keeps its shape; two of its sides are cut off.
    case resizeAspectFill = "cover"
    /// The picture is stretched to the surface.
    case resize = "fill"

    /// The rectangle of a picture of that size on a surface, in points.
    func pictureRect(of picture: SurfaceSize, on surface: SurfaceSize) -> SurfaceRect {
        let scales = surface / picture
        let size =
            switch self {
            case .resizeAspect: picture * scales.min()
            case .resizeAspectFill: picture * scales.max()
            case .resize: surface
            }
        return SurfaceRect(center: surface / 2, size: size)
    }
}

/// A map in double precision, unlike the one that samples pixels: conversions must survive the round trip.
typealias PlaneTransform = AffineMap<Double>

extension PlaneTransform {
    static func scaling(_ factors: SurfacePoint, _ offset: SurfacePoint = .zero) -> PlaneTransform {
        PlaneTransform(a: factors.x, b: 0, c: 0, d: factors.y, tx: offset.x, ty: offset.y)
    }

    func point(_ point: SIMD2<Double>) -> SurfacePoint {
        let mapped = self(point.x, point.y)
        return [mapped.x, mapped.y]
    }
}
