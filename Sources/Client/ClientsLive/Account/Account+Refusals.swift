import API
import Clients
import Domain
import Foundation

extension Account {
    /// Ends at once without a disk: nothing is queued then, and so nothing is refused later.
    nonisolated func refusalStream() -> AsyncStream<Refusal> {
        storage == nil ? .finished : refusals.stream()
    }

    func reportRefusal(_ error: UserFacingError, of entry: QueuedEntry) {
        refusals.put(Refusal(action: entry.waiting, error: error)) { [weak self, storage] in
            self?.reportedRefusals.withLock { $0.append(entry.id) }
            Task { try? await storage?.queue.remove(entry.id, noting: nil) }
        }
    }

    func reportDamage() {
        let action = WaitingAction(
            id: environment.makeID(), kind: .checkIn, createdAt: environment.now())
        refusals.put(Refusal(action: action, error: .queueWasDamaged))
    }
}
