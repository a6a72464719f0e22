import Frames

extension Settings {
    /// Reads the settings: command line before environment before file before defaults.
    ///
    /// - Parameters:
    ///   - arguments: What the command line said, by dotted key.
    ///   - environment: The environment; a variable such as `FACET_CAMERA_SIZE` holds a setting.
    ///   - path: The settings file; nil for none.
    /// - Returns: The settings.
    /// - Throws: `SettingsError` with all problems at once.
    public static func load(
        arguments: [String: String] = [:],
        environment: [String: String] = [:],
        path: String? = nil
    ) throws(SettingsError) -> Settings {
        var file: SettingsFile?
        if let path { file = try SettingsFile(path: path) }
        var reader = SettingsReader(arguments: arguments, environment: environment, file: file)
        return try read(&reader)
    }

    /// Reads the settings in a text of a settings file; `name` stands for the file in messages.
    static func read(text: String, name: String = "settings") throws(SettingsError) -> Settings {
        let file = try SettingsFile(path: name, text: text)
        var reader = SettingsReader(arguments: [:], environment: [:], file: file)
        return try read(&reader)
    }

    /// Reads all settings there are; afterwards the reader knows their keys.
    static func read(_ reader: inout SettingsReader) throws(SettingsError) -> Settings {
        var settings = Settings()
        settings.camera.read(&reader)
        settings.clip.read(&reader)
        settings.detection.read(&reader)
        settings.tracking.read(&reader)
        settings.metadata.read(&reader)
        settings.events.maxAge = reader.limit(
            "events.maxAge",
            default: settings.events.maxAge,
            in: .milliseconds(100) ... .seconds(86_400)
        )
        let names = Publication.allCases.map(\.rawValue).joined(separator: ", ")
        settings.publish = Set(
            reader.list("publish", default: Publication.allCases, expected: "one of \(names)", Publication.init)
        )
        settings.mqtt.read(&reader)
        settings.outbox.path = reader.optionalText("outbox.path")
        settings.outbox.capacity = reader.integer(
            "outbox.capacity",
            default: settings.outbox.capacity,
            in: 1...1_000_000
        )
        settings.homeAssistant.read(&reader)
        settings.preview.read(&reader)
        settings.stats.interval = reader.duration(
            "stats.interval",
            default: settings.stats.interval,
            in: .seconds(1) ... .seconds(3600)
        )
        settings.log.level = reader.choice("log.level", default: settings.log.level)
        reader.refuseUnknown()
        guard reader.problems.isEmpty else { throw SettingsError(problems: reader.problems) }
        return settings
    }
}

extension Settings.Camera {
    fileprivate mutating func read(_ reader: inout SettingsReader) {
        name = reader.text("camera.name", default: name)
        device = reader.text("camera.device", default: device)
        size = reader.automatic("camera.size", expected: "a size in pixels such as 640x480") { FrameSize(text: $0) }
        rate = reader.automatic("camera.rate", expected: "frames per second from 1 to 240") { text in
            Double(text).flatMap { (1...240).contains($0) ? $0 : nil }
        }
        format = reader.automatic("camera.format", expected: "a four-character format such as YUYV or MJPG") { text in
            text.utf8.count == 4 ? text : nil
        }
        orientation = reader.value(
            "camera.orientation",
            default: orientation,
            expected: "an EXIF orientation from 1 (upright) to 8"
        ) { Int($0).flatMap(Orientation.init) }
        mirror = reader.flag("camera.mirror", default: mirror)
        buffers = reader.integer("camera.buffers", default: buffers, in: 2...32)
        stallTimeout = reader.duration(
            "camera.stallTimeout",
            default: stallTimeout,
            in: .milliseconds(200) ... .seconds(60)
        )
        controls = reader.group("camera.controls")
    }
}

extension Settings.Clip {
    fileprivate mutating func read(_ reader: inout SettingsReader) {
        pace = reader.choice("clip.pace", default: pace)
        loop = reader.flag("clip.loop", default: loop)
    }
}

