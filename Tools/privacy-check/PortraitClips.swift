import FaceMetadata
import Foundation
import Frames
import MediaFiles
import ToolPictures

/// Clips made of portraits, in which everything about the people is known: 13 in which they come by a cut, 13 in which
/// one walks in, 13 in which a second one joins, a still with 24 of them, and what is hard to look ahead for: faces
/// that are there for a frame or two beside one that stays, that jump, fly past, fade in or scroll by until the clip
/// ends, and time lapses.
struct PortraitClips {
    private static let size = FrameSize(width: 640, height: 480)
    private static let rate = 30.0
    private let output: String
    private let portraits: [RGBPicture]

    init(portraits directory: String, output: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".jpg") }
            .sorted()
        // At equal distances: neighbours in the collection are alike.
        portraits = try (0..<80).map { index in
            RGBPicture(upright: try PictureFile.load(directory + "/" + names[index * names.count / 80]))
        }
        self.output = output
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    }

    func write() throws {
        for number in 0..<13 {
            let people = (0..<4).map { portraits[(4 * number + $0) % portraits.count] }
            try clip("cut\(number)", seconds: 2.4) { canvas, time in
                let scene = min(3, Int(time / 0.6))
                canvas.fill(seed: number * 4 + scene)
                let width = [150, 110, 220, 80][(scene + number) % 4]
                canvas.paste(people[scene], width: width, x: 60 + 120 * ((scene * 3 + number) % 4), y: 60 + 30 * scene)
            }
            let person = portraits[(52 + number) % portraits.count]
            try clip("walk\(number)", seconds: 2.5) { canvas, time in
                canvas.fill(seed: 100 + number)
                let width = 70 + 15 * (number % 6)
                let (from, to) = number.isMultiple(of: 2) ? (-width, 640) : (640, -width)
                canvas.paste(person, width: width, x: from + Int(Double(to - from) * time / 2.5), y: 100 + 10 * number)
            }
            let pair = [portraits[(20 + number) % 80], portraits[(40 + number) % 80]]
            try clip("join\(number)", seconds: 2) { canvas, time in
                canvas.fill(seed: 200 + number)
                canvas.paste(pair[0], width: 140, x: 40, y: 80)
                if time >= 0.7 { canvas.paste(pair[1], width: 60 + 8 * number, x: 380, y: 60 + 10 * number) }
            }
        }
        try writeHard()
        var crowd = PastedCanvas(size: FrameSize(width: 1280, height: 960))
        crowd.fill(seed: 1)
        for index in 0..<24 {
            crowd.paste(portraits[3 * index], width: 150, x: 30 + 205 * (index % 6), y: 20 + 235 * (index / 6))
        }
        try crowd.withFrame(at: 0) { try PictureWriter.write($0, to: output + "/crowd.png") }
    }

    /// What comes or goes faster than people do.
    private func writeHard() throws {
        for (number, width) in [60, 90, 120].enumerated() {
            try clip("pop\(width)", seconds: 4) { canvas, time in
                canvas.fill(seed: 300)
                canvas.paste(portraits[60], width: 220, x: 210, y: 120)
                let frame = Int((time * Self.rate).rounded())
                guard frame % 20 >= 19 - number else { return }
                let place = frame / 20 % 4
                let (x, y) = (place % 2 == 0 ? 20 : 620 - width, place < 2 ? 20 : 440 - width)
                canvas.paste(portraits[61 + frame / 20], width: width, x: x, y: y)
            }
            try clip("jump\(width)", seconds: 3) { canvas, time in
                canvas.fill(seed: 310)
                let place = Int((time * Self.rate).rounded()) / (number + 1)
                canvas.paste(portraits[70], width: width, x: place * 211 % (640 - width), y: place * 97 % (440 - width))
            }
            try clip("slide\(width)", seconds: 3) { canvas, time in
                canvas.fill(seed: 320)
                let way = Int(time * Self.rate) * 40 % 1600
                canvas.paste(portraits[71], width: width, x: (way < 800 ? way : 1600 - way) - width, y: 150)
            }
            try clip("dissolve\(width)", seconds: 5) { canvas, time in
                canvas.fill(seed: 330)
                canvas.paste(portraits[72], width: width, x: 260, y: 150, opacity: min(1, time / 4))
            }
            try clip("scroll\(width)", seconds: 2) { canvas, time in
                canvas.fill(seed: 340)
                let offset = Int(time * Self.rate) * 8
                for row in 0..<20 {
                    for column in 0..<3 {
                        let person = portraits[(row * 3 + column) % portraits.count]
                        canvas.paste(person, width: width, x: 40 + 200 * column, y: 480 + row * (width + 60) - offset)
                    }
                }
            }
            try clip("lapse\(width)", seconds: 30, rate: 1) { canvas, time in
                let frame = Int(time)
                canvas.fill(seed: 350)
                for index in 0..<1 + frame % 3 {
                    let place = frame * 173 + index * 210
                    let (x, y) = (place % (640 - width), (frame * 71 + index * 130) % (440 - width))
                    canvas.paste(portraits[(frame + index) % 80], width: width, x: x, y: y)
                }
            }
        }
    }

    private func clip(
        _ name: String,
        seconds: Double,
        rate: Double = Self.rate,
        draw: (inout PastedCanvas, Double) -> Void
    ) throws {
        let writer = try ClipWriter("\(output)/\(name).mkv", size: Self.size, rate: rate)
        var canvas = PastedCanvas(size: Self.size)
        for number in 0..<Int(seconds * rate) {
            let time = Double(number) / rate
            draw(&canvas, time)
            try canvas.withFrame(at: time) { try writer.append($0) }
        }
        try writer.finish()
    }
}

