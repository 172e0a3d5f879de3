import Clients
import ComposableArchitecture
import Domain
import Testing

@testable import Features

@MainActor @Suite struct NotificationPreferencesTests {
    @Test func everythingButAlertsCanBeMuted() {
        #expect(
            NotificationPreferencesFeature.State().mutableTypes == [
                .ping, .checkIn, .contactAdded, .contactRemoved, .roleChanged, .system,
            ])
    }

    @Test func mutesAndUnmutes() async throws {
        let muted = try NotificationPreferences(muted: [.ping])
        let types = Calls<NotificationType>([])
        let store = store {
            $0.notificationClient.updatePreferences = { asked, only in
                if let only { types.withValue { $0.append(only) } }
                return .confirmed(asked)
            }
        }
        await store.send(.muteToggled(.ping)) { $0.isLoading = true }
        await store.receive(.delegate(.began))
        await store.receive(.updateResponse(.success(.confirmed(muted)), asked: muted)) {
            $0.isLoading = false
            $0.preferences = muted
        }
        await store.send(.muteToggled(.ping)) { $0.isLoading = true }
        await store.receive(.delegate(.began))
        await store.receive(\.updateResponse) {
            $0.isLoading = false
            $0.preferences = .standard
        }
        #expect(types.value == [.ping, .ping])
    }

    @Test func offlineMuteShowsAsUnsentUntilSent() async throws {
        let muted = try NotificationPreferences(muted: [.system])
        let (changes, change) = AsyncStream.makeStream(of: Connectivity.self)
        let store = store {
            $0.notificationClient.updatePreferences = { _, _ in .waiting }
            $0.connectivityClient.status = { changes }
        }
        await store.send(.muteToggled(.system)) { $0.isLoading = true }
        await store.receive(.delegate(.began))
        await store.receive(.updateResponse(.success(.waiting), asked: muted)) {
            $0.isLoading = false
            $0.preferences = muted
            $0.isWaitingToBeSent = true
        }
        change.yield(Connectivity(isOnline: false, waiting: Fixture.waiting(.updatePreferences)))
        #expect(store.state.isWaitingToBeSent)
        change.yield(Connectivity(waiting: Fixture.waiting(.checkIn)))
        await store.receive(.waitingPreferencesSent) { $0.isWaitingToBeSent = false }
    }

    @Test func nextConfirmationClearsTheUnsentMark() async throws {
        let both = try NotificationPreferences(muted: [.system, .ping])
        let store = store {
            $0.notificationClient.updatePreferences = { asked, _ in
                asked.muted.contains(.ping) ? .confirmed(asked) : .waiting
            }
            $0.connectivityClient.status = { .never }
        }
        await store.send(.muteToggled(.system)) { $0.isLoading = true }
        await store.receive(.delegate(.began))
        let muted = try NotificationPreferences(muted: [.system])
        await store.receive(\.updateResponse) {
            $0.isLoading = false
            $0.preferences = muted
            $0.isWaitingToBeSent = true
        }
        await store.send(.muteToggled(.ping)) { $0.isLoading = true }
        await store.receive(.delegate(.began))
        await store.receive(\.updateResponse) {
            $0.isLoading = false
            $0.preferences = both
            $0.isWaitingToBeSent = false
        }
        await store.finish()
    }

    @Test func mutingAlertsShowsAnError() async {
        let store = store { _ in }
        await store.send(.muteToggled(.alert))
        await store.receive(
            .delegate(
                .failed(
                    UserFacingError(
                        CommandError.invalidArgument(field: "muted", "Alerts can’t be muted.")))))
    }

    @Test func refusalKeepsTheOldChoice() async {
        let store = store {
            $0.notificationClient.updatePreferences = { _, _ in throw Fixture.refused }
        }
        await store.send(.muteToggled(.ping)) { $0.isLoading = true }
        await store.receive(.delegate(.began))
        await store.receive(\.updateResponse) { $0.isLoading = false }
        await store.receive(.delegate(.failed(Fixture.refused)))
    }

    @Test func secondMuteInFlightIsIgnored() async {
        let store = store {
            $0.notificationClient.updatePreferences = { _, _ in try await Task.never() }
        }
        await store.send(.muteToggled(.ping)) { $0.isLoading = true }
        await store.receive(.delegate(.began))
        await store.send(.muteToggled(.ping))
        await store.skipInFlightEffects()
    }

    @Test func earlierAnswerDoesNotRestoreTheOldChoice() async throws {
        let muted = try NotificationPreferences(muted: [.ping])
        let store = store {
            $0.notificationClient.preferences = { try await Task.never() }
            $0.notificationClient.updatePreferences = { asked, _ in .confirmed(asked) }
        }
        await store.send(.onAppear)
        await store.send(.muteToggled(.ping)) { $0.isLoading = true }
        await store.receive(.delegate(.began))
        await store.receive(\.updateResponse) {
            $0.isLoading = false
            $0.preferences = muted
        }
        await store.finish()
    }

    @Test func loadsAndReportsFailures() async throws {
        let muted = try NotificationPreferences(muted: [.ping])
        let store = store(.init()) { $0.notificationClient.preferences = { muted } }
        await store.send(.onAppear)
        await store.receive(\.preferencesResponse.success) {
            $0.preferences = muted
            $0.isKnown = true
        }
        store.dependencies.notificationClient.preferences = { throw UserFacingError.unavailable }
        await store.send(.onAppear)
        await store.receive(\.preferencesResponse.failure)
        await store.receive(.delegate(.failed(.unavailable)))
    }

    /// Before that, a press could mean either to mute or to unmute.
    @Test func nothingIsMutedBeforeThePreferencesAreKnown() async throws {
        let stored = try NotificationPreferences(muted: [.ping])
        let both = try NotificationPreferences(muted: [.ping, .system])
        let store = store(.init()) {
            $0.notificationClient.preferences = { throw UserFacingError.unavailable }
            $0.notificationClient.updatePreferences = { asked, _ in .confirmed(asked) }
        }
        await store.send(.muteToggled(.system))
        await store.send(.onAppear)
        await store.receive(\.preferencesResponse.failure)
        await store.receive(.delegate(.failed(.unavailable)))
        await store.send(.muteToggled(.system))
        #expect(!store.state.canMute)
        store.dependencies.notificationClient.preferences = { stored }
        await store.send(.onAppear)
        await store.receive(\.preferencesResponse.success) {
            $0.preferences = stored
            $0.isKnown = true
        }
        await store.send(.muteToggled(.system)) { $0.isLoading = true }
        await store.receive(.delegate(.began))
        await store.receive(.updateResponse(.success(.confirmed(both)), asked: both)) {
            $0.isLoading = false
            $0.preferences = both
        }
    }

    private func store(
        _ state: NotificationPreferencesFeature.State = .init(isKnown: true),
        _ dependencies: (inout DependencyValues) -> Void
    ) -> TestStoreOf<NotificationPreferencesFeature> {
        TestStore(
            initialState: state, reducer: { NotificationPreferencesFeature() },
            withDependencies: dependencies)
    }
}