extension Settings.Detection {
    fileprivate mutating func read(_ reader: inout SettingsReader) {
        enabled = reader.flag("detection.enabled", default: enabled)
        remember = reader.flag("detection.remember", default: remember)
        accuracy = reader.choice("detection.accuracy", default: accuracy)
        maximumFaces = reader.integer("detection.maximumFaces", default: maximumFaces, in: 1...32)
        minimumSize = reader.number("detection.minimumSize", default: minimumSize, in: 0...1)
        searchInterval = reader.duration(
            "detection.searchInterval",
            default: searchInterval,
            in: .milliseconds(33) ... .seconds(60)
        )
        region = reader.region("detection.region")
        modelDirectory = reader.text("detection.modelDirectory", default: modelDirectory)
    }
}

extension Settings.Preview {
    fileprivate mutating func read(_ reader: inout SettingsReader) {
        enabled = reader.flag("preview.enabled", default: enabled)
        rate = reader.number("preview.rate", default: rate, in: 0.1...60)
        width = reader.integer("preview.width", default: width, in: 16...4096)
        quality = reader.integer("preview.quality", default: quality, in: 1...100)
    }
}

extension Settings.Tracking {
    fileprivate mutating func read(_ reader: inout SettingsReader) {
        enterDelay = reader.duration("tracking.enterDelay", default: enterDelay, in: .milliseconds(0) ... .seconds(60))
        patience = reader.duration("tracking.patience", default: patience, in: .milliseconds(50) ... .seconds(600))
    }
}

extension Settings.Metadata {
    fileprivate mutating func read(_ reader: inout SettingsReader) {
        maxRate = reader.number("metadata.maxRate", default: maxRate, in: 0.1...240)
        positionDeadband = reader.number("metadata.positionDeadband", default: positionDeadband, in: 0...1)
        angleDeadband = reader.number("metadata.angleDeadband", default: angleDeadband, in: 0...180)
    }
}

extension Settings.MQTT {
    fileprivate mutating func read(_ reader: inout SettingsReader) {
        host = reader.text("mqtt.host", default: host)
        port = reader.value("mqtt.port", default: nil, expected: "a port from 1 to 65535") { text -> Int?? in
            Int(text).flatMap { (1...65_535).contains($0) ? .some($0) : nil }
        }
        topic = reader.value(
            "mqtt.topic",
            default: topic,
            expected: "a topic without wildcards, leading or trailing slash"
        ) { Self.isTopic($0) ? $0 : nil }
        clientID = reader.optionalText("mqtt.clientID")
        username = reader.optionalText("mqtt.username")
        passwordFile = reader.optionalText("mqtt.passwordFile")
        keepAlive = reader.duration("mqtt.keepAlive", default: keepAlive, in: .seconds(5) ... .seconds(3600))
        tls.ca = reader.optionalText("mqtt.tls.ca")
        tls.certificate = reader.optionalText("mqtt.tls.certificate")
        tls.key = reader.optionalText("mqtt.tls.key")
        let isImplied = tls.ca != nil || tls.certificate != nil || tls.key != nil
        tls.enabled = reader.flag("mqtt.tls.enabled", default: isImplied)
        if isImplied, !tls.enabled {
            reader.refuse(
                "mqtt.tls.enabled",
                "is false, but other settings of mqtt.tls are given: remove one or the other"
            )
        }
        if (tls.certificate == nil) != (tls.key == nil) {
            reader.refuse("mqtt.tls.certificate", "needs mqtt.tls.key beside it, and the other way round")
        }
        if username == nil, passwordFile != nil {
            reader.refuse("mqtt.passwordFile", "needs mqtt.username beside it")
        }
    }

    static func isTopic(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("/") && !text.hasSuffix("/") && !text.hasPrefix("$")
            && !text.unicodeScalars.contains { "+#\0".unicodeScalars.contains($0) } && text.utf8.count <= 1000
    }
}
