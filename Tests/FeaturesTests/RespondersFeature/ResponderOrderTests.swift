import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Synchronization
import Testing

@MainActor @Suite struct ResponderOrderTests {
    private func people() throws -> [ContactData] {
        try [(Fixture.ben, "Ben"), (Fixture.cleo, "Cleo"), (Fixture.ana, "Ana")].enumerated().map {
            var contact = try Fixture.contact($1.0, $1.1, isResponder: true)
            contact.dateAdded = Fixture.now.adding(.seconds($0))
            return contact
        }
    }

    private func state(_ contacts: [ContactData]) -> RespondersFeature.State {
        .init(contacts: .init(contacts: IdentifiedArray(uniqueElements: contacts)))
    }

    @Test func placedRespondersComeBeforeTheOldest() throws {
        var people = try people()
        #expect(state(people).responderOrder.map(\.name) == ["Ben", "Cleo", "Ana"])
        people[2].position = 0
        #expect(state(people).responderOrder.map(\.name) == ["Ana", "Ben", "Cleo"])
    }

    @Test func responderWithoutANumberHasNoPlace() throws {
        var people = try people()
        people[2].phoneNumber = nil
        let state = state(people)
        #expect(state.responderOrder.map(\.name) == ["Ben", "Cleo"])
        #expect(!state.canMove(Fixture.ana, .up) && !state.canMove(Fixture.cleo, .down))
    }

    @Test func firstCannotMoveUpNorLastDown() throws {
        let state = state(try people())
        #expect(!state.canMove(Fixture.ben, .up) && state.canMove(Fixture.ben, .down))
        #expect(state.canMove(Fixture.ana, .up) && !state.canMove(Fixture.ana, .down))
    }

    @Test func secondMoveWaitsForTheAnswer() async throws {
        var state = state(try people())
        state.isOrdering = true
        let store = TestStore(initialState: state) { RespondersFeature() }
        await store.send(.moveResponder(Fixture.ben, .down))
    }

    @Test func newOrderIsAnnouncedOnlyAfterAMove() async throws {
        let people = try people()
        let store = TestStore(initialState: state(people)) {
            RespondersFeature()
        } withDependencies: {
            $0.date.now = Fixture.now
            $0.contactClient.orderResponders = { ids in
                people.map { contact in
                    var contact = contact
                    contact.position = ids.firstIndex(of: contact.id)
                    return contact
                }
            }
        }
        store.exhaustivity = .off
        #expect(store.state.orderNews == "")
        await store.send(.moveResponder(Fixture.ana, .up))
        #expect(store.state.orderNews == "")
        await store.receive(\.contacts.contactsUpdated)
        #expect(store.state.orderNews == "Ben, Ana, Cleo")
        await store.send(.onDisappear)
        #expect(store.state.orderNews == "")
    }

    @Test func moveSendsTheWholeOrder() async throws {
        let people = try people()
        let sent = Mutex<[[UserID]]>([])
        let store = TestStore(initialState: state(people)) {
            RespondersFeature()
        } withDependencies: {
            $0.contactClient.orderResponders = { ids in
                sent.withLock { $0.append(ids) }
                throw UserFacingError.unavailable
            }
        }
        await store.send(.moveResponder(Fixture.ana, .up)) { $0.isOrdering = true }
        await store.receive(.orderResponse(.failure(.unavailable))) {
            $0.isOrdering = false
            $0.error = .unavailable
        }
        #expect(sent.withLock { $0 } == [[Fixture.ben, Fixture.ana, Fixture.cleo]])
    }
}
