import Companion
import Testing

@testable import LivePage

@Suite("The demo's lamp")
struct DemoLampTests {
    @Test("keeps its shade and its foot where it is lit")
    func lamp() {
        let dark = DemoLamp.rows(isOn: false)
        let lit = DemoLamp.rows(isOn: true)
        #expect(lit != dark && lit.count == dark.count)
        for (dark, lit) in zip(dark, lit) {
            // Light is only where there was nothing.
            let cells = zip(dark, lit.padding(to: dark.count))
            #expect(cells.allSatisfy { $0 == " " || $0 == $1 }, "\(lit) for \(dark)")
        }
    }
}
