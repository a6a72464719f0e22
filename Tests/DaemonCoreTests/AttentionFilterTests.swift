import FaceMessages
import Testing

@testable import DaemonCore

@Suite("Attention")
struct AttentionFilterTests {
    /// What is told, at which time, of a reason that is there at some of the times.
    private func told(_ present: (Double) -> Bool, times: StrideThrough<Double>) -> [String] {
        var filter = AttentionFilter()
        return times.compactMap { time in
            filter.advance(present(time) ? [.tooDark] : [], at: time).map { "\(time) \($0.map(\.rawValue).joined())" }
        }
    }

    @Test("is told once it has lasted two seconds, and taken back likewise")
    func settling() {
        let told = told({ $0 >= 1 && $0 < 5 }, times: stride(from: 0, through: 10, by: 0.5))
        #expect(told == ["3.0 too_dark", "7.0 "])
    }

    @Test("of a moment, or of a flicker, is not told")
    func flicker() {
        #expect(told({ Int($0 * 2) % 3 == 0 }, times: stride(from: 0, through: 10, by: 0.5)).isEmpty)
        #expect(told({ _ in false }, times: stride(from: 0, through: 10, by: 0.5)).isEmpty)
    }

    @Test("there from the first frame on is told after two seconds")
    func fromTheStart() {
        #expect(told({ _ in true }, times: stride(from: 7, through: 10, by: 0.5)) == ["9.0 too_dark"])
    }
}