extension RGBPicture {
    init(upright frame: Frame) {
        self = (try? RGBPicture(frame)) ?? RGBPicture(size: FrameSize(width: 0, height: 0), bytes: [])
    }
}

/// A picture to paste portraits into.
struct PastedCanvas {
    private let size: FrameSize
    private var bytes: [UInt8]

    init(size: FrameSize) {
        self.size = size
        bytes = [UInt8](repeating: 0, count: 3 * size.width * size.height)
    }

    /// A ground with texture, another one for each seed.
    mutating func fill(seed: Int) {
        let (red, green, blue) = (40 + seed * 53 % 150, 40 + seed * 97 % 150, 40 + seed * 31 % 150)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let texture = ((x / 16 + seed) ^ (y / 16)) % 8 * 5
                let index = 3 * (y * size.width + x)
                bytes[index] = UInt8(red + texture)
                bytes[index + 1] = UInt8(green + texture)
                bytes[index + 2] = UInt8(blue + texture)
            }
        }
    }

    /// Pastes a portrait `width` pixels wide, with an opacity of 0 to 1.
    mutating func paste(_ portrait: RGBPicture, width: Int, x left: Int, y top: Int, opacity: Double = 1) {
        guard portrait.size.width > 0 else { return }
        let scale = Double(portrait.size.width) / Double(width)
        let height = Int(Double(portrait.size.height) / scale)
        for y in max(0, top)..<max(max(0, top), min(size.height, top + height)) {
            for x in max(0, left)..<max(max(0, left), min(size.width, left + width)) {
                let (u, v) = ((Double(x - left) + 0.5) * scale - 0.5, (Double(y - top) + 0.5) * scale - 0.5)
                let (column, row) = (max(0, Int(u)), max(0, Int(v)))
                let right = min(column + 1, portrait.size.width - 1)
                let below = min(row + 1, portrait.size.height - 1)
                let (a, b) = (max(0, u - Double(column)), max(0, v - Double(row)))
                for channel in 0..<3 {
                    func value(_ x: Int, _ y: Int) -> Double {
                        Double(portrait.bytes[3 * (y * portrait.size.width + x) + channel])
                    }
                    let upper = value(column, row) * (1 - a) + value(right, row) * a
                    let lower = value(column, below) * (1 - a) + value(right, below) * a
                    let index = 3 * (y * size.width + x) + channel
                    let pasted = upper * (1 - b) + lower * b
                    bytes[index] = UInt8(pasted * opacity + Double(bytes[index]) * (1 - opacity))
                }
            }
        }
    }

    func withFrame(at time: Double, _ body: (Frame) throws -> Void) throws {
        try bytes.withUnsafeBytes { pixels in
            guard let base = pixels.baseAddress else { return }
            let plane = Frame.Plane(base: base, bytesPerRow: 3 * size.width)
            try body(Frame(borrowing: plane, size: size, format: .rgb24, mediaTime: time))
        }
    }
}
