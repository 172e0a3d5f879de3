import Foundation
import Synchronization

/// The value of `Authorization` for each push service. A token is used for hours:
/// signing costs time, and a service that knows a token need not check it again.
public final class VAPIDSigner: Sendable {
    /// RFC 8292 allows 24 hours; half of it leaves room for a clock that is wrong.
    public static let validity: TimeInterval = 12 * 3600
    /// A token is used while it is younger than this, so that it never expires on its way.
    public static let useTime: TimeInterval = validity / 2
    /// There are a handful of push services; the rest are origins that users made up.
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

    /// - Parameter origin: of the endpoint.
    /// - Returns: nil if libcrypto fails.
    public func authorization(for origin: String) -> String? {
        let now = now()
        if let known = entries.withLock({ $0[origin] }), Self.isUsable(known, at: now) {
            return known.value
        }
        // Two senders may both sign: either token is good.
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

    /// After the clock has gone back a token may be valid for longer than a service allows.
    private static func isUsable(_ entry: Entry, at now: Date) -> Bool {
        (0..<useTime).contains(now.timeIntervalSince(entry.madeAt))
    }
}
