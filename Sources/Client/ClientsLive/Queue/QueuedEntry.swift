import Clients
import Foundation

/// An action with its place in the queue.
struct QueuedEntry: Equatable, Sendable, Identifiable {
    /// The entry's id. For an edit, it is also the idempotency key.
    var id: UUID
    /// The order in which the person did things.
    var position: Int64
    var action: QueuedAction
    /// The time when the person did it, by this device's clock.
    var createdAt: Date

    var waiting: WaitingAction {
        WaitingAction(id: id, kind: action.kind, createdAt: createdAt, contact: action.contact)
    }
}

extension [QueuedEntry] {
    /// The entries in the order of sending.
    var inSendingOrder: [QueuedEntry] {
        sorted {
            ($0.action.rank.rawValue, $0.position) < ($1.action.rank.rawValue, $1.position)
        }
    }
}

/// An alert or a ping that has a different id on the server, because one was already open there.
struct Alias: Equatable, Sendable {
    var own: UUID
    var server: UUID
}
