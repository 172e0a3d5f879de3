import Foundation

/// All settings of a program.
public struct SettingCatalogue: Sendable {
    /// The beginning of every environment variable, such as `LIFESIGNAL_`.
    public let prefix: String
    /// Sorted by name.
    public let settings: [Setting]
    private let named: [String: Setting]

    public init(prefix: String, _ settings: [Setting]) {
        self.prefix = prefix
        self.settings = settings.sorted { $0.name < $1.name }
        var named = Dictionary(settings.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        for setting in settings where setting.isSecret {
            let name = Self.fileName(of: setting)
            if named[name] == nil { named[name] = Setting(name, of: setting.reader) }
        }
        self.named = named
    }

    static func fileName(of secret: Setting) -> String { "\(secret.name)-file" }

    /// Whether `-file` after the secret's name is a setting with a meaning of its own.
    func hasOwnFile(_ secret: Setting) -> Bool {
        settings.contains { $0.name == Self.fileName(of: secret) }
    }

    subscript(name: String) -> Setting? { named[name] }

    public func variable(of name: String) -> String {
        prefix + name.uppercased().replacingOccurrences(of: "-", with: "_")
    }

    /// Returns `requests-per-user` for `LIFESIGNAL_REQUESTS_PER_USER`; nil without the prefix.
    func name(of variable: String) -> String? {
        guard variable.hasPrefix(prefix) else { return nil }
        return variable.dropFirst(prefix.count).lowercased()
            .replacingOccurrences(of: "_", with: "-")
    }

    // MARK: Unknown names

    /// Throws `SettingError` for the first variable with the prefix that is unknown, even if it is
    /// empty.
    public func checkNames(in environment: [String: String]) throws {
        for variable in environment.keys.sorted() {
            guard let name = self.name(of: variable) else { continue }
            let isKnown = self[name] != nil && self.variable(of: name) == variable
            guard !isKnown else { continue }
            let guess = nearest(to: name, among: [.server, .client]).map { self.variable(of: $0) }
            throw SettingError("\(variable) is not a setting.\(Self.question(guess))")
        }
    }

    /// Returns the error about an unknown key of the file.
    func unknownKey(_ key: String, at place: String) -> SettingError {
        // The key may be the name of a variable.
        let guess = nearest(to: name(of: key) ?? key, among: [.server])
        return SettingError("\(place): \(key) is not a setting.\(Self.question(guess))")
    }

    private static func question(_ nearest: String?) -> String {
        nearest.map { " Did you mean \($0)?" } ?? ""
    }

    func nearest(to name: String, among readers: Set<Setting.Reader>) -> String? {
        named.values.filter { readers.contains($0.reader) }.map(\.name).sorted()
            .map { (name: $0, distance: Self.distance(name, $0)) }
            .min { $0.distance < $1.distance }?.name
    }

    /// Returns the number of letters to add, remove, replace or swap with their neighbour.
    static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        var rows = [Array(0...other.count)]
        for i in one.indices {
            var row = [i + 1]
            for j in other.indices {
                let isSame = one[i] == other[j]
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (isSame ? 0 : 1))
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
