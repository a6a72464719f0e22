/// Writes live pictures with an overlay to a v4l2loopback device, which other programs use as a camera.
package enum WebcamOutput {
    package static func run(_ node: String, _ style: DrawingStyle, _ subscriber: Subscriber) async throws {
        // Programs that read the device expect even sides, because the chroma is halved.
        var drawing = try OverlayPicture(style, hasEvenSides: true)
        let output = try VideoOutput(node)
        let planar = try PlanarPicture()
        var hasBegun = false
        try await LivePictures.show(subscriber, hidesFaces: drawing.hidesFaces) { picture, scene, seconds in
            let canvas = try drawing.draw(picture, scene: scene, at: seconds)
            if !hasBegun {
                try output.begin(canvas.pixelSize)
                Console.note("\(node) is a camera now: \(canvas.pixelSize); Ctrl-C ends it")
                hasBegun = true
            }
            let bytes = try canvas.withFrame { try planar.convert($0, size: canvas.pixelSize, for: node) }
            try bytes.withUnsafeBytes(output.show)
        }
    }
}
