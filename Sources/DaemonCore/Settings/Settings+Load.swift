extension Settings {
    /// Reads the settings, by falling precedence, from the command line, the environment, the file and the defaults.
    /// Throws `SettingsError` with all problems at once.
    package static func load(
        arguments: [String: String] = [:],
        environment: [String: String] = [:],
        path: String? = nil
    ) throws(SettingsError) -> Settings {
        let file = try path.map { path throws(SettingsError) in try SettingsFile(path: path) }
        return try load(SettingsReader(arguments: arguments, environment: environment, file: file))
    }

    /// The keys of earlier versions, each with the key that replaces it and a hint at the form of the new value.
    private static let renamed: [String: (key: String, form: String)] = [
        "camera.device": ("camera.source", ""),
        "mqtt.host": ("mqtt.brokers", ", such as [broker.lan] or [mqtts://broker.lan]"),
        "mqtt.port": ("mqtt.brokers", ", such as [\"broker.lan:1884\"]"),
        "mqtt.tls.enabled": ("mqtt.brokers", ", such as [mqtts://broker.lan]"),
        "signs.enabled": ("publish", ", with sign in its list"),
    ]

    /// Reads the settings from all that `reader` reads. Throws `SettingsError` with all problems at once.
    package static func load(_ reader: consuming SettingsReader) throws(SettingsError) -> Settings {
        var settings = Settings()
        settings.read(&reader)
        try reader.finish(renamed: renamed)
        return settings
    }
}
