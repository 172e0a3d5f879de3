import Clients
import Domain
import Foundation

struct QueuedEntry: Equatable, Sendable, Identifiable {
    /// For an edit, this is also the idempotency key.
    var id: UUID
    /// The place in the order of queueing.
    var position: Int64
    var action: QueuedAction
    /// When the person acted, by this device's clock.
    var createdAt: Date
    /// The device's uptime at `createdAt`; nil if unknown.
    var uptime: Uptime?

    var waiting: WaitingAction {
        WaitingAction(id: id, kind: action.kind, createdAt: createdAt, contact: action.contact)
    }

    /// Returns the entry with its times by the present clock of the device. Somebody may have set
    /// that clock since the press.
    func timed(at now: Date, _ present: Uptime?) -> QueuedEntry {
        guard let uptime, let change = present?.clockChange(to: now, from: createdAt, uptime),
            change != .zero
        else { return self }
        return moved(by: change)
    }

    /// Returns the entry with its times by another clock, which is ahead by `offset`.
    func moved(by offset: Duration) -> QueuedEntry {
        var entry = self
        entry.createdAt = createdAt.adding(offset)
        entry.uptime = nil
        if case .checkIn(let id, let moment) = action {
            entry.action = .checkIn(id, occurredAt: moment.adding(offset))
        }
        return entry
    }
}

extension [QueuedEntry] {
    /// The calls for help, except those whose end is queued as well. An end also ends the calls
    /// since its own, because the server returns the open alert for each of them.
    var unsentAlerts: [QueuedEntry] {
        var unended: [QueuedEntry] = []
        for entry in sorted(by: { $0.position < $1.position }) {
            if case .raiseAlert = entry.action { unended.append(entry) }
            if case .endAlert(let id) = entry.action,
                let ended = unended.firstIndex(where: { $0.action == .raiseAlert(id) })
            {
                unended.removeSubrange(ended...)
            }
        }
        return unended
    }

    var inSendingOrder: [QueuedEntry] {
        sorted {
            ($0.action.rank.rawValue, $0.position) < ($1.action.rank.rawValue, $1.position)
        }
    }
}

/// An alert or a ping that has a different id on the server. The server already had an open one.
struct Alias: Equatable, Sendable {
    var own: UUID
    var server: UUID
}
