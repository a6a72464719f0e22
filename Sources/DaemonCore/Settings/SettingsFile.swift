import Configuration
import Foundation
import Yams

/// A settings file, taken apart into dotted keys with the lines they stand on.
struct SettingsFile {
    let path: String
    private(set) var values: [AbsoluteConfigKey: ConfigValue] = [:]
    private(set) var lines: [String: Int] = [:]
    private(set) var problems: [SettingsProblem] = []

    /// Reads and parses the file.
    ///
    /// - Throws: `SettingsError` if it cannot be read, is no YAML, or holds no settings at all.
    init(path: String) throws(SettingsError) {
        let text: String
        do {
            text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        } catch {
            throw Self.failure(path, "cannot be read: \(Self.reason(of: error, path: path))")
        }
        try self.init(path: path, text: text)
    }

    init(path: String, text: String) throws(SettingsError) {
        self.path = path
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw Self.failure(
                path,
                "is not valid YAML: \(String(describing: error).split(separator: "\n").joined(separator: " "))"
            )
        }
        guard let root, root != Node("", Tag(.null)), root.null == nil else {
            throw Self.failure(
                path,
                "holds no settings; leave the option out to use the defaults, or start from config/facetd.yaml"
            )
        }
        guard let mapping = root.mapping else {
            throw Self.failure(
                path,
                "must hold keys and values, as config/facetd.yaml does, not a single value or list"
            )
        }
        flatten(mapping, under: [])
    }

    /// Where a key stands, for messages.
    func source(of key: String) -> String {
        lines[key].map { "\(path):\($0)" } ?? path
    }

    private mutating func flatten(_ mapping: Node.Mapping, under path: [String]) {
        for (keyNode, value) in mapping {
            let name = keyNode.scalar?.string ?? "?"
            let components = path + [name]
            let key = components.joined(separator: ".")
            guard !name.isEmpty, !name.contains(".") else {
                problem(key, keyNode, "must be nested, as in config/facetd.yaml")
                continue
            }
            guard lines[key] == nil else {
                problem(key, keyNode, "is given twice")
                continue
            }
            lines[key] = keyNode.mark?.line
            switch value {
            case .mapping(let inner):
                flatten(inner, under: components)
            case .scalar(let scalar):
                // A key without a value says nothing, as if it were not there; only its name is checked.
                let isNull = value.null != nil
                if !isNull {
                    values[AbsoluteConfigKey(components)] = ConfigValue(.string(scalar.string), isSecret: false)
                }
            case .sequence(let sequence):
                let items = sequence.compactMap(\.scalar?.string)
                if items.count == sequence.count {
                    values[AbsoluteConfigKey(components)] = ConfigValue(.stringArray(items), isSecret: false)
                } else {
                    problem(key, keyNode, "must be a list of single values")
                }
            case .alias:
                problem(key, keyNode, "is a YAML alias, which settings do not use")
            }
        }
    }

    private mutating func problem(_ key: String, _ node: Node, _ reason: String) {
        let line = node.mark.map { ":\($0.line)" } ?? ""
        problems.append(SettingsProblem(key: key, source: path + line, reason: reason))
    }

    private static func failure(_ path: String, _ reason: String) -> SettingsError {
        SettingsError(problems: [SettingsProblem(key: nil, source: path, reason: reason)])
    }

    /// The system's word for why a file cannot be read.
    static func reason(of error: any Error, path: String) -> String {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
            return "it is a directory"
        }
        return switch CocoaError.Code(rawValue: (error as NSError).code) {
        case .fileReadNoSuchFile, .fileNoSuchFile: "there is no such file"
        case .fileReadNoPermission: "permission denied"
        case .fileReadInapplicableStringEncoding, .fileReadCorruptFile: "it is not UTF-8 text"
        default: (error as NSError).localizedDescription
        }
    }
}
