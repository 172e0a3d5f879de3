import Foundation
import Yams

/// A flat YAML file: the name of each setting with its value, or with a list.
public struct SettingsFile: Sendable {
    struct Entry: Sendable, Equatable {
        var value: String
        var line: Int
    }

    public let path: String
    let entries: [String: Entry]

    /// Reads a file. Throws `SettingError` if it can't be read or has no simple values.
    /// - Parameter isStrict: whether to throw, too, if it has unknown names, or a secret that other
    ///   users can read.
    public init(path: String, catalogue: SettingCatalogue, isStrict: Bool = true) throws {
        guard let bytes = FileManager.default.contents(atPath: path),
            let text = String(data: bytes, encoding: .utf8)
        else { throw SettingError("the settings file \(path) can't be read.") }
        try self.init(path: path, text: text, catalogue: catalogue, isStrict: isStrict)
        guard isStrict else { return }
        let hasSecret = entries.contains { name, entry in
            catalogue[name]?.isSecret == true && !entry.value.isBlank
        }
        if hasSecret { try SecretFile.checkOthersCannotRead(path, named: "it holds a secret") }
    }

    init(path: String, text: String, catalogue: SettingCatalogue, isStrict: Bool = true) throws {
        self.path = path
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw SettingError(Self.explanation(of: error, in: path))
        }
        var entries: [String: Entry] = [:]
        switch root {
        case .mapping(let mapping):
            for (key, value) in mapping {
                let line = key.mark?.line ?? value.mark?.line ?? 0
                let place = "\(path), line \(line)"
                guard case .scalar(let scalar) = key else {
                    throw SettingError("\(place): a setting must have a name before its colon.")
                }
                let name = scalar.string
                guard let setting = catalogue[name], setting.reader == .server else {
                    if isStrict { throw catalogue.unknownKey(name, at: place) }
                    continue
                }
                entries[name] = Entry(value: try Self.text(of: value, setting, place), line: line)
            }
        case nil: break
        case .scalar(let scalar) where scalar.string.isEmpty: break
        default: throw SettingError("\(path) must have lines such as \"port: 8080\".")
        }
        self.entries = entries
    }

    private static func text(
        of node: Node, _ setting: Setting, _ place: String
    ) throws -> String {
        switch node {
        // Reads the text as it stands, so `NO` is Norway, not false, and `+49…` has its plus.
        case .scalar(let value): return Self.text(of: value)
        case .sequence(let items) where setting.isList:
            let values = try items.map { item in
                guard case .scalar(let value) = item, !value.string.contains(",") else {
                    throw SettingError("\(place): \(setting.name) must be a list of simple values.")
                }
                return value.string
            }
            return values.joined(separator: ",")
        default:
            let form = setting.isList ? "one value or a list of values" : "one value"
            throw SettingError("\(place): \(setting.name) must be \(form).")
        }
    }

    /// Returns an empty text for YAML's null, which counts as unset.
    private static func text(of scalar: Node.Scalar) -> String {
        guard scalar.style == .plain else { return scalar.string }
        return ["~", "null", "Null", "NULL"].contains(scalar.string) ? "" : scalar.string
    }

    private static func explanation(of error: YamlError, in path: String) -> String {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            "\(path), line \(mark.line), is not YAML: \(problem)."
        case .duplicatedKeysInMapping(let names, let context):
            "\(path), line \(context.mark.line): \(names.joined(separator: ", ")) is there twice."
        default: "\(path) is not YAML."
        }
    }
}

extension String {
    /// Whether the text counts as no value.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
