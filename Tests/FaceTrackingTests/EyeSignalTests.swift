import FaceMetadata
import Testing

@testable import FaceTracking

@Suite("Eye signals")
struct EyeSignalTests {
    /// A bright lid, or a dark iris on white when open; `light` scales both.
    private func patches(isOpen: Bool, light: Double = 1) throws -> EyePatches {
        try #require(
            EyePatches { pixels in
                for index in pixels.indices {
                    let x = Double(index % EyePatches.width) - 15.5
                    let y = Double(index / EyePatches.width % EyePatches.height) - 9.5
                    let iris = isOpen && x * x + y * y < 36 ? 40.0 : isOpen ? 160 : 120 + 2 * y
                    pixels[index] = UInt8(iris * light)
                }
                return true
            }
        )
    }

    @Test("an open eye resembles itself in any light, a closed one does not")
    func appearance() throws {
        var appearance = EyeAppearance()
        let open = EachEye(1.0, 1.0)
        let closed = EachEye(0.1, 0.1)
        for _ in 0..<20 { _ = appearance.advance(try patches(isOpen: true), open) }
        let darker = appearance.advance(try patches(isOpen: true, light: 0.5), closed)
        #expect(darker.left.dissimilarity < 0.1)
        #expect(darker.left == darker.right)
        let shut = appearance.advance(try patches(isOpen: false), closed)
        #expect(shut.left.dissimilarity > 0.7)
        #expect(shut.left.center > darker.left.center + 0.3)
        #expect(shut.left.logBrightness > darker.left.logBrightness)
        // What is closed is not learnt.
        #expect(appearance.advance(try patches(isOpen: true), open).left.dissimilarity < 0.1)
    }

    @Test("a patch without contrast resembles nothing")
    func flat() throws {
        var appearance = EyeAppearance()
        let grey = try #require(
            EyePatches {
                $0.update(repeating: 90)
                return true
            }
        )
        for _ in 0..<3 {
            let signal = appearance.advance(grey, EachEye(1, 1))
            #expect(abs(signal.left.dissimilarity - 1) < 0.01)
            #expect(abs(signal.left.center) < 0.01)
        }
    }

    @Test("the quantile of a sliding window is that of its values", arguments: [0.0, 0.3, 0.5, 0.7, 1.0])
    func quantile(share: Double) throws {
        var window = SlidingQuantile(capacity: 7)
        let noise = Noise()
        var values: [Double] = []
        for step in 0..<50 {
            let value = noise.next(around: Double(step % 5))
            window.insert(value)
            values.append(value)
            values = values.suffix(7)
            let sorted = values.sorted()
            let rank = share * Double(sorted.count - 1)
            let low = sorted[Int(rank)]
            let high = sorted[min(Int(rank) + 1, sorted.count - 1)]
            let expected = low + (rank - rank.rounded(.down)) * (high - low)
            #expect(abs(try #require(window.quantile(share)) - expected) < 1e-9)
        }
    }

    @Test(
        "samples up to 60 a second are all taken, of faster ones as many as fit their time",
        arguments: [(15.0, 15.0), (30, 30), (60, 60), (75, 60), (90, 60), (120, 60), (240, 60), (1000, 60)]
    )
    func thinning(rate: Double, taken: Double) {
        for jitter in [0, 0.4] {
            var thinning = Thinning()
            var noise = SystemRandomNumberGenerator()
            let times = (0..<Int(10 * rate)).map { index in
                (Double(index) + jitter * Double.random(in: -0.5...0.5, using: &noise)) / rate
            }
            let count = times.count(where: { thinning.takes($0) })
            #expect(abs(Double(count) - 10 * taken) <= (rate <= 60 ? 0 : 0.01 * 10 * taken + 1), "jitter \(jitter)")
            // However they come, a history of `EyeOpenness.capacity` holds its window.
            #expect(Double(count) <= 10 * Thinning.rate + 2)
        }
        var twice = Thinning()
        #expect([1.0, 1, 1, 2, 0.5, 0.5].map { twice.takes($0) } == [true, false, false, true, true, false])
    }

    @Test("the noise of a face at rest is no way that it goes, at any rate", arguments: [30.0, 60, 120, 240, 1000])
    func path(rate: Double) throws {
        var path = FacePath()
        var thinning = Thinning()
        let distances = (0..<Int(rate)).map { frame in
            let x = 0.5 + (frame % 2 == 0 ? 0 : 0.001)
            let bounds = NormalizedRect(x: x, y: 0.5, width: 0.2, height: 0.2)
            let time = Double(frame) / rate
            // As a track does.
            if thinning.takes(time) { path.append(bounds, at: time) }
            return abs(path.predicted(after: 0.5).x - 0.6)
        }
        // With the first few there is little to go by.
        #expect(try #require(distances.dropFirst(Int(0.15 * rate)).max()) < 0.02)
    }

    @Test("a timed window forgets what is too old, and keeps what is exactly as old as allowed")
    func timed() {
        var window = SlidingQuantile(seconds: 1, capacity: 100)
        for (value, time) in [(5.0, 0.0), (1, 0.5), (3, 1)] { window.insert(value, at: time) }
        #expect(window.count == 3)
        window.insert(2, at: 1.25)
        #expect(window.count == 3)
        #expect(window.quantile(0.5) == 2)
    }
}
