import FaceMetadata
import Testing

@testable import FaceInference

/// Cells of a room with noise, and what happens in it.
private struct Room {
    private var generator = NoiseGenerator(seed: 11)
    private let background: [Float]
    var noise: Float = 0.5
    /// What is done to a cell's brightness in a frame.
    var change: (_ brightness: Float, _ column: Int, _ row: Int, _ frame: Int) -> Float = { brightness, _, _, _ in
        brightness
    }

    init() {
        var generator = NoiseGenerator(seed: 5)
        background = (0..<ChangeMap.count).map { _ in 90 + 30 * generator.next() }
    }

    /// Puts the cells of a frame into a map.
    mutating func show(_ frame: Int, in map: ChangeMap) {
        for index in 0..<ChangeMap.count {
            let brightness = change(background[index], index / ChangeMap.rows, index % ChangeMap.rows, frame)
            map.cells.numbers[index] = min(max(brightness + noise * generator.next(), 0), 255)
        }
    }

    /// The frames, at 30 a second, that the gate lets the detector search.
    mutating func searches(_ frames: Range<Int>) -> [Int] {
        let gate = SceneGate(region: .whole)
        return frames.filter { frame in
            show(frame, in: gate.map)
            return gate.mustSearch(at: Double(frame) / 30)
        }
    }
}

@Suite("Scene gate")
struct SceneGateTests {
    /// Twenty seconds.
    private static let frames = 0..<600

    @Test("tells a cut from noise, from movement and from another light")
    func cuts() {
        var room = Room()
        // A figure that crosses a third of the picture, a lamp that is switched on, another room.
        room.change = { brightness, column, row, frame in
            let figure = (frame..<frame + 16).contains(column) ? 200 : brightness
            let lit = frame >= 20 ? min(255, figure * 1.6 + 10) : figure
            return frame >= 30 ? 255 - lit + Float((column * 7 + row * 3) % 60) : lit
        }
        let map = ChangeMap(region: .whole)
        let cuts = CutDetector()
        let steps = (0..<40).map { frame in
            room.show(frame, in: map)
            return cuts.step(to: map)
        }
        #expect(steps[0] == nil && steps[20] == .light && steps[30] == .cut)
        #expect(steps.count { $0 == .small } == 37)
    }

    @Test("searches a room with nothing but noise once a second, later every 1.5 s", arguments: [0.1, 1.5] as [Float])
    func noise(_ noise: Float) {
        var room = Room()
        room.noise = noise
        let searches = room.searches(Self.frames)
        #expect(searches.first == 0)
        #expect(zip(searches.dropFirst(), searches).allSatisfy { $0 - $1 <= ($0 < 300 ? 30 : 45) })
        #expect(searches.count <= 20)
    }

    @Test("is not woken by mains flicker that wanders through the rows, nor by daylight that comes in a minute")
    func light() {
        var room = Room()
        room.change = { brightness, _, row, frame in
            let phase = Float(row) / 36 * 1.6 + Float(frame) * 0.37
            let flicker = 1 + 0.06 * (2 * (phase - phase.rounded(.down)) - 1)
            return brightness * flicker * (0.7 + 0.6 * Float(frame) / 1800)
        }
        #expect(room.searches(Self.frames).count <= 24)
    }

    @Test("is hardly woken by a jump of the exposure")
    func exposure() {
        var room = Room()
        room.change = { brightness, _, _, frame in brightness * (frame / 150 % 2 == 0 ? 1 : 1.25) }
        #expect(room.searches(Self.frames).count <= 45)
    }

