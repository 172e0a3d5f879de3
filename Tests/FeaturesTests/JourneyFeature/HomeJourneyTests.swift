import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// A journey on Home, and the alert about it.
@MainActor
@Suite struct HomeJourneyTests {
    private let clock = TestClock()
    private let now = Fixture.now

    private func store(
        _ state: HomeFeature.State = .init(),
        with prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<HomeFeature> {
        let store = TestStore(initialState: state) {
            HomeFeature()
        } withDependencies: {
            $0.continuousClock = clock
            $0.date = .following(clock)
            $0.uuid = .incrementing
            $0.connectivityClient.status = { .finished }
            prepare(&$0)
        }
        store.exhaustivity = .off
        return store
    }

    private var journey: JourneyRecord {
        JourneyRecord(
            id: Fixture.id(20), name: "Zugspitze", startTime: now,
            expectedReturn: now.adding(.hours(1)))
    }

    private func profile(_ journey: JourneyRecord?) throws -> UserProfile {
        var profile = try Fixture.profile()
        profile.journey = journey
        return profile
    }

    private var overdue: AlertRecord {
        var alert = Fixture.alert(7, start: now, kind: .journey)
        (alert.journey, alert.deadline) = ("Zugspitze", now)
        return alert
    }

    @Test func journeyFollowsTheProfile() async throws {
        let store = store()
        await store.send(.checkIn(.profileUpdated(try profile(journey))))
        await store.receive(\.journey.momentPassed)
        #expect(store.state.journey.journey == journey && store.state.situation == .journey)
        await store.send(.checkIn(.appBecameInactive))
        await store.receive(\.journey.stopped)
        await store.send(.checkIn(.appBecameActive))
        await store.receive(\.journey.momentPassed)
        await store.send(.checkIn(.profileUpdated(try profile(nil))))
        await store.receive(\.journey.momentPassed)
        #expect(store.state.journey.journey == nil && store.state.situation == .deadline)
        await store.finish()
    }

    /// The server may alert all others later than 15 minutes after the journey's deadline.
    @Test func newsOfTheAlertForChosenRespondersReadsTheTime() async throws {
        let store = store()
        var chosen = journey
        chosen.responderIds = [Fixture.ben]
        await store.send(.checkIn(.profileUpdated(try profile(chosen))))
        await store.receive(\.journey.momentPassed)
        await store.send(.alert(.alertsUpdated([overdue])))
        await store.receive(\.journey.momentPassed)
        await store.skipInFlightEffects()
    }

    @Test func oneThingIsShownAtATime() {
        var state = HomeFeature.State()
        #expect(state.situation == .deadline)
        state.checkIn.pause.pause = CheckInPause(began: now, until: now.adding(.days(1)))
        #expect(state.situation == .pause)
        state.journey.journey = journey
        #expect(state.situation == .journey)
    }

    @Test func formOffersAcceptedResponders() async throws {
        var state = HomeFeature.State()
        state.cards.contacts = [
            try Fixture.contact(Fixture.ben, "Ben", isResponder: true),
            try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true),
        ]
        let store = store(state)
        await store.send(.journey(.formButtonTapped))
        #expect(store.state.journey.form?.responders.map(\.name) == ["Ben"])
    }

