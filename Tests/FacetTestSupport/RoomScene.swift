public import FaceMetadata
public import Frames
import Glibc

/// Frames of a made-up room as a camera with noise sees it, in changing light, into which a face may slide, and where
/// others may appear from one frame to the next.
///
/// The same options give the same frames in every run.
public struct RoomScene: Sendable {
    /// What the room is like.
    public struct Options: Sendable {
        /// The size of the frames.
        public var size = FrameSize(width: 640, height: 480)
        /// Frames per second.
        public var rate = 30.0
        /// The noise's standard deviation, in grey levels.
        public var noise = 4.0
        /// How much the mains make the light flicker, as a share of it; the bands wander through the rows.
        public var flicker = 0.0
        /// How much brighter the light gets in a minute, as a share of it.
        public var daylight = 0.0
        /// The share by which the exposure jumps up and down again, and after how many seconds each time.
        public var exposureJump = 0.0
        /// Seconds between jumps of the exposure.
        public var jumpInterval = 5.0
        /// How far a hand-held camera sways: to the sides and up and down by up to this share of the width, turned by
        /// up to this number of radians, nearer and further by up to a quarter of this share.
        public var sway = 0.0
        /// When the face begins to be seen, in seconds; nil for never.
        public var faceAt: Double?
        /// The face's width as a share of the frame's.
        public var faceWidth = 0.2
        /// How fast the face comes in, in frame widths per second; it stops in the middle.
        public var faceSpeed = 0.2
        /// The brightness of the face as a share of the portrait's.
        public var faceBrightness = 1.0

        /// Makes a still room with a noise of four grey levels.
        public init() {}
    }

    /// What the room is like.
    public let options: Options

    /// A person who is there from one frame on, and gone in another, without moving.
    public struct Sitter: Sendable {
        fileprivate let patch: Patch
        fileprivate let left: Int
        fileprivate let top: Int
        /// When the face is there, in seconds.
        public let visible: Range<Double>
        /// How much the face grows and shrinks with each breath of four seconds, as a share of its size.
        public var breathing = 0.0

        /// Makes a sitter.
        ///
        /// - Parameters:
        ///   - portrait: A picture whose face is `face`.
        ///   - face: Where the face is.
        ///   - width: The face's width in pixels of the room's frames.
        ///   - center: Where its centre is, in pixels.
        ///   - visible: When it is there, in seconds.
        public init(
            _ portrait: Frame,
            face: NormalizedRect,
            width: Double,
            at center: (x: Int, y: Int),
            visible: Range<Double>
        ) {
            patch = Patch(portrait, face, side: Int(2 * width), brightness: 1)
            (left, top) = (center.x - patch.side / 2, center.y - patch.side / 2)
            self.visible = visible
        }
    }

    private let background: [Float]
    private let noise: [Float]
    private let face: Patch?
    private let sitters: [Sitter]

    /// A part of a portrait, scaled.
    fileprivate struct Patch {
        let side: Int
        let luma: [Float]
    }

    private static let noiseCount = 65_521

