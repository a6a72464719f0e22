/// A colour, its parts 0…1, opacity not multiplied in.
package struct Color: Hashable, Sendable {
    /// Red.
    package var red: Double
    /// Green.
    package var green: Double
    /// Blue.
    package var blue: Double
    /// Opacity.
    package var alpha: Double

    /// Makes a colour from its parts.
    package init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// The same colour with another opacity.
    package func withAlpha(_ alpha: Double) -> Color {
        Color(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// White.
    package static let white = Color(red: 1, green: 1, blue: 1)
    /// Black.
    package static let black = Color(red: 0, green: 0, blue: 0)
    /// The red of hearts, hats and squares.
    package static let red = Color(red: 0.87, green: 0.09, blue: 0.13)
}
