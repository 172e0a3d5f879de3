import Clients
import Domain
import Foundation

/// Publishes the state to the screens and saves it in the copy on disk.
extension Account {
    /// The visible state: the server's state with the queue applied.
    var shown: AccountModel { base.showing(active, aliases: aliases, me: userID) }

    /// Entries that go out by themselves.
    var active: [QueuedEntry] { held.isEmpty ? entries : entries.filter { !held.contains($0.id) } }

    func publish() {
        // Another account's connection may be shown by now.
        guard !isStopped else { return }
        let shown = shown
        if let profile = shown.profile { profiles.send(profile) }
        alerts.send(shown.alerts)
        pings.send(shown.pings)
        // An empty list that only means "not known yet" would be a wrong one.
        if lastSynced != nil {
            contacts.send(shown.contacts)
            notifications.send(shown.notifications)
        }
        connectivity.send(
            Connectivity(
                isOnline: isOnline, lastSynced: lastSyncedToTell,
                waiting: active.inSendingOrder.map(\.waiting), refused: refusedIDs,
                unsentAlert: unsentAlert))
    }

    /// The time to publish: at most once a minute while online, the exact time on going offline.
    private var lastSyncedToTell: Date? {
        guard isOnline, let published = connectivity.value, published.isOnline,
            let known = published.lastSynced,
            let lastSynced
        else { return lastSynced }
        return (0..<60).contains(lastSynced.since(known) / .seconds(1)) ? known : lastSynced
    }

    /// The server's state has changed.
    func changed() {
        publish()
        saveWakeup.wake()
    }

    func save() async -> Next {
        guard let storage else { return .rest }
        if !isCopyOurs {
            guard let copy = try? await storage.copy.load(of: userID) else { return .rest }
            (saved, isCopyOurs) = (copy, true)
        }
        let present = CopyContents(model: base, lastSynced: lastSynced)
        guard present != saved else { return .rest }
        // A disk that does not take it has the older copy; the next change tries again.
        guard (try? await storage.copy.save(present, replacing: saved)) != nil else { return .rest }
        saved = present
        return .more
    }
}
