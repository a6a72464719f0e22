package import SettingsFiles

extension Settings {
    /// The file that documents every key.
    private static let example = "config/facetd.yaml"

    /// Reads the settings: command line before environment before file before defaults.
    ///
    /// - Throws: `SettingsError` with all problems at once.
    package static func load(
        arguments: [String: String] = [:],
        environment: [String: String] = [:],
        path: String? = nil
    ) throws(SettingsError) -> Settings {
        var file: SettingsFile?
        if let path { file = try SettingsFile(path: path, example: example) }
        return try load(SettingsReader(arguments: arguments, environment: environment, file: file))
    }

    /// Reads the settings in the text of a settings file; `name` stands for the file in messages.
    package static func read(text: String, name: String = "settings") throws(SettingsError) -> Settings {
        try load(SettingsReader(file: try SettingsFile(path: name, text: text, example: example)))
    }

    private static func load(_ reader: consuming SettingsReader) throws(SettingsError) -> Settings {
        var settings = Settings()
        settings.read(&reader)
        reader.refuseUnknown()
        guard reader.problems.isEmpty else { throw SettingsError(problems: reader.problems) }
        return settings
    }
}
