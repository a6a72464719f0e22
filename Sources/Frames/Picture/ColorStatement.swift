/// What a file states about its colours besides matrix and range. Facet only copies this to files that it writes.
package struct ColorStatement: Hashable, Sendable {
    /// The codes of primaries and transfer characteristics by ITU-T H.273; 2 means unspecified.
    package var primaries: UInt8 = 2
    package var transfer: UInt8 = 2
    /// The ICC profile of a picture in RGB; empty if there is none.
    package var profile: [UInt8] = []

    package init(primaries: UInt8 = 2, transfer: UInt8 = 2, profile: [UInt8] = []) {
        (self.primaries, self.transfer, self.profile) = (primaries, transfer, profile)
    }
}
