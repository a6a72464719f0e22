/// The wishes of one open page.
struct ViewerWish: Hashable, Sendable {
    var overlay: String
    var isMirrored: Bool
    /// The base of the only camera shown; nil for all.
    var camera: String?
    /// Whether only the overlay's drawing is wanted, on a transparent ground.
    var isTransparent = false
    /// Whether the level of each smile is drawn.
    var showsLevels = false
    /// Whether only the next picture is wanted, as a JPEG.
    var isPicture = false
}
