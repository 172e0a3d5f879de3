import ClientsLive
import ComposableArchitecture
import Domain
import Features
import LifeSignalDevice

/// Updates what iOS shows outside the app while the app is in the background: the reminders, the
/// widget and the Live Activity. A check-in on another device makes them stale.
@MainActor
struct DeviceRefresh {
    let clients: LiveClients
    let store: StoreOf<AppFeature>
    var display = DeadlineDisplay.shared

    /// Returns only once everything is shown, because iOS suspends the app when this method
    /// returns.
    /// - Returns: false if the server was not reached. The device's local data is shown then.
    func run() async -> Bool {
        do {
            // iOS may have launched the app for this refresh. The store may then not know the
            // session yet.
            guard try await clients.start() != nil else {
                await display.show(DeadlineSnapshot())
                return true
            }
        } catch {
            // The keychain can't be read until the phone is first unlocked after a restart. Until
            // then, nothing changes.
            return false
        }
        try? await clients.sendWaiting()
        let isFresh = (try? await clients.refresh()) != nil
        await clients.renewAlertPass()
        if let profile = await clients.profile() { await show(profile) }
        return isFresh
    }

    private func show(_ profile: UserProfile) async {
        // The profile is sent directly, because the time at which the stream delivers it to the
        // store is unknown.
        store.send(.reminders(.profileUpdated(profile)))
        await store.send(.reminders(.refresh)).finish()
        await display.show(
            DeadlineSnapshot(
                lastCheckIn: profile.lastCheckInTime, deadline: profile.nextCheckInTime))
    }
}
