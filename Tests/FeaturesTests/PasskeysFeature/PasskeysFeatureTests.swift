import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct PasskeysFeatureTests {
    private let passkey = Passkey(id: Fixture.id(1), name: "Phone", createdAt: Fixture.now)
    private let request = PasskeyRequest(challenge: "AAAA", site: "example.org")
    private let registration = PasskeyRegistration(
        clientDataJSON: "AAAA", attestationObject: "BBBB")

    private func store(
        _ state: PasskeysFeature.State = .init(),
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<PasskeysFeature> {
        TestStore(initialState: state) {
            PasskeysFeature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    @Test func failedLoadCanBeRetried() async {
        let store = store { $0.passkeyClient.passkeys = { throw UserFacingError.unavailable } }
        await store.send(.onAppear)
        await store.receive(.loaded(.failure(.unavailable))) { $0.error = .unavailable }
        store.dependencies.passkeyClient.passkeys = { [passkey] in [passkey] }
        await store.send(.retryButtonTapped) { $0.error = nil }
        await store.receive(.loaded(.success([passkey]))) { [passkey] in
            $0.passkeys = [passkey]
        }
    }

    @Test func dismissedFailureOfALoadLoadsAgain() async {
        let store = store(.init(error: .unavailable)) { [passkey] in
            $0.passkeyClient.passkeys = { [passkey] in [passkey] }
        }
        await store.send(.dismissError) { $0.error = nil }
        await store.receive(.loaded(.success([passkey]))) { [passkey] in
            $0.passkeys = [passkey]
        }
    }

    @Test func passkeyOfTheDeviceIsAdded() async {
        let store = store(.init(passkeys: [])) { [passkey, request] in
            $0.passkeyClient.newPasskeyRequest = { request }
            $0.passkeyClient.add = { _ in passkey }
        }
        await store.send(.addButtonTapped)
        await store.receive(.requestLoaded(.success(request))) { [request] in
            $0.request = request
        }
        await store.send(.passkeyMade(.success(registration))) {
            $0.request = nil
            $0.isAdding = true
        }
        await store.receive(.addResponse(.success(passkey))) { [passkey] in
            $0.isAdding = false
            $0.passkeys = [passkey]
        }
    }

    @Test func passkeyWithoutARequestIsIgnored() async {
        let store = store(.init(passkeys: []))
        await store.send(.passkeyMade(.success(registration)))
    }

    @Test func cancelledPasskeyIsExplained() async {
        let store = store(.init(passkeys: [], request: request))
        await store.send(.passkeyMade(.failure(.noPasskeyGiven))) {
            $0.request = nil
            $0.error = .noPasskeyGiven
        }
    }

    @Test func passkeyIsRenamed() async {
        var renamed = passkey
        renamed.name = "Key ring"
        let store = store(.init(passkeys: [passkey])) { [renamed] in
            $0.passkeyClient.rename = { _, _ in renamed }
        }
        await store.send(.renameButtonTapped(passkey.id)) { [passkey] in
            $0.renaming = passkey.id
            $0.name = "Phone"
        }
        await store.send(.nameChanged("")) { $0.name = "" }
        await store.send(.saveNameButtonTapped) { $0.error = .passkeyName }
        await store.send(.nameChanged("Key ring")) { $0.name = "Key ring" }
        await store.send(.saveNameButtonTapped) {
            $0.error = nil
            $0.isChanging = true
        }
        await store.receive(.renameResponse(.success(renamed))) { [renamed] in
            $0.isChanging = false
            $0.renaming = nil
            $0.passkeys = [renamed]
        }
    }

    @Test func passkeyIsRemovedAfterAQuestion() async {
        let store = store(.init(passkeys: [passkey])) { $0.passkeyClient.remove = { _ in } }
        await store.send(.removeButtonTapped(passkey.id)) { [passkey] in
            $0.confirmation = .removal(of: passkey)
        }
        await store.send(.confirmation(.presented(.removalConfirmed(passkey.id)))) {
            $0.confirmation = nil
            $0.isChanging = true
        }
        await store.receive(.removeResponse(passkey.id, nil)) {
            $0.isChanging = false
            $0.passkeys = []
        }
    }
}
