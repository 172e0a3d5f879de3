import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Signing in by a recovery code or a passkey, and the sign-in lock.
@MainActor @Suite struct OtherWaysInTests {
    private let signedIn = SignedIn(userID: Fixture.id(1), isNewUser: false)

    private func store(
        _ state: AuthFeature.State, prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<AuthFeature> {
        TestStore(initialState: state) {
            AuthFeature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    @Test func recoveryCodeSignsIn() async {
        let store = store(.init(phoneNumber: "+1 555 0100")) { [signedIn] in
            $0.authClient.recover = { number, _ in
                #expect(number == "+15550100")
                return signedIn
            }
        }
        await store.send(.recoveryButtonTapped) {
            $0.step = .recoveryCode(number: "+15550100")
        }
        await store.send(.recoveryCodeChanged("7KQ2")) { $0.recoveryCode = "7KQ2" }
        await store.send(.recoverButtonTapped) { $0.error = .recoveryCodeLength }
        await store.send(.recoveryCodeChanged("7KQ2-M9XD-03TB-WZ5E")) {
            $0.recoveryCode = "7KQ2-M9XD-03TB-WZ5E"
            $0.error = nil
        }
        await store.send(.recoverButtonTapped) { $0.isLoading = true }
        await store.receive(.recoverResponse(.success(signedIn))) {
            $0.isLoading = false
            $0.recoveryCode = ""
        }
        await store.receive(.delegate(.signedIn(signedIn)))
    }

    @Test func recoveryCodeNeedsANumber() async {
        let store = store(.init(phoneNumber: "12"))
        store.exhaustivity = .off
        await store.send(.recoveryButtonTapped)
        #expect(store.state.step == .phoneNumber && store.state.error != nil)
    }

    @Test func passkeySignsInWithoutANumber() async {
        let request = PasskeyRequest(challenge: "AAAA", site: "example.org")
        let assertion = PasskeyAssertion(
            credentialID: "A", userHandle: "A", clientDataJSON: "A", authenticatorData: "A",
            signature: "A")
        let store = store(.init()) { [signedIn] in
            $0.passkeyClient.signInRequest = { request }
            $0.passkeyClient.signIn = { _ in signedIn }
        }
        // An answer to no request is ignored.
        await store.send(.passkeyAnswered(.success(assertion)))
        await store.send(.passkeyButtonTapped)
        await store.receive(.passkeyRequestLoaded(.success(request))) {
            $0.passkeyRequest = request
        }
        await store.send(.passkeyAnswered(.success(assertion))) {
            $0.passkeyRequest = nil
            $0.isLoading = true
        }
        await store.receive(.passkeyResponse(.success(signedIn))) { $0.isLoading = false }
        await store.receive(.delegate(.signedIn(signedIn)))
    }

    @Test func screenThatDisappearsAsksForNoPasskey() async {
        let request = PasskeyRequest(challenge: "AAAA", site: "example.org")
        let store = store(.init()) { $0.passkeyClient.signInRequest = { request } }
        await store.send(.passkeyButtonTapped)
        await store.receive(.passkeyRequestLoaded(.success(request))) {
            $0.passkeyRequest = request
        }
        await store.send(.onDisappear) { $0.passkeyRequest = nil }
    }

    @Test func codeThatTheLockHoldsBackIsCleared() async throws {
        let held = UserFacingError(
            title: "You can’t sign in yet", message: RefusalWords.signInWaits.message,
            recoverySuggestion: RefusalWords.signInWaits.suggestion, code: "sign-in-waits")
        let number = try PhoneNumber("+15550100")
        let store = store(.init(verificationCode: "123456", step: .code(sentTo: number))) {
            $0.authClient.signIn = { _, _ in throw held }
        }
        await store.send(.verifyButtonTapped) { $0.isLoading = true }
        await store.receive(.verifyResponse(.failure(held))) {
            $0.isLoading = false
            $0.error = held
            $0.verificationCode = ""
        }
    }
}
