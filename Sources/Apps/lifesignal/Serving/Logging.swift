import Domain
import Foundation
import Logging
import Synchronization

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
        // The API calls it `requestID`, too.
        fields["requestID"] = fields.removeValue(forKey: "hb.request.id")
        fields["time"] = Timestamp.text(Date())
        fields["level"] = event.level.rawValue
        fields["logger"] = label
        fields["message"] = "\(event.message)"
        guard let line = try? WireJSON.encoder().encode(fields) else { return }
        try? FileHandle.standardError.write(contentsOf: line + Data("\n".utf8))
    }
}

/// Gives another handler the level that the server has at the moment.
private struct SharedLevelHandler: LogHandler {
    var base: any LogHandler
    /// The level that somebody set for this logger only.
    private var ownLevel: Logger.Level?

    init(_ base: any LogHandler) { self.base = base }

    var logLevel: Logger.Level {
        get { ownLevel ?? Logs.level }
        set { ownLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { base.log(event: event) }
}

enum Logs {
    private static let sharedLevel = Mutex(Logger.Level.info)

    /// The level of all loggers, also of those that exist already.
    static var level: Logger.Level {
        get { sharedLevel.withLock { $0 } }
        set { sharedLevel.withLock { $0 = newValue } }
    }

    /// Sets up the log on standard error, because standard output is for people. Must be called
    /// once, before the first logger is made.
    static func start(_ settings: ServeSettings) {
        level = settings.logLevel
        LoggingSystem.bootstrap { label in
            switch settings.logFormat {
            case .json:
                SharedLevelHandler(JSONLogHandler(logLevel: settings.logLevel, label: label))
            case .text: SharedLevelHandler(StreamLogHandler.standardError(label: label))
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

    /// Prints a line that is not the command's answer.
    static func printAside(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
