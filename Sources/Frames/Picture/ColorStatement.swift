/// The statements of a file about its colours besides matrix and range, which are only passed on.
package struct ColorStatement: Hashable, Sendable {
    /// The numbers of primaries and transfer in ITU-T H.273; 2 where nothing is said.
    package var primaries: UInt8 = 2
    package var transfer: UInt8 = 2
    /// An ICC profile of red, green and blue; empty without one.
    package var profile: [UInt8] = []

    package init(primaries: UInt8 = 2, transfer: UInt8 = 2, profile: [UInt8] = []) {
        (self.primaries, self.transfer, self.profile) = (primaries, transfer, profile)
    }
}
