/// What a file states about its colours besides matrix and range. Facet only copies this to files that it writes.
package struct ColorStatement: Hashable, Sendable {
    /// The ITU-T H.273 codes: `primaries` of the colour primaries, `transfer` of the transfer curve; 2 is unspecified.
    package var primaries: UInt8 = 2
    package var transfer: UInt8 = 2
    /// The ICC profile of a picture in RGB; empty if there is none.
    package var profile: [UInt8] = []

    package init(primaries: UInt8 = 2, transfer: UInt8 = 2, profile: [UInt8] = []) {
        (self.primaries, self.transfer, self.profile) = (primaries, transfer, profile)
    }
}
