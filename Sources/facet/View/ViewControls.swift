import FaceMetadata
import Frames
import OverlayRendering

struct ViewControls: Equatable {
    enum Action: Equatable {
        case snapshot
        case help
    }

    private(set) var overlay: String
    var isMirrored: Bool
    var gravity: VideoGravity
    var isPaused = false

    /// How much the middle of the picture is enlarged; 1 shows all of it.
    private(set) var zoom = 1.0
    static let help = "l overlay  m mirror  g gravity  + - zoom  s snapshot  p pause  q quit"
    private let overlays: [String]

    init(_ options: DrawingOptions, overlays: Overlays = Overlays(), gravity: VideoGravity = .resizeAspect) {
        overlay = options.overlay.name
        self.overlays = overlays.names
        isMirrored = options.mirror
        self.gravity = gravity
    }

    mutating func press(_ key: UInt8) -> Action? {
        switch Character(Unicode.Scalar(key)) {
        case "l": overlay = Self.next(overlay, in: overlays)
        case "m": isMirrored.toggle()
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

    /// Where a picture goes on a surface with these controls; nil if either has no area.
    func geometry(of picture: FrameSize, on surface: SurfaceSize) -> PreviewLayerGeometry? {
        let share = 1 / zoom
        return PreviewLayerGeometry(
            size: surface,
            pictureSize: picture,
            videoGravity: gravity,
            isMirrored: isMirrored,
            cleanAperture: NormalizedRect(x: (1 - share) / 2, y: (1 - share) / 2, width: share, height: share)
        )
    }
}

/// Where a view stands in time: its own, which a pause holds, and that of a clip, which begins again after its end.
///
/// All times are in seconds; those handed in count from the view's beginning and go on during a pause.
struct ViewClock {
    private var clipStart = 0.0
    private var pauseStart: Double?

    var isPaused: Bool { pauseStart != nil }

    /// Holds the view's time, or lets it go on; the clip then goes on where it stood.
    mutating func setPaused(_ isPaused: Bool, at seconds: Double) {
        if isPaused {
            pauseStart = pauseStart ?? seconds
        } else if let start = pauseStart {
            clipStart += seconds - start
            pauseStart = nil
        }
    }

    mutating func restartClip(at seconds: Double) {
        clipStart = seconds
    }

    func shown(at seconds: Double) -> Double { pauseStart ?? seconds }

    func clip(at seconds: Double) -> Double { shown(at: seconds) - clipStart }
}
