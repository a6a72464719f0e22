import ArgumentParser
import FaceInference
import FaceMetadata
import FacetKit
import FacetTestSupport
import Foundation
import Frames
import MediaFiles
import System

extension Benchmark {
    /// How soon people who appear and vanish from one frame to the next are reported.
    struct Presence: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show people who come and go by hard cuts, one after the other, and time enter and leave.",
            discussion: """
                The people of --portraits sit in a made-up room (see RoomScene). Those of --clips come one after the other \
                into the right half of the picture, which is an empty made-up room in between; the first clip goes on \
                in the left half all the time, so that all that the detector sees beside a followed, moving person \
                changes with each cut. Times are seconds of video at 30 frames/s from the first frame with the face to \
                the enter, and from the first one without to the leave.
                """
        )

        @Option(help: "A folder of portraits; those that come first in the order of their names are taken.")
        var portraits: String?

        @Option(parsing: .upToNextOption, help: "Clips of one size in I420 that show one person each.")
        var clips: [String] = []

        @Option(help: "How many people.")
        var people = 5

        @Option(help: "The width of each face as a share of the frame's.")
        var faceWidth = 0.05

        @Option(help: "The sizes of the frames, separated by commas.")
        var sizes = "640x480,1280x720,1280x480"

        @Flag(help: "Look with detection.accuracy: high.")
        var high = false

        func validate() throws {
            guard portraits != nil || clips.count > 1 else { throw ValidationError("give --portraits, or two --clips") }
        }

        func run() throws {
            var rows = [["picture", "people", "identities", "enters after", "leaves after"]]
            let portraits = try portraits.map { try Portrait.load($0, count: people) }
            for size in portraits == nil ? [] : sizes.split(separator: ",") {
                let numbers = size.split(separator: "x").compactMap { Int($0) }
                guard numbers.count == 2 else { throw ValidationError("--sizes takes WIDTHxHEIGHT, not \"\(size)\"") }
                let stays = (0..<people).map { 1 + 1.37 * Double($0)..<2.5 + 1.37 * Double(people + $0) }
                let room = room(portraits ?? [], FrameSize(width: numbers[0], height: numbers[1]), stays)
                rows.append(try row(String(size), stays, end: 2.74 * Double(people) + 4) { room.frame($0) })
            }
            if !clips.isEmpty {
                let stays: [Range<Double>] = (0..<clips.count - 1).map { number in
                    let start = 2.03 + 4.21 * Double(number)
                    return start..<start + 2.5
                }
                let panels = try Panels(clips, stays)
                let end = 4.21 * Double(clips.count - 1) + 2
                rows.append(try row("panels of \(panels.size)", [0..<end] + stays, end: end) { panels.frame($0) })
            }
            Benchmark.printTable(rows)
        }

        /// A row of the table: what is reported about people who are there at those times.
        private func row(
            _ picture: String,
            _ stays: [Range<Double>],
            end: Double,
            frame: @escaping @Sendable (Int) -> Frame
        ) throws -> [String] {
            var options = FaceSession.Options()
            options.detection.accuracy = high ? .high : .standard
            var events: [FaceEvent] = []
            let source = CutSource(Int(30 * end), frame)
            try FaceSession(source: .custom(source), options: options).run { events += $0.events }
            let enters = events.filter { $0.kind == .enter }
            let leaves = events.filter { if case .leave(_, _, reason: .left) = $0.kind { true } else { false } }
            return [
                picture, "\(stays.count)", "\(Set(enters.map(\.face.faceID)).count)",
                delays(of: enters, after: stays.map(\.lowerBound)),
                delays(of: leaves, after: stays.map(\.upperBound).filter { $0 < end }),
            ]
        }

        /// How long after each time the first event came, and no other time was nearer.
        private func delays(of events: [FaceEvent], after times: [Double]) -> String {
            times.indices.map { index in
                let end = index + 1 < times.count ? times[index + 1] : .infinity
                let event = events.first { times[index]..<end ~= $0.stamp.mediaTime }
                return event.map { String(format: "%.2f", $0.stamp.mediaTime - times[index]) } ?? "never"
            }.joined(separator: " ")
        }

        /// Everybody in a row through the middle, turned as in the portrait.
        private func room(_ portraits: [Portrait], _ size: FrameSize, _ stays: [Range<Double>]) -> RoomScene {
            var options = RoomScene.Options()
            options.size = size
            return RoomScene(
                options,
                sitters: stays.enumerated().map { number, stay in
                    portraits[number].sitter(
                        width: faceWidth * Double(size.width),
                        at: (x: size.width * (2 * number + 1) / (2 * people), y: size.height * (2 + number % 2) / 5),
                        visible: stay
                    )
                }
            )
        }
    }
}

