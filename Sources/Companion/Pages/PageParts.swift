/// The parts that the live page and the single-file pages have in common.
package enum PageParts {
    /// The common style sheet: colours and fonts.
    package static let style = String(decoding: PackageResources.style_css, as: UTF8.self)
    /// The icons, for `use` elements in SVG.
    package static let icons = String(decoding: PackageResources.icons_html, as: UTF8.self)
}

extension [UInt8] {
    /// The text of a page, in which each comment `<!-- NAME -->` is replaced by the value with that name.
    package func filled(_ values: [String: String]) -> String {
        values.reduce(String(decoding: self, as: UTF8.self)) { page, value in
            page.replacingOccurrences(of: "<!-- \(value.key) -->", with: value.value)
        }
    }
}
