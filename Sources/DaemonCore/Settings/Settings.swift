import Foundation

/// All settings of the daemon.
///
/// Each setting is a property with its default value, and a line of `read` with its key and its range. A test checks
/// that `config/facetd.yaml`, which documents the settings, names every key with its default.
package struct Settings: Hashable, Sendable {
    package var camera = Camera()
    package var detection = Detection()
    package var tracking = FaceTracker.Options()
    package var metadata = MetadataOptions()
    /// The topics to publish in addition to status, stats and the state of detection.
    package var publish = Set(Topic.selected)
    package var mqtt = MQTT()
    package var outbox = Outbox()
    package var homeAssistant = HomeAssistant()
    package var preview = Preview()
    package var statsInterval = Duration.seconds(UpdateMessages.statsInterval)
    package var logLevel = LogLevel.info

    package init() {}

    mutating func read(_ reader: inout SettingsReader) {
        reader.read("camera.name", &camera.name)
        // Letters are composed, because systems differ in how they write them and searches for the name must find it.
        camera.name = camera.name.precomposedStringWithCanonicalMapping
        reader.read("camera.source", &camera.source)
        if let problem = FaceSession.Source.problem(with: camera.source) { reader.refuse("camera.source", problem) }
        reader.read("camera.size", &camera.configuration.request.size, "a size in pixels such as 640x480", or: "auto") {
            FrameSize(text: $0)
        }
        reader.read("camera.rate", &camera.configuration.request.rate, "frames per second", in: 1...240, or: "auto")
        let formats = "a format of three or four characters such as YUYV, MJPG or Y16"
        reader.read("camera.format", &camera.configuration.request.format, formats, or: "auto") { text in
            (3...4).contains(text.utf8.count) ? FourCC(text) : nil
        }
        let orientations = "an EXIF orientation from 1 (upright) to 8"
        reader.read("camera.orientation", &camera.options.orientation, orientations) {
            Int($0).flatMap(Orientation.init)
        }
        reader.read("camera.mirror", &camera.options.isMirrored)
        reader.read("camera.fieldOfView", &tracking.fieldOfView, in: 10...170)
        reader.read("camera.buffers", &camera.configuration.bufferCount, in: 2...32)
        reader.read("camera.stallTimeout", &camera.options.stallTimeout, in: .milliseconds(200) ... .seconds(60))
        reader.read("camera.maximumDelay", &camera.options.maximumDelay, in: .zero ... .seconds(60))
        reader.read("camera.maximumPixels", &camera.options.maximumPixels, in: 10_000...1_000_000_000)
        reader.read("camera.idleDecoding", &camera.options.idleDecoding)
        reader.read("camera.decoder", &camera.options.decoder)
        reader.read("camera.verifyCertificate", &camera.options.verifiesCertificate)
        reader.read("camera.certificateAuthority", &camera.options.certificateAuthority)
        reader.readGroup("camera.controls", &camera.configuration.controls)
        reader.read("clip.pace", &camera.options.pace)
        reader.read("clip.loop", &camera.options.loops)
        reader.read("detection.enabled", &detection.enabled)
        reader.read("detection.remember", &detection.remember)
        reader.read("detection.accuracy", &detection.options.accuracy)
        reader.read("detection.maximumFaces", &detection.options.maximumFaces, in: 1...32)
        reader.read("detection.minimumSize", &detection.options.minimumSize, in: 0...1)
        let intervals = Duration.milliseconds(33)...Duration.seconds(60)
        reader.read("detection.searchInterval", seconds: &detection.options.searchInterval, in: intervals)
        reader.read("detection.cpuBudget", &detection.options.cpuBudget, "a share of one core", in: 0.05...1, or: "off")
        reader.read("detection.region", &detection.options.region)
        reader.read("detection.modelDirectory", &detection.options.modelDirectory)
        reader.read("tracking.enterDelay", seconds: &tracking.enterDelay, in: .zero ... .seconds(60))
        reader.read("tracking.patience", seconds: &tracking.patience, in: .milliseconds(50) ... .seconds(600))
        reader.read("tracking.smileMerge", seconds: &tracking.smileMerge, in: .zero ... .seconds(60))
        reader.read("presence.hold", seconds: &tracking.hold, in: .zero ... .seconds(86_400))
        reader.read("smile.level", &tracking.smile.level, in: SmileSettings.levels)
        reader.read("smile.hold", seconds: &tracking.smile.hold, in: .zero ... .seconds(SmileSettings.holds.upperBound))
        reader.read("presence.stillAfter", seconds: &tracking.stillAfter, in: .seconds(15) ... .seconds(3600))
        reader.read("presence.ignoreStill", &tracking.ignoresStill)
        reader.read("look.cone", &tracking.look.cone, in: 2...120)
        reader.read("look.hold", seconds: &tracking.look.hold, in: .zero ... .seconds(60))
        reader.read("look.release", seconds: &tracking.look.release, in: .zero ... .seconds(60))
        reader.read("look.near", &tracking.look.near, "metres", in: 0.1...20, or: "off")
        reader.read("look.direction", &tracking.look.direction)
        reader.read("metadata.fields", &metadata.fields, of: FaceObject.OptionalField.allCases)
        reader.read("metadata.maxRate", &metadata.changes.maximumRate, in: 0.1...240)
        reader.read("metadata.positionDeadband", &metadata.changes.position, in: 0...1)
        reader.read("metadata.angleDeadband", &metadata.changes.angle, in: 0...180)
        let ages = Duration.milliseconds(100)...Duration.seconds(86_400)
        reader.read("events.maxAge", &outbox.rules.maximumAge, ages.expectation, or: "unlimited") {
            ages.holding(Duration(text: $0))
        }
        reader.read("publish", &publish, of: Topic.selectable)
        detection.options.ignored = reader.readIgnored().map(\.area)
        tracking.zones = reader.readZones()
        tracking.readsSigns = publish.contains(.sign)
        mqtt.read(&reader)
        reader.read("outbox.path", &outbox.path)
        reader.read("outbox.capacity", &outbox.rules.capacity, in: 1...1_000_000)
        reader.read("homeassistant.discovery", &homeAssistant.discovery)
        reader.readTopic("homeassistant.prefix", &homeAssistant.prefix)
        reader.read("homeassistant.suggestedArea", &homeAssistant.suggestedArea)
        reader.readWebAddress("homeassistant.supportURL", &homeAssistant.supportURL)
        reader.read("preview.enabled", &preview.enabled)
        reader.read("preview.rate", &preview.rate, in: 0.1...60)
        reader.read("preview.width", &preview.width, in: 16...4096)
        reader.read("preview.quality", &preview.quality, in: 1...100)
        reader.read("stats.interval", &statsInterval, in: .seconds(1) ... .seconds(3600))
        reader.read("log.level", &logLevel)
    }

    /// The frame source that `camera.source` names.
    var source: FaceSession.Source {
        FaceSession.Source(camera.source, configuration: camera.configuration, options: camera.options)
    }

    /// Whether messages on a topic are published.
    func publishes(_ topic: Topic) -> Bool {
        switch topic {
        case .previewJPEG: preview.enabled
        case .zones, .zoneEnter, .zoneLeave: publish.contains(topic) && !tracking.zones.isEmpty
        default: publish.contains(topic) || !Topic.selectable.contains(topic)
        }
    }

    var sessionOptions: FaceSession.Options {
        var options = FaceSession.Options()
        options.detection = detection.options
        options.tracking = tracking
        options.frames = preview.enabled ? .analysed : .none
        options.maximumFrameRate = preview.rate
        return options
    }
}

