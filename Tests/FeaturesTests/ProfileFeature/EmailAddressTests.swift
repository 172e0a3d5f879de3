import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct EmailAddressTests {
    private let pending = EmailStatus(unverifiedAddress: "ana@example.org")
    private let confirmed = EmailStatus(address: "ana@example.org")

    private func store(
        _ state: EmailAddressFeature.State = .init(), _ change: (inout UserClient) -> Void
    ) -> TestStoreOf<EmailAddressFeature> {
        TestStore(initialState: state) {
            EmailAddressFeature()
        } withDependencies: {
            $0.notificationClient.notificationStream = { .finished }
            change(&$0.userClient)
        }
    }

    @Test func addressIsEnteredAndConfirmed() async {
        let (pending, confirmed) = (pending, confirmed)
        let store = store { client in
            client.emailStatus = { EmailStatus() }
            client.setEmailAddress = { address in
                #expect(address == "ana@example.org")
                return pending
            }
            client.confirmEmailAddress = { code in
                #expect(code == "000042")
                return confirmed
            }
        }
        await store.send(.onAppear) { $0.isLoading = true }
        await store.receive(\.response.success) {
            $0.isLoading = false
            $0.status = EmailStatus()
        }
        #expect(store.state.step == .address)
        await store.send(.newAddressChanged(" ana@Example.org ")) {
            $0.newAddress = " ana@Example.org "
        }
        await store.send(.sendCodeButtonTapped) { $0.isLoading = true }
        await store.receive(\.response.success) {
            $0.isLoading = false
            $0.status = pending
        }
        #expect(store.state.step == .code && !store.state.canConfirm)
        // A complete code is sent immediately.
        await store.send(.verificationCodeChanged("000 042")) {
            $0.verificationCode = "000042"
            $0.isLoading = true
        }
        await store.receive(\.response.success) {
            $0.isLoading = false
            $0.status = confirmed
            $0.verificationCode = ""
        }
        #expect(store.state.step == .confirmed)
    }

    @Test func dismissedFailureOfALoadLoadsAgain() async {
        let store = store(.init(error: .unavailable)) { client in
            client.emailStatus = { EmailStatus() }
        }
        await store.send(.dismissError) {
            $0.error = nil
            $0.isLoading = true
        }
        await store.receive(\.response.success) {
            $0.isLoading = false
            $0.status = EmailStatus()
        }
    }

    @Test func invalidAddressIsNotSent() async {
        let store = store(.init(status: EmailStatus(), newAddress: "ana")) { _ in }
        await store.send(.sendCodeButtonTapped) {
            $0.error = UserFacingError(
                CommandError.invalidArgument(
                    field: "address", "Enter an e-mail address like ana@example.org."))
        }
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func wrongEmailCodeStaysForCorrection() async {
        let (refusal, pending) = (UserFacingError.unavailable, pending)
        let store = store(.init(status: pending)) { client in
            client.confirmEmailAddress = { _ in throw refusal }
            client.emailStatus = { pending }
        }
        await store.send(.verificationCodeChanged("111111")) {
            $0.verificationCode = "111111"
            $0.isLoading = true
        }
        await store.receive(\.response.failure) {
            $0.isLoading = false
            $0.error = refusal
        }
        #expect(store.state.canConfirm)
    }

    @Test func repeatAfterALostAnswerShowsTheAddress() async {
        let confirmed = confirmed
        let store = store(.init(status: pending, verificationCode: "000042")) { client in
            client.confirmEmailAddress = { _ in throw UserFacingError.unavailable }
            client.emailStatus = { confirmed }
        }
        await store.send(.confirmButtonTapped) { $0.isLoading = true }
        await store.receive(\.response.success) {
            $0.isLoading = false
            $0.status = confirmed
            $0.verificationCode = ""
        }
    }

    @Test func openSheetFollowsAnotherDevice() async {
        let (stream, news) = AsyncStream<[NotificationItem]>.makeStream()
        let (pending, confirmed) = (pending, confirmed)
        let status = LockIsolated(pending)
        let store = store { client in client.emailStatus = { status.value } }
        store.dependencies.notificationClient.notificationStream = { stream }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.receive(\.response.success)
        await store.send(.verificationCodeChanged("0000"))
        news.yield([])
        news.yield([Fixture.notification(1, .system)])
        await store.receive(.reloaded(pending))
        #expect(store.state.verificationCode == "0000", "The same code is awaited.")
        status.setValue(confirmed)
        news.yield([Fixture.notification(2, .system)])
        await store.receive(.reloaded(confirmed))
        #expect(store.state.step == .confirmed && store.state.verificationCode == "")
        news.finish()
        await store.finish()
    }

    @Test func addressCanBeRemovedAndReplaced() async {
        let store = store(.init(status: confirmed)) { client in client.removeEmailAddress = {} }
        await store.send(.otherAddressButtonTapped) { $0.isEntering = true }
        #expect(store.state.step == .address)
        await store.send(.removeButtonTapped) { $0.isLoading = true }
        await store.receive(\.response.success) {
            $0.isLoading = false
            $0.isEntering = false
            $0.status = EmailStatus()
        }
    }
}
