import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct SettingsTests {
    private let phone = Fixture.session(1, "Phone", isCurrent: true)
    private let tablet = Fixture.session(
        2, "Tablet", lastUsedAt: Fixture.now.addingTimeInterval(-60))
    private let old = Fixture.session(
        3, "Old phone", lastUsedAt: Fixture.now.addingTimeInterval(-6000))

    // MARK: The Alert button

    @Test func storesTheAlertTrigger() async {
        let kept = LockIsolated<[SettingsKey: String]>([:])
        let store = store {
            $0.settingsClient.setString = { value, key in kept.withValue { $0[key] = value } }
        }
        await store.send(.alertTriggerChosen(.slowPresses)) { $0.alertTrigger = .slowPresses }
        await store.finish()
        #expect(kept.value == [.alertTrigger: "slow-presses"])
    }

    @Test func showsTheStoredAlertTrigger() async {
        let store = store {
            $0.authClient.sessions = { [] }
            $0.notificationClient.preferences = { .standard }
            $0.notificationClient.pushEndpoints = { [] }
            $0.notificationClient.notificationStream = { .finished }
            $0.pushClient = .unsupported
            $0.settingsClient.string = { $0 == .alertTrigger ? "confirmation" : nil }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.receive(.alertTriggerLoaded(.confirmation)) {
            $0.alertTrigger = .confirmation
        }
        await store.skipInFlightEffects(strict: false)
    }

    // MARK: Sessions

    @Test func showsThisDeviceFirstThenByLastUse() async {
        let sessions = [old, tablet, phone]
        let store = store {
            $0.authClient.sessions = { sessions }
            $0.notificationClient.preferences = { .standard }
            $0.notificationClient.pushEndpoints = { [] }
            $0.notificationClient.notificationStream = { .finished }
            $0.pushClient = .unsupported
        }
        await store.send(.onAppear) { $0.isLoading = true }
        await store.receive(.preferences(.onAppear))
        await store.receive(.push(.startStream))
        await store.receive(.endpoints(.load))
        await store.receive(.sessionsResponse(.success(sessions))) {
            $0.isLoading = false
            $0.sessions = [phone, tablet, old]
        }
        await store.receive(\.preferences.preferencesResponse.success) {
            $0.preferences.isKnown = true
        }
        await store.receive(\.endpoints.endpointsResponse.success) { $0.endpoints.endpoints = [] }
    }

    @Test func failedSessionLoadShowsAnError() async {
        let store = store {
            $0.authClient.sessions = { throw UserFacingError.unavailable }
            $0.notificationClient.preferences = { .standard }
            $0.notificationClient.pushEndpoints = { [] }
            $0.notificationClient.notificationStream = { .finished }
            $0.pushClient = .unsupported
        }
        await store.send(.onAppear) { $0.isLoading = true }
        await store.receive(.preferences(.onAppear))
        await store.receive(.push(.startStream))
        await store.receive(.endpoints(.load))
        await store.receive(\.sessionsResponse.failure) {
            $0.isLoading = false
            $0.error = .unavailable
        }
        await store.receive(\.preferences.preferencesResponse.success) {
            $0.preferences.isKnown = true
        }
        await store.receive(\.endpoints.endpointsResponse.success) { $0.endpoints.endpoints = [] }
    }

    @Test func newsOfTheAccountReloadsTheSessions() async {
        let (stream, news) = AsyncStream<[NotificationItem]>.makeStream()
        let (before, after) = ([phone], [phone, tablet])
        let sessions = LockIsolated(before)
        let store = store {
            $0.authClient.sessions = { sessions.value }
            $0.notificationClient.preferences = { .standard }
            $0.notificationClient.pushEndpoints = { [] }
            $0.notificationClient.notificationStream = { stream }
            $0.pushClient = .unsupported
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.receive(\.sessionsResponse.success) { $0.sessions = before }
        sessions.setValue(after)
        let alert = Fixture.notification(1, .alert)
        news.yield([])
        news.yield([alert])
        news.yield([Fixture.notification(2, .system), alert])
        await store.receive(.newsCame)
        await store.receive(.signInSecurity(.newsCame))
        await store.receive(\.sessionsResponse.success) { $0.sessions = after }
        await store.send(.endSessionButtonTapped(tablet.id)) {
            $0.confirmation = .endSession(tablet)
        }
        store.dependencies.authClient.sessions = { throw UserFacingError.unavailable }
        news.yield([Fixture.notification(3, .system), alert])
        await store.receive(.newsCame)
        news.finish()
        await store.finish()
        #expect(store.state.confirmation == .endSession(tablet))
        #expect(store.state.error == nil && store.state.sessions == after)
    }

    @Test func endsAnotherDevicesSessionAfterAQuestion() async {
        let id = tablet.id
        let store = store(SettingsFeature.State(sessions: [phone, tablet])) { _ in }
        await store.send(.endSessionButtonTapped(id)) { $0.confirmation = .endSession(tablet) }
        await store.send(\.confirmation.endSessionConfirmed, id) {
            $0.confirmation = nil
            $0.endingSession = id
        }
        await store.receive(.delegate(.sessionEndConfirmed(id)))
        await store.send(.endSessionResponse(.success(id))) {
            $0.endingSession = nil
            $0.sessions = [phone]
        }
    }

    @Test func decliningOrFailingKeepsTheSession() async {
        let store = store(SettingsFeature.State(sessions: [phone, tablet])) { _ in }
        await store.send(.endSessionButtonTapped(tablet.id)) {
            $0.confirmation = .endSession(tablet)
        }
        await store.send(\.confirmation.dismiss) { $0.confirmation = nil }
        await store.send(.endSessionButtonTapped(tablet.id)) {
            $0.confirmation = .endSession(tablet)
        }
        await store.send(\.confirmation.endSessionConfirmed, tablet.id) {
            $0.confirmation = nil
            $0.endingSession = tablet.id
        }
        await store.receive(.delegate(.sessionEndConfirmed(tablet.id)))
        await store.send(.endSessionResponse(.failure(Fixture.refused))) {
            $0.endingSession = nil
            $0.error = Fixture.refused
        }
    }

    @Test func ownSessionEndsOnlyBySignOut() async {
        let store = store(SettingsFeature.State(sessions: [phone])) { _ in }
        await store.send(.endSessionButtonTapped(phone.id))
        await store.send(.endSessionButtonTapped(tablet.id))
    }

    @Test func secondSessionEndInFlightIsIgnored() async {
        let store = store(SettingsFeature.State(sessions: [phone, tablet, old])) { _ in }
        await store.send(.endSessionButtonTapped(tablet.id)) {
            $0.confirmation = .endSession(tablet)
        }
        await store.send(\.confirmation.endSessionConfirmed, tablet.id) {
            $0.confirmation = nil
            $0.endingSession = tablet.id
        }
        await store.receive(.delegate(.sessionEndConfirmed(tablet.id)))
        await store.send(.endSessionButtonTapped(old.id))
    }

    // MARK: Messages

    @Test func newsOfTheAccountReloadsTheEndpoints() async {
        var state = SettingsFeature.State(isLoading: true)
        state.endpoints.endpoints = []
        let store = store(state) { $0.notificationClient.pushEndpoints = { [] } }
        await store.send(.newsCame)
        await store.receive(.signInSecurity(.newsCame))
        await store.receive(.endpoints(.newsCame))
        await store.receive(.endpoints(.endpointsResponse(.success([]))))
    }

    @Test func deviceReportReloadsTheLists() async {
        let store = store(.init(isLoading: true)) { _ in }
        store.dependencies.notificationClient.pushEndpoints = { [] }
        let status = PushStatus(.undecided)
        await store.send(.push(.statusChanged(status))) { $0.push.status = status }
        await store.receive(.endpoints(.load))
        await store.receive(.signInSecurity(.newsCame))
        await store.receive(.endpoints(.endpointsResponse(.success([])))) {
            $0.endpoints.endpoints = []
        }
        await store.send(.push(.statusChanged(status)))
        await store.receive(.endpoints(.load))
        await store.receive(.signInSecurity(.newsCame))
        await store.receive(.endpoints(.endpointsResponse(.success([]))))
    }

    // MARK: Export

    @Test func handsTheExportToTheFrontEnd() async {
        let file = Data("{}".utf8)
        let store = store { $0.userClient.exportAccount = { file } }
        await store.send(.exportButtonTapped) { $0.isExporting = true }
        await store.receive(.exportResponse(.success(file))) {
            $0.isExporting = false
            $0.exportedFile = file
        }
        await store.send(.exportHandedOver) { $0.exportedFile = nil }
    }

    @Test func failedExportShowsAnError() async {
        let store = store { $0.userClient.exportAccount = { throw UserFacingError.unavailable } }
        await store.send(.exportButtonTapped) { $0.isExporting = true }
        await store.receive(\.exportResponse.failure) {
            $0.isExporting = false
            $0.error = .unavailable
        }
    }

    @Test func leavingSettingsCancelsLoading() async {
        let store = store {
            $0.authClient.sessions = { try await Task.never() }
            $0.notificationClient.preferences = { try await Task.never() }
            $0.userClient.exportAccount = { try await Task.never() }
            $0.notificationClient.pushEndpoints = { try await Task.never() }
            $0.notificationClient.notificationStream = { .finished }
            $0.pushClient = .unsupported
        }
        await store.send(.onAppear) { $0.isLoading = true }
        await store.receive(.preferences(.onAppear))
        await store.receive(.push(.startStream))
        await store.receive(.endpoints(.load))
        await store.send(.exportButtonTapped) { $0.isExporting = true }
        await store.send(.exportButtonTapped)
        await store.send(.onDisappear) {
            $0.isLoading = false
            $0.isExporting = false
        }
        await store.receive(.preferences(.onDisappear))
        await store.receive(.push(.stopStream))
        await store.receive(.endpoints(.onDisappear))
        await store.finish()
    }

    @Test func leavingSettingsForgetsTheExportAndTheCode() async {
        var state = SettingsFeature.State(exportedFile: Data("{}".utf8))
        state.deletionCode = "123456"
        let store = store(state) { _ in }
        await store.send(.onDisappear) {
            $0.exportedFile = nil
            $0.deletionCode = nil
        }
        await store.receive(.preferences(.onDisappear))
        await store.receive(.push(.stopStream))
        await store.receive(.endpoints(.onDisappear))
        await store.finish()
    }

    // MARK: Deleting the account

    @Test func deletesTheAccountAfterAnExplanation() async {
        let store = store { _ in }
        await store.send(.deleteAccountButtonTapped) { $0.confirmation = .deleteAccount }
        let message = store.state.confirmation?.message.map { String(state: $0) } ?? ""
        for word in [
            "at once", "can’t be brought back", "contacts are told", "No one will be told",
            "may need a new invitation",
        ] { #expect(message.contains(word)) }
        await store.send(\.confirmation.deleteAccountConfirmed) {
            $0.confirmation = nil
            $0.isDeletingAccount = true
        }
        await store.receive(.delegate(.accountDeletionConfirmed))
    }

    @Test func decliningOrFailingKeepsTheAccount() async {
        let store = store { _ in }
        await store.send(.deleteAccountButtonTapped) { $0.confirmation = .deleteAccount }
        await store.send(\.confirmation.dismiss) { $0.confirmation = nil }
        await store.send(.deleteAccountButtonTapped) { $0.confirmation = .deleteAccount }
        await store.send(\.confirmation.deleteAccountConfirmed) {
            $0.confirmation = nil
            $0.isDeletingAccount = true
        }
        await store.receive(.delegate(.accountDeletionConfirmed))
        await store.send(.deleteAccountFailed(.unavailable)) {
            $0.isDeletingAccount = false
            $0.error = .unavailable
        }
    }

    @Test func deletionCodeIsTypedAndSent() async {
        var state = SettingsFeature.State()
        state.isDeletingAccount = true
        let store = store(state) { _ in }
        let needed = UserFacingError(
            title: "T", message: "M", recoverySuggestion: "R", code: UserFacingError.codeNeeded)
        await store.send(.deleteAccountFailed(needed)) {
            $0.isDeletingAccount = false
            $0.deletionCode = ""
        }
        await store.send(.deletionCodeSubmitted)
        await store.send(.deletionCodeChanged("12 34-56")) { $0.deletionCode = "123456" }
        await store.send(.deletionCodeSubmitted) { $0.isDeletingAccount = true }
        await store.receive(.delegate(.accountDeletionConfirmed))
        await store.send(.deletionCodeChanged("1"))
        await store.send(.deleteAccountFailed(.unavailable)) {
            $0.isDeletingAccount = false
            $0.error = .unavailable
        }
        await store.send(.deletionCancelled) {
            $0.deletionCode = nil
            $0.error = nil
        }
    }

    @Test func secondDeletionInFlightIsIgnored() async {
        let store = store { _ in }
        await store.send(.deleteAccountButtonTapped) { $0.confirmation = .deleteAccount }
        await store.send(\.confirmation.deleteAccountConfirmed) {
            $0.confirmation = nil
            $0.isDeletingAccount = true
        }
        await store.receive(.delegate(.accountDeletionConfirmed))
        await store.send(.deleteAccountButtonTapped)
    }

    private func store(
        _ state: SettingsFeature.State = .init(), _ dependencies: (inout DependencyValues) -> Void
    ) -> TestStoreOf<SettingsFeature> {
        TestStore(initialState: state) {
            SettingsFeature()
        } withDependencies: {
            $0.settingsClient.string = { _ in nil }
            dependencies(&$0)
        }
    }
}
