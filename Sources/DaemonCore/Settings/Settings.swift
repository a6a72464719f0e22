public import FaceMetadata
public import Frames

/// Everything the owner can set, with the defaults of `config/facetd.yaml`.
public struct Settings: Hashable, Sendable {
    /// Where pictures come from.
    public struct Camera: Hashable, Sendable {
        /// The camera's name in all messages.
        public var name = "camera"
        /// `auto`, a device node or stable name, a clip's or picture's path, or a stream's URL.
        public var device = "auto"
        /// The size that the camera must deliver; nil for the one nearest to 640×480.
        public var size: FrameSize?
        /// The rate that the camera must deliver, in frames per second; nil for the best one up to 30.
        public var rate: Double?
        /// The pixel format that the camera must deliver, as V4L2 names it; nil for the cheapest one to read.
        public var format: String?
        /// How the picture must be turned to be upright.
        public var orientation = Orientation.up
        /// Whether the upright picture is mirrored left to right.
        public var mirror = false
        /// How many buffers the driver fills in turn.
        public var buffers = 5
        /// After how long without a frame a camera counts as lost.
        public var stallTimeout = Duration.seconds(2)
        /// The driver's controls by name, to be set when the camera opens.
        public var controls: [String: String] = [:]
    }

    /// How clips and pictures are played.
    public struct Clip: Hashable, Sendable {
        /// How fast.
        public enum Pace: String, Hashable, Sendable, CaseIterable {
            /// As a camera would deliver it.
            case realtime
            /// As fast as it can be analysed, no frame dropped.
            case asap
        }
        /// How fast.
        public var pace = Pace.realtime
        /// Whether it starts again at its end, until the daemon is stopped.
        public var loop = false
    }

    /// How faces are found.
    public struct Detection: Hashable, Sendable {
        /// Which detector.
        public enum Accuracy: String, Hashable, Sendable, CaseIterable {
            /// For faces within a few metres.
            case standard
            /// For small faces too, at four times the cost of a search.
            case high
        }
        /// Whether detection is on at the start.
        public var enabled = true
        /// Whether the last switch from outside holds over a restart, instead of `enabled`.
        public var remember = false
        /// Which detector.
        public var accuracy = Accuracy.standard
        /// How many faces are followed at most.
        public var maximumFaces = 4
        /// The smallest face's width as a share of the picture's shorter side.
        public var minimumSize = 0.0
        /// How often further faces are looked for while some are followed.
        public var searchInterval = Duration.milliseconds(500)
        /// The part of the picture that faces must be in.
        public var region: NormalizedRect?
        /// Where the LiteRT library and the models are.
        public var modelDirectory = "/usr/local/lib/facet"
    }

    /// How faces are followed.
    public struct Tracking: Hashable, Sendable {
        /// How long a face must be seen before its `enter`.
        public var enterDelay = Duration.milliseconds(100)
        /// How long a face may go unseen before its `leave`.
        public var patience = Duration.milliseconds(700)
    }

    /// When metadata counts as changed.
    public struct Metadata: Hashable, Sendable {
        /// Messages per second at most; coming, going and flags are not held back.
        public var maxRate = 15.0
        /// The deadband of bounds, as a share of the picture.
        public var positionDeadband = 0.01
        /// The deadband of angles, in degrees.
        public var angleDeadband = 2.0
    }

    /// How events are delivered.
    public struct Events: Hashable, Sendable {
        /// How old an event may get while the broker is away; nil for any age.
        public var maxAge: Duration? = .seconds(10)
    }

    /// The broker.
    public struct MQTT: Hashable, Sendable {
        /// How the connection is protected.
        public struct TLS: Hashable, Sendable {
            /// Whether TLS is used; also set by `mqtts://` and by any other setting of this group.
            public var enabled = false
            /// The file with the authorities' certificates; nil for the system's.
            public var ca: String?
            /// The file with the daemon's certificate.
            public var certificate: String?
            /// The file with the key of that certificate.
            public var key: String?
        }
        /// The broker's name or address.
        public var host = "localhost"
        /// The broker's port; nil for 1883, or 8883 with TLS.
        public var port: Int?
        /// What all topics begin with.
        public var topic = "faces"
        /// The id that the daemon is known by at the broker; nil for one made of the topic and the host's name.
        public var clientID: String?
        /// The user's name.
        public var username: String?
        /// The file whose first line is the password.
        public var passwordFile: String?
        /// The longest silence before both sides check on each other.
        public var keepAlive = Duration.seconds(30)
        /// How the connection is protected.
        public var tls = TLS()
    }

    /// Where events wait until the broker has them.
    public struct Outbox: Hashable, Sendable {
        /// The outbox's file; nil for the usual place.
        public var path: String?
        /// How many events wait at most.
        public var capacity = 1000
    }

    /// The pictures that subscribers may see.
    public struct Preview: Hashable, Sendable {
        /// Whether pictures leave the process at all.
        public var enabled = false
        /// Pictures per second at most.
        public var rate = 5.0
        /// The widest a picture may be, in pixels.
        public var width = 640
        /// JPEG quality, 1 to 100.
        public var quality = 70
    }

    /// How often figures are published.
    public struct Stats: Hashable, Sendable {
        /// How often figures are published.
        public var interval = Duration.seconds(10)
    }

    /// What is written to the log.
    public struct Log: Hashable, Sendable {
        /// How much.
        public enum Level: String, Hashable, Sendable, CaseIterable {
            /// All there is.
            case debug
            /// Changes of state.
            case info
            /// What needs looking at.
            case warning
            /// What does not work.
            case error
        }
        /// How much.
        public var level = Level.info
    }

    /// What can be left out of the messages.
    public enum Publication: String, Hashable, Sendable, CaseIterable {
        /// `faces/metadata`.
        case metadata
        /// `faces/enter`.
        case enter
        /// `faces/leave`.
        case leave
        /// `faces/smile`.
        case smile
        /// `faces/blink`.
        case blink
        /// `faces/eyes_closed`.
        case eyesClosed = "eyes_closed"
        /// `faces/count`.
        case count
    }

    /// Where pictures come from.
    public var camera = Camera()
    /// How clips and pictures are played.
    public var clip = Clip()
    /// How faces are found.
    public var detection = Detection()
    /// How faces are followed.
    public var tracking = Tracking()
    /// When metadata counts as changed.
    public var metadata = Metadata()
    /// How events are delivered.
    public var events = Events()
    /// Which messages are published, besides status, stats and the state of detection.
    public var publish = Set(Publication.allCases)
    /// The broker.
    public var mqtt = MQTT()
    /// Where events wait until the broker has them.
    public var outbox = Outbox()
    /// Whether and where Home Assistant learns of the device.
    public var homeAssistant = HomeAssistant()
    /// The pictures that subscribers may see.
    public var preview = Preview()
    /// How often figures are published.
    public var stats = Stats()
    /// What is written to the log.
    public var log = Log()

    /// Makes the default settings.
    public init() {}
}