extension Settings {
    package struct Camera: Hashable, Sendable {
        package var name = "camera"
        package var source = "auto"
        /// The camera to use and its capture settings. Pipelines and commands as sources use some of the settings.
        package var configuration = CameraConfiguration()
        /// The options of the frame source. Each kind of source uses those that apply to it.
        package var options = FrameSourceOptions()
    }

    package struct Detection: Hashable, Sendable {
        package var enabled = true
        /// Whether the last `detect/set` command outlives a restart and then overrides `enabled`.
        package var remember = false
        package var options = FaceAnalyzer.Options()
    }

    package struct Outbox: Hashable, Sendable {
        /// The path of the outbox file; nil for the default path of `OutboxLocation`.
        package var path: String?
        package var rules = DeliveryRules()
    }

    package struct HomeAssistant: Hashable, Sendable {
        package var discovery = false
        package var prefix = "homeassistant"
        /// The area (room) that is suggested to Home Assistant for a new device.
        package var suggestedArea: String?
        /// The web address for support, which Home Assistant's log shows beside problems with the device.
        package var supportURL: String?
    }

    package struct Preview: Hashable, Sendable {
        package var enabled = false
        package var rate = 5.0
        package var width = 640
        package var quality = 70
    }

    package enum LogLevel: String, Hashable, Sendable, CaseIterable { case debug, info, warning, error }
}
