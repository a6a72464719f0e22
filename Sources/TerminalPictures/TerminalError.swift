import Glibc

/// Why a terminal cannot show pictures.
package enum TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Standard output or input goes elsewhere.
    case noTerminal(errno: Int32)
    /// The picture's sequences could not be made.
    case noPicture

    /// What failed, and what to do about it.
    package var description: String {
        switch self {
        case .noTerminal(let errno):
            "standard input and output must be a terminal (\(String(cString: strerror(errno)))); "
                + "for a file use `facet snapshot` or `facet record`"
        case .noPicture:
            "no picture could be made for this terminal"
        }
    }
}
