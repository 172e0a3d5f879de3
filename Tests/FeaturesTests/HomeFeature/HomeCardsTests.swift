import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct HomeCardsTests {
    typealias Feature = HomeCardsFeature

    private func asking(
        _ user: UserID = Fixture.ben, _ name: String = "Ben", _ role: ContactRole = .dependent,
        isMine: Bool = false, isResponder: Bool = false, at time: Date = Fixture.now
    ) throws -> ContactData {
        var contact = try Fixture.contact(user, name, isResponder: isResponder, isDependent: true)
        contact.isDependent = false
        contact.watch = nil
        contact.requests = [RoleRequest(role: role, isMine: isMine, requestedAt: time)]
        return contact
    }

    private func store(
        _ contacts: IdentifiedArrayOf<ContactData>,
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<Feature> {
        TestStore(initialState: .init(contacts: contacts)) {
            Feature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    // MARK: Protection

    @Test func cardsAreEmptyBeforeTheContactsAreKnown() {
        #expect(Feature.State().protection == nil && Feature.State().requests.isEmpty)
    }

    @Test func onlyAcceptedRespondersProtect() throws {
        let dependent = try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true)
        #expect(Feature.State(contacts: []).protection == .nobody)
        #expect(Feature.State(contacts: [dependent]).protection == .nobody)
        let offers = try asking(role: .responder)
        #expect(Feature.State(contacts: [offers]).protection == .nobody)
        let asked = Feature.State(contacts: [try asking(role: .responder, isMine: true)])
        #expect(asked.protection == .asked && asked.askedNames == ["Ben"])
        let accepted = try Fixture.contact(Fixture.cleo, "Cleo", isResponder: true)
        #expect(Feature.State(contacts: [offers, accepted]).protection == .accepted)
    }

    private func asking(role: ContactRole, isMine: Bool = false) throws -> ContactData {
        try asking(Fixture.ben, "Ben", role, isMine: isMine)
    }

    // MARK: Requests

    @Test func requestsAreOldestFirstWithoutTheUsersOwn() throws {
        let state = Feature.State(contacts: [
            try asking(Fixture.cleo, "Cleo", .responder, at: Fixture.now),
            try asking(Fixture.ben, "Ben", at: Fixture.now.addingTimeInterval(-1)),
            try asking(Fixture.id(9), "Dora", .responder, isMine: true),
        ])
        #expect(state.requests.map(\.contact.name) == ["Ben", "Cleo"])
        #expect(state.requests.map(\.role) == [.dependent, .responder])
    }

    /// People who sent STOP may be guests, who have no app.
    @Test func unreachableRespondersAreAskedForWhatHelps() throws {
        var mia = try Fixture.contact(Fixture.ben, "Mia", isResponder: true)
        mia.reachability = .unreachable()
        mia.reachability?.hasStoppedTexts = true
        var tom = try Fixture.contact(Fixture.cleo, "Tom", isResponder: true)
        tom.reachability = .unreachable()
        func card(_ contacts: [ContactData], mayDrill: Bool = true) -> String? {
            Feature.State(contacts: IdentifiedArray(uniqueElements: contacts))
                .audienceCard(mayDrill: mayDrill)?.text
        }
        #expect(
            card([mia])
                == "Mia can’t be reached. Ask them to answer START to LifeSignal’s number.")
        #expect(
            card([tom]) == """
                Tom can’t be reached while LifeSignal is closed. Ask them to turn on notifications \
                in its settings.
                """)
        #expect(
            card([mia, tom]) == """
                Mia and Tom can’t be reached while LifeSignal is closed. Ask Tom to turn on \
                notifications in its settings, and Mia to answer START to LifeSignal’s number.
                """)
        var eve = try Fixture.contact(Fixture.id(9), "Eve", isResponder: true)
        eve.reachability = .proven(by: .sms, on: Fixture.now)
        #expect(card([mia, eve]) == "Mia can’t be reached. Your other responders can.")
        eve.reachability = .notProven
        #expect(card([eve])?.hasSuffix("in the last 30 days. Start a drill to find out.") == true)
        #expect(card([eve], mayDrill: false)?.hasSuffix("in the last 30 days.") == true)
    }

    @Test func drillIsNotOfferedDuringAnotherOrAnAlert() {
        func drill(startedAgo hours: Int) -> DrillFeature.State {
            let start = Fixture.now.adding(.hours(-hours))
            return .init(own: DrillRecord(id: Fixture.id(5), startedAt: start), now: Fixture.now)
        }
        var home = HomeFeature.State(drill: drill(startedAgo: 24))
        #expect(home.mayDrill && HomeFeature.State().mayDrill)
        home.drill = drill(startedAgo: 0)
        #expect(!home.mayDrill)
        home.drill = drill(startedAgo: 23)
        #expect(!home.mayDrill)
        home.drill = .init(now: Fixture.now)
        home.alert.isAlertActive = true
        #expect(!home.mayDrill)
        home.alert.isAlertActive = false
        home.alert.missedCheckIn = Fixture.alert(7, of: Fixture.ana)
        #expect(!home.mayDrill)
        home.alert.missedCheckIn = nil
        home.alert.overdueJourney = Fixture.alert(7, of: Fixture.ana)
        #expect(!home.mayDrill)
    }

    @Test func acceptingIsSentOnceAndUpdatesTheList() async throws {
        let gate = Gate<ContactData>()
        let accepted = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let store = store([try asking()]) {
            $0.contactClient.acceptRequest = { _, _ in try await gate.wait() }
        }
        let operation = Feature.Operation.accept(Fixture.ben, .dependent)
        await store.send(.acceptButtonTapped(Fixture.ben, .dependent)) { $0.inFlight = [operation] }
        await store.send(.acceptButtonTapped(Fixture.ben, .dependent))
        await store.send(.declineButtonTapped(Fixture.ben, .dependent))
        gate.open(accepted)
        await store.receive(.answered(operation, .success(accepted))) { $0.inFlight = [] }
        await store.receive(.delegate(.contactUpdated(accepted)))
        #expect(gate.calls.value == 1)
    }

    @Test(arguments: [false, true]) func decliningCanRemoveTheContact(isGone: Bool) async throws {
        let store = store([try asking()]) {
            $0.contactClient.declineRequest = { _, _ in if isGone { throw Fixture.notFound } }
        }
        let operation = Feature.Operation.decline(Fixture.ben, .dependent)
        await store.send(.declineButtonTapped(Fixture.ben, .dependent)) {
            $0.inFlight = [operation]
        }
        await store.receive(.answered(operation, .success(nil))) { $0.inFlight = [] }
        await store.receive(.delegate(.contactRemoved(Fixture.ben)))
    }

    @Test func decliningLeavesOtherRoles() async throws {
        let contact = try asking(isResponder: true)
        var left = contact
        left.requests = []
        let store = store([contact]) { $0.contactClient.declineRequest = { _, _ in } }
        let operation = Feature.Operation.decline(Fixture.ben, .dependent)
        await store.send(.declineButtonTapped(Fixture.ben, .dependent)) {
            $0.inFlight = [operation]
        }
        await store.receive(.answered(operation, .success(left))) { $0.inFlight = [] }
        await store.receive(.delegate(.contactUpdated(left)))
    }

    @Test func failedAnswerCanBeDismissed() async throws {
        let store = store([try asking()]) {
            $0.contactClient.acceptRequest = { _, _ in throw Fixture.refused }
        }
        let operation = Feature.Operation.accept(Fixture.ben, .dependent)
        await store.send(.acceptButtonTapped(Fixture.ben, .dependent)) { $0.inFlight = [operation] }
        await store.receive(.answered(operation, .failure(Fixture.refused))) {
            $0.inFlight = []
            $0.error = Fixture.refused
        }
        await store.send(.dismissError) { $0.error = nil }
    }

    // MARK: Pings

    @Test func pingIsAnsweredFromItsCard() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true, hasPendingPing: true)
        var answered = ben
        answered.hasPendingPing = false
        let store = store([ben]) {
            $0.pingClient.respondToPing = { id in #expect(id == Fixture.ben) }
        }
        #expect(store.state.pings == [ben])
        let operation = Feature.Operation.answerPing(Fixture.ben)
        await store.send(.answerPingButtonTapped(Fixture.ben)) { $0.inFlight = [operation] }
        await store.receive(.answered(operation, .success(answered))) { $0.inFlight = [] }
        await store.receive(.delegate(.contactUpdated(answered)))
    }

    // MARK: Within the tabs

    @Test func cardsFollowTheListAndUpdateBothTabs() async throws {
        let asks = try asking()
        let accepted = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let store = TestStore(initialState: MainTabFeature.State(userID: Fixture.ana)) {
            MainTabFeature()
        } withDependencies: {
            $0.date.now = Fixture.now
            $0.continuousClock = TestClock()
            $0.contactClient.contactsStream = { AsyncStream { $0.finish() } }
            $0.contactClient.acceptRequest = { _, _ in accepted }
        }
        store.exhaustivity = .off
        await store.send(.responders(.contacts(.contactsUpdated([asks]))))
        await store.skipReceivedActions()
        #expect(store.state.home.cards.requests.map(\.contact) == [asks])
        await store.send(.home(.cards(.acceptButtonTapped(Fixture.ben, .dependent))))
        await store.receive(\.home.cards.delegate.contactUpdated)
        await store.skipReceivedActions()
        #expect(store.state.home.cards.requests.isEmpty)
        #expect(store.state.dependents.contacts.contacts == [accepted])
        await store.send(.home(.cards(.addResponderButtonTapped)))
        await store.receive(\.home.cards.delegate.addResponder)
        await store.skipReceivedActions()
        #expect(store.state.selectedTab == .responders)
        #expect(store.state.responders.qrScanner.isSheetPresented)
    }
}
