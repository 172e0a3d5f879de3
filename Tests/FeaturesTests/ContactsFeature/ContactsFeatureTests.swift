import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct ContactsFeatureTests {
    let now = LockIsolated(Fixture.now)
    let clock = TestClock()

    func store(
        _ state: ContactsFeature.State = .init(),
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<ContactsFeature> {
        TestStore(initialState: state) {
            ContactsFeature()
        } withDependencies: {
            $0.date = DateGenerator { [now] in now.value }
            $0.continuousClock = clock
            prepare(&$0)
        }
    }

    @Test func loadedListGoesToTheParent() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let cleo = try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true)
        let store = store { $0.contactClient.contacts = { [ben, cleo] } }
        await store.send(.loadContacts) { $0.isLoading = true }
        await store.receive(.contactsResponse(.success([ben, cleo]))) {
            $0.isLoading = false
            $0.contacts = [ben, cleo]
        }
        await store.receive(.delegate(.contactsChanged([ben, cleo])))
        await store.receive(.delegate(.loadFinished(nil)))
        #expect(store.state.responders == [ben])
        #expect(store.state.dependents == [cleo])
    }

    @Test func nextLoadClearsTheError() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = store(.init(contacts: [ben])) {
            $0.contactClient.contacts = { throw UserFacingError.unavailable }
        }
        await store.send(.loadContacts) { $0.isLoading = true }
        await store.receive(.contactsResponse(.failure(.unavailable))) {
            $0.isLoading = false
            $0.error = .unavailable
        }
        await store.receive(.delegate(.loadFinished(.unavailable)))
        #expect(store.state.contacts == [ben])

        store.dependencies.contactClient.contacts = { [ben] }
        await store.send(.loadContacts) {
            $0.isLoading = true
            $0.error = nil
        }
        await store.receive(.contactsResponse(.success([ben]))) { $0.isLoading = false }
        await store.receive(.delegate(.loadFinished(nil)))
    }

    @Test func errorCanBeDismissed() async {
        let store = store(.init(error: .unavailable))
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func cancelledLoadChangesNothing() async throws {
        let gate = Gate<[ContactData]>()
        let store = store { $0.contactClient.contacts = { try await gate.wait() } }
        await store.send(.loadContacts) { $0.isLoading = true }
        await store.send(.cancelLoading) { $0.isLoading = false }
        gate.open([try Fixture.contact(Fixture.ben, "Ben", isResponder: true)])
        await store.finish()
    }

    @Test func streamReplacesTheListUntilStopped() async throws {
        let (stream, continuation) = AsyncStream<[ContactData]>.makeStream()
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = store { $0.contactClient.contactsStream = { stream } }
        await store.send(.startStream)
        continuation.yield([ben])
        await store.receive(.contactsUpdated([ben])) { $0.contacts = [ben] }
        await store.receive(.delegate(.contactsChanged([ben])))
        continuation.yield([])
        await store.receive(.contactsUpdated([])) { $0.contacts = [] }
        await store.receive(.delegate(.contactsChanged([])))
        await store.send(.stopStream) { $0.isStopped = true }
        continuation.yield([ben])
        await store.finish()
    }

    @Test func listAfterTheStreamStoppedStartsNoTimer() async throws {
        let ben = try Fixture.contact(
            Fixture.ben, "Ben", isDependent: true, next: Fixture.now.adding(.hours(1)))
        let store = store()
        store.exhaustivity = .off
        await store.send(.stopStream)
        await store.send(.contactsUpdated([ben]))
        #expect(store.state.contacts == [ben])
        await store.finish()
    }

    @Test func unchangedListIsNotReported() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = store(.init(contacts: [ben]))
        await store.send(.contactsUpdated([ben]))
        await store.send(.contactUpdated(ben))
        await store.send(.contactRemoved(Fixture.cleo))
    }

    @Test func contactIsUpdatedOrRemoved() async throws {
        var ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let cleo = try Fixture.contact(Fixture.cleo, "Cleo", isResponder: true)
        let store = store(.init(contacts: [ben]))
        await store.send(.contactUpdated(cleo)) { $0.contacts = [ben, cleo] }
        await store.receive(.delegate(.contactsChanged([ben, cleo])))
        ben.name = "Benjamin"
        await store.send(.contactUpdated(ben)) { $0.contacts = [ben, cleo] }
        await store.receive(.delegate(.contactsChanged([ben, cleo])))
        await store.send(.contactRemoved(Fixture.cleo)) { $0.contacts = [ben] }
        await store.receive(.delegate(.contactsChanged([ben])))
    }

    @Test func passedDeadlineShowsWithoutTheServer() async throws {
        let ben = try Fixture.contact(
            Fixture.ben, "Ben", isDependent: true, next: Fixture.now.adding(.seconds(60)))
        let cleo = try Fixture.contact(
            Fixture.cleo, "Cleo", isDependent: true, next: Fixture.now.adding(.seconds(90)))
        let store = store()
        await store.send(.contactsUpdated([ben, cleo])) { $0.contacts = [ben, cleo] }
        await store.receive(.delegate(.contactsChanged([ben, cleo])))

        now.setValue(Fixture.now.addingTimeInterval(59.999))
        await clock.advance(by: .milliseconds(59_999))
        now.setValue(Fixture.now.addingTimeInterval(60))
        await clock.advance(by: .milliseconds(1))
        var silentBen = ben
        silentBen.watch?.status = .nonResponsive
        await store.receive(.deadlineReached) { $0.contacts = [silentBen, cleo] }
        await store.receive(.delegate(.contactsChanged([silentBen, cleo])))

        now.setValue(Fixture.now.addingTimeInterval(90))
        await clock.advance(by: .seconds(30))
        var silentCleo = cleo
        silentCleo.watch?.status = .nonResponsive
        await store.receive(.deadlineReached) { $0.contacts = [silentBen, silentCleo] }
        await store.receive(.delegate(.contactsChanged([silentBen, silentCleo])))
    }

    @Test func slowClockDoesNotOverrideTheServersStatus() async throws {
        let ben = try Fixture.contact(
            Fixture.ben, "Ben", isDependent: true, next: Fixture.now.adding(.seconds(60)),
            status: .nonResponsive)
        let store = store()
        await store.send(.contactsUpdated([ben])) { $0.contacts = [ben] }
        await store.receive(.delegate(.contactsChanged([ben])))
    }

    @Test(arguments: [(Duration.hours(24), false), (.hours(24) - .milliseconds(1), true)])
    func expiredPingAllowsAnother(age: Duration, isPending: Bool)
        async throws
    {
        var ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        ben.pingedAt = Fixture.now.adding(.zero - age)
        let store = store()
        store.exhaustivity = .off
        await store.send(.contactsUpdated([ben]))
        #expect((store.state.contacts[id: Fixture.ben]?.pingedAt != nil) == isPending)
        await store.skipReceivedActions(strict: false)
    }

    @Test func duplicateContactShowsOnce() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = store()
        await store.send(.contactsUpdated([ben, ben])) { $0.contacts = [ben] }
        await store.receive(.delegate(.contactsChanged([ben])))
    }
}