    /// Makes a room.
    ///
    /// - Parameters:
    ///   - options: What it is like.
    ///   - portrait: A picture whose face is `face`, in pixels; nil if no face comes in.
    ///   - face: Where the face is.
    ///   - sitters: Who else is there.
    public init(
        _ options: Options,
        portrait: Frame? = nil,
        face: NormalizedRect? = nil,
        sitters: [Sitter] = []
    ) {
        self.options = options
        self.sitters = sitters
        var generator = SplitMix64(seed: 20)
        let (width, height) = (options.size.width, options.size.height)
        var room = [Float](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                room[y * width + x] = 70 + 60 * Float(x) / Float(width) + 30 * Float(y) / Float(height)
            }
        }
        // Furniture: rectangles of many sizes.
        for _ in 0..<60 {
            let (x, y) = (Int.random(in: 0..<width, using: &generator), Int.random(in: 0..<height, using: &generator))
            let right = min(width, x + Int.random(in: 4...max(5, width / 4), using: &generator))
            let bottom = min(height, y + Int.random(in: 4...max(5, height / 4), using: &generator))
            let tone = Float.random(in: 20...220, using: &generator)
            for row in y..<bottom {
                for column in x..<right { room[row * width + column] = tone }
            }
        }
        background = room
        noise = (0..<Self.noiseCount).map { _ in
            // Nearly normal, with a variance of 1.
            (0..<6).map { _ in Float.random(in: -0.5...0.5, using: &generator) }.reduce(0, +) * 1.4142
                * Float(options.noise)
        }
        if let portrait, let face {
            self.face = Patch(
                portrait,
                face,
                side: Int(2 * options.faceWidth * Double(width)),
                brightness: options.faceBrightness
            )
        } else {
            self.face = nil
        }
    }

    /// How many seconds after the first frame the face is seen as a whole; nil if it never comes.
    public var faceIsWholeAt: Double? {
        options.faceAt.map { $0 + 1.5 * options.faceWidth / options.faceSpeed }
    }

    /// The frame with that number, as YUYV without colours.
    public func frame(_ number: Int) -> Frame {
        let size = options.size
        let time = Double(number) / options.rate
        let pixels = FramePixels(count: 2 * size.width * size.height)
        var generator = SplitMix64(seed: UInt64(number))
        let gains = (0..<size.height).map { gain(row: $0, time: time) }
        let (left, top) = facePosition(at: time)
        swayed(room(at: time), time).withUnsafeBufferPointer { background in
            noise.withUnsafeBufferPointer { noise in
                for y in 0..<size.height {
                    let start = Int.random(in: 0..<Self.noiseCount - size.width, using: &generator)
                    let target = pixels.base + 2 * size.width * y
                    for x in 0..<size.width {
                        let scene = faceLuma(x - left, y - top) ?? background[y * size.width + x]
                        let value = scene * gains[y] + noise[start + x] + 0.5
                        target[2 * x] = UInt8(min(max(value, 0), 255))
                        target[2 * x + 1] = 128
                    }
                }
            }
        }
        return Frame(
            stamp: FrameStamp(frame: number, time: Timestamp(nanoseconds: Int64(time * 1e9)), mediaTime: time),
            captured: .now,
            size: size,
            format: .yuyv,
            encoding: .jpeg,
            planes: Frame.Planes(Frame.Plane(base: UnsafeRawPointer(pixels.base), bytesPerRow: 2 * size.width)),
            lease: pixels
        )
    }

    /// The room with everybody who sits there at that time.
    private func room(at time: Double) -> [Float] {
        var room = background
        let size = options.size
        for sitter in sitters where sitter.visible.contains(time) {
            let side = sitter.patch.side
            let scale = Float(1 + sitter.breathing / 2 * sin(2 * .pi * time / 4))
            let middle = Float(side - 1) / 2
            for y in max(0, -sitter.top)..<min(side, size.height - sitter.top) {
                for x in max(0, -sitter.left)..<min(side, size.width - sitter.left) {
                    room[(sitter.top + y) * size.width + sitter.left + x] =
                        scale == 1
                        ? sitter.patch.luma[y * side + x]
                        : sitter.patch.luma.between(
                            middle + (Float(x) - middle) / scale,
                            middle + (Float(y) - middle) / scale,
                            width: side
                        )
                }
            }
        }
        return room
    }

    /// The room as a camera sees it that is held in a hand.
    private func swayed(_ room: [Float], _ time: Double) -> [Float] {
        guard options.sway > 0 else { return room }
        let (width, height) = (options.size.width, options.size.height)
        // Slow sway and quicker tremor, at periods that do not meet.
        func wave(_ phase: Double) -> Float {
            Float(
                options.sway
                    * (0.6 * sin(1.7 * time + phase) + 0.3 * sin(4.3 * time + 2 * phase)
                        + 0.1 * sin(19 * time + 3 * phase))
            )
        }
        let turn = wave(2)
        let scale = 1 + wave(3) / 4
        let middle = SIMD2(Float(width - 1), Float(height - 1)) / 2
        let shift = SIMD2(wave(0), wave(1)) * Float(width)
        let right = SIMD2(cos(turn), sin(turn)) * scale
        let down = SIMD2(-sin(turn), cos(turn)) * scale
        return [Float](unsafeUninitializedCapacity: width * height) { result, count in
            room.withUnsafeBufferPointer { room in
                for y in 0..<height {
                    let start = middle + shift + down * (Float(y) - middle.y) - right * middle.x
                    for x in 0..<width {
                        let place = start + right * Float(x)
                        result[y * width + x] = room.between(place.x, place.y, width: width)
                    }
                }
            }
            count = width * height
        }
    }

    private func gain(row: Int, time: Double) -> Float {
        // 100 half-waves a second, read out within a frame's time: bands that wander a little from frame to frame.
        let phase = 100.3 * (time + Double(row) / Double(options.size.height) / options.rate)
        let wave = 4 * abs(phase - phase.rounded()) - 1
        let isRaised = Int(time / options.jumpInterval) % 2 == 1
        let light = (1 + options.flicker * wave) * (1 + options.daylight * time / 60)
        return Float(light * (isRaised ? 1 + options.exposureJump : 1))
    }

    /// The top left corner of the face's picture, in pixels.
    private func facePosition(at time: Double) -> (left: Int, top: Int) {
        guard let face, let begin = options.faceAt, time >= begin else { return (options.size.width, 0) }
        let width = Double(options.size.width)
        // The face takes the middle half of its picture: it begins to be seen when a quarter of that is in.
        let way = (time - begin) * options.faceSpeed * width - 0.75 * Double(face.side)
        return (Int(min(way, (width - Double(face.side)) / 2)), (options.size.height - face.side) / 2)
    }

    private func faceLuma(_ x: Int, _ y: Int) -> Float? {
        guard let face, x >= 0, y >= 0, x < face.side, y < face.side else { return nil }
        return face.luma[y * face.side + x]
    }
}

