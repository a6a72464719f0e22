/// The map from a picture, in the metadata's coordinates 0…1, to a drawing surface. As in AVCaptureVideoPreviewLayer,
/// the picture is cropped to its clean aperture, mirrored and fitted by gravity.
package struct PreviewLayerGeometry: Hashable, Sendable {
    /// The size, in pixels, of the picture that the metadata describes.
    let pictureSize: FrameSize
    /// Whether the picture is mirrored left to right as the viewer sees it, as people expect of their own image.
    let isMirrored: Bool
    /// The map from the picture's coordinates, 0…1, to the surface's points.
    let surfaceFromPicture: PlaneTransform
    /// The rectangle that the cropped picture fills, in points. With `resizeAspectFill` it extends beyond the surface.
    let visibleRect: SurfaceRect

    /// Makes the geometry; nil unless the surface, the picture and `cleanAperture` have finite sizes above 0.
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

/// The way in which a picture is fitted to a surface of another aspect ratio, as in AVLayerVideoGravity.
package enum VideoGravity: String, Hashable, Sendable, CaseIterable {
    /// The whole picture is visible and keeps its aspect ratio. Bars remain on two sides if the aspect ratios differ.
    case resizeAspect = "contain"
    /// The picture fills the surface and keeps its aspect ratio. Two sides are cut off if the aspect ratios differ.
    case resizeAspectFill = "cover"
    /// The picture is stretched to the size of the surface.
    case resize = "fill"

    /// Returns the rectangle, in points, that a picture of the size `picture` fills on a surface of the size `surface`.
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

/// An affine map in double precision: with the single precision of `AffineTransform`, round trips would not be exact.
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
