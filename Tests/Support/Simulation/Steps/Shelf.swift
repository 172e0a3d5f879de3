import Domain
import Foundation

extension Step {
    /// A list that a person reads in the app.
    public enum Shelf: String, Sendable, Equatable, CaseIterable {
        case notifications, events, contacts, invitations, code, pings, alerts, drills, profile
        case endpoints, sources, sessions, month, blocks, acts
    }
}

extension Truth {
    /// What a person has read, and must find again. Times are true unless noted.
    struct Reading: Sendable {
        struct Notice: Sendable {
            var id: NotificationID
            var madeAt: Date
        }

        /// Where a device's stream of events was when the person last read it.
        struct Stream: Sendable {
            var sequence: Int64
            var at: Date
            /// The notifications since then, by the number of their event.
            var notices: [Int64: NotificationID] = [:]
        }

        /// The emergency note.
        var note = ""
        /// The moments of all known check-ins, as answered.
        var moments: [CheckInID: Date] = [:]
        var read: Set<NotificationID> = []
        var deleted: Set<NotificationID> = []
        /// The last notifications that no clean-up may have removed.
        var recent: [Notice] = []
        /// nil before the person has read events.
        var stream: Stream?
        /// When the person last answered all pings.
        var answeredPingsAt: Date?

        /// The server keeps far more.
        private static let recentCount = 12

        /// Records a notification that the server has made.
        mutating func add(_ item: NotificationItem, _ sequence: Int64, at time: Date) {
            stream?.notices[sequence] = item.id
            // The news of old alerts leaves with the alert.
            guard item.alertID == nil else { return }
            recent = Array((recent + [Notice(id: item.id, madeAt: time)]).suffix(Self.recentCount))
        }
    }

    /// The last ping of a pair.
    struct Ping: Sendable {
        var id: PingID
        /// The true time.
        var madeAt: Date
    }
}
