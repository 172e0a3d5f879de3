import Clients
import ComposableArchitecture
import Domain
import Features
import Testing

/// Tests corrections of how seed 002 calls the API; see features.md.
@MainActor @Suite struct DependentsEffectCorrectionTests {
    private let clock = TestClock()
    private let asked = LockIsolated<[UserID]>([])

    private func state(_ status: UserStatus = .active) throws -> DependentsFeature.State {
        .init(
            contacts: .init(contacts: [
                try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: status),
                try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true),
            ]))
    }

    private func store(
        _ state: DependentsFeature.State,
        _ ping: @escaping @Sendable (UserID) async throws -> Submission<PingRecord>,
        and seed: Reduce<DependentsFeature.State, DependentsFeature.Action> = .init { _, _ in .none
        }
    ) -> TestStoreOf<DependentsFeature> {
        let store = TestStore(initialState: state) {
            CombineReducers {
                DependentsFeature()
                seed
            }
        } withDependencies: {
            $0.date = .constant(Fixture.now)
            $0.connectivityClient.status = { .finished }
            $0.pingClient.pingDependent = ping
        }
        store.exhaustivity = .off
        return store
    }

    private func finish(_ store: TestStoreOf<DependentsFeature>) async {
        await store.finish()
        await store.skipReceivedActions(strict: false)
    }

    @Test(
        """
        Seed: `pingClient` in DependentsFeature, beside the PingFeature that it holds, sends each \
        ping twice; ours: once, by the feature that it belongs to
        """
    )
    func pingIsSentOnce() async throws {
        let ping: @Sendable (UserID) async throws -> Submission<PingRecord> = { [asked] id in
            asked.withValue { $0.append(id) }
            return .waiting
        }
        /// The seed's handler for this action.
        let seed = Reduce<DependentsFeature.State, DependentsFeature.Action> { _, action in
            guard case .ping(.pingDependent(let id)) = action else { return .none }
            return .run { _ in _ = try await ping(id) }
        }
        let seeds = store(try state(), ping, and: seed)
        await seeds.send(.ping(.pingDependent(Fixture.ben)))
        await finish(seeds)
        #expect(asked.value.count == 2)

        asked.setValue([])
        let ours = store(try state(), ping)
        await ours.send(.ping(.pingDependent(Fixture.ben)))
        await finish(ours)
        #expect(asked.value == [Fixture.ben])
    }

    @Test(
        """
        Seed: `pingDependent` succeeds or fails, so a ping that waits for a connection is shown \
        as sent; ours: says that it waits
        """
    )
    func queuedPingIsShownAsQueued() async throws {
        /// Does what the original specification's code does: it treats every answer except an error
        /// as a success.
        func seedAction(_ answer: Submission<PingRecord>) -> PingFeature.Action {
            .pingDependentSucceeded(Fixture.ben)
        }
        #expect(seedAction(.waiting) == .pingDependentSucceeded(Fixture.ben))

        let store = store(try state()) { _ in .waiting }
        await store.send(.ping(.pingDependent(Fixture.ben)))
        await store.receive(.ping(.pingDependentWaiting(Fixture.ben)))
        await finish(store)
        #expect(store.state.ping.isWaitingToBeSent(Fixture.ben))
        #expect(store.state.contacts.contacts[id: Fixture.ben]?.pingedAt == nil)
    }

    @Test(
        """
        Seed: a ping is for a non-responsive dependent alone, so a worried responder has to wait \
        for the deadline; ours: for any dependent
        """,
        arguments: [UserStatus.active, .nonResponsive, .alertActive])
    func anyDependentIsPinged(status: UserStatus) async throws {
        func seedAllows(_ status: UserStatus) -> Bool { status == .nonResponsive }
        #expect(!seedAllows(.active))

        let store = store(try state(status)) { [asked] id in
            asked.withValue { $0.append(id) }
            return .waiting
        }
        await store.send(.ping(.pingDependent(Fixture.ben)))
        await finish(store)
        #expect(asked.value == [Fixture.ben])
    }

    @Test(
        """
        Seed: a call is cancelled by the next of its kind, so a ping to Cleo takes back the one to \
        Ben; ours sends both
        """
    )
    func secondCommandDoesNotCancelTheFirst() async throws {
        enum CancellationID { case ping }
        let seed = TestStore(initialState: 0) { [asked, clock] in
            Reduce<Int, UserID> { _, id in
                .run { _ in
                    try await clock.sleep(for: .seconds(1))
                    asked.withValue { $0.append(id) }
                }
                .cancellable(id: CancellationID.ping, cancelInFlight: true)
            }
        }
        await seed.send(Fixture.ben)
        await seed.send(Fixture.cleo)
        await clock.advance(by: .seconds(1))
        #expect(asked.value == [Fixture.cleo])

        asked.setValue([])
        let ours = store(try state()) { [asked, clock] id in
            try await clock.sleep(for: .seconds(1))
            asked.withValue { $0.append(id) }
            return .waiting
        }
        await ours.send(.ping(.pingDependent(Fixture.ben)))
        await ours.send(.ping(.pingDependent(Fixture.cleo)))
        await clock.advance(by: .seconds(1))
        await finish(ours)
        #expect(Set(asked.value) == [Fixture.ben, Fixture.cleo])
    }

    @Test(
        """
        Seed: `cancellable(id:)` alone cancels no earlier call, and an effect that only \
        dispatches has none; ours: the call itself, with `cancelInFlight`
        """
    )
    func aSecondLoadCancelsTheFirst() async {
        enum CancellationID { case loadContacts }
        let loaded = LockIsolated(0)
        let load: @Sendable () async throws -> [ContactData] = { [clock] in
            try await clock.sleep(for: .seconds(1))
            loaded.withValue { $0 += 1 }
            return []
        }
        let seed = TestStore(initialState: 0) {
            Reduce<Int, Int> { _, _ in
                .run { _ in _ = try await load() }.cancellable(id: CancellationID.loadContacts)
            }
        }
        await seed.send(1)
        await seed.send(2)
        await clock.advance(by: .seconds(1))
        #expect(loaded.value == 2)

        loaded.setValue(0)
        let ours = TestStore(initialState: DependentsFeature.State()) {
            DependentsFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
            $0.contactClient.contacts = load
        }
        ours.exhaustivity = .off
        await ours.send(.refreshPulled)
        await ours.receive(\.contacts.loadContacts)
        await ours.send(.refreshPulled)
        await ours.receive(\.contacts.loadContacts)
        await clock.advance(by: .seconds(1))
        await finish(ours)
        #expect(loaded.value == 1 && !ours.state.isLoading)
    }
}
