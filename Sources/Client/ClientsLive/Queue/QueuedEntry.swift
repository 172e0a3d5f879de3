import Clients
import Foundation

/// An action with its place in the queue.
struct QueuedEntry: Equatable, Sendable, Identifiable {
    /// Also the key by which the server knows an edit.
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
    /// The order in which they go out.
    var inSendingOrder: [QueuedEntry] {
        sorted {
            ($0.action.rank.rawValue, $0.position) < ($1.action.rank.rawValue, $1.position)
        }
    }
}

/// An alert or a ping that the server knows by another id than the one it was made with here: one
/// that was open already.
struct Alias: Equatable, Sendable {
    var own: UUID
    var server: UUID
}
