import Foundation

/// The system's own words for an error of Foundation's, which wraps them in several layers.
package struct SystemReason: CustomStringConvertible {
    package let description: String

    package init(_ error: any Error) {
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
