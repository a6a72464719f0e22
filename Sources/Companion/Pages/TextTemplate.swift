import Foundation
import OverlayRendering

extension [UInt8] {
    /// The text of a page with its comments replaced that name a value.
    package func filled(_ values: [String: String]) -> String {
        values.reduce(String(decoding: self, as: UTF8.self)) { page, value in
            page.replacingOccurrences(of: "<!-- \(value.key) -->", with: value.value)
        }
    }
}
