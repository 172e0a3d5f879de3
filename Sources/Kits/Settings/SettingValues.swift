import Foundation
import Synchronization

/// Where the value of a setting comes from.
public enum SettingOrigin: Sendable, Equatable {
    case option
    case environment(variable: String)
    case file(path: String, line: Int)
    case standard
}

/// The values of environment and settings file, by variable. A variable wins over the file; a blank
/// value counts as unset.
public struct SettingValues: Sendable {
    struct Value: Sendable, Equatable {
        var text: String
        var origin: SettingOrigin
    }

    public let catalogue: SettingCatalogue
    private var values: [String: Value] = [:]
    /// What the program has read. Copies share it.
    let use = SettingUse()

    /// Throws `SettingError` for a file with a secret that can't be read, or that others can read.
    /// - Parameter names: the secrets to read from their files; nil for all.
    public init(
        environment: [String: String], file: SettingsFile? = nil, catalogue: SettingCatalogue,
        secrets names: Set<String>? = nil
    ) throws {
        self.catalogue = catalogue
        for (name, entry) in file?.entries ?? [:] where !entry.value.isBlank {
            values[catalogue.variable(of: name)] = Value(
                text: entry.value, origin: .file(path: file?.path ?? "", line: entry.line))
        }
        let given = environment.filter { !$0.value.isBlank }
        for (variable, text) in given {
            values[variable] = Value(text: text, origin: .environment(variable: variable))
        }
        for secret in catalogue.settings
        where secret.isSecret && names?.contains(secret.name) ?? true {
            try readFile(of: secret, isInEnvironment: { given[$0] != nil })
        }
    }

    private mutating func readFile(
        of secret: Setting, isInEnvironment: (String) -> Bool
    ) throws {
        let variable = catalogue.variable(of: secret.name)
        let fileVariable = catalogue.variable(of: SettingCatalogue.fileName(of: secret))
        guard !catalogue.hasOwnFile(secret), let path = values[fileVariable] else { return }
        // A secret wins over a file with a secret, unless only the file is in the environment.
        let hasSecret = values[variable] != nil
        guard !hasSecret || isInEnvironment(fileVariable) && !isInEnvironment(variable) else {
            return
        }
        let text = try SecretFile.text(path.text, named: name(of: fileVariable))
        values[variable] = text.isBlank ? nil : Value(text: text, origin: path.origin)
    }

    public subscript(variable: String) -> String? { values[variable]?.text }

    public subscript(
        variable: String, default standard: @autoclosure () -> String
    ) -> String { self[variable] ?? standard() }

    func origin(of variable: String) -> SettingOrigin { values[variable]?.origin ?? .standard }

    /// Returns how the operator named the setting: the variable, or the name in the file.
    func name(of variable: String) -> String {
        guard case .file(let path, let line) = origin(of: variable),
            let name = catalogue.name(of: variable)
        else { return variable }
        return "\(name) (\(path), line \(line))"
    }

    // MARK: In force

    /// The server's settings, with the values that the program has read.
    public var inForce: [SettingInForce] {
        let used = use.all
        return catalogue.settings.filter { $0.reader == .server }.map { setting in
            let variable = catalogue.variable(of: setting.name)
            let value = used[setting.name] ?? values[variable]
            let text = value.flatMap { $0.text.isEmpty ? nil : $0.text }
            return SettingInForce(
                setting: setting, plain: text, origin: value?.origin ?? .standard)
        }
    }
}

/// The value of a setting, as `lifesignal config` shows it.
public struct SettingInForce: Sendable, Equatable {
    public let setting: Setting
    let plain: String?
    public let origin: SettingOrigin

    /// The value without secrets, and without the password of a URL; nil if the setting has none.
    public var value: String? {
        guard let plain else { return nil }
        let hidden = "********"
        guard !setting.isSecret else { return hidden }
        return plain.replacing(#/:\/\/([^:\/@]*):[^\/]*@/#) { match -> String in
            "://\(match.output.1):\(hidden)@"
        }
        .replacing(#/password=[^&]*/#, with: "password=\(hidden)")
    }

    /// Returns the settings whose values differ between two readings.
    public static func changed(from old: [Self], to new: [Self]) -> [Setting] {
        let before = Dictionary(
            old.map { ($0.setting.name, $0.plain) }, uniquingKeysWith: { $1 })
        return new.filter { before[$0.setting.name] != .some($0.plain) }.map(\.setting)
    }
}

/// Notes the settings that a program has read, with the options and default values that applied.
final class SettingUse: Sendable {
    private let entries = Mutex<[String: SettingValues.Value]>([:])

    func note(_ name: String, _ text: String, _ origin: SettingOrigin) {
        entries.withLock { $0[name] = .init(text: text, origin: origin) }
    }

    var all: [String: SettingValues.Value] { entries.withLock { $0 } }
}
