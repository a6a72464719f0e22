import Foundation

/// The parts that the live page and the pages of one file have in common.
package enum PageParts {
    /// The style sheet with the colours and the type.
    package static let style = String(decoding: PackageResources.style_css, as: UTF8.self)
    /// The drawings, for `use` elements in SVG.
    package static let icons = String(decoding: PackageResources.icons_html, as: UTF8.self)
}

extension [UInt8] {
    /// The text of a page in which comments that name a value are replaced by the value.
    package func filled(_ values: [String: String]) -> String {
        values.reduce(String(decoding: self, as: UTF8.self)) { page, value in
            page.replacingOccurrences(of: "<!-- \(value.key) -->", with: value.value)
        }
    }
}
