import Foundation

/// What the live page and the pages that are one file have in common.
package enum PageParts {
    /// The colours and the type.
    package static let style = String(decoding: PackageResources.style_css, as: UTF8.self)
    /// The drawings, for `use` elements.
    package static let icons = String(decoding: PackageResources.icons_html, as: UTF8.self)
}

extension [UInt8] {
    /// The text of a page with its comments replaced that name a value.
    package func filled(_ values: [String: String]) -> String {
        values.reduce(String(decoding: self, as: UTF8.self)) { page, value in
            page.replacingOccurrences(of: "<!-- \(value.key) -->", with: value.value)
        }
    }
}
