import Foundation
import Synchronization

/// Creates the `Authorization` value for each push service. A token is reused for hours: signing
/// takes time, and a service need not verify again a token that it already knows.
public final class VAPIDSigner: Sendable {
    /// How long a token is valid, in seconds. RFC 8292 allows 24 hours. Half of that leaves room
    /// for a clock that is wrong.
    public static let validity: TimeInterval = 12 * 3600
    /// How long a token is used, in seconds. This is shorter than the validity, so that a token
    /// doesn't expire on its way to the service.
    public static let useTime: TimeInterval = validity / 2
    /// The maximum number of cached tokens. There are only a few push services; any other origins
    /// were made up by users.
    public static let cacheLimit = 100

    private struct Entry {
        var value: String
        var madeAt: Date
    }

    private let key: VAPIDKey
    private let contact: VAPIDContact
    private let now: @Sendable () -> Date
    private let entries = Mutex<[String: Entry]>([:])

    public init(key: VAPIDKey, contact: VAPIDContact, now: @escaping @Sendable () -> Date) {
        self.key = key
        self.contact = contact
        self.now = now
    }

    /// - Parameter origin: the endpoint's origin.
    /// - Returns: nil if libcrypto fails.
    public func authorization(for origin: String) -> String? {
        let now = now()
        if let known = entries.withLock({ $0[origin] }), Self.isUsable(known, at: now) {
            return known.value
        }
        // Two threads may both sign at the same time. Either token is valid.
        let expiry = now.addingTimeInterval(Self.validity)
        guard let token = key.token(audience: origin, contact: contact, expiresAt: expiry) else {
            return nil
        }
        let entry = Entry(value: "vapid t=\(token), k=\(key.publicKey)", madeAt: now)
        entries.withLock { entries in
            if entries[origin] == nil, entries.count >= Self.cacheLimit {
                let oldest = entries.min { $0.value.madeAt < $1.value.madeAt }
                entries[oldest?.key ?? origin] = nil
            }
            entries[origin] = entry
        }
        return entry.value
    }

    var cachedTokens: Int { entries.withLock(\.count) }

    /// Returns true if the token may be used. It may not be used if the clock was set back after it
    /// was created: a service might consider its validity too long.
    private static func isUsable(_ entry: Entry, at now: Date) -> Bool {
        (0..<useTime).contains(now.timeIntervalSince(entry.madeAt))
    }
}
