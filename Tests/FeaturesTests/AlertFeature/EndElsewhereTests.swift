import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// The user ends an alert on another of their devices.
@MainActor
@Suite struct EndElsewhereTests {
    private let own: SessionID = Fixture.id(50)
    private let other: SessionID = Fixture.id(51)

    private func ended(
        _ number: UInt8 = 7, by session: SessionID, after: Duration = .zero,
        kind: AlertKind = .manual
    ) -> AlertRecord {
        var alert = Fixture.alert(number, end: Fixture.now.adding(after), kind: kind)
        alert.ending = .init(sessionId: session.description, deviceName: "Tablet")
        return alert
    }

    private func state(active: Bool = false) -> AlertFeature.State {
        var state: AlertFeature.State = active ? .active() : .init()
        state.ownSession = own
        return state
    }

    private func store(
        _ state: AlertFeature.State, with prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<AlertFeature> {
        let store = alertStore(state, with: prepare)
        store.exhaustivity = .off
        return store
    }

    @Test func theOtherDeviceIsNamedWhileTheAlertIsShown() async throws {
        let store = store(state(active: true))
        await store.send(.alertsUpdated([ended(by: other)]))
        let end = try #require(store.state.endElsewhere)
        #expect(!store.state.isAlertActive && end.time == Fixture.now)
        #expect(end.title == "Your alert was ended on another device, “Tablet”")
        #expect(end.advice.contains("call for help again"))
    }

    @Test func endElsewhereReplacesAnEarlierText() async {
        var state = state(active: true)
        state.endedWords = "Alert ended. Ben is being told."
        let store = store(state)
        await store.send(.alertsUpdated([ended(by: other)]))
        #expect(store.state.endElsewhere != nil && store.state.endedWords == nil)
    }

    @Test func anEndOnThisDeviceIsNotNews() async {
        let store = store(state(active: true))
        await store.send(.alertsUpdated([ended(by: own)]))
        #expect(store.state.endElsewhere == nil && !store.state.isAlertActive)
        // The user has ended a later alert here, so they know that the earlier alert is over.
        let later = ended(8, by: own, after: .seconds(1))
        await store.send(.alertsUpdated([later, ended(by: other)]))
        #expect(store.state.endElsewhere == nil)
    }

    @Test(arguments: [(Duration.hours(24) - .milliseconds(1), true), (.hours(24), false)])
    func aDeviceThatWasClosedShowsItForADay(since: Duration, isShown: Bool) async {
        let store = store(state())
        await store.send(.alertsUpdated([ended(by: other, after: .zero - since)]))
        #expect((store.state.endElsewhere != nil) == isShown)
    }

    @Test func unknownSessionShowsNoNotice() async {
        let store = store(.init())
        await store.send(.alertsUpdated([ended(by: other)]))
        #expect(store.state.endElsewhere == nil)
    }

    @Test func aMissedCheckInEndedElsewhereIsShown() async {
        let store = store(state())
        await store.send(.alertsUpdated([ended(by: other, kind: .missedCheckIn)]))
        #expect(
            store.state.endElsewhere?.title == "Your check-in was made on another device, “Tablet”")
    }

    /// The check-in or arrival here says nothing about the call for help.
    @Test(arguments: [AlertKind.missedCheckIn, .journey])
    func ownEndOfAnotherKindKeepsIt(kind: AlertKind) async {
        let (call, later) = (ended(by: other), ended(8, by: own, after: .seconds(1), kind: kind))
        let known = store(state())
        await known.send(.alertsUpdated([call]))
        await known.send(.alertsUpdated([later, call]))
        #expect(known.state.endElsewhere?.kind == .manual)
        let reopened = store(state())
        await reopened.send(.alertsUpdated([later, call]))
        #expect(reopened.state.endElsewhere?.kind == .manual)
    }

    @Test func ownEndOfTheSameKindClearsIt() async {
        let store = store(state())
        await store.send(.alertsUpdated([ended(by: other, kind: .missedCheckIn)]))
        let later = ended(8, by: own, after: .seconds(1), kind: .missedCheckIn)
        await store.send(.alertsUpdated([later]))
        #expect(store.state.endElsewhere == nil)
    }

