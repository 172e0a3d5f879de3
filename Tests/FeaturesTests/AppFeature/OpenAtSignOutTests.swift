import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Another device ends the session while the user's alerts are on.
@MainActor @Suite struct OpenAtSignOutTests {
    private let clock = TestClock()
    private let ana = SignedIn(userID: Fixture.ana, isNewUser: false)
    private let lastSync = Fixture.now.adding(.minutes(2))

    @Test func openAlertStaysKnownWithItsHelper() async throws {
        let store = store(try tabs(helper: "Ben"))
        await store.send(.sessionEnded([]))
        let open = try #require(store.state.openAtSignOut)
        #expect(store.state.errors == [.sessionEnded])
        #expect(open.asOf == lastSync)
        #expect(open.alerts.map(\.words) == ["Your alert was still on as of"])
        #expect(open.alerts.map(\.helperWords) == ["Ben was on it."])
        #expect(open.responders.map(\.name) == ["Ben", "Cleo"], "The one on it is first.")
        #expect(open.emergency?.text == "911")
    }

    @Test func alertsOfTheServerStayKnown() async throws {
        var state = try tabs(helper: nil)
        var (missed, late) = (
            Fixture.alert(21, of: Fixture.ana), Fixture.alert(22, of: Fixture.ana)
        )
        (missed.kind, late.kind) = (.missedCheckIn, .journey)
        state.screen?.modify(\.main) { main in
            main.home.alert.missedCheckIn = missed
            main.home.alert.overdueJourney = late
        }
        let store = store(state)
        await store.send(.sessionEnded([]))
        let open = try #require(store.state.openAtSignOut)
        #expect(open.alerts.map(\.kind) == [.manual, .missedCheckIn, .journey])
        #expect(Set(open.alerts.map(\.helperWords)) == ["No responder was on it."])
        #expect(open.responders.map(\.name) == ["Cleo", "Ben"], "In the order of calls.")
    }

