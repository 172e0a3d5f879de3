import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Synchronization
import Testing

@MainActor @Suite struct DrillFeatureTests {
    private let id = DrillID(UUID())
    private let clock = TestClock()

    private func record(
        _ end: DrillRecord.End? = nil, answeredAfter seconds: Int? = nil
    ) -> DrillRecord {
        DrillRecord(
            id: id, startedAt: Fixture.now, endedAt: end == nil ? nil : Fixture.now, end: end,
            answers: [
                DrillAnswer(
                    personID: Fixture.ben, name: "Ben",
                    answeredAt: seconds.map { Fixture.now.adding(.seconds($0)) },
                    channel: seconds == nil ? nil : .webPush)
            ])
    }

    private func question(
        answered: Bool = false, endedByAlert: Bool? = nil
    ) -> DrillQuestion {
        DrillQuestion(
            id: id, ownerID: Fixture.ana, name: "Ana", startedAt: Fixture.now,
            endsAt: Fixture.now.adding(.minutes(10)), answeredAt: answered ? Fixture.now : nil,
            isEndedByAlert: endedByAlert)
    }

    private func store(
        _ state: DrillFeature.State = .init(now: Fixture.now),
        _ prepare: (inout DependencyValues) -> Void
    ) -> TestStoreOf<DrillFeature> {
        TestStore(initialState: state) {
            DrillFeature()
        } withDependencies: {
            $0.continuousClock = clock
            $0.date = .constant(Fixture.now)
            $0.notificationClient.notificationStream = { .finished }
            prepare(&$0)
        }
    }

    @Test func drillStartsOnlyAfterConfirmation() async {
        let store = store { _ in }
        await store.send(.startButtonTapped) { $0.confirmation = .start }
        await store.send(.confirmation(.dismiss)) { $0.confirmation = nil }
    }

    @Test func answersArriveWhileTheDrillRuns() async {
        let (running, over) = (record(), record(.everyoneAnswered, answeredAfter: 2))
        let newest = Mutex(running)
        let store = store {
            $0.drillClient.start = { running }
            $0.drillClient.overview = { DrillOverview(own: newest.withLock { $0 }) }
        }
        await store.send(.startButtonTapped) { $0.confirmation = .start }
        await store.send(.confirmation(.presented(.startConfirmed))) {
            $0.confirmation = nil
            $0.isBusy = true
        }
        await store.receive(.ownChanged(.success(running))) {
            $0.isBusy = false
            $0.own = running
        }
        await store.receive(.loaded(.success(DrillOverview(own: running))))
        #expect(store.state.isRunning && !store.state.mayStart)
        newest.withLock { $0 = over }
        await clock.advance(by: DrillFeature.livePause)
        await store.receive(.tick)
        await store.receive(.loaded(.success(DrillOverview(own: over)))) { $0.own = over }
        #expect(!store.state.isRunning && !store.state.mayStart)
    }

    /// A day passes between two drills, by the server's clock.
    @Test(arguments: [(Duration.hours(23), false), (.hours(24), true)])
    func wrongDeviceClockDoesNotChangeTheWait(hours: Duration, mayStart: Bool) async {
        let over = record(.stopped)
        let store = store(.init(own: over, now: Fixture.now)) {
            $0.date = .constant(Fixture.now.adding(hours + .hours(9)))
            $0.serverClock.offset = { .hours(-9) }
            $0.drillClient.overview = { DrillOverview(own: over) }
        }
        await store.send(.tick) { $0.now = Fixture.now.adding(hours) }
        await store.receive(\.loaded)
        #expect(store.state.mayStart == mayStart)
    }

