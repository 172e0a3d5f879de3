import Domain
import Foundation
import Logging

enum LogFormat: String, Sendable { case text, json }

/// Writes one JSON object per line, for log collectors.
struct JSONLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    let label: String

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var fields = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        fields["time"] = Timestamp.text(Date())
        fields["level"] = event.level.rawValue
        fields["logger"] = label
        fields["message"] = "\(event.message)"
        guard let line = try? WireJSON.encoder().encode(fields) else { return }
        try? FileHandle.standardError.write(contentsOf: line + Data("\n".utf8))
    }
}

enum Logs {
    /// Sets up the log on standard error, because standard output is for people. Must be called
    /// once, before the first logger is made.
    static func start(_ settings: ServeSettings) {
        LoggingSystem.bootstrap { label in
            switch settings.logFormat {
            case .json: return JSONLogHandler(logLevel: settings.logLevel, label: label)
            case .text:
                var handler = StreamLogHandler.standardError(label: label)
                handler.logLevel = settings.logLevel
                return handler
            }
        }
    }
}

/// Prints lines for the person at the terminal. Unbuffered, so that lines appear at once even in a
/// pipe.
enum Terminal {
    static func printLine(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}