    /// A reload of the settings shows them before Home.
    @Test func emergencyNumberIsKnownWithoutHome() async throws {
        var state = try tabs(helper: nil)
        state.screen?.modify(\.main) { $0.home.emergencyNumber = nil }
        #expect(
            OpenAtSignOut(state.main, isUnsent: false, asOf: lastSync)?.emergency == nil,
            "The number is not known yet.")
        let store = store(state)
        await store.send(\.screen.main.profile.profileChanged, try Fixture.profile())
        await store.send(.sessionEnded([]))
        #expect(store.state.openAtSignOut?.emergency?.text == "911")
    }

    /// The queue and the browser have the alert. Another message says that it was not sent.
    @Test func unsentAlertIsNotCalledOn() async throws {
        let store = store(try tabs(helper: nil))
        await store.send(.sessionEnded(Fixture.waiting(.raiseAlert)))
        #expect(store.state.errors == [.alertNotSent] && store.state.openAtSignOut == nil)
    }

    @Test func endedAlertIsNotCalledOn() async throws {
        var state = try tabs(helper: "Ben")
        state.screen?.modify(\.main) { $0.home.alert.alertEndTime = Fixture.now }
        let store = store(state)
        await store.send(.sessionEnded([]))
        #expect(store.state.errors == [.sessionEnded] && store.state.openAtSignOut == nil)
    }

    /// The end may have been made by a person who has that device.
    @Test func unreadEndByAnotherDeviceStaysKnown() async throws {
        var alert = Fixture.alert(20, end: Fixture.now.adding(.minutes(1)))
        alert.ending = .init(sessionId: "\(Fixture.id(51) as SessionID)", deviceName: "Old phone")
        let end = try #require(
            EndElsewhere.shown(among: [alert], known: nil, isNews: { _ in true }))
        var state = try tabs(helper: nil)
        state.screen?.modify(\.main) { main in
            main.home.alert.endElsewhere = end
        }
        #expect(
            OpenAtSignOut(state.main, isUnsent: false, asOf: lastSync)?.ended == nil,
            "A newer alert is on.")
        state.screen?.modify(\.main) { main in
            main.home.alert = AlertFeature.State(alertHistory: [alert])
            main.home.alert.endElsewhere = end
        }
        let store = store(state)
        await store.send(.sessionEnded([]))
        let open = try #require(store.state.openAtSignOut)
        #expect(open.alerts.isEmpty && open.ended == end)
        #expect(open.responders.map(\.name) == ["Cleo", "Ben"] && open.emergency?.text == "911")
        state.screen?.modify(\.main) { $0.home.alert.endElsewhere = nil }
        #expect(OpenAtSignOut(state.main, isUnsent: false, asOf: lastSync) == nil, "It was read.")
    }

    @Test func journeyIsNamed() async throws {
        var state = try tabs(helper: nil)
        let journey = JourneyRecord(
            id: Fixture.id(20), name: "Zugspitze", startTime: Fixture.now,
            expectedReturn: Fixture.now.adding(.hours(1)))
        state.screen?.modify(\.main) { $0.home.journey.journey = journey }
        let store = store(state)
        await store.send(.sessionEnded([]))
        let time = Timestamp.clockTime(journey.deadline, in: nil, at: Fixture.now)
        let message = try #require(store.state.error?.message)
        #expect(
            message.hasSuffix(
                """
                Your journey continues while the account is there: your responders are told at \
                \(time), unless you sign in again and say that you have arrived.
                """))
        #expect(message.hasPrefix(UserFacingError.sessionEnded.message))
        // The alert about the journey is named instead.
        state.screen?.modify(\.main) {
            var late = Fixture.alert(22, of: Fixture.ana)
            late.kind = .journey
            $0.home.alert.overdueJourney = late
        }
        #expect(state.sessionEndedWords(at: Fixture.now) == .sessionEnded)
    }

    @Test func ownSignOutAndDeletionSayNothing() async throws {
        let leaving = store(try tabs(helper: "Ben"))
        await leaving.send(\.screen.main.delegate.signedOut, [])
        #expect(leaving.state.openAtSignOut == nil)
        await leaving.skipInFlightEffects(strict: false)

        let deleting = store(try tabs(helper: "Ben"))
        await deleting.send(\.screen.main.delegate.accountDeleted)
        #expect(deleting.state.openAtSignOut == nil)
        await deleting.skipInFlightEffects(strict: false)

        var state = try tabs(helper: "Ben")
        state.screen?.modify(\.main) { $0.profile.isDeletingAccount = true }
        let ended = store(state)
        await ended.send(.sessionEnded([]))
        #expect(ended.state.openAtSignOut == nil)
        await ended.skipInFlightEffects(strict: false)
    }

    @Test func signInForgetsTheAlert() async throws {
        let store = store(try tabs(helper: "Ben"))
        await store.send(.sessionEnded([]))
        await store.send(.dismissError)
        #expect(store.state.openAtSignOut != nil, "The numbers stay.")
        let ben = SignedIn(userID: Fixture.ben, isNewUser: false)
        await store.send(\.screen.signedOut.delegate.signedIn, ben)
        #expect(store.state.openAtSignOut == nil)
        await store.skipInFlightEffects(strict: false)
    }

    /// After the end of the session, the client's status lacks the time.
    @Test func timeIsThatOfTheLastSync() async throws {
        let store = store(try tabs(helper: nil))
        await store.send(.connectivityChanged(Connectivity(lastSynced: lastSync)))
        await store.send(.connectivityChanged(Connectivity()))
        #expect(store.state.connectivity.lastSynced == nil)
        await store.send(.sessionEnded([]))
        #expect(store.state.openAtSignOut?.asOf == lastSync)
    }

    @Test func timeIsNotBeforeTheNewestNews() throws {
        let main = try tabs(helper: "Ben").main
        let early = Fixture.now.adding(.hours(-1))
        let open = OpenAtSignOut(main, isUnsent: false, asOf: early)
        #expect(open?.asOf == Fixture.now, "The alert began then.")
        #expect(OpenAtSignOut(main, isUnsent: true, asOf: early) == nil)
    }

    @Test func reportIsNotCalledNoHelp() {
        let alert = OpenAtSignOut.Alert(kind: .manual, isReported: true)
        #expect(alert.helperWords == nil)
    }

    private func tabs(helper: String?) throws -> AppFeature.State {
        var main = MainTabFeature.State(userID: Fixture.ana)
        let acknowledgement = helper.map {
            AlertRecord.Acknowledgement(
                responderId: "\(Fixture.ben)", name: $0, time: Fixture.now, afterSeconds: 1)
        }
        main.home.alert = AlertFeature.State(
            isAlertActive: true, alertStartTime: Fixture.now,
            alertHistory: [
                Fixture.alert(20, of: Fixture.ana, acknowledgement: acknowledgement)
            ])
        main.home.alert.alertID = Fixture.id(20)
        main.home.emergencyNumber = EmergencyNumber(for: try PhoneNumber("+15550100"))
        let first = Fixture.now.adding(.days(-1))
        main.home.cards.contacts = [
            try Fixture.contact(Fixture.ben, "Ben", isResponder: true),
            try Fixture.contact(Fixture.id(5), "Cleo", isResponder: true, dateAdded: first),
            try Fixture.contact(Fixture.id(6), "Dora", isDependent: true),
        ]
        return AppFeature.State(
            screen: .main(main), signedIn: ana, connectivity: Connectivity(lastSynced: lastSync))
    }

    private func store(_ state: AppFeature.State) -> TestStoreOf<AppFeature> {
        let store = TestStore(initialState: state) {
            AppFeature()
        } withDependencies: {
            $0.connectivityClient.status = { .never }
            $0.connectivityClient.refusals = { .never }
            $0.authClient.sessionEnded = { .never }
            $0.date = .following(clock)
            $0.continuousClock = clock
            $0.locale = Locale(identifier: "en_US_POSIX")
        }
        store.exhaustivity = .off
        return store
    }
}
