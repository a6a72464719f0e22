package import FaceMessages
package import FaceMetadata
package import Frames
import SettingsFiles

/// Everything the owner can set.
///
/// Each setting is declared here once: a property with its default, and one line of `read` with its key and its range.
/// `config/facetd.yaml` documents it; a test checks that the file names every key with its default.
package struct Settings: Hashable, Sendable {
    package var camera = Camera()
    package var clip = Clip()
    package var detection = Detection()
    package var tracking = Tracking()
    package var metadata = Metadata()
    package var events = Events()
    /// The messages that are published, besides status, stats and the state of detection.
    package var publish = Set(Topic.selected)
    package var mqtt = MQTT()
    package var outbox = Outbox()
    package var homeAssistant = HomeAssistant()
    package var preview = Preview()
    package var stats = Stats()
    package var log = Log()

    /// Makes the default settings.
    package init() {}

    mutating func read(_ reader: inout SettingsReader) {
        camera.read(&reader)
        clip.read(&reader)
        detection.read(&reader)
        tracking.read(&reader)
        metadata.read(&reader)
        events.read(&reader)
        reader.read("publish", &publish, of: Topic.selectable)
        mqtt.read(&reader)
        outbox.read(&reader)
        homeAssistant.read(&reader)
        preview.read(&reader)
        stats.read(&reader)
        log.read(&reader)
    }
}

// MARK: - Pictures

extension Settings {
    /// Where pictures come from.
    package struct Camera: Hashable, Sendable {
        package var name = "camera"
        package var device = "auto"
        package var size: FrameSize?
        package var rate: Double?
        package var format: String?
        package var orientation = Orientation.up
        package var mirror = false
        package var buffers = 5
        package var stallTimeout = Duration.seconds(2)
        package var maximumPixels = JPEGDecoder.defaultMaximumPixels
        package var controls: [String: String] = [:]

        mutating func read(_ reader: inout SettingsReader) {
            reader.read("camera.name", &name)
            reader.read("camera.device", &device)
            reader.readAutomatic("camera.size", &size, "a size in pixels such as 640x480") { FrameSize(text: $0) }
            reader.readAutomatic("camera.rate", &rate, "frames per second from 1 to 240") { text in
                Double(text).flatMap { (1...240).contains($0) ? $0 : nil }
            }
            reader.readAutomatic("camera.format", &format, "a four-character format such as YUYV or MJPG") { text in
                text.utf8.count == 4 ? text : nil
            }
            reader.read("camera.orientation", &orientation, "an EXIF orientation from 1 (upright) to 8") { text in
                Int(text).flatMap(Orientation.init)
            }
            reader.read("camera.mirror", &mirror)
            reader.read("camera.buffers", &buffers, in: 2...32)
            reader.read("camera.stallTimeout", &stallTimeout, in: .milliseconds(200) ... .seconds(60))
            reader.read("camera.maximumPixels", &maximumPixels, in: 10_000...1_000_000_000)
            reader.readGroup("camera.controls", &controls)
        }
    }

    /// How clips and pictures are played.
    package struct Clip: Hashable, Sendable {
        package enum Pace: String, Hashable, Sendable, CaseIterable {
            case realtime
            case asap
        }
        package var pace = Pace.realtime
        package var loop = false

        mutating func read(_ reader: inout SettingsReader) {
            reader.read("clip.pace", &pace)
            reader.read("clip.loop", &loop)
        }
    }

    /// The pictures that subscribers may see.
    package struct Preview: Hashable, Sendable {
        package var enabled = false
        package var rate = 5.0
        package var width = 640
        package var quality = 70

        mutating func read(_ reader: inout SettingsReader) {
            reader.read("preview.enabled", &enabled)
            reader.read("preview.rate", &rate, in: 0.1...60)
            reader.read("preview.width", &width, in: 16...4096)
            reader.read("preview.quality", &quality, in: 1...100)
        }
    }
}

// MARK: - Faces

extension Settings {
    /// How faces are found.
    package struct Detection: Hashable, Sendable {
        package enum Accuracy: String, Hashable, Sendable, CaseIterable {
            case standard
            case high
        }
        package var enabled = true
        /// Whether the last switch from outside holds over a restart, instead of `enabled`.
        package var remember = false
        package var accuracy = Accuracy.standard
        package var maximumFaces = 8
        package var minimumSize = 0.0
        package var searchInterval = Duration.milliseconds(500)
        /// A share of one core; nil for no limit.
        package var cpuBudget: Double?
        /// Nil is the whole picture.
        package var region: NormalizedRect?
        /// Nil searches the usual directories.
        package var modelDirectory: String?

        mutating func read(_ reader: inout SettingsReader) {
            reader.read("detection.enabled", &enabled)
            reader.read("detection.remember", &remember)
            reader.read("detection.accuracy", &accuracy)
            reader.read("detection.maximumFaces", &maximumFaces, in: 1...32)
            reader.read("detection.minimumSize", &minimumSize, in: 0...1)
            reader.read("detection.searchInterval", &searchInterval, in: .milliseconds(33) ... .seconds(60))
            reader.read("detection.cpuBudget", &cpuBudget, "off, or a share of one core from 0.05 to 1") {
                text -> Double?? in
                if text == "off" { return .some(nil) }
                return Double(text).flatMap { (0.05...1).contains($0) ? .some($0) : nil }
            }
            reader.read("detection.region", &region)
            reader.read("detection.modelDirectory", &modelDirectory)
        }
    }

    /// How faces are followed.
    package struct Tracking: Hashable, Sendable {
        package var enterDelay = Duration.milliseconds(100)
        package var patience = Duration.milliseconds(700)
        package var smileMerge = Duration.milliseconds(500)

        mutating func read(_ reader: inout SettingsReader) {
            reader.read("tracking.enterDelay", &enterDelay, in: .zero ... .seconds(60))
            reader.read("tracking.patience", &patience, in: .milliseconds(50) ... .seconds(600))
            reader.read("tracking.smileMerge", &smileMerge, in: .zero ... .seconds(60))
        }
    }

    /// When metadata counts as changed.
    package struct Metadata: Hashable, Sendable {
        package var maxRate = 15.0
        package var positionDeadband = 0.01
        package var angleDeadband = 2.0

        /// Each change, however small, at any rate of frames.
        package static let everyChange = Metadata(maxRate: 240, positionDeadband: 0, angleDeadband: 0)

        mutating func read(_ reader: inout SettingsReader) {
            reader.read("metadata.maxRate", &maxRate, in: 0.1...240)
            reader.read("metadata.positionDeadband", &positionDeadband, in: 0...1)
            reader.read("metadata.angleDeadband", &angleDeadband, in: 0...180)
        }
    }
}

// MARK: - Figures and log

extension Settings {
    package struct Stats: Hashable, Sendable {
        package var interval = Duration.seconds(10)

        mutating func read(_ reader: inout SettingsReader) {
            reader.read("stats.interval", &interval, in: .seconds(1) ... .seconds(3600))
        }
    }

    package struct Log: Hashable, Sendable {
        package enum Level: String, Hashable, Sendable, CaseIterable {
            case debug
            case info
            case warning
            case error
        }
        package var level = Level.info

        mutating func read(_ reader: inout SettingsReader) {
            reader.read("log.level", &level)
        }
    }
}