/// Made-up frames, as fast as they are taken.
final class CutSource: FrameSource {
    private let count: Int
    private let frame: @Sendable (Int) -> Frame
    private let isStopped = Monitor(false)

    init(_ count: Int, _ frame: @escaping @Sendable (Int) -> Frame) { (self.count, self.frame) = (count, frame) }

    func run(into mailbox: FrameMailbox) {
        for number in 0..<count where !isStopped.update({ $0 }) { mailbox.put(.frame(frame(number))) }
        mailbox.put(.ended(.finished))
    }

    func stop() { isStopped.update { $0 = true } }
}

/// Clips side by side: the first one at the left all the time, the others at the right, each in its stay, and an empty
/// room in between. A clip that is too short is played to and fro.
private struct Panels: Sendable {
    /// The size of one clip.
    let size: FrameSize
    private let clips: [RecordedFrames]
    private let stays: [Range<Double>]
    private let room: RoomScene

    init(_ paths: [String], _ stays: [Range<Double>]) throws {
        clips = try paths.map { try RecordedFrames($0) }
        self.stays = stays
        let size = clips[0].frames[0].size
        self.size = size
        for (path, clip) in zip(paths, clips) {
            guard clip.frames.allSatisfy({ $0.size == size && $0.format == .i420 }) else {
                throw ValidationError("\(path) is not a clip in I420 of \(size), as \(paths[0]) is; convert it")
            }
        }
        var options = RoomScene.Options()
        options.size = size
        room = RoomScene(options)
    }

    func frame(_ number: Int) -> Frame {
        let time = Double(number) / 30
        let pixels = PixelMemory(byteCount: 3 * size.width * size.height)
        memset(pixels.base, 128, pixels.byteCount)
        copy(Self.picture(number, of: clips[0]), to: pixels, right: false)
        if let shown = stays.firstIndex(where: { $0.contains(time) }) {
            copy(Self.picture(number, of: clips[shown + 1]), to: pixels, right: true)
        } else {
            withExtendedLifetime(room.frame(number)) { empty in
                let plane = empty.planes.first
                for y in 0..<size.height {
                    let source = plane.base.assumingMemoryBound(to: UInt8.self) + y * plane.bytesPerRow
                    let target = pixels.base.assumingMemoryBound(to: UInt8.self) + (2 * y + 1) * size.width
                    for x in 0..<size.width { target[x] = source[2 * x] }
                }
            }
        }
        let chroma = (0..<2).map { plane in
            Frame.Plane(
                base: pixels.base + (2 * size.width + plane * size.width / 2) * size.height,
                bytesPerRow: size.width
            )
        }
        return Frame(
            stamp: FrameStamp(frame: number, time: Timestamp(nanoseconds: Int64(time * 1e9)), mediaTime: time),
            captured: .now,
            size: FrameSize(width: 2 * size.width, height: size.height),
            format: .i420,
            encoding: clips[0].frames[0].encoding,
            planes: Frame.Planes(Frame.Plane(base: pixels.base, bytesPerRow: 2 * size.width), chroma[0], chroma[1]),
            lease: pixels
        )
    }

    private static func picture(_ number: Int, of clip: RecordedFrames) -> Frame {
        let last = max(1, clip.frames.count - 1)
        let step = number % (2 * last)
        return clip.frames[min(step, 2 * last - step)]
    }

    private func copy(_ frame: Frame, to pixels: PixelMemory, right: Bool) {
        var start = 0
        for (plane, shift) in [(frame.planes.first, 0), (frame.planes.second, 1), (frame.planes.third, 1)] {
            let (width, height) = (size.width >> shift, size.height >> shift)
            for row in 0..<height {
                guard let plane else { continue }
                memcpy(
                    pixels.base + start + 2 * width * row + (right ? width : 0),
                    plane.base + row * plane.bytesPerRow,
                    width
                )
            }
            start += 2 * width * height
        }
    }
}

extension PixelFormat {
    fileprivate static let i420 = PixelFormat.planarYUV(chromaShiftX: 1, chromaShiftY: 1)
}
