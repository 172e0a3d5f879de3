import Logging
import Synchronization

/// Admits one log line per kind and minute, and counts the omitted lines. Without a limit, a full
/// disk would fill further: each request fails then and logs a line.
public final class LogLimit: Sendable {
    static let interval: Duration = .seconds(60)
    /// The maximum number of kinds. Further kinds share one limit.
    private static let mostKinds = 100

    private struct Kind {
        var admittedAt: ContinuousClock.Instant
        var leftOut = 0
    }

    private let kinds = Mutex<[String: Kind]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    public init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// Returns the number of lines of this kind that were omitted since the last admitted one.
    /// Returns nil if this line must be omitted.
    public func admit(_ kind: String) -> Int? {
        let now = now()
        return kinds.withLock { kinds in
            var name = kind
            if kinds[kind] == nil, kinds.count >= Self.mostKinds {
                kinds = kinds.filter { now - $0.value.admittedAt < Self.interval }
                if kinds.count >= Self.mostKinds { name = "" }
            }
            guard let known = kinds[name], now - known.admittedAt < Self.interval else {
                return kinds.updateValue(Kind(admittedAt: now), forKey: name)?.leftOut ?? 0
            }
            kinds[name]?.leftOut += 1
            return nil
        }
    }

    /// Returns a line's metadata, with the number of omitted lines as `more`. Returns nil if this
    /// line must be omitted.
    public func admit(_ kind: String, with metadata: Logger.Metadata) -> Logger.Metadata? {
        guard let leftOut = admit(kind) else { return nil }
        var metadata = metadata
        if leftOut > 0 { metadata["more"] = "\(leftOut)" }
        return metadata
    }
}

extension Logger {
    /// Writes a line unless the limit omits it. Adds the number of omitted lines as `more`.
    /// - Parameter kind: the kind of line for the limit.
    public func log(
        level: Logger.Level, _ message: Logger.Message, metadata: Logger.Metadata = [:],
        as kind: String, within limit: LogLimit
    ) {
        guard let metadata = limit.admit(kind, with: metadata) else { return }
        log(level: level, message, metadata: metadata)
    }
}
