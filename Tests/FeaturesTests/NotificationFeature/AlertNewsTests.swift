import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct AlertNewsTests {
    private let open = Fixture.alert(20, of: Fixture.ben)
    private let over = Fixture.alert(20, of: Fixture.ben, isActive: false)
    private let id: AlertID = Fixture.id(20)
    private let end = Fixture.now.adding(.minutes(5))

    private func store() -> TestStoreOf<AlertNewsFeature> {
        TestStore(initialState: .init(ownID: Fixture.ana)) { AlertNewsFeature() }
    }

    @Test func seenEndIsNewsUntilDismissed() async {
        let store = store()
        await store.send(.alertsUpdated([open])) { $0.open = [self.id] }
        await store.send(.alertsUpdated([over])) {
            $0.open = []
            $0.ends = [self.id: self.end]
            $0.news = [.init(id: self.id, user: Fixture.ben, kind: .manual, time: self.end)]
        }
        await store.send(.alertsUpdated([over]))
        await store.send(.dismissButtonTapped(id)) { $0.news = [] }
    }

    @Test func earlierEndIsNotNews() async {
        let store = store()
        await store.send(.alertsUpdated([over])) {
            $0.open = []
            $0.ends = [self.id: self.end]
        }
    }

    @Test func ownEndIsNotNews() async {
        let store = store()
        await store.send(.alertsUpdated([Fixture.alert(20, of: Fixture.ana)])) {
            $0.open = [self.id]
        }
        await store.send(.alertsUpdated([Fixture.alert(20, of: Fixture.ana, isActive: false)])) {
            $0.open = []
            $0.ends = [self.id: self.end]
        }
    }

    @Test func endIsHiddenWhileAnotherAlertIsOpen() async {
        let another = Fixture.alert(21, of: Fixture.ben)
        let store = store()
        store.exhaustivity = .off
        await store.send(.alertsUpdated([open]))
        await store.send(.alertsUpdated([over]))
        #expect(store.state.news.count == 1)
        await store.send(.alertsUpdated([another, over]))
        #expect(store.state.news.isEmpty)
    }

    @Test func helperOfTheMostUrgentAlertIsKnownUntilItEnds() async {
        let cleo = AlertRecord.Acknowledgement(
            responderId: "\(Fixture.cleo)", name: "Cleo", time: Fixture.now, afterSeconds: 1)
        let taken = Fixture.alert(20, of: Fixture.ben, acknowledgement: cleo)
        var missed = Fixture.alert(21, of: Fixture.ben)
        missed.kind = .missedCheckIn
        let store = store()
        store.exhaustivity = .off
        await store.send(.alertsUpdated([missed, taken])) {
            $0.acknowledgements = [Fixture.ben: cleo]
        }
        await store.send(.alertsUpdated([missed, open])) { $0.acknowledgements = [:] }
        await store.send(.alertsUpdated([taken])) { $0.acknowledgements = [Fixture.ben: cleo] }
        await store.send(.alertsUpdated([over])) { $0.acknowledgements = [:] }
    }

    @Test func reportOnTheMostUrgentAlertIsKnownUntilResumed() async {
        let report = AlertAction(
            kind: .foundSafe, responderId: "\(Fixture.cleo)", name: "Cleo", time: Fixture.now)
        var reported = open
        reported.report = report
        let store = store()
        store.exhaustivity = .off
        await store.send(.alertsUpdated([reported])) {
            $0.reports = [
                Fixture.ben: .init(
                    alertID: self.id, action: report, end: Fixture.now.adding(.hours(12)))
            ]
        }
        await store.send(.alertsUpdated([open])) { $0.reports = [:] }
    }

    @Test func notificationFollowsItsAlertsState() {
        func item(at time: Date, _ type: NotificationType = .alert) -> NotificationItem {
            NotificationItem(
                id: Fixture.id(1), type: type, title: "T", body: "B", createdAt: time, alertID: id)
        }
        var state = AlertNewsFeature.State(ownID: Fixture.ana)
        #expect(state.standing(of: item(at: Fixture.now)) == .current, "nothing is known yet")
        state.open = [id]
        #expect(state.standing(of: item(at: Fixture.now)) == .current)
        (state.open, state.ends) = ([], [id: end])
        #expect(state.standing(of: item(at: end.addingTimeInterval(-0.001))) == .past)
        #expect(state.standing(of: item(at: end)) == .end)
        #expect(state.standing(of: item(at: end, .checkIn)) == .current)
        state.ends = [:]
        #expect(state.standing(of: item(at: end)) == .past, "an alert of long ago")
    }

    @Test func streamIsFollowedUntilTheTabsDisappear() async {
        let (alerts, change) = AsyncStream<[AlertRecord]>.makeStream()
        let store = TestStore(initialState: AlertNewsFeature.State(ownID: Fixture.ana)) {
            AlertNewsFeature()
        } withDependencies: {
            $0.alertClient.alertsStream = { alerts }
        }
        await store.send(.startStream)
        change.yield([open])
        await store.receive(.alertsUpdated([open])) { $0.open = [self.id] }
        await store.send(.stopStream)
        await store.finish()
    }
}
