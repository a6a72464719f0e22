import FaceMetadata
import Testing

@testable import FacetKit

@Suite("Attention")
struct AttentionFilterTests {
    /// What is newly reported, at which time, of a reason that is there at some of the times.
    private func reported(_ present: (Double) -> Bool, times: StrideThrough<Double>) -> [String] {
        var filter = AttentionFilter()
        var last: [FaceAttention] = []
        return times.compactMap { time in
            filter.advance(present(time) ? [.tooDark] : [], at: time)
            defer { last = filter.settled }
            return filter.settled == last ? nil : "\(time) \(filter.settled.map(\.rawValue).joined())"
        }
    }

    @Test("is reported once it has lasted two seconds, and taken back likewise")
    func settling() {
        let reported = reported({ $0 >= 1 && $0 < 5 }, times: stride(from: 0, through: 10, by: 0.5))
        #expect(reported == ["3.0 too_dark", "7.0 "])
    }

    @Test("of a moment, or of a flicker, is not reported")
    func flicker() {
        #expect(reported({ Int($0 * 2) % 3 == 0 }, times: stride(from: 0, through: 10, by: 0.5)).isEmpty)
        #expect(reported({ _ in false }, times: stride(from: 0, through: 10, by: 0.5)).isEmpty)
    }

    @Test("there from the first frame on is reported after two seconds")
    func fromTheStart() {
        #expect(reported({ _ in true }, times: stride(from: 7, through: 10, by: 0.5)) == ["9.0 too_dark"])
    }
}
