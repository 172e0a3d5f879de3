import Foundation
import Synchronization

/// Creates the `Authorization` value for each push service. Tokens are cached for hours, which
/// saves the signature here and the verification at the service.
public final class VAPIDSigner: Sendable {
    /// The validity of a token, in seconds. RFC 8292 allows 24 hours; half of that leaves room for
    /// a wrong clock.
    public static let validity: TimeInterval = 12 * 3600
    /// How long a token is used, in seconds. Shorter than the validity, so that a token doesn't
    /// expire on its way.
    public static let useTime: TimeInterval = validity / 2
    /// The maximum number of cached tokens. There are few push services; users make up the other
    /// origins.
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

    /// Returns the header's value for an endpoint's origin; nil if libcrypto fails.
    public func authorization(for origin: String) -> String? {
        let now = now()
        if let known = entries.withLock({ $0[origin] }), Self.isUsable(known, at: now) {
            return known.value
        }
        // Two threads may sign at the same time. Both tokens are valid.
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

    /// Returns true if the token may be used. Rejects it if the clock was set back, because a
    /// service could find its validity too long.
    private static func isUsable(_ entry: Entry, at now: Date) -> Bool {
        (0..<useTime).contains(now.timeIntervalSince(entry.madeAt))
    }
}
