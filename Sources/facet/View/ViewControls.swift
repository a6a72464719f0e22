import FaceMetadata
import Frames
import OverlayRendering

/// What the keys of `facet view` change.
struct ViewControls: Equatable {
    /// What a key asks for beyond a change of the controls.
    enum Action: Equatable {
        /// Write a picture.
        case snapshot
        /// Show the keys.
        case help
        /// End.
        case quit
    }

    /// How faces are drawn.
    private(set) var look: String

    /// Whether the picture is mirrored.
    var isMirrored: Bool

    /// How the picture fills the terminal.
    var gravity: VideoGravity

    /// Whether the picture stands still.
    var isPaused = false

    /// How much the middle of the picture is enlarged; 1 shows all of it.
    private(set) var zoom = 1.0

    /// The keys, for the status line.
    static let help = "l look  m mirror  g gravity  + - zoom  s snapshot  p pause  q quit"

    /// The looks there are to choose from.
    private let looks: [String]

    /// Makes controls as the options ask.
    init(_ options: OverlayOptions, looks: Looks = Looks(), gravity: VideoGravity = .resizeAspect) {
        look = options.look.name
        self.looks = looks.names
        isMirrored = options.mirror
        self.gravity = gravity
    }

    /// Takes a key.
    mutating func press(_ key: UInt8) -> Action? {
        switch Character(Unicode.Scalar(key)) {
        case "l": look = looks[((looks.firstIndex(of: look) ?? -1) + 1) % looks.count]
        case "m": isMirrored.toggle()
        case "g": gravity = gravity.next
        case "+", "=", "z": zoom = min(8, zoom * 1.25)
        case "-": zoom = max(1, zoom / 1.25)
        case "0": zoom = 1
        case "p", " ": isPaused.toggle()
        case "s": return .snapshot
        case "?", "h": return .help
        case "q": return .quit
        default: break
        }
        return nil
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

extension VideoGravity {
    /// The next one, in order, beginning again after the last.
    fileprivate var next: VideoGravity {
        switch self {
        case .resizeAspect: .resizeAspectFill
        case .resizeAspectFill: .resize
        case .resize: .resizeAspect
        }
    }
}
