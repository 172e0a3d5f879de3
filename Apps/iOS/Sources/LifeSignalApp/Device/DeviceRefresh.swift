import ClientsLive
import ComposableArchitecture
import Domain
import Features
import LifeSignalDevice

/// Sends the queued actions, and updates what iOS shows outside the app: the reminders, the widget
/// and the Live Activity. Used while the app is in the background, because a check-in on another
/// device makes them stale.
@MainActor
struct DeviceRefresh {
    let clients: LiveClients
    let store: StoreOf<AppFeature>
    var display = DeadlineDisplay.shared
    /// Sends the queued actions while the app is suspended; nil to send none.
    var sender: (any BackgroundSender)?
    /// Follows the permission for notifications and the end of the session; nil to ignore them.
    var push: DevicePush?

    /// Returns only once everything is shown, because iOS then suspends the app.
    /// - Returns: false if the server was not reached. The device's local data is shown then.
    func run() async -> Bool {
        do {
            // If iOS launched the app for this refresh, the store may not know the session yet.
            guard try await clients.start() != nil else {
                await display.show(DeadlineSnapshot())
                await push?.clearIfSignedOut()
                return true
            }
        } catch {
            // After a restart, the keychain can't be read until the phone is first unlocked.
            // Nothing changes until then.
            return false
        }
        try? await clients.sendWaiting()
        let isFresh = (try? await clients.refresh()) != nil
        await clients.renewAlertPass()
        if let profile = await clients.profile() { await show(profile) }
        await handOver()
        await push?.checkSettings()
        return isFresh
    }

    /// Gives the actions that are still queued to iOS, even if the refresh is cancelled at its time
    /// limit.
    private func handOver() async {
        guard let sender else { return }
        await clients.sendInBackground(by: sender)
    }

    private func show(_ profile: UserProfile) async {
        // The stream may deliver the profile to the store too late, so the profile is sent
        // directly.
        store.send(.reminders(.profileUpdated(profile)))
        await store.send(.reminders(.refresh)).finish()
        await display.show(DeadlineSnapshot(profile))
    }
}
