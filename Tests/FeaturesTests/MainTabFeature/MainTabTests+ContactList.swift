import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension MainTabTests {
    @Test func oneStreamServesBothTabs() async throws {
        let (lists, change) = AsyncStream.makeStream(of: [ContactData].self)
        let starts = LockIsolated(0)
        let store = store {
            $0.contactClient.contactsStream = {
                starts.withValue { $0 += 1 }
                return lists
            }
            $0.notificationClient.notificationStream = { .never }
            $0.authClient.session = { nil }
            $0.connectivityClient.status = { .finished }
            $0.pushClient = .unsupported
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true, isDependent: true)
        let cleo = try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true)
        for list in [[ben], [ben, cleo], [cleo], []] {
            change.yield(list)
            await store.receive(.responders(.contacts(.contactsUpdated(list))))
            await store.receive(.dependents(.setContacts(IdentifiedArray(uniqueElements: list))))
            #expect(Array(store.state.responders.contacts.contacts) == list)
            #expect(Array(store.state.dependents.contacts.contacts) == list)
        }
        #expect(starts.value == 1)
        await store.send(.onDisappear)
        change.yield([ben])
        await store.skipReceivedActions(strict: false)
        #expect(store.state.responders.contacts.contacts.isEmpty)
        await store.finish()
    }

    @Test func dependentsListReachesRespondersWithoutEcho() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = store { _ in }
        await store.send(.dependents(.contacts(.contactsUpdated([ben])))) {
            $0.dependents.contacts.contacts = [ben]
        }
        await store.receive(.dependents(.contacts(.delegate(.contactsChanged([ben])))))
        await store.receive(.dependents(.delegate(.contactsChanged([ben])))) {
            $0.home.alert.hasResponders = true
            $0.home.alert.responderNames = ["Ben"]
            $0.home.cards.contacts = [ben]
        }
        await store.receive(.responders(.setContacts([ben]))) {
            $0.responders.contacts.contacts = [ben]
        }
        // Receiving the same list again changes nothing.
        await store.send(.dependents(.contacts(.contactsUpdated([ben]))))
    }

    @Test func listChangeUpdatesTheOtherTabsSheet() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let renamed = try Fixture.contact(Fixture.ben, "Benjamin", isDependent: true)
        let store = store { _ in }
        store.exhaustivity = .off
        await store.send(.dependents(.contacts(.contactsUpdated([ben]))))
        await store.skipReceivedActions()
        await store.send(.dependents(.selectContact(ben)))
        await store.send(.responders(.contacts(.contactsUpdated([renamed]))))
        await store.receive(.dependents(.contactDetails(.setContact(renamed))))
        #expect(store.state.dependents.contactDetails.contact == renamed)
    }

    @Test(
        """
        A tab that goes stops nothing of the tab that came: both have features of one kind, whose \
        effects have the same ids
        """
    )
    func leavingOneTabKeepsTheOthersEffects() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let (answers, answer) = AsyncStream.makeStream(of: [ContactData].self)
        let streams = LockIsolated<[AsyncStream<[PingRecord]>.Continuation]>([])
        let store = store {
            $0.contactClient.contacts = {
                for await contacts in answers { return contacts }
                throw CancellationError()
            }
            $0.connectivityClient.status = { .finished }
            $0.pingClient.pingsStream = {
                let (pings, change) = AsyncStream.makeStream(of: [PingRecord].self)
                streams.withValue { $0.append(change) }
                return pings
            }
            $0.settingsClient.string = { _ in nil }
        }
        store.exhaustivity = .off
        await store.send(.dependents(.onAppear))
        await store.skipReceivedActions()
        #expect(store.state.dependents.isLoading)
        await store.send(.responders(.onDisappear))
        await store.skipReceivedActions()
        answer.yield([ben])
        await store.receive(\.dependents.contacts.contactsResponse)
        await store.skipReceivedActions()
        #expect(!store.state.dependents.isLoading)
        #expect(store.state.dependents.contacts.contacts == [ben])
        let change = try #require(streams.value.last)
        change.yield([])
        await store.receive(\.dependents.ping.pingsUpdated)
        await store.send(.dependents(.onDisappear))
        await store.skipReceivedActions()
        await store.finish()
    }
}
