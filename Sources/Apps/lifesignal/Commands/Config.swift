import ArgumentParser
import Foundation
import Settings

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the server's settings and where each comes from.",
        discussion: """
            Takes the same options as serve. Secrets are hidden. Exits with 1 if serve would \
            refuse a setting.
            """
    )

    @OptionGroup var options: ServeOptions
    @OptionGroup var reach: ReachOptions

    @Flag(help: "Print JSON: a list of name, value, origin and place.")
    var json = false

    func run() throws {
        let values = try SettingsEnvironment.all(config: options.config)
        let outcome = Result {
            _ = try options.settings(reach, environment: values).tls?.load()
        }
        let lines = values.inForce.map(Line.init)
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            Terminal.printLine(String(decoding: try encoder.encode(lines), as: UTF8.self))
        } else {
            for line in lines { Terminal.printLine(line.text) }
        }
        try outcome.get()
    }

    private struct Line: Encodable {
        let name: String
        let value: String?
        let isSecret: Bool
        /// `option`, `environment`, `file` or `default`.
        let origin: String
        /// The option, the variable, or the file and the line; nil for a default.
        let place: String?

        init(_ setting: SettingInForce) {
            name = setting.setting.name
            value = setting.value
            isSecret = setting.setting.isSecret
            switch setting.origin {
            case .option: (origin, place) = ("option", "--\(setting.setting.name)")
            case .environment(let variable): (origin, place) = ("environment", variable)
            case .file(let path, let line): (origin, place) = ("file", "\(path):\(line)")
            case .standard: (origin, place) = ("default", nil)
            }
        }

        var text: String {
            guard let value else { return "# \(name):  # not set" }
            return "\(name): \(Self.quoted(value))  # \(place ?? origin)"
        }

        /// Quotes what YAML would not read as the same plain text.
        private static func quoted(_ value: String) -> String {
            let letters = CharacterSet.alphanumerics
            let plain = letters.union(CharacterSet(charactersIn: "-_./:+@"))
            let atStart = letters.union(CharacterSet(charactersIn: "./+"))
            if let first = value.unicodeScalars.first, atStart.contains(first),
                value.unicodeScalars.allSatisfy({ plain.contains($0) }), !value.hasSuffix(":")
            {
                return value
            }
            let escaped = value.replacingOccurrences(of: "\\", with: "\\\\")
                .replacingOccurrences(of: "\"", with: "\\\"")
                .replacingOccurrences(of: "\n", with: "\\n")
            return "\"\(escaped)\""
        }
    }
}
