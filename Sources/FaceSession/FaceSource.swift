public import Frames
import MediaFiles
public import V4L2Capture

extension FaceSession {
    /// Where a session's frames come from.
    public struct Source: Hashable, Sendable {
        /// How fast a clip is played.
        public enum Pace: Hashable, Sendable {
            /// As a camera would deliver it; frames nobody has time for are dropped.
            case realtime
            /// As fast as it can be analysed; no frame is dropped.
            case asap
        }

        fileprivate enum Kind: Hashable, Sendable {
            case camera(CameraConfiguration)
            case clip(Clip)
            case custom(CustomSource)
        }

        fileprivate struct Clip: Hashable, Sendable {
            var location: String
            var pace: Pace
            var loops: Bool
            var orientation: Orientation
            var isMirrored: Bool
            var stallTimeout: Duration
            var maximumPixels: Int
        }

        fileprivate var kind: Kind

        /// A camera of this machine, with the mode that suits faces best.
        public static func camera(_ device: DeviceSelector) -> Source {
            camera(CameraConfiguration(device: device))
        }

        /// A camera of this machine with size, rate, format and controls as given.
        public static func camera(_ configuration: CameraConfiguration) -> Source {
            Source(kind: .camera(configuration))
        }

        /// A clip, a still picture or a network stream.
        ///
        /// - Parameters:
        ///   - location: A path, or an address that begins with `rtsp://`, `rtsps://`, `http://`, `https://` or `file://`.
        ///   - pace: How fast a clip is played; live streams come as they come.
        ///   - loops: Whether a clip starts again at its end, and a still picture stays.
        ///   - orientation: How the picture must be turned after what the file itself says.
        ///   - isMirrored: Whether the upright picture is mirrored left to right.
        ///   - stallTimeout: After how long without a picture a network stream is lost, and opened again.
        ///   - maximumPixels: How many pixels a picture may have; larger ones are refused by their header.
        /// - Returns: The source; a file is opened when a session is made with it.
        public static func clip(
            _ location: String,
            pace: Pace = .asap,
            loops: Bool = false,
            orientation: Orientation = .up,
            isMirrored: Bool = false,
            stallTimeout: Duration = .seconds(2),
            maximumPixels: Int = JPEGDecoder.defaultMaximumPixels
        ) -> Source {
            Source(
                kind: .clip(
                    Clip(
                        location: location,
                        pace: pace,
                        loops: loops,
                        orientation: orientation,
                        isMirrored: isMirrored,
                        stallTimeout: stallTimeout,
                        maximumPixels: maximumPixels
                    )
                )
            )
        }

        /// Whether a text names a camera: `auto` or something in `/dev`; any other names a clip or a stream.
        package static func isCamera(_ text: String) -> Bool { text == "auto" || text.hasPrefix("/dev/") }

        /// The source that a person means by a text: `auto`, `/dev/video0`, `clip.mp4`, `rtsp://…`; a clip in real time.
        public init(_ text: String) {
            self = Self.isCamera(text) ? .camera(DeviceSelector(text)) : .clip(text, pace: .realtime)
        }

        private init(kind: Kind) {
            self.kind = kind
        }

        /// Frames that a program makes itself.
        package static func custom(_ source: CustomSource) -> Source {
            Source(kind: .custom(source))
        }
    }

    /// A source of a program's own; each run of the session makes one.
    package final class CustomSource: Hashable, Sendable {
        fileprivate let policy: FrameMailbox.Policy
        fileprivate let make: @Sendable () -> any FrameSource

        package init(policy: FrameMailbox.Policy, _ make: @escaping @Sendable () -> any FrameSource) {
            self.policy = policy
            self.make = make
        }

        package static func == (left: CustomSource, right: CustomSource) -> Bool { left === right }

        package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
}

extension FaceSession.Source {
    /// Whether frames come from a camera of this machine.
    var isCamera: Bool {
        if case .camera = kind { true } else { false }
    }

    /// What holds until the source says whether it is live.
    var mailboxPolicy: FrameMailbox.Policy {
        switch kind {
        case .camera: .newest
        case .clip(let clip): clip.pace == .asap ? .every(capacity: 2) : .newest
        case .custom(let source): source.policy
        }
    }

    /// After how many seconds without a picture the source counts as lost.
    var stallTimeout: Double {
        switch kind {
        case .camera(let configuration): configuration.stallTimeout.seconds
        case .clip(let clip): clip.stallTimeout.seconds
        case .custom: 2
        }
    }

    /// Makes the source. A camera's opens when it runs; `memory` says which one was in use before.
    func open(_ memory: CameraMemory) throws(FaceSessionError) -> any FrameSource {
        switch kind {
        case .camera(let configuration):
            do {
                return try CameraSource(configuration, memory: memory)
            } catch {
                throw .source(error.sourceFailure)
            }
        case .clip(let clip): return try clip.open()
        case .custom(let source): return source.make()
        }
    }
}

extension FaceSession.Source.Clip {
    fileprivate func open() throws(FaceSessionError) -> ClipSource {
        var options = ClipSource.Options(pace: pace == .asap ? .asap : .realtime, loops: loops)
        options.orientation = orientation
        options.isMirrored = isMirrored
        options.readTimeout = stallTimeout / .seconds(1)
        options.maximumPixels = maximumPixels
        do {
            return try ClipSource(location, options: options)
        } catch {
            throw .source(SourceFailure(reason: error.reason, description: error.description))
        }
    }
}
