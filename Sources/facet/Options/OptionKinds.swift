import ArgumentParser
import Companion
import OverlayRendering
import TerminalPictures

extension Option where Value == String? {
    /// An option that names a file.
    init(file help: String) { self.init(help: .init("\(help)", valueName: "file"), completion: .file()) }
}

/// Reads the number of an option, of which only some have a meaning.
func number<Value>(_ range: ClosedRange<Value>) -> @Sendable (String) throws -> Value
where Value: LosslessStringConvertible & Sendable {
    { text in
        guard let number = Value(text), range.contains(number) else {
            throw ValidationError("it must be \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension VideoGravity: ExpressibleByArgument {}
extension TerminalFormat: ExpressibleByArgument {}
extension EventName: ExpressibleByArgument {}