    @Test func refusedStartShowsAnError() async {
        let store = store {
            $0.drillClient.start = { throw UserFacingError.unavailable }
            $0.drillClient.overview = { DrillOverview() }
        }
        await store.send(.startButtonTapped) { $0.confirmation = .start }
        await store.send(.confirmation(.presented(.startConfirmed))) {
            $0.confirmation = nil
            $0.isBusy = true
        }
        await store.receive(.ownChanged(.failure(.unavailable))) {
            $0.isBusy = false
            $0.error = .unavailable
        }
        await store.receive(.loaded(.success(DrillOverview())))
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func failedPollIsHiddenAndRetried() async {
        let running = record()
        let store = store(.init(own: running, now: Fixture.now)) {
            $0.drillClient.overview = { throw UserFacingError.unavailable }
        }
        await store.send(.tick)
        await store.receive(.loaded(.failure(.unavailable)))
        await clock.advance(by: DrillFeature.livePause)
        await store.receive(.tick)
        await store.receive(.loaded(.failure(.unavailable)))
        await store.send(.onDisappear)
    }

    @Test func drillCanBeStopped() async {
        let (running, over) = (record(), record(.stopped))
        let store = store(.init(own: running, now: Fixture.now)) {
            $0.drillClient.stop = { _ in over }
            $0.drillClient.overview = { DrillOverview(own: over) }
        }
        await store.send(.stopButtonTapped) { $0.isBusy = true }
        await store.receive(.ownChanged(.success(over))) {
            $0.isBusy = false
            $0.own = over
        }
        await store.receive(.loaded(.success(DrillOverview(own: over))))
    }

    @Test func drillOfAnotherPersonIsAnswered() async {
        let (asked, answered) = (question(), question(answered: true))
        let store = store(.init(asked: [asked], now: Fixture.now)) {
            $0.drillClient.answer = { _ in answered }
            $0.drillClient.overview = { DrillOverview(asked: [answered]) }
        }
        #expect(store.state.questions == [asked])
        await store.send(.answerButtonTapped(id)) { $0.answering = [self.id] }
        await store.receive(.answered(id, .success(answered))) {
            $0.answering = []
            $0.asked = [answered]
        }
        await store.receive(.loaded(.success(DrillOverview(asked: [answered]))))
        #expect(store.state.questions.isEmpty)
    }

    @Test func lateAnswerShowsAMessage() async {
        let asked = question()
        let store = store(.init(asked: [asked], now: Fixture.now)) {
            $0.drillClient.answer = { _ in asked }
            $0.drillClient.overview = { DrillOverview() }
        }
        await store.send(.answerButtonTapped(id)) { $0.answering = [self.id] }
        await store.receive(.answered(id, .success(asked))) {
            $0.answering = []
            $0.error = UserFacingError(
                title: "The drill is over", message: "Your answer came too late to be counted.",
                recoverySuggestion: "", code: "drill-over")
        }
        await store.receive(.loaded(.success(DrillOverview()))) { $0.asked = [] }
    }

    @Test func lateAnswerNamesTheRealAlert() async {
        let (asked, ended) = (question(), question(endedByAlert: true))
        let store = store(.init(asked: [asked], now: Fixture.now)) {
            $0.drillClient.answer = { _ in ended }
            $0.drillClient.overview = { DrillOverview(ended: [ended]) }
        }
        await store.send(.answerButtonTapped(id)) { $0.answering = [self.id] }
        await store.receive(.answered(id, .success(ended))) {
            $0.answering = []
            $0.asked = [ended]
            $0.error = UserFacingError(
                title: "This is not a drill", message: "A real alert ended the drill by Ana.",
                recoverySuggestion: "", code: "drill-over")
        }
        await store.receive(.loaded(.success(DrillOverview(ended: [ended])))) { $0.asked = [] }
    }

    @Test func notificationLoadsTheQuestion() async {
        let asked = question()
        let item = NotificationItem(
            id: NotificationID(UUID()), type: .system, title: "DRILL", body: "",
            createdAt: Fixture.now)
        let (stream, news) = AsyncStream<[NotificationItem]>.makeStream()
        let overview = Mutex(DrillOverview())
        let store = store {
            $0.notificationClient.notificationStream = { stream }
            $0.drillClient.overview = { overview.withLock { $0 } }
        }
        await store.send(.onAppear)
        await store.receive(.loaded(.success(DrillOverview())))
        overview.withLock { $0.asked = [asked] }
        news.yield([item])
        await store.receive(.tick)
        await store.receive(.loaded(.success(DrillOverview(asked: [asked])))) {
            $0.asked = [asked]
        }
        await store.send(.onDisappear)
    }

    @Test func otherNotificationsSendNoRequest() async {
        let alert = NotificationItem(
            id: NotificationID(UUID()), type: .alert, title: "Ana needs help", body: "",
            createdAt: Fixture.now)
        let (stream, news) = AsyncStream<[NotificationItem]>.makeStream()
        let store = store {
            $0.notificationClient.notificationStream = { stream }
            $0.drillClient.overview = { DrillOverview() }
        }
        await store.send(.onAppear)
        await store.receive(.loaded(.success(DrillOverview())))
        news.yield([alert])
        news.finish()
        await store.finish()
    }

    @Test func alertOfTheOwnerLoadsTheDrills() async {
        let asked = question()
        let (stream, news) = AsyncStream<[NotificationItem]>.makeStream()
        let store = store(.init(asked: [asked], now: Fixture.now)) {
            $0.notificationClient.notificationStream = { stream }
            $0.drillClient.overview = { DrillOverview() }
        }
        await store.send(.alertAnnounced(Fixture.ben))
        await store.send(.alertAnnounced(Fixture.ana))
        await store.receive(.loaded(.success(DrillOverview()))) { $0.asked = [] }
        await store.send(.onAppear)
        await store.receive(.loaded(.success(DrillOverview())))
        let alert = Fixture.notification(1, .alert, about: Fixture.ana)
        news.yield([alert])
        await store.receive(.alertAnnounced(Fixture.ana))
        news.yield([alert])
        news.finish()
        await store.finish()
    }

    /// Holds without a connection, when the end of the drill can't be loaded.
    @Test(
        arguments: [
            (UserStatus.active, true), (.alertActive, false), (.nonResponsive, false),
        ])
    func alertOfTheOwnerHidesTheQuestion(status: UserStatus, isShown: Bool) throws {
        let asked = question()
        var home = HomeFeature.State(drill: .init(asked: [asked], now: Fixture.now))
        #expect(home.drillQuestions == [asked])
        home.cards.contacts = [
            try Fixture.contact(Fixture.ana, "Ana", isDependent: true, status: status)
        ]
        #expect(home.drillQuestions.isEmpty == !isShown)
        home.cards.contacts = [
            try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: status)
        ]
        #expect(home.drillQuestions == [asked])
    }
}
