import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Synchronization
import Testing

/// Ben has missed a check-in, and then raises an alert.
@MainActor @Suite struct TwoAlertsTests {
    let ben: ContactData
    let missed, call: AlertRecord

    init() throws {
        ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        var missed = Fixture.alert(20, of: Fixture.ben)
        missed.kind = .missedCheckIn
        self.missed = missed
        call = Fixture.alert(21, of: Fixture.ben)
    }

    private func store(_ state: DependentAlertFeature.State) -> TestStoreOf<DependentAlertFeature> {
        let known = [missed, call]
        return TestStore(initialState: state) {
            DependentAlertFeature()
        } withDependencies: {
            $0.alertClient.alert = { id in
                guard let alert = known.first(where: { $0.id == "\(id)" }) else {
                    throw UserFacingError.unavailable
                }
                return alert
            }
        }
    }

    private func ended(_ alert: AlertRecord) -> AlertRecord {
        var alert = alert
        alert.isActive = false
        alert.endTime = Fixture.now.adding(.minutes(5))
        return alert
    }

    private func started(_ alert: AlertRecord, after time: Duration) -> AlertRecord {
        var alert = alert
        alert.startTime = Fixture.now.adding(time)
        return alert
    }

    @Test(arguments: [true, false]) func cardOpensTheCallForHelp(isCallNewer: Bool) async {
        let store = store(.init(dependent: ben))
        await store.send(.alertsUpdated(isCallNewer ? [call, missed] : [missed, call])) {
            $0.alertID = AlertID(call.id)
            $0.alert = call
            $0.others = [missed]
            $0.isLoading = true
        }
        await store.receive(.alertResponse(.success(call))) { $0.isLoading = false }
    }

    @Test(arguments: [true, false]) func shownAlertStaysWhileOpen(isCallNewer: Bool)
        async
    {
        let both = isCallNewer ? [call, missed] : [missed, call]
        for shown in both {
            let store = store(.init(alertID: AlertID(shown.id), dependent: ben, alert: shown))
            await store.send(.alertsUpdated(both)) {
                $0.others = both.filter { $0.id != shown.id }
            }
        }
    }

    @Test func otherAlertIsNamedAndShown() async {
        let opened = Mutex<[AlertID]>([])
        let store = store(.init(alertID: AlertID(missed.id), dependent: ben, alert: missed))
        store.dependencies.alertClient.opened = { id in opened.withLock { $0.append(id) } }
        await store.send(.alertsUpdated([missed, call])) { $0.others = [call] }
        #expect(
            store.state.otherWords(call) == "Ben has also raised an alert. No one is on it yet.")
        await store.send(.otherAlertTapped(missed.id))
        await store.send(.otherAlertTapped(call.id)) {
            $0.alertID = AlertID(call.id)
            $0.alert = call
            $0.others = [missed]
            $0.isLoading = true
        }
        await store.receive(.alertResponse(.success(call))) { $0.isLoading = false }
        #expect(store.state.title == "Ben needs help" && store.state.canAcknowledge)
        await store.send(.alertsUpdated([call, ended(missed)])) { $0.others = [] }
        await store.finish()
        #expect(opened.withLock { $0 } == [Fixture.id(21)])
    }

    @Test func otherAlertSaysWhoIsOnIt() {
        var state = DependentAlertFeature.State(dependent: ben, alert: call, ownID: Fixture.ana)
        var other = missed
        other.acknowledgement = .init(
            responderId: "\(Fixture.cleo)", name: "Cleo", time: Fixture.now, afterSeconds: 5)
        #expect(state.otherWords(other) == "Ben has also missed a check-in. Cleo is on it.")
        state.ownID = Fixture.cleo
        #expect(state.otherWords(other) == "Ben has also missed a check-in. You are on it.")
        other.acknowledgement = nil
        other.report = AlertAction(
            kind: .foundSafe, responderId: "\(Fixture.ana)", name: "Ana", time: Fixture.now)
        #expect(
            state.otherWords(other)
                == "Ben has also missed a check-in. Ana reports that Ben is safe.")
        (other.kind, other.journey, other.report) = (.journey, "Zugspitze", nil)
        #expect(
            state.otherWords(other) == "Ben is not back from Zugspitze. No one is on it yet.")
    }

    @Test(arguments: [true, false]) func openAlertReplacesTheEndedOne(
        isCallNewer: Bool
    ) async {
        for (ends, goesOn) in [(missed, call), (call, missed)] {
            var shown = ends
            shown.ledger = [
                .init(
                    recipientId: Fixture.cleo.description, name: "Cleo", channel: .sms,
                    state: .accepted, time: Fixture.now, attempts: 1)
            ]
            let store = store(.init(alertID: AlertID(ends.id), dependent: ben, alert: shown))
            await store.send(
                .alertsUpdated(isCallNewer ? [ended(ends), goesOn] : [goesOn, ended(ends)])
            ) {
                $0.alertID = AlertID(goesOn.id)
                $0.alert = goesOn
                $0.isLoading = true
            }
            await store.receive(.alertResponse(.success(goesOn))) { $0.isLoading = false }
        }
    }

    @Test(arguments: [
        (Duration.minutes(5) - .milliseconds(1), true), (.minutes(5), false), (.hours(1), false),
    ])
    func laterAlertDoesNotReplaceTheEndedOne(start: Duration, isBeside: Bool) async {
        let (over, later) = (ended(missed), started(call, after: start))
        let store = store(.init(alertID: AlertID(over.id), dependent: ben, alert: over))
        store.exhaustivity = .off
        await store.send(.alertsUpdated([later, over]))
        #expect(store.state.alert?.id == (isBeside ? later.id : over.id))
        #expect(store.state.isOver == !isBeside)
        await store.skipReceivedActions(strict: false)
        await store.skipInFlightEffects(strict: false)
    }

    @Test func answerForThePreviousAlertIsIgnored() async {
        let store = store(.init(alertID: AlertID(missed.id), dependent: ben, alert: missed))
        let taken = DependentAlertFeature.Request(.acknowledge, to: Fixture.id(20))
        await store.send(.acknowledgeButtonTapped) { $0.request = taken }
        await store.receive(.delegate(.requested(taken)))
        await store.send(.alertsUpdated([call, ended(missed)])) {
            $0.alertID = AlertID(call.id)
            $0.alert = call
            $0.isLoading = true
        }
        await store.receive(.alertResponse(.success(call))) { $0.isLoading = false }
        await store.send(.answered(taken, .success(ended(missed)))) { $0.request = nil }
        #expect(store.state.canAcknowledge)
    }
}
