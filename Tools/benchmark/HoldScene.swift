import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import ToolPictures

/// A made-up scene in which a person's face is lost: the same in every run.
struct HoldScene: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case turn, cover, bend, leanOut = "lean out", turnInOtherLight = "turn, light"
        case walkOut = "walk out", cut, newcomer, jacket, portrait, light, neighbour

        /// Whether the person stays.
        var isStay: Bool { [.turn, .cover, .bend, .leanOut, .turnInOtherLight].contains(self) }
    }

    static let size = FrameSize(width: 640, height: 480)
    static let rate = 10.0
    /// Seconds in which the room is empty before the person comes, if it is, in which the face is seen before it is
    /// lost, and in which the person goes.
    static let empty = 4.0
    private static let seen = 3.0
    private static let leaving = 1.6

    let kind: Kind
    /// The middle of the face in the picture.
    let place: SIMD2<Double>
    /// When the person begins to do what hides the face.
    let start: Double
    /// Until when, if the person stays.
    let end: Double
    /// When the newcomer comes.
    let arrival: Double
    private let actor: HoldActor
    private let other: HoldActor
    private let room: RGBPicture
    private let otherRoom: RGBPicture
    private let isRoomKnown: Bool
    private let side: Double
    private let cover: SIMD4<Float>
    private let noise: [Int16]

    /// Makes a scene; one of the same seed has the same room and place. The face of a person who stays is hidden for
    /// `hidden` seconds, or for 2.5…4.5 s by the seed.
    init(
        _ kind: Kind,
        _ actor: HoldActor,
        _ other: HoldActor,
        rooms: [RGBPicture],
        isRoomKnown: Bool,
        seed: UInt64,
        hidden: Double? = nil
    ) {
        var random = SplitMix64(seed: seed)
        self.kind = kind
        self.actor = actor
        self.other = other
        self.isRoomKnown = isRoomKnown
        let first = Int.random(in: 0..<rooms.count, using: &random)
        room = rooms[first]
        otherRoom = rooms[(first + rooms.count / 2) % rooms.count]
        let (width, height) = (Double(Self.size.width), Double(Self.size.height))
        let face = actor.pictures[0].face
        place = SIMD2(
            width * Double.random(in: 0.35...0.65, using: &random),
            actor.reach < 3.2
                ? height - actor.reach * face.y * 0.97 : height * Double.random(in: 0.25...0.36, using: &random)
        )
        side = Bool.random(using: &random) ? 1 : -1
        start = (isRoomKnown ? Self.empty + 1 : 0) + Self.seen
        let anyTime = Double.random(in: 2.5...4.5, using: &random)
        end = start + (hidden ?? anyTime)
        arrival = start + Double(Int.random(in: 1...5, using: &random))
        cover =
            [SIMD4(180, 60, 40, 1), SIMD4(170, 190, 200, 1), SIMD4(35, 35, 35, 1)][
                Int.random(in: 0..<3, using: &random)
            ]
        noise = (0..<4096).map { _ in Int16.random(in: -4...4, using: &random) }
    }

    /// How far from the person's place a face is, in widths of the picture.
    func distance(to bounds: NormalizedRect) -> Double {
        let there = place / SIMD2(Double(Self.size.width), Double(Self.size.height))
        let way = SIMD2(bounds.center.x, bounds.center.y) - there
        return (way * way).sum().squareRoot()
    }

    /// When the person has gone, to within a frame; nil if the person stays.
    var departure: Double? {
        guard !kind.isStay else { return nil }
        guard kind != .cut else { return start }
        // When all of the body, whose width is about three faces', is out of the picture.
        let way = side > 0 ? Double(Self.size.width) - place.x : place.x
        let width = 1.5 * actor.pictures[0].face.x
        return start - 0.3 + Self.leaving * ((way + width) / wayOut).squareRoot()
    }

    private var wayOut: Double { 0.65 * Double(Self.size.width) + 2.2 * actor.pictures[0].face.x + 170 }

    var frames: Int { Int(((kind.isStay ? end + 2 : max(start, kind == .newcomer ? arrival + 1 : 0) + 6)) * Self.rate) }

    func frame(_ number: Int) -> Frame {
        let time = Double(number) / Self.rate
        var picture = (kind == .cut && time >= start ? otherRoom : room)
        if kind == .portrait { hang(&picture) }
        let isHere = !isRoomKnown || time >= Self.empty
        if kind == .jacket, !isRoomKnown || time >= Self.empty + 1 {
            draw(actor.pictures[0], at: place + SIMD2(0, 25), into: &picture, below: 0.9)
        }
        if isHere, !(kind == .cut && time >= start) { drawPerson(number, time, &picture) }
        if kind == .neighbour, isHere {
            draw(other.pictures[number % other.pictures.count], at: place - SIMD2(side * 260, -10), into: &picture)
        }
        if kind == .newcomer, time >= arrival {
            let way = max(0, 1 - (time - arrival) / 0.8) * Double(Self.size.width) * 0.6
            let there = SIMD2(place.x + 20 * side - way * side, newcomerRow)
            draw(other.pictures[number % other.pictures.count], at: there, into: &picture)
        }
        if (kind == .light && time >= start) || (kind == .turnInOtherLight && time >= start + 1) {
            for index in picture.bytes.indices { picture.bytes[index] = UInt8(Float(picture.bytes[index]) * 0.72 + 6) }
        }
        for index in picture.bytes.indices {
            let value = Int16(picture.bytes[index]) + noise[(index &* 31 &+ number &* 977 &+ index >> 7) & 4095]
            picture.bytes[index] = UInt8(clamping: value)
        }
        let stamp = FrameStamp(frame: number, time: Timestamp(nanoseconds: Int64(time * 1e9)), mediaTime: time)
        guard let frame = try? Frame(copying: picture.bytes, size: picture.size, format: .rgb24, stamp: stamp) else {
            preconditionFailure("the picture has all its pixels")
        }
        return frame
    }

    private var newcomerRow: Double {
        other.reach < 3.2 ? Double(Self.size.height) - other.reach * other.pictures[0].face.y * 0.97 : place.y + 8
    }

    private func drawPerson(_ number: Int, _ time: Double, _ picture: inout RGBPicture) {
        let shown = actor.pictures[number % actor.pictures.count]
        let isHidden = time >= start && time < end
        var shift = SIMD2(0.0, 0.0)
        var isTurned = false
        switch kind {
        case .turn, .turnInOtherLight: isTurned = isHidden
        case .cover, .cut: break
        case .bend, .leanOut:
            let share = min(1, max(0, (time - start + 0.4) / 0.4), max(0, (end + 0.4 - time) / 0.4))
            let way =
                kind == .bend
                ? SIMD2(side * 60, Double(Self.size.height) - place.y - shown.face.y * 0.55)
                : SIMD2(side * 30, -(place.y + shown.face.y * 0.65))
            shift = way * share
            isTurned = kind == .bend && share > 0.3
        case .walkOut, .newcomer, .jacket, .portrait, .light, .neighbour:
            let share = max(0, (time - start + 0.3) / Self.leaving)
            guard time < start + 1.9 else { return }
            (shift.x, isTurned) = (side * share * share * wayOut, time >= start - 0.1)
        }
        // Comes in from the side where the room was empty.
        if isRoomKnown { shift.x -= side * max(0, Self.empty + 1 - time) * wayOut }
        let center = place + shift
        draw(shown, at: center, into: &picture)
        if isTurned { drawHair(center, shown.face, of: shown, &picture) }
        if kind == .cover, isHidden { drawCover(center, shown.face, &picture) }
    }

    private func hang(_ picture: inout RGBPicture) {
        let shown = other.pictures[0]
        let scale = 100 / shown.face.y
        for y in -62..<62 {
            for x in -51..<51 {
                let place = SIMD2(Int(place.x - side * 130) + x, Int(place.y) - 20 + y)
                let isFrame = abs(x) > 47 || abs(y) > 58
                let column = shown.side / 2 + Int(Double(x) * 1.2 / scale)
                let row = Int(shown.faceRow + Double(y) * 1.2 / scale)
                guard row >= 0, row < shown.side, column >= 0, column < shown.side else { continue }
                let pixel = shown.pixels[row * shown.side + column]
                let paper = SIMD4<Float>(210, 205, 190, 1)
                picture.mix(isFrame ? SIMD4(60, 40, 30, 1) : paper + (pixel - paper) * pixel.w, 1, at: place)
            }
        }
    }

    private func draw(
        _ shown: HoldActor.Picture,
        at center: SIMD2<Double>,
        into picture: inout RGBPicture,
        below heights: Double = -9
    ) {
        let (left, top) = (Int(center.x) - shown.side / 2, Int(center.y - shown.faceRow))
        for row in max(0, -top, Int(shown.faceRow + heights * shown.face.y))..<shown.side {
            for column in max(0, -left)..<max(0, -left, min(shown.side, picture.size.width - left)) {
                let pixel = shown.pixels[row * shown.side + column]
                if pixel.w > 0 { picture.mix(pixel, pixel.w, at: SIMD2(left + column, top + row)) }
            }
        }
    }

    /// The back of a head, in the colour above the forehead.
    private func drawHair(
        _ center: SIMD2<Double>,
        _ face: SIMD2<Double>,
        of shown: HoldActor.Picture,
        _ picture: inout RGBPicture
    ) {
        let above = max(0, Int(shown.faceRow - 0.62 * face.y)) * shown.side + shown.side / 2
        let color = shown.pixels[above].w > 0.5 ? shown.pixels[above] : SIMD4(35, 30, 30, 1)
        let half = face * SIMD2(0.62, 0.68)
        let middle = center - SIMD2(0, 0.08 * face.y)
        for y in Int(middle.y - half.y)...Int(middle.y + half.y) {
            for x in Int(middle.x - half.x)...Int(middle.x + half.x) {
                let place = (SIMD2(Double(x), Double(y)) - middle) / half
                guard (place * place).sum() < 1 else { continue }
                let strand = Float(noise[(x &* 7 &+ y / 9 &* 131) & 4095]) * 4
                picture.mix(color + SIMD4(repeating: strand), 1, at: SIMD2(x, y))
            }
        }
    }

    private func drawCover(_ center: SIMD2<Double>, _ face: SIMD2<Double>, _ picture: inout RGBPicture) {
        let half = face * SIMD2(0.75, 0.7)
        for y in Int(center.y - half.y)...Int(center.y + half.y) {
            for x in Int(center.x - half.x)...Int(center.x + half.x) {
                let isLine = (y - Int(center.y - half.y)) % 18 == 12
                picture.mix(isLine ? SIMD4(90, 90, 90, 1) : cover, 1, at: SIMD2(x, y))
            }
        }
    }
}

extension RGBPicture {
    /// Mixes a colour into a pixel, if that is inside the picture.
    fileprivate mutating func mix(_ color: SIMD4<Float>, _ share: Float, at place: SIMD2<Int>) {
        guard place.x >= 0, place.y >= 0, place.x < size.width, place.y < size.height else { return }
        let start = 3 * (place.y * size.width + place.x)
        for channel in 0..<3 {
            let old = Float(bytes[start + channel])
            bytes[start + channel] = UInt8(min(max(old + (color[channel] - old) * share, 0), 255))
        }
    }
}
