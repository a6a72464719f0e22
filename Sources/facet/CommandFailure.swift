import Foundation

/// Why a command cannot do its work: what was tried, on what, why it failed, what to do.
struct CommandFailure: Error, CustomStringConvertible {
    /// One paragraph for people.
    var description: String

    /// Makes a failure from a paragraph for people, which may quote what a broker or a daemon said.
    init(_ description: String) {
        self.description = description.printable
    }
}

/// The system's own words for an error of Foundation's, which wraps them in several layers.
struct SystemReason: CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        let outer = error as NSError
        let inner = outer.userInfo[NSUnderlyingErrorKey] as? NSError
        let code = [inner, outer].compactMap { $0 }.first { $0.domain == NSPOSIXErrorDomain }?.code
        if let code {
            description = String(cString: strerror(Int32(code)))
        } else if outer.domain == NSCocoaErrorDomain, outer.code == CocoaError.Code.fileReadNoSuchFile.rawValue {
            description = "there is no such file"
        } else {
            description = outer.localizedDescription
        }
    }
}
