import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct WebhookFeatureTests {
    private func store(
        _ state: WebhookFeature.State = .init(),
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<WebhookFeature> {
        TestStore(initialState: state) {
            WebhookFeature()
        } withDependencies: {
            $0.uuid = .incrementing
            prepare(&$0)
        }
    }

    private static let topic = "https://ntfy.sh/lifesignal-00000000000000000000000000000000"

    @Test func formBeginsWithASecretTopic() async {
        let id: PushEndpointID = Fixture.id(1)
        let added = LockIsolated<[Webhook]>([])
        let gate = Gate<Bool>()
        let store = store {
            $0.notificationClient.addWebhook = { webhook in
                added.withValue { $0.append(webhook) }
                _ = try await gate.wait()
                return AddedWebhook(id: id)
            }
        }
        await store.send(.openButtonTapped) { $0.form = WebhookFeature.Form(url: Self.topic) }
        await store.send(.tokenChanged(" tk_1 ")) { $0.form?.token = " tk_1 " }
        await store.send(.addButtonTapped) { $0.isAdding = true }
        // What is sent doesn't change any more.
        await store.send(.urlChanged("https://example.org"))
        await store.send(.closeButtonTapped)
        gate.open(true)
        await store.receive(.addResponse(.success(AddedWebhook(id: id)))) {
            $0.isAdding = false
            $0.form = nil
        }
        #expect(added.value.map(\.url.absoluteString) == [Self.topic])
        #expect(added.value.map(\.token) == ["tk_1"])
    }

    @Test func anotherServiceGetsAnEmptyForm() async {
        let store = store(
            .init(form: WebhookFeature.Form(url: Self.topic, token: "tk_1")))
        await store.send(.templateChosen(.telegram)) {
            $0.form = WebhookFeature.Form(
                template: .telegram, url: "https://api.telegram.org")
        }
        await store.send(.templateChosen(.telegram))
        await store.send(.closeButtonTapped) { $0.form = nil }
    }

    @Test func badParameterIsNotSent() async {
        let form = WebhookFeature.Form(
            template: .matrix, url: "https://matrix.example.org", chat: "#room:example.org",
            token: "x")
        let store = store(.init(form: form))
        let error = UserFacingError(
            .invalidArgument(field: "chat", RefusalWords.matrixRoom.detail))
        await store.send(.addButtonTapped) { $0.error = error }
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func failedAdditionKeepsTheForm() async {
        let form = WebhookFeature.Form(url: Self.topic)
        let store = store(.init(form: form)) {
            $0.notificationClient.addWebhook = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.addButtonTapped) { $0.isAdding = true }
        await store.receive(.addResponse(.failure(.unavailable))) {
            $0.isAdding = false
            $0.error = .unavailable
        }
        #expect(store.state.form == form)
    }
}
