import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Another device ends the session while an alert has not been sent yet.
@MainActor @Suite struct UnsentAlertTests {
    private let clock = TestClock()
    private let ana = SignedIn(userID: Fixture.ana, isNewUser: false)
    private let alertID: AlertID = Fixture.id(20)

    @Test func unsentAlertIsReportedAtOnce() async {
        let store = store(tabs())
        await store.send(.sessionEnded(Fixture.waiting(.raiseAlert)))
        #expect(store.state.error == .alertNotSent)
        #expect(store.state.error?.title.contains("NOT sent") == true)
        #expect(store.state.unsentAlert == nil, "Asked at the next sign-in, not now.")
    }

    @Test func signOutSaysThatAnAlertIsUnsent() async {
        let store = store(tabs())
        await store.send(\.screen.main.delegate.signedOut, Fixture.waiting(.checkIn, .raiseAlert))
        #expect(store.state.errors == [.alertNotSent])
        #expect(store.state.screen?.is(\.signedOut) == true)
        await store.skipInFlightEffects(strict: false)
    }

    @Test func signOutWithoutAlertSaysNothing() async {
        let store = store(tabs())
        await store.send(\.screen.main.delegate.signedOut, Fixture.waiting(.checkIn))
        #expect(store.state.errors.isEmpty)
        await store.skipInFlightEffects(strict: false)
    }

    @Test func sessionEndWithoutAlertMentionsNone() async {
        let store = store(tabs())
        await store.send(.sessionEnded(Fixture.waiting(.checkIn)))
        #expect(store.state.errors == [.sessionEnded])
    }

    @Test func nextSignInAsksAboutTheLostAlert() async {
        let store = store(tabs(raising: alertID))
        await store.send(.sessionEnded([]))
        #expect(store.state.errors == [.alertNotSent])
        await store.send(\.screen.signedOut.delegate.signedIn, ana)
        #expect(
            store.state.unsentAlert
                == UnsentAlert(raisedAt: Fixture.now, sendsAt: Fixture.now.adding(.seconds(60))))
        await store.send(.unsentAlertAnswered(isToBeSent: false))
        #expect(store.state.unsentAlert == nil && store.state.answer(about: alertID) == false)
        await clock.advance(by: .seconds(120))
        await store.skipInFlightEffects(strict: false)
    }

    @Test func anotherUserIsNotAsked() async {
        let store = store(tabs(raising: alertID))
        await store.send(.sessionEnded([]))
        let ben = SignedIn(userID: Fixture.ben, isNewUser: false)
        await store.send(\.screen.signedOut.delegate.signedIn, ben)
        #expect(store.state.unsentAlert == nil)
        await store.skipInFlightEffects(strict: false)
    }

    @Test func nextUserIsNotToldOfTheLostAlert() async {
        let store = store(tabs(raising: alertID))
        await store.send(.sessionEnded([]))
        let ben = SignedIn(userID: Fixture.ben, isNewUser: false)
        await store.send(\.screen.signedOut.delegate.signedIn, ben)
        await store.send(.sessionEnded([]))
        #expect(store.state.errors == [.sessionEnded])
        await store.send(\.screen.signedOut.delegate.signedIn, ana)
        #expect(store.state.unsentAlert?.raisedAt == Fixture.now)
        await store.send(.sessionEnded([]))
        #expect(store.state.errors == [.alertNotSent])
        await store.skipInFlightEffects(strict: false)
    }

    @Test(arguments: [59, 60]) func unansweredAlertIsSentAfterSixtySeconds(seconds: Int) async {
        let raised = Calls<(AlertID, Date)>([])
        let store = store(tabs(raising: alertID)) {
            $0.alertClient.raiseEarlier = { id, time in
                raised.withValue { $0.append((id, time)) }
                return .confirmed(Fixture.alert(20, of: Fixture.ana))
            }
        }
        await store.send(.sessionEnded([]))
        await store.send(\.screen.signedOut.delegate.signedIn, ana)
        await clock.advance(by: .seconds(seconds))
        if seconds == 60 { await store.receive(\.unsentAlertAnswered) }
        for _ in 0..<1_000 where seconds == 60 && raised.value.isEmpty { await Task.yield() }
        #expect(raised.value.map(\.0) == (seconds == 60 ? [alertID] : []))
        #expect(raised.value.allSatisfy { $0.1 == Fixture.now }, "With its time.")
        await store.skipInFlightEffects(strict: false)
    }

    @Test func answerAboutQueuedAlertGoesToTheQueue() async {
        let answers = Calls<Bool>([])
        let store = store(tabs()) {
            $0.connectivityClient.answerUnsentAlert = { answer in
                answers.withValue { $0.append(answer) }
            }
        }
        let unsent = UnsentAlert(raisedAt: Fixture.now, sendsAt: Fixture.now.adding(.seconds(60)))
        await store.send(.connectivityChanged(Connectivity(unsentAlert: unsent)))
        #expect(store.state.unsentAlert == unsent)
        await store.send(.unsentAlertAnswered(isToBeSent: false))
        await store.finish()
        #expect(answers.value == [false] && store.state.unsentAlert == nil)
    }

    @Test func browsersStoredAlertIsAskedAboutOnce() async {
        let store = store(tabs()) {
            $0.alertClient.raiseEarlier = { _, _ in .confirmed(Fixture.alert(20, of: Fixture.ana)) }
        }
        let early = Fixture.now.addingTimeInterval(-600)
        await store.send(.earlierAlertFound(alertID, raisedAt: early))
        await store.send(.earlierAlertFound(alertID, raisedAt: early))
        #expect(store.state.unsentAlert?.raisedAt == early)
        #expect(store.state.lostAlertIDs == [alertID])
        await store.send(.unsentAlertAnswered(isToBeSent: true))
        #expect(store.state.lostAlertIDs.isEmpty)
        await store.send(.earlierAlertFound(alertID, raisedAt: early))
        #expect(store.state.unsentAlert == nil && store.state.answer(about: alertID) == true)
        await store.skipInFlightEffects(strict: false)
    }

    private func tabs(raising id: AlertID? = nil) -> AppFeature.State {
        var main = MainTabFeature.State(userID: Fixture.ana)
        if let id {
            main.home.alert.alertID = id
            main.home.alert.isActivatingAlert = true
            main.home.alert.alertStartTime = Fixture.now
        }
        return AppFeature.State(screen: .main(main), signedIn: ana)
    }

    private func store(
        _ state: AppFeature.State, _ dependencies: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<AppFeature> {
        let store = TestStore(initialState: state) {
            AppFeature()
        } withDependencies: {
            $0.connectivityClient.status = { .never }
            $0.connectivityClient.refusals = { .never }
            $0.authClient.sessionEnded = { .never }
            $0.date = .following(clock)
            $0.continuousClock = clock
            $0.locale = Locale(identifier: "en_US_POSIX")
            dependencies(&$0)
        }
        store.exhaustivity = .off
        return store
    }
}