    @Test func chosenRespondersAreToldFirst() throws {
        var state = HomeFeature.State()
        #expect(state.journeyTold == .init())
        state.journey.journey = journey
        state.cards.contacts = [
            try Fixture.contact(Fixture.ben, "Ben", isResponder: true),
            try Fixture.contact(Fixture.cleo, "Cleo", isResponder: true),
        ]
        #expect(state.journeyTold == .init(), "all are told at once")
        state.journey.journey?.responderIds = [Fixture.ben]
        let all = now.adding(.minutes(85))
        #expect(state.journeyTold == .init(names: ["Ben"], othersAt: all))
        state.journey.journey?.responderIds = [Fixture.ben, Fixture.cleo]
        #expect(state.journeyTold == .init(names: ["Ben", "Cleo"]))
        state.journey.journey?.responderIds = [Fixture.ana]
        #expect(state.journeyTold == .init(), "no chosen one is a responder any more")
        state.cards.contacts = [try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true)]
        #expect(state.journeyTold == .init(isAnyoneTold: false))
    }

    @Test func waitingPressShowsUntilItIsSent() async {
        let (status, continuation) = AsyncStream.makeStream(of: Connectivity.self)
        var state = HomeFeature.State()
        state.journey.journey = journey
        let store = store(state) {
            $0.journeyClient.arrive = { _ in .waiting }
            $0.connectivityClient.status = { status }
        }
        await store.send(.journey(.arriveButtonTapped))
        await store.receive(\.journey.response)
        await store.receive(\.checkIn.actionQueued)
        #expect(store.state.journey.waiting == .arrival)
        continuation.yield(Connectivity())
        await store.receive(\.checkIn.connectivityChanged)
        #expect(store.state.journey.waiting == nil)
        continuation.finish()
        await store.finish()
    }

    // MARK: The alert

    @Test func overdueJourneyIsNoManualAlert() async {
        let store = alertStore()
        store.exhaustivity = .off
        await store.send(.alertsUpdated([overdue]))
        #expect(store.state.overdueJourney == overdue)
        #expect(!store.state.isAlertActive && store.state.missedCheckIn == nil)
        #expect(store.state.knownAlerts == [overdue])
        var ended = overdue
        (ended.isActive, ended.endTime) = (false, now)
        await store.send(.alertsUpdated([ended]))
        #expect(store.state.overdueJourney == nil)
    }

    @Test func resumedAlertIsShown() async {
        var reported = overdue
        reported.report = AlertAction(
            kind: .foundSafe, responderId: Fixture.ben.description, name: "Ben", time: now)
        var state = AlertFeature.State()
        state.overdueJourney = reported
        let answer = overdue
        let store = alertStore(state) { $0.alertClient.resume = { _ in answer } }
        store.exhaustivity = .off
        await store.send(.resumeButtonTapped(reported.id))
        await store.receive(\.resumeResponse)
        #expect(store.state.overdueJourney == answer)
    }

    @Test func overdueJourneyIsNotWell() {
        var state = HomeFeature.State()
        state.cards.contacts = []
        #expect(!state.isProtected)
        state.alert.overdueJourney = overdue
        #expect(!state.isProtected && !state.hasMissed)
    }

    // MARK: Responders

    @Test func respondersReadWhereThePersonIs() throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        var alert = Fixture.alert(7, start: now, of: Fixture.ben, kind: .journey)
        (alert.journey, alert.note) = ("Zugspitze", "By car")
        var state = DependentAlertFeature.State(dependent: ben, alert: alert)
        #expect(state.title == "Ben is not back from Zugspitze")
        #expect(state.startTitle == "Expected at")
        #expect(state.journeyNote == "By car" && state.journeyNoteTitle == "Ben’s note")
        #expect(state.reportHint.hasSuffix("until Ben says that they have arrived."))
        #expect(state.endingWords == "Ben has arrived, or comes back later")
        state.alert?.note = ""
        #expect(state.journeyNote == nil)
    }

    @Test func troubleNamesTheJourney() async throws {
        let contact = try Fixture.contact(
            Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        var alert = Fixture.alert(7, start: now, of: Fixture.ben, kind: .journey)
        alert.journey = "Zugspitze"
        var main = MainTabFeature.State(userID: Fixture.ana)
        #expect(main.troubleWords(for: contact) == "Ben has raised an alert")
        let store = TestStore(initialState: main.alertNews) { AlertNewsFeature() }
        store.exhaustivity = .off
        await store.send(.alertsUpdated([alert, overdue]))
        #expect(store.state.journeys == [Fixture.ben: alert])
        main.alertNews = store.state
        #expect(main.troubleWords(for: contact) == "Ben is not back from Zugspitze")
        await store.send(.alertsUpdated([]))
        #expect(store.state.journeys.isEmpty)
    }

    @Test func historyCountsJourneys() {
        let ended = Fixture.alert(8, end: now, kind: .journey)
        #expect(
            AlertSummary([ended, Fixture.alert(7, end: now)]).words
                == """
                2 shown: 1 raised by hand, 0 for a missed check-in, 1 for a journey. 0 taken on.
                """)
        #expect(ended.kind.words == "Overdue journey")
    }

    @Test func endElsewhereNamesTheJourney() {
        let end = EndElsewhere(
            kind: .journey, time: now,
            ending: .init(sessionId: "s", deviceName: "Tablet"))
        #expect(
            end.title == "Your arrival or later return was entered on another device, “Tablet”")
    }
}
