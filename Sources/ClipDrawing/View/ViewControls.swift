/// The settings that the keys of `facet view` change.
package struct ViewControls: Equatable {
    package enum Action: Equatable {
        case snapshot
        case help
    }

    package private(set) var overlay: String
    package private(set) var isMirrored: Bool
    package var showsLevels = false
    package var gravity = VideoGravity.resizeAspect
    var isPaused = false
    /// The magnification of the middle of the picture, 1…8; 1 shows the whole picture.
    private(set) var zoom = 1.0
    package static let help = "l overlay  m mirror  v smile levels  g fit  + - zoom  s snapshot  p pause  q quit"
    private let overlays: [String]

    init(_ style: DrawingStyle, overlays: Overlays = Overlays()) {
        overlay = style.overlay.name
        self.overlays = overlays.names
        isMirrored = style.isMirrored
    }

    package mutating func press(_ key: UInt8) -> Action? {
        switch Character(Unicode.Scalar(key)) {
        case "l": overlay = Self.next(overlay, in: overlays)
        case "m": isMirrored.toggle()
        case "v": showsLevels.toggle()
        case "g": gravity = Self.next(gravity, in: VideoGravity.allCases)
        case "+", "=", "z": zoom = min(8, zoom * 1.25)
        case "-": zoom = max(1, zoom / 1.25)
        case "0": zoom = 1
        case "p", " ": isPaused.toggle()
        case "s": return .snapshot
        case "?", "h": return .help
        default: break
        }
        return nil
    }

    private static func next<Value: Equatable>(_ value: Value, in values: [Value]) -> Value {
        values[((values.firstIndex(of: value) ?? -1) + 1) % values.count]
    }

    /// The placement of a picture on a surface with these settings; nil if either has no area.
    func geometry(of picture: FrameSize, on surface: SurfaceSize) -> PreviewLayerGeometry? {
        PreviewLayerGeometry(
            size: surface,
            pictureSize: picture,
            videoGravity: gravity,
            isMirrored: isMirrored,
            cleanAperture: NormalizedRect(center: [0.5, 0.5], size: SIMD2(repeating: 1 / zoom))
        )
    }
}
