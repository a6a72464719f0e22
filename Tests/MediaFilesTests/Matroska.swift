import Foundation
import Frames

/// A Matroska file put together element by element, as no muxer would write it: wild times, no length, a cover.
struct Matroska {
    /// A JPEG, and when it is shown.
    struct Picture {
        var jpeg: Data
        /// When it is shown, in ticks.
        var time: UInt64
        /// How long it is shown, in ticks; nil if the file does not say.
        var duration: UInt64?
    }

    var size = TestPicture().size
    /// The size that it is to be shown in; nil if it is not stated.
    var displaySize: FrameSize?
    /// Nanoseconds.
    var tick: UInt64 = 1_000_000
    /// Whether it has a video track; else it has one of sound, which is silent.
    var hasVideo = true
    /// Whether there is a track of sound beside the video, with two samples at the time of each picture.
    var hasSound = false
    var pictures: [Picture] = []
    var cover: Data?
    /// A picture in a video track of its own in front of the others, which alone has the flag of what is to be played.
    var thumbnail: Data?
    var codec = "V_MJPEG"

    var data: Data {
        Self.element(0x1A45_DFA3, Self.element(0x4282, Data("matroska".utf8)) + Self.element(0x4285, 2))
            + Self.element(0x1853_8067, info + tracks + attachments + clusters)
    }

    private var info: Data { Self.element(0x1549_A966, Self.element(0x2A_D7B1, tick)) }

    private var tracks: Data {
        func numbers(_ number: UInt64) -> Data { Self.element(0xD7, number) + Self.element(0x73C5, number) }
        let video =
            Self.element(0x83, 1) + Self.element(0x86, Data(codec.utf8)) + Self.element(0xE0, dimensions)
            + Self.element(0x88, thumbnail == nil ? 1 : 0)
        let small =
            Self.element(0x83, 1) + Self.element(0x86, Data("V_MJPEG".utf8)) + Self.element(0xE0, dimensions)
            + Self.element(0x88, 1)
        let first = thumbnail == nil ? Data() : Self.element(0xAE, numbers(3) + small)
        let sound =
            Self.element(0x83, 2) + Self.element(0x86, Data("A_PCM/INT/LIT".utf8))
            + Self.element(0xE1, Self.element(0x9F, 1) + Self.element(0x6264, 16))
        let second = hasSound ? Self.element(0xAE, numbers(2) + sound) : Data()
        return Self.element(0x1654_AE6B, first + Self.element(0xAE, numbers(1) + (hasVideo ? video : sound)) + second)
    }

    private var dimensions: Data {
        let stored = Self.element(0xB0, UInt64(size.width)) + Self.element(0xBA, UInt64(size.height))
        guard let shown = displaySize else { return stored }
        return stored + Self.element(0x54B0, UInt64(shown.width)) + Self.element(0x54BA, UInt64(shown.height))
    }

    private var attachments: Data {
        guard let cover else { return Data() }
        let file =
            Self.element(0x466E, Data("cover.jpg".utf8)) + Self.element(0x4660, Data("image/jpeg".utf8))
            + Self.element(0x465C, cover) + Self.element(0x46AE, 1)
        return Self.element(0x1941_A469, Self.element(0x61A7, file))
    }

    /// The clusters of all pictures, and an empty one at the end: FFmpeg reads up to the first cluster before it
    /// describes the file.
    private var clusters: Data {
        let small = thumbnail.map { cluster(Picture(jpeg: $0, time: 0), track: 3) } ?? Data()
        let last = Self.element(0x1F43_B675, Self.element(0xE7, pictures.last?.time ?? 0))
        return small + pictures.map { cluster($0) }.joined() + last
    }

    private func cluster(_ picture: Picture, track: UInt8 = 1) -> Data {
        // No time within the cluster, no flags.
        let block = Self.element(0xA1, Data([0x80 | track, 0, 0, 0]) + picture.jpeg)
        let duration = picture.duration.map { Self.element(0x9B, $0) } ?? Data()
        let sound = hasSound ? Self.element(0xA0, Self.element(0xA1, Data([0x82, 0, 0, 0, 1, 2, 3, 4]))) : Data()
        let groups = Self.element(0xA0, block + duration) + sound
        return Self.element(0x1F43_B675, Self.element(0xE7, picture.time) + groups)
    }

    private static func element(_ id: UInt32, _ number: UInt64) -> Data {
        element(id, withUnsafeBytes(of: number.bigEndian) { Data($0) })
    }

    private static func element(_ id: UInt32, _ body: Data) -> Data {
        let name = withUnsafeBytes(of: id.bigEndian) { Data($0.drop { $0 == 0 }) }
        // A one in the first byte says that seven more bytes hold the size.
        let size = withUnsafeBytes(of: (UInt64(body.count) | 1 << 56).bigEndian) { Data($0) }
        return name + size + body
    }
}
