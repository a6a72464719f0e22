/// What one open page wants to be shown.
struct ViewerWish: Hashable, Sendable {
    var overlay: String
    var isMirrored: Bool
    /// The topic base of the only camera to show; nil for all.
    var camera: String?
    /// Whether only the overlay's drawing is wanted, on a transparent background.
    var isTransparent = false
    /// Whether the level of each smile is drawn.
    var showsLevels = false
    /// Whether only the next picture is wanted, as a JPEG.
    var isPicture = false
}
