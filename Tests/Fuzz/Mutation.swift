/// Changes seeds at random; the same ones for the same number.
struct Mutation {
    private let seeds: [[UInt8]]
    private var state: UInt64
    private static let longest = 16384

    init(of seeds: [[UInt8]], seed: UInt64) {
        self.seeds = seeds.isEmpty ? [[0]] : seeds
        state = seed
    }

    /// A number below a limit (SplitMix64).
    private mutating func random(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(max(limit, 1)))
    }

    /// The next input: a seed with up to eight changes.
    mutating func next() -> [UInt8] {
        var bytes = seeds[random(seeds.count)]
        for _ in 0...random(8) {
            let place = random(bytes.count + 1)
            let end = min(place + 1 + random(16), bytes.count)
            switch random(6) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(random(8))
            case 1 where place < bytes.count: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF, UInt8(random(256))][random(6)]
            case 2: bytes.removeSubrange(place..<max(place, end))
            case 3: bytes.insert(contentsOf: bytes[place..<max(place, end)], at: random(bytes.count + 1))
            case 4: bytes.insert(contentsOf: (0...random(8)).map { _ in UInt8(random(256)) }, at: place)
            default:
                let other = seeds[random(seeds.count)]
                bytes.replaceSubrange(place..., with: other[min(place, other.count)...])
            }
        }
        return Array(bytes.prefix(Self.longest))
    }
}