    /// The other end is shown once the person has read about the call for help.
    @Test func laterCheckInElsewhereWaitsBehindIt() async {
        let store = store(state()) { $0.settingsClient.setString = { _, _ in } }
        let (call, later) = (
            ended(by: other), ended(8, by: other, after: .seconds(1), kind: .missedCheckIn)
        )
        await store.send(.alertsUpdated([call]))
        await store.send(.alertsUpdated([later, call]))
        #expect(store.state.endElsewhere?.kind == .manual)
        await store.send(.endElsewhereRead)
        await store.send(.alertsUpdated([later, call]))
        #expect(store.state.endElsewhere?.kind == .missedCheckIn)
    }

    @Test(arguments: [true, false])
    func laterEndOfACallForHelpReplacesEveryEnd(isOwn: Bool) async {
        let store = store(state())
        let earlier = ended(by: other, kind: .missedCheckIn)
        await store.send(.alertsUpdated([earlier]))
        let later = ended(8, by: isOwn ? own : other, after: .seconds(1))
        await store.send(.alertsUpdated([later, earlier]))
        let expected: AlertKind? = isOwn ? nil : .manual
        #expect(store.state.endElsewhere?.kind == expected)
    }

    @Test func itStaysUntilItIsReadHere() async {
        let kept = LockIsolated<String?>(nil)
        let store = store(state()) {
            $0.settingsClient.setString = { value, key in
                if key == .readAlertEnd { kept.setValue(value) }
            }
        }
        await store.send(.alertsUpdated([ended(by: other)]))
        // A list that arrives later may contain only other people's alerts.
        await store.send(.alertsUpdated([]))
        #expect(store.state.endElsewhere != nil)
        await store.send(.endElsewhereRead)
        #expect(store.state.endElsewhere == nil)
        await store.finish()
        #expect(kept.value == "\(Fixture.now.milliseconds)")
        await store.send(.alertsUpdated([ended(by: other)]))
        #expect(store.state.endElsewhere == nil)
    }

    @Test func readEndStaysReadAfterRestart() async {
        let (own, alert) = (own, ended(by: other))
        let store = store(.init()) {
            $0.authClient.session = {
                SignedIn(userID: Fixture.ana, isNewUser: false, sessionID: own)
            }
            $0.settingsClient.string = { _ in "\(Fixture.now.milliseconds)" }
            $0.alertClient.alertsStream = { AsyncStream { $0.yield([alert]) } }
        }
        await store.send(.startStream)
        await store.receive(\.sessionKnown)
        await store.receive(\.alertsUpdated)
        #expect(store.state.endElsewhere == nil)
        await store.send(.stopStream)
    }

    @Test func helpIsCalledForAgainAfterOneQuestion() async {
        let store = store(state()) {
            $0.alertClient.raise = { _ in .confirmed(Fixture.alert(0)) }
        }
        await store.send(.alertsUpdated([ended(by: other)]))
        await store.send(.raiseAgainButtonTapped)
        #expect(store.state.confirmationAlert != nil)
        await store.send(.confirmationAlert(.presented(.raiseAgainConfirmed)))
        await store.receive(\.alertActivationResponse.success)
        #expect(store.state.isAlertActive && store.state.confirmationAlert == nil)
        await store.send(.alertsUpdated([Fixture.alert(0), ended(by: other)]))
        #expect(store.state.endElsewhere == nil)
        await store.skipInFlightEffects(strict: false)
    }

    @Test func theOtherDeviceIsSignedOut() async {
        let signedOut = LockIsolated<SessionID?>(nil)
        let store = store(state()) {
            $0.authClient.endSession = { signedOut.setValue($0) }
        }
        await store.send(.alertsUpdated([ended(by: other)]))
        await store.send(.signOutElsewhereButtonTapped)
        await store.send(.confirmationAlert(.presented(.signOutElsewhereConfirmed)))
        await store.receive(\.signOutElsewhereResponse)
        #expect(signedOut.value == other && store.state.endElsewhere?.isSessionEnded == true)
    }

    @Test(arguments: [(Fixture.refused, false), (Fixture.notFound, true)])
    func aFailureToSignOutIsShown(error: UserFacingError, isOver: Bool) async {
        let store = store(state()) { $0.authClient.endSession = { _ in throw error } }
        await store.send(.alertsUpdated([ended(by: other)]))
        await store.send(.signOutElsewhereConfirmed)
        await store.receive(\.signOutElsewhereResponse)
        #expect(store.state.endElsewhere?.isSessionEnded == isOver)
        #expect((store.state.error == nil) == isOver)
    }
}
