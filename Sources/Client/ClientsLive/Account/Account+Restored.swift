import Clients
import Domain
import Foundation

/// A server whose database was restored may have lost what this device had told it. The ids were
/// made here, so that sending it again changes nothing where it is known.
extension Account {
    private static let epochSetting = "ServerEpoch"
    /// More alerts than these were hardly ended between a backup and its restore.
    private static let endsSentAgain = 10

    func watchEpoch() {
        guard storage != nil else { return }
        connection.epoch.onChange { [weak self] in await self?.handle(epoch: $0) ?? true }
    }

    /// Returns whether what may be lost is in the queue.
    private func handle(epoch: String) async -> Bool {
        guard let storage, !isStopped else { return true }
        do {
            let known = try await storage.copy.setting(Self.epochSetting)
            guard known != epoch else { return true }
            // The state is still the old one: nothing of this server has been applied yet.
            if known != nil { try await sendAgain(storage) }
            try await storage.copy.set(epoch, Self.epochSetting)
            return true
        } catch {
            return false
        }
    }

    /// Sends the actions again, with the times at which they happened.
    private func sendAgain(_ storage: Storage) async throws {
        var actions: [(QueuedAction, Date)] = []
        if let alert = base.openAlert(of: userID, kind: .manual), let id = AlertID(alert.id) {
            actions.append((.raiseAlert(id), alert.startTime))
        }
        if let last = base.checkIns.first {
            actions.append((.checkIn(last.id, occurredAt: last.occurredAt), last.receivedAt))
        }
        let me = "\(userID)"
        let ended = base.alerts.filter { $0.userId == me && $0.kind == .manual && !$0.isActive }
        // The server may hold one for open, and alarm everybody.
        for alert in ended.prefix(Self.endsSentAgain) {
            guard let id = AlertID(alert.id) else { continue }
            actions.append((.endAlert(id), alert.endTime ?? alert.startTime))
        }
        for (action, time) in actions where !entries.contains(where: { $0.action == action }) {
            let entry = QueuedEntry(
                id: environment.makeID(), position: nextPosition, action: action, createdAt: time)
            nextPosition += 1
            try await storage.queue.append(entry)
            entries.append(entry)
        }
        publish()
        for wakeup in wakeups.values { wakeup.wake() }
    }
}
