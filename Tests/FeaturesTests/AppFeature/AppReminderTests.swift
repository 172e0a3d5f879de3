import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Tests reminders on a device that can show them without the server.
@MainActor @Suite struct AppReminderTests {
    private let ana = SignedIn(userID: Fixture.ana, isNewUser: false)
    private let isCancelled = LockIsolated(false)

    private func store(_ state: AppFeature.State) -> TestStoreOf<AppFeature> {
        let store = TestStore(initialState: state) {
            AppFeature()
        } withDependencies: {
            $0.connectivityClient.status = { .never }
            $0.connectivityClient.refusals = { .never }
            $0.connectivityClient.retryNow = {}
            $0.authClient.session = { nil }
            $0.authClient.sessionEnded = { .never }
            $0.userClient.profileStream = { .never }
            $0.date.now = Fixture.now
            $0.timeZone = .gmt
            $0.locale = Locale(identifier: "en_US_POSIX")
            $0.localNotificationClient = LocalNotificationClient(
                isAvailable: { true }, schedule: { _ in },
                cancelAll: { [isCancelled] in isCancelled.setValue(true) })
        }
        store.exhaustivity = .off
        return store
    }

    @Test func remindersFollowTheSession() async throws {
        let store = store(AppFeature.State(screen: .signedOut(.init())))
        await store.send(\.screen.signedOut.delegate.signedIn, ana)
        await store.receive(.reminders(.startStream))
        await store.send(.reminders(.profileUpdated(try profile)))
        await store.send(\.screen.main.delegate.signedOut, []) { $0.reminders = .init() }
        await store.receive(.reminders(.stopStream))
        await store.skipInFlightEffects(strict: false)
        #expect(isCancelled.value)
    }

    @Test func remindersKnowAQueuedCheckIn() async {
        let store = store(
            AppFeature.State(screen: .main(.init(userID: Fixture.ana)), signedIn: ana))
        let waiting = Connectivity(waiting: Fixture.waiting(.checkIn))
        await store.send(.connectivityChanged(waiting))
        await store.receive(.reminders(.checkInWaitingChanged(true))) {
            $0.reminders.isCheckInWaiting = true
        }
        await store.send(.connectivityChanged(Connectivity()))
        await store.receive(.reminders(.checkInWaitingChanged(false))) {
            $0.reminders.isCheckInWaiting = false
        }
        await store.skipInFlightEffects(strict: false)
    }

    @Test func remindersKnowAQueuedSchedule() async {
        let store = store(
            AppFeature.State(screen: .main(.init(userID: Fixture.ana)), signedIn: ana))
        await store.send(
            .connectivityChanged(Connectivity(waiting: Fixture.waiting(.updateSettings))))
        await store.receive(.reminders(.settingsWaitingChanged(true))) {
            $0.reminders.areSettingsWaiting = true
        }
        await store.skipInFlightEffects(strict: false)
    }

    @Test func remindersKnowAQueuedArrival() async {
        let store = store(
            AppFeature.State(screen: .main(.init(userID: Fixture.ana)), signedIn: ana))
        let waiting = Connectivity(waiting: Fixture.waiting(.endJourney))
        await store.send(.connectivityChanged(waiting))
        await store.receive(.reminders(.waitingPressChanged(.arrival))) {
            $0.reminders.waitingPress = .arrival
        }
        await store.skipInFlightEffects(strict: false)
    }

    @Test func remindersAreRescheduledWhenActive() async {
        let store = store(
            AppFeature.State(screen: .main(.init(userID: Fixture.ana)), signedIn: ana))
        await store.send(.becameActive)
        await store.receive(.reminders(.refresh))
        await store.skipInFlightEffects(strict: false)
    }

    @Test func remindersNeedASupportingDevice() async {
        let store = store(AppFeature.State(screen: .signedOut(.init())))
        store.dependencies.localNotificationClient = .unavailable
        store.exhaustivity = .on
        await store.send(\.screen.signedOut.delegate.signedIn, ana) {
            $0.signedIn = ana
            $0.screen = .main(.init(userID: Fixture.ana))
        }
        await store.skipInFlightEffects()
    }

    private var profile: UserProfile {
        get throws { try Fixture.profile(next: Fixture.now.adding(.hours(3))) }
    }
}
