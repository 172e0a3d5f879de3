import Clients
import ComposableArchitecture
import Domain
import Foundation

@testable import Features

extension Fixture {
    static func alert(
        _ number: UInt8, start: Date = now, end: Date? = nil, of user: UserID = ana,
        kind: AlertKind = .manual, ledger: [AlertRecord.LedgerEntry] = []
    ) -> AlertRecord {
        AlertRecord(
            id: (id(number) as AlertID).description, startTime: start, endTime: end,
            userId: user.description, isActive: end == nil, kind: kind,
            ledger: ledger)
    }
}

extension AlertFeature.State {
    /// Returns a state with an open alert that the server knows.
    static func active(since start: Date = Fixture.now) -> Self {
        var state = Self(isAlertActive: true, alertStartTime: start)
        state.alertID = Fixture.id(7)
        return state
    }
}

@MainActor
func alertStore(
    _ state: AlertFeature.State = .init(), clock: TestClock<Duration> = TestClock(),
    with prepare: (inout DependencyValues) -> Void = { _ in }
) -> TestStoreOf<AlertFeature> {
    TestStore(initialState: state) {
        AlertFeature()
    } withDependencies: {
        $0.continuousClock = clock
        $0.date = .following(clock)
        $0.uuid = .incrementing
        $0.authClient.session = { SignedIn(userID: Fixture.ana, isNewUser: false) }
        $0.alertClient.alertsStream = { .finished }
        $0.connectivityClient.status = { .finished }
        $0.settingsClient.string = { _ in nil }
        prepare(&$0)
    }
}
