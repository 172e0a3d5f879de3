import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

@MainActor @Suite struct DependentsFeatureTests {
    typealias State = DependentsFeature.State

    func person(
        _ number: UInt8, _ name: String, inMinutes minutes: Int? = nil,
        status: UserStatus = .active, addedDaysAgo: Int = 0
    ) throws -> ContactData {
        try Fixture.contact(
            Fixture.id(number), name, isDependent: true,
            dateAdded: Fixture.now.adding(.days(-addedDaysAgo)),
            next: minutes.map { Fixture.now.adding(.minutes($0)) }, status: status
        )
    }

    func sorted(_ contacts: [ContactData], by option: State.SortOption, locale: String = "en_US")
        -> [String]
    {
        var state = State(
            contacts: .init(contacts: IdentifiedArray(uniqueElements: contacts)),
            sortOption: option)
        state.contacts.locale = Locale(identifier: locale)
        return state.sortedDependents.map(\.name)
    }

    // MARK: Order

    @Test func mostUrgentComesFirst() throws {
        let people = try [
            person(10, "Never checked in"), person(11, "In an hour", inMinutes: 60),
            person(12, "In a minute", inMinutes: 1),
            person(13, "Silent for a minute", inMinutes: -1, status: .nonResponsive),
            person(14, "Silent for an hour", inMinutes: -60, status: .nonResponsive),
            person(15, "Alert", inMinutes: 600, status: .alertActive),
        ]
        #expect(
            sorted(people, by: .timeLeft) == [
                "Alert", "Silent for an hour", "Silent for a minute", "In a minute", "In an hour",
                "Never checked in",
            ]
        )
        #expect(sorted(people.reversed(), by: .timeLeft) == sorted(people, by: .timeLeft))
    }

    @Test(arguments: [
        ("de_DE", ["anna", "Anna 9", "Anna 10", "Ärla", "Öl", "Zoe"]),
        ("sv_SE", ["anna", "Anna 9", "Anna 10", "Zoe", "Ärla", "Öl"]),
    ])
    func namesAreSortedByLanguage(locale: String, names: [String]) throws {
        let people = try names.enumerated().map { try person(UInt8(10 + $0.offset), $0.element) }
        #expect(sorted(people.reversed(), by: .name, locale: locale) == names)
    }

    @Test func newestComesFirstThenByName() throws {
        let people = try [
            person(10, "Old", addedDaysAgo: 9), person(11, "B"), person(12, "A"),
            person(13, "Yesterday", addedDaysAgo: 1),
        ]
        #expect(sorted(people, by: .dateAdded) == ["A", "B", "Yesterday", "Old"])
    }

    @Test func equalNamesKeepTheirOrder() throws {
        let people = try [person(10, "Ben", addedDaysAgo: 1), person(11, "Ben")]
        for order in [people, people.reversed()] {
            let state = State(
                contacts: .init(contacts: IdentifiedArray(uniqueElements: order)), sortOption: .name
            )
            #expect(state.sortedDependents == people)
        }
    }

    @Test(arguments: State.SortOption.allCases)
    func dependentsInTroubleComeFirstInEveryOrder(option: State.SortOption) throws {
        let people = try [
            person(10, "A", inMinutes: 1),
            person(11, "Y", inMinutes: -60, status: .nonResponsive, addedDaysAgo: 8),
            person(12, "Z", inMinutes: 600, status: .alertActive, addedDaysAgo: 9),
        ]
        #expect(sorted(people, by: option) == ["Z", "Y", "A"])
    }

    @Test func badgeCountsDependentsInTrouble() throws {
        let people = try [
            person(10, "A", status: .nonResponsive), person(11, "B"),
            person(12, "C", status: .alertActive), person(13, "D", status: .nonResponsive),
        ]
        var state = State(contacts: .init(contacts: IdentifiedArray(uniqueElements: people)))
        #expect(state.nonResponsiveDependentsCount == 3)
        state.contacts.contacts = []
        #expect(state.nonResponsiveDependentsCount == 0)
    }

    // MARK: Stories

    func store(_ state: State = .init(), prepare: (inout DependencyValues) -> Void = { _ in })
        -> TestStoreOf<DependentsFeature>
    {
        TestStore(initialState: state) {
            DependentsFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
            $0.pingClient.pingsStream = { .finished }
            $0.connectivityClient.status = { .finished }
            $0.settingsClient.string = { _ in nil }
            $0.settingsClient.setString = { _, _ in }
            prepare(&$0)
        }
    }

    @Test func badgeRisesWhenADeadlinePasses() async throws {
        let now = LockIsolated(Fixture.now)
        let clock = TestClock()
        let ben = try person(10, "Ben", inMinutes: 1)
        let store = store {
            $0.date = DateGenerator { now.value }
            $0.continuousClock = clock
        }
        store.exhaustivity = .off
        await store.send(.contacts(.contactsUpdated([ben])))
        #expect(store.state.nonResponsiveDependentsCount == 0)
        now.setValue(Fixture.now.adding(.minutes(1)))
        await clock.advance(by: .minutes(1))
        await store.receive(\.contacts.deadlineReached)
        #expect(store.state.nonResponsiveDependentsCount == 1)
    }

    @Test func newSortOptionIsNotReplacedByTheStoredOne() async throws {
        let gate = Gate<String>()
        let ben = try person(10, "Ben")
        let store = store(.init(contacts: .init(contacts: [ben]))) {
            $0.settingsClient.string = { _ in try? await gate.wait() }
        }
        await store.send(.onAppear)
        await store.receive(.ping(.startStream))
        await store.send(.setSortOption(.name)) { $0.sortOption = .name }
        gate.open("dateAdded")
        await store.finish()
    }

    @Test func pingFromTheSheetShowsOnTheCard() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        var pinged = ben
        pinged.pingedAt = Fixture.now
        let ping = Fixture.ping(10, from: Fixture.ana, to: Fixture.ben)
        let store = store(
            .init(
                contacts: .init(contacts: [ben]),
                contactDetails: .init(contact: ben, isSheetPresented: true))
        ) {
            $0.pingClient.pingDependent = { _ in .confirmed(ping) }
        }
        store.exhaustivity = .off
        await store.send(.contactDetails(.pingButtonTapped))
        await store.finish()
        await store.skipReceivedActions(strict: false)
        #expect(store.state.contacts.contacts == [pinged])
        #expect(store.state.contactDetails.contact == pinged)
        #expect(store.state.contactDetails.canClearPing && !store.state.contactDetails.canPing)
    }

    @Test func addedDependentIsShown() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let cleo = try Fixture.contact(Fixture.cleo, "Cleo", isResponder: true)
        let store = store()
        await store.send(.addContact(.delegate(.contactAdded(ben)))) {
            $0.alerts.contactAdded = true
            $0.alerts.addedContact = ben
        }
        await store.receive(.contacts(.contactUpdated(ben))) { $0.contacts.contacts = [ben] }
        await store.receive(\.contacts.delegate.contactsChanged)
        await store.receive(\.delegate.contactsChanged)
        await store.send(.addContact(.delegate(.contactAdded(cleo)))) {
            $0.alerts = .init()
        }
        await store.receive(.contacts(.contactUpdated(cleo))) {
            $0.contacts.contacts = [ben, cleo]
        }
        await store.receive(\.contacts.delegate.contactsChanged)
        await store.receive(\.delegate.contactsChanged)
    }

    @Test func scannedCodeOpensAddingAsADependent() async {
        let store = store {
            $0.contactClient.codeOwner = { _ in CodeOwner(id: Fixture.ben, name: "Ben") }
        }
        await store.send(.codeReceived(Fixture.code)) {
            $0.addContact = .init(
                code: Fixture.code, isResponder: false, isDependent: true, isSheetPresented: true)
        }
        await store.receive(.addContact(.onAppear)) { $0.addContact.isLoading = true }
        await store.receive(\.addContact.codeOwnerResponse.success) {
            $0.addContact.isLoading = false
            $0.addContact.owner = CodeOwner(id: Fixture.ben, name: "Ben")
            $0.addContact.name = "Ben"
        }
    }

    @Test func dependentsAlertOpensAndFollowsTheList() async throws {
        var ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        let store = store(.init(contacts: .init(contacts: [ben])))
        await store.send(.alertTapped(ben)) {
            $0.dependentAlert = .init(dependent: ben, isOpeningUntold: true)
        }
        ben.watch?.emergencyNote = "Asthma"
        await store.send(.setContacts([ben])) { $0.contacts.contacts = [ben] }
        await store.receive(.dependentAlert(.presented(.setDependent(ben)))) {
            $0.dependentAlert?.dependent = ben
        }
        await store.send(.dependentAlert(.dismiss)) { $0.dependentAlert = nil }
    }

    /// The line of a new alarm in the sheet of another alert leads to the new alert.
    @Test func anotherAlertOpensANewSheet() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        let cleo = try Fixture.contact(
            Fixture.cleo, "Cleo", isDependent: true, status: .alertActive)
        let first = DependentAlertFeature.State(dependent: cleo)
        let store = store(.init(contacts: .init(contacts: [ben, cleo]), dependentAlert: first))
        await store.send(.alertTapped(ben)) {
            $0.dependentAlert = .init(dependent: ben, isOpeningUntold: true, replacing: first)
        }
        #expect(store.state.dependentAlert?.id != first.id)
    }
}
