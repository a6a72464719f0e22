import CFFmpeg
package import Frames
import Synchronization

/// Plays a clip, a still picture or a network stream as a source of frames.
///
/// Clips: mp4, mov, mkv, webm, avi, wmv, gif and what else FFmpeg reads, with constant or variable frame rate. The frames
/// point into the decoder's memory and are not copied, unless their pixel format is one that `PixelFormat` cannot
/// describe (palettes, 10 bit, planar RGB): those are converted to the nearest one.
///
/// A still picture comes 30 times a second, for one second or for ever with `Options.loops`, always the same memory.
///
/// A damaged picture in the middle of a clip is counted as `corrupt` and playing goes on. A clip whose end is missing,
/// that cannot be read on or of which more than a tenth is damaged delivers what can be decoded and ends with
/// `.failed`, reason `corrupt`.
///
/// Network streams (`rtsp://`, `rtsps://`, `http://`, `https://`) and commands (`exec:`) are tried for ever: while there are
/// no frames, `.lost` says why, and tries follow each other after 0.5 s to 30 s. Frames of a live stream come as they arrive,
/// whatever the pace, and their `time` is that of their arrival; so is their media time if the stream brings no times,
/// as MJPEG over HTTP. A clip behind an address that states its length is played as a file.
package final class ClipSource: FrameSource {
    package struct Options: Hashable, Sendable {
        package var pace = PlaybackPace.realtime

        /// Whether a clip begins again at its end, and a still picture stays. Stamps go on growing.
        package var loops = false

        /// How the picture must be turned after what the file itself says.
        package var orientation = Orientation.up

        /// Whether the upright picture is mirrored left to right.
        package var isMirrored = false

        /// What a command writes that writes pictures without any header.
        package var rawPictures: RawPictures?

        /// Seconds until a network stream must be open.
        package var openTimeout = 10.0

        /// Seconds until a network stream must bring the next packet.
        package var readTimeout = 5.0

        /// How a picture must be turned that is stored in that orientation.
        func turned(_ stored: Orientation) -> Orientation {
            let turned = stored.then(orientation)
            return isMirrored ? turned.mirrored : turned
        }

        /// How many pixels a picture may have; larger ones are refused by their header, before memory is allocated.
        package var maximumPixels = JPEGDecoder.defaultMaximumPixels

        /// The limit for FFmpeg, which also counts the rows and columns with which it fills up to whole blocks.
        var paddedMaximumPixels: Int { maximumPixels + maximumPixels / 4 + 65_536 }

        package init(pace: PlaybackPace = .realtime, loops: Bool = false) {
            self.pace = pace
            self.loops = loops
        }
    }

    /// The path or the address, without credentials.
    package var name: String { location.name }

    let location: MediaLocation
    let options: Options
    let interrupt: Interrupt
    private let opened: Mutex<ClipReader?>

    /// Opens a file. A network address is only checked for its form; `run` connects or starts the command, and goes on
    /// trying.
    ///
    /// - Parameters:
    ///   - location: a path, or an address that begins with `rtsp://`, `rtsps://`, `http://`, `https://` or `file://`; or
    ///     `exec:` with a command.
    ///   - options: how to play it.
    /// - Throws: `SourceFailure` if the file is missing, unreadable, empty, not a clip or picture, or without video.
    package init(_ location: String, options: Options = Options()) throws(SourceFailure) {
        let location = try MediaLocation(location)
        let interrupt = Interrupt()
        opened = Mutex(location.isStream ? nil : try ClipReader(location, interrupt: interrupt, options: options))
        self.location = location
        self.options = options
        self.interrupt = interrupt
    }

    /// Loads FFmpeg's codecs, which takes longer than the rest of it, for a caller that loads other libraries after them.
    package static func loadCodecs() { FFmpegCodecsLoad() }

    /// The file's size, codec and rate; nil for a network stream and after `run` began.
    package var description: StreamDescription? {
        opened.withLock { $0?.input.description }
    }

    /// Plays the clip or the stream to its end, or until it is stopped; blocks.
    package func run(into mailbox: FrameMailbox) {
        var playback = Playback(options: options, interrupt: interrupt, mailbox: mailbox)
        let end = location.isStream ? follow(with: &playback) : playFile(with: &playback)
        mailbox.put(.ended(end))
    }

    /// Ends waits and reads at once. A source that waits because its frames are not taken ends when the mailbox is
    /// closed, or drained.
    package func stop() {
        interrupt.stop()
    }

    /// Plays a file once, or for ever.
    private func playFile(with playback: inout Playback) -> SourceEnd {
        do throws(SourceFailure) {
            var reader = try takeOpened()
            playback.begin(with: reader.input)
            while true {
                if let end = reader.input.isStill ? playback.hold(reader) : playback.play(reader) { return end }
                guard options.loops else { return .finished }
                playback.beginRound()
                // Opened anew rather than rewound: not every format can be rewound, and opening takes a few milliseconds.
                reader = try ClipReader(location, interrupt: interrupt, options: options)
            }
        } catch {
            return interrupt.isStopped ? .stopped : .failed(error)
        }
    }

    /// The reader that `init` opened, once; a new one afterwards.
    private func takeOpened() throws(SourceFailure) -> ClipReader {
        let first = opened.withLock { reader in
            let taken = reader
            reader = nil
            return taken
        }
        if let first { return first }
        return try ClipReader(location, interrupt: interrupt, options: options)
    }
}
