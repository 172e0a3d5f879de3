import Foundation

/// Reads settings: from the option, else from the environment, else from the file, else the
/// default. Names are those of variables without their prefix, such as `PORT`.
public struct SettingReader: Sendable {
    /// The most characters of a value in an error.
    private static let longestExcerpt = 60

    public let environment: SettingValues

    public init(environment: SettingValues) { self.environment = environment }

    public func text(_ option: String?, _ name: String, default standard: String) -> String {
        given(option, name) ?? note(standard, name, .standard)
    }

    /// Returns the value of an option, of the environment or of the file; nil if there is none.
    public func given(_ option: String?, _ name: String) -> String? {
        if let option, !option.isBlank { return note(option, name, .option) }
        return optional(name)
    }

    /// Returns a setting that has no option; nil if it is unset.
    public func optional(_ name: String) -> String? {
        environment[variable(name)].map { note($0, name, environment.origin(of: variable(name))) }
    }

    /// Returns the values of a repeatable option. Commas separate them, too.
    public func list(_ options: [String], _ name: String) -> [String] {
        (given(options.joined(separator: ","), name)?.split(separator: ",") ?? [])
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Throws `SettingError` if the value is not a whole number in the range.
    public func integer(
        _ option: Int?, _ name: String, default standard: Int, in range: ClosedRange<Int>
    ) throws -> Int {
        let text = self.text(option.map { String($0) }, name, default: String(standard))
        guard let value = Int(text) else {
            throw refusal(name, "must be a whole number")
        }
        guard range.contains(value) else {
            throw refusal(name, "must be \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Throws `SettingError` if the value is not true or false. An option can only turn it on.
    public func flag(_ option: Bool, _ name: String) throws -> Bool {
        let text = self.text(option ? "true" : nil, name, default: "false")
        switch text.lowercased() {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default: throw refusal(name, "must be true or false")
        }
    }

    /// Returns an error that names the setting, its origin and its value, such as `--port must be 0
    /// to 65535, not "70000".` The value of a secret is left out.
    public func refusal(_ name: String, _ expectation: String) -> SettingError {
        let key = self.key(name)
        let value = environment.use.all[key]
        let place =
            switch value?.origin {
            case .environment, .file: environment.name(of: variable(name))
            case .option, .standard, nil: "--\(key)"
            }
        let isSecret = environment.catalogue[key]?.isSecret ?? true
        let text = value.map { isSecret ? "" : ", not \"\(Self.excerpt($0.text))\"" } ?? ""
        return SettingError("\(place) \(expectation)\(text).")
    }

    /// Returns the text on one line, and its beginning if it is long. Hides the password of a URL,
    /// also of one without its scheme, because logs hold these errors.
    private static func excerpt(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
            .replacing(#/:.*@/#, with: ":********@")
        return line.count > longestExcerpt ? String(line.prefix(longestExcerpt)) + "…" : line
    }

    private func note(_ text: String, _ name: String, _ origin: SettingOrigin) -> String {
        environment.use.note(key(name), text, origin)
        return text
    }

    private func variable(_ name: String) -> String { environment.catalogue.prefix + name }

    private func key(_ name: String) -> String {
        name.lowercased().replacingOccurrences(of: "_", with: "-")
    }
}
