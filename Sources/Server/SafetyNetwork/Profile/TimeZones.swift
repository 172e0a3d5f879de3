import Domain
import Foundation
import Persistence

public struct TimeZones: Commands {
    public let core: Core

    /// Stores the time zone of a user's device. The last report counts. The responders' pages load
    /// it if its clock differs from the former one's. Ignores unknown zones and any failure: the
    /// next request reports the zone again.
    public func noteTimeZone(_ name: String, of caller: Caller) async {
        let askedAt = now()
        guard callers.timeZone(of: caller.userID, at: askedAt) != name, let zone = ClockZone(name)
        else { return }
        do {
            guard let user = try await database.read({ try $0.user(caller.userID) }) else { return }
            if user.timeZone != zone.name {
                let former = user.timeZone.flatMap { ClockZone($0) }
                // Some zones have several names, and each device reports its own: Asia/Calcutta,
                // Asia/Kolkata.
                let hasOtherClock = former?.differs(from: zone, at: askedAt) ?? true
                try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
                    transaction in
                    try transaction.updateTimeZone(zone.name, of: caller.userID)
                    guard hasOtherClock else { return }
                    let event = try EncodedEvent(.contactChanged(.init(contactID: caller.userID)))
                    // Only responders who have accepted see the zone.
                    for responder in try transaction.responderIDs(of: caller.userID) {
                        try transaction.append(event, to: responder)
                    }
                }
            }
            callers.note(timeZone: zone.name, of: caller.userID, at: askedAt)
        } catch {}
    }
}

/// The bodies of one text, formatted once per time zone.
struct LocalBodies {
    private let text: NotificationText
    private let now: Date
    private var known: [String?: String] = [:]

    init(_ text: NotificationText, at now: Date) {
        self.text = text
        self.now = now
    }

    /// - Parameter zone: the reader's time zone. UTC if nil or unknown to this machine.
    mutating func body(in zone: String?) -> String {
        if let body = known[zone] { return body }
        let body = text.body(in: zone.flatMap { ClockZone($0) }, at: now)
        known[zone] = body
        return body
    }
}