    @Test("searches within three frames of a face that slides in at an edge", arguments: [0.02, 0.1, 0.5])
    func enter(_ widthsPerSecond: Double) {
        var room = Room()
        room.change = { brightness, column, row, frame in
            // Eight columns wide, from the left; it begins to be seen in frame 100.
            let edge = Double(frame - 100) / 30 * widthsPerSecond * 48
            guard frame >= 100, (12..<24).contains(row) else { return brightness }
            let covered = Float(min(max(edge - Double(column), 0), 1))
            return brightness + covered * (185 - brightness)
        }
        let found = room.searches(0..<400)
        // When it covers one and a half columns.
        let visible = 100 + Int((1.5 / 48 / widthsPerSecond * 30).rounded(.up))
        #expect(found.contains { ((visible - 3)...(visible + 3)).contains($0) }, "visible \(visible), found \(found)")
    }

    @Test("searches every frame of the first moment of a change, then ten times a second, and once more after it")
    func change() {
        var room = Room()
        var generator = NoiseGenerator(seed: 3)
        let pattern = (0..<600).map { _ in 60 * generator.next() }
        room.change = { brightness, column, row, frame in
            guard (60..<120).contains(frame), (20..<28).contains(column), (10..<20).contains(row) else {
                return brightness
            }
            return brightness + pattern[frame] + 80
        }
        let searches = room.searches(0..<180)
        #expect(searches.filter { (60..<69).contains($0) } == Array(60..<69))
        #expect((3...5).contains(searches.count { (90..<105).contains($0) }))
        #expect((2...5).contains(searches.count { (121..<140).contains($0) }))
        #expect(searches.count { (140..<180).contains($0) } <= 2)
    }

    @Test("learns what goes on moving")
    func curtain() {
        var room = Room()
        room.change = { brightness, column, row, frame in
            guard column < 6 else { return brightness }
            let wave = Float((frame * 7 + row * 3) % 31) - 15
            return brightness + wave
        }
        let searches = room.searches(0..<900)
        #expect(searches.count { $0 >= 600 } < 150)
    }

    @Test("beside followed faces, counts changes outside the ignored cells only, and none of the light")
    func besideFaces() {
        var room = Room()
        let gate = SceneGate(region: .whole)
        // Two thirds of the columns, so that most of each row may change.
        let isIgnored = { (column: Int, row: Int) in (8..<40).contains(column) && row >= 12 }
        func hasChanged(_ frame: Int) -> Bool {
            for cell in 0..<ChangeMap.count where isIgnored(cell / ChangeMap.rows, cell % ChangeMap.rows) {
                gate.map.weights.numbers[cell] = 0
            }
            room.show(frame, in: gate.map)
            return gate.hasChangedBesideCovered()
        }
        #expect(hasChanged(0), "there is nothing to compare with")
        gate.noteSearch()
        room.change = { brightness, column, row, frame in
            let flicker = 1 + 0.1 * Float((row + frame) % 5) / 5
            return 1.1 * flicker * (isIgnored(column, row) ? 250 - brightness : brightness)
        }
        #expect((1..<30).filter(hasChanged) == [])
        room.change = { brightness, column, row, _ in
            (42..<45).contains(column) && (20..<24).contains(row) ? brightness + 25 : brightness
        }
        #expect(hasChanged(30))
        gate.noteSearch()
        #expect(!hasChanged(31))
        // A room without faces is not compared with a picture that was taken beside a face.
        #expect(gate.mustSearch(at: 1))
    }

    @Test("searches at once after a reset, and when time begins anew")
    func reset() {
        var room = Room()
        let gate = SceneGate(region: .whole)
        func isSearched(_ frame: Int, at time: Double) -> Bool {
            if frame == 2 { gate.reset() }
            room.show(frame, in: gate.map)
            return gate.mustSearch(at: time)
        }
        let searches = zip(0..., [5, 5.03, 5.06, 5.1, 0]).map { isSearched($0, at: $1) }
        #expect(searches == [true, false, true, false, true])
    }
}

/// Numbers with mean 0 and variance 1, nearly normal, the same in every run.
struct NoiseGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> Float {
        var sum: Float = 0
        for _ in 0..<3 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            for shift in [16, 32, 48] as [UInt64] { sum += Float((state >> shift) & 0xFFFF) / 65536 - 0.5 }
        }
        return sum * 1.1547
    }
}
