/// The wish of one open page.
struct ViewerWish: Hashable, Sendable {
    var overlay: String
    var isMirrored: Bool
    /// The base of the only camera shown; nil for all.
    var camera: String?
    /// Whether only what an overlay draws is wanted, on a transparent ground.
    var isTransparent = false
    /// Whether the level of each smile is drawn.
    var showsLevels = false
    /// Whether the next picture is wanted alone, as a JPEG.
    var isPicture = false
}
