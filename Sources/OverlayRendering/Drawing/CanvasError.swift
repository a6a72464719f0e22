/// Why nothing can be drawn.
package enum CanvasError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Cairo cannot make a picture of that size.
    case cannotCreate(width: Int, height: Int, reason: String)
    /// Cairo failed while drawing.
    case drawing(reason: String)
    /// The frame's pixels cannot be read as they are.
    case undecoded

    /// What was tried, why it failed, and what to do about it.
    package var description: String {
        switch self {
        case .cannotCreate(let width, let height, let reason):
            "cannot make a picture of \(width)x\(height) pixels to draw on: \(reason); choose a smaller size"
        case .drawing(let reason):
            "drawing failed: \(reason)"
        case .undecoded:
            "cannot draw a JPEG frame that was not decoded"
        }
    }
}
