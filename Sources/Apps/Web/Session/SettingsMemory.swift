import Clients
import Domain
import Synchronization

/// The device settings of browsers, in this server's memory. They outlive a session's store, which
/// ends five minutes after the last page. A restart of the server forgets them.
final class SettingsMemory: Sendable {
    private struct Stored {
        var newer: [SessionID: [SettingsKey: String]] = [:]
        var older: [SessionID: [SettingsKey: String]] = [:]
    }

    private let limit: Int
    private let stored = Mutex(Stored())

    /// - Parameter limit: the maximum number of sessions. Above it, the memory forgets the half
    ///   that was written first. A session needs about 200 bytes.
    init(limit: Int = 50_000) { self.limit = limit }

    func value(_ key: SettingsKey, of session: SessionID) -> String? {
        stored.withLock { stored in
            (stored.newer[session] ?? stored.older[session])?[key]
        }
    }

    func set(_ value: String, _ key: SettingsKey, of session: SessionID) {
        stored.withLock { stored in
            var settings = stored.newer[session] ?? stored.older[session] ?? [:]
            settings[key] = value
            if stored.newer[session] == nil, stored.newer.count >= limit / 2 {
                stored.older = stored.newer
                stored.newer = [:]
            }
            stored.newer[session] = settings
        }
    }
}

extension SettingsClient {
    /// Settings of the signed-in session. Another sign-in in the same browser starts without them.
    static func browser(_ resources: SessionResources, _ memory: SettingsMemory) -> SettingsClient {
        SettingsClient(
            string: { key in
                resources.identity.flatMap { memory.value(key, of: $0.sessionID) }
            },
            setString: { value, key in
                guard let session = resources.identity?.sessionID else { return }
                memory.set(value, key, of: session)
            })
    }
}
