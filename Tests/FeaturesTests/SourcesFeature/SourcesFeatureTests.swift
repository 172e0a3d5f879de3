import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct SourcesFeatureTests {
    private let button = CheckInSource(
        id: Fixture.id(1), name: "Kitchen button", createdAt: Fixture.now)
    private let tag = CheckInSource(id: Fixture.id(2), name: "Door tag", createdAt: Fixture.now)
    private let clock = TestClock()

    private func new(_ source: CheckInSource) throws -> NewSource {
        NewSource(
            source: source,
            address: try #require(URL(string: "https://lifesignal.example/s/secret")))
    }

    private func store(
        _ state: SourcesFeature.State = .init(),
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<SourcesFeature> {
        TestStore(initialState: state) {
            SourcesFeature()
        } withDependencies: {
            $0.continuousClock = clock
            prepare(&$0)
        }
    }

    @Test func failedLoadIsNotShownAsEmpty() async {
        let store = store { $0.sourceClient.sources = { throw UserFacingError.unavailable } }
        await store.send(.onAppear)
        await store.receive(.loaded(.failure(.unavailable))) { $0.error = .unavailable }
        #expect(store.state.sources == nil)
        store.dependencies.sourceClient.sources = { [button] in [button] }
        await store.send(.retryButtonTapped) { $0.error = nil }
        await store.receive(.loaded(.success([button]))) { [button] in $0.sources = [button] }
    }

    @Test func dismissedFailureOfALoadLoadsAgain() async {
        let store = store(.init(error: .unavailable)) { [button] in
            $0.sourceClient.sources = { [button] }
        }
        await store.send(.dismissError) { $0.error = nil }
        await store.receive(.loaded(.success([button]))) { [button] in $0.sources = [button] }
    }

    @Test func addressOfANewSourceIsShownUntilDone() async throws {
        let new = try new(tag)
        let names = LockIsolated<[String]>([])
        let store = store(.init(sources: [button])) {
            $0.sourceClient.add = { name in
                names.withValue { $0.append(name) }
                return new
            }
        }
        await store.send(.nameChanged(" Door tag ")) { $0.name = " Door tag " }
        await store.send(.addButtonTapped) { $0.isAdding = true }
        await store.receive(.addResponse(.success(new))) { [button, tag] in
            $0.isAdding = false
            $0.name = ""
            $0.added = new
            $0.sources = [button, tag]
        }
        #expect(names.value == ["Door tag"])
        // A second source waits, so that nobody overlooks the first address.
        await store.send(.addButtonTapped)
        await store.send(.doneButtonTapped) { $0.added = nil }
    }

    @Test(arguments: ["", "  ", String(repeating: "a", count: 41)])
    func badNameIsNotSent(name: String) async {
        let store = store(.init(sources: [], name: name))
        await store.send(.addButtonTapped) { $0.error = .sourceName }
        #expect(
            store.state.error?.message == "A source’s name has 1 to 40 characters on one line.")
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func failedAdditionKeepsTheName() async {
        let store = store(.init(sources: [], name: "Door tag")) {
            $0.sourceClient.add = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.addButtonTapped) { $0.isAdding = true }
        await store.receive(.addResponse(.failure(.unavailable))) {
            $0.isAdding = false
            $0.error = .unavailable
        }
        #expect(store.state.name == "Door tag")
    }

    @Test func copiedShowsForTwoSeconds() async throws {
        let new = try new(tag)
        let store = store(.init(sources: [tag], added: new))
        await store.send(.copyButtonTapped) { $0.isCopied = true }
        #expect(store.state.copyWords == "Copied")
        await clock.advance(by: .milliseconds(1_999))
        await clock.advance(by: .milliseconds(1))
        await store.receive(.copyExpired) { $0.isCopied = false }
        #expect(store.state.copyWords == "Copy address")
        #expect(new.example == "curl -X POST https://lifesignal.example/s/secret")
    }

    @Test func nothingToCopyWithoutAnAddress() async {
        let store = store(.init(sources: [tag]))
        await store.send(.copyButtonTapped)
    }

    @Test(arguments: [false, true]) func removalFollowsAQuestion(isGone: Bool) async throws {
        let id = tag.id
        let store = store(.init(sources: [button, tag], added: try new(tag))) {
            $0.sourceClient.remove = { _ in if isGone { throw Fixture.notFound } }
        }
        await store.send(.removeButtonTapped(id)) { [tag] in
            $0.confirmation = .removal(of: tag)
        }
        await store.send(\.confirmation.removalConfirmed, id) {
            $0.confirmation = nil
            $0.removing = id
        }
        await store.receive(.removeResponse(id, isGone ? Fixture.notFound : nil)) { [button] in
            $0.removing = nil
            $0.sources = [button]
            $0.added = nil
        }
    }

    @Test func failedRemovalKeepsTheSource() async {
        let id = tag.id
        let store = store(.init(sources: [tag])) {
            $0.sourceClient.remove = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.removeButtonTapped(id)) { [tag] in
            $0.confirmation = .removal(of: tag)
        }
        await store.send(\.confirmation.dismiss) { $0.confirmation = nil }
        await store.send(.removeButtonTapped(id)) { [tag] in
            $0.confirmation = .removal(of: tag)
        }
        await store.send(\.confirmation.removalConfirmed, id) {
            $0.confirmation = nil
            $0.removing = id
        }
        await store.receive(.removeResponse(id, .unavailable)) {
            $0.removing = nil
            $0.error = .unavailable
        }
        #expect(store.state.sources == [tag])
    }

    @Test func tenSourcesAreFull() {
        let ten = (1...10).map {
            CheckInSource(id: Fixture.id(UInt8($0)), name: "Button", createdAt: Fixture.now)
        }
        #expect(SourcesFeature.State(sources: ten).isFull)
        #expect(!SourcesFeature.State(sources: Array(ten.dropLast())).isFull)
        #expect(!SourcesFeature.State().isFull)
    }
}
