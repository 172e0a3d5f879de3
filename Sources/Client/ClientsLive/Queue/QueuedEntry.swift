import Clients
import Foundation

struct QueuedEntry: Equatable, Sendable, Identifiable {
    /// For an edit, this is also the idempotency key.
    var id: UUID
    /// The place in the order of queueing.
    var position: Int64
    var action: QueuedAction
    /// When the person acted, by this device's clock.
    var createdAt: Date

    var waiting: WaitingAction {
        WaitingAction(id: id, kind: action.kind, createdAt: createdAt, contact: action.contact)
    }
}

extension [QueuedEntry] {
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
