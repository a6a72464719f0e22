import ArgumentParser
import OverlayRendering

/// How faces are drawn, and where; the same for every command that draws.
struct OverlayOptions: ParsableArguments {
    @Option(help: "How faces are drawn: box, hearts, santa, square or mesh.")
    var look = LookName.box

    @Flag(help: "Mirror the picture left to right, as people expect of their own image.")
    var mirror = false

    @Option(
        help: """
            How the picture fills the surface: resizeAspect (whole, with bars), resizeAspectFill (filled, two sides cut \
            off) or resize (stretched).
            """
    )
    var gravity = VideoGravity.resizeAspect
}