extension RandomAccessCollection<Float> where Index == Int {
    /// The picture of rows of that width between its pixels; outside it its nearest ones.
    @inline(__always)
    fileprivate func between(_ x: Float, _ y: Float, width: Int) -> Float {
        let (x, y) = (
            Swift.min(Swift.max(x, 0), Float(width - 2)), Swift.min(Swift.max(y, 0), Float(count / width - 2))
        )
        let (column, row) = (Int(x), Int(y))
        let across = x - Float(column)
        let down = y - Float(row)
        let first = row * width + column
        let upper = self[first] + across * (self[first + 1] - self[first])
        let lower = self[first + width] + across * (self[first + width + 1] - self[first + width])
        return upper + down * (lower - upper)
    }
}

extension RoomScene.Patch {
    fileprivate init(_ portrait: Frame, _ face: NormalizedRect, side: Int, brightness share: Double) {
        self.side = side
        let size = portrait.uprightSize
        // Twice the face's width, with the face in the middle. A portrait that is larger is averaged, not thinned out.
        let scale = 2 * Float(face.width) * Float(size.width) / Float(side)
        let fineness = max(1, Int(scale.rounded(.up)))
        let sampler = CropSampler(size: side * fineness, border: .replicate, range: 0...255)
        var colors = [Float](repeating: 0, count: sampler.count)
        let step = scale / Float(fineness)
        let transform = AffineTransform(
            a: step,
            b: 0,
            c: 0,
            d: step,
            tx: Float(face.center.x) * Float(size.width) - scale * Float(side) / 2,
            ty: Float(face.center.y) * Float(size.height) - scale * Float(side) / 2
        )
        precondition(sampler.sample(portrait, through: transform, into: &colors), "the portrait has pixels")
        luma = (0..<side * side).map { pixel in
            var sum: Float = 0
            for row in 0..<fineness {
                let start = (pixel / side * fineness + row) * side * fineness + pixel % side * fineness
                for sample in start..<start + fineness {
                    sum += 0.299 * colors[3 * sample] + 0.587 * colors[3 * sample + 1] + 0.114 * colors[3 * sample + 2]
                }
            }
            return sum / Float(fineness * fineness) * Float(share)
        }
    }
}

/// The bytes of a frame; they do not change once it is made.
private final class FramePixels: @unchecked Sendable {
    let base: UnsafeMutablePointer<UInt8>

    init(count: Int) { base = .allocate(capacity: count) }

    deinit { base.deallocate() }
}

/// Random numbers that are the same in every run (SplitMix64).
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes a generator whose numbers depend on the seed only.
    public init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
