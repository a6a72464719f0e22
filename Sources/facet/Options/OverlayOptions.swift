import ArgumentParser
import OverlayRendering

/// How faces are drawn; the same for every command that draws.
struct OverlayOptions: ParsableArguments {
    @Option(help: "How faces are drawn; pixelate and blur hide them.")
    var look = LookName.box

    @Flag(help: "Mirror the picture left to right, as people expect of their own image.")
    var mirror = false
}
