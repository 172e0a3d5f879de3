import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct JourneyFeatureTests {
    typealias State = JourneyFeature.State
    typealias Form = JourneyFeature.Form
    typealias ReturnTime = JourneyFeature.ReturnTime

    private let clock = TestClock()
    private let now = Fixture.now
    private let berlin = "Europe/Berlin"
    private let ben = JourneyFeature.Responder(id: Fixture.ben, name: "Ben")
    private let cleo = JourneyFeature.Responder(id: Fixture.cleo, name: "Cleo")

    private func store(
        _ state: State = .init(), with prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<JourneyFeature> {
        TestStore(initialState: state) {
            JourneyFeature()
        } withDependencies: {
            $0.continuousClock = clock
            $0.date = .following(clock)
            $0.uuid = .incrementing
            $0.journeyClient.expectedReturn = { nil }
            prepare(&$0)
        }
    }

    private func profile(_ journey: JourneyRecord?) throws -> UserProfile {
        var profile = try Fixture.profile()
        profile.journey = journey
        profile.timeZone = berlin
        return profile
    }

    private func journey(backIn length: Duration = .hours(1)) -> JourneyRecord {
        JourneyRecord(
            id: Fixture.id(20), name: "Zugspitze", startTime: now,
            expectedReturn: now.adding(length))
    }

    private func form(_ change: (inout Form) -> Void = { _ in }) -> Form {
        var form = Form(
            id: Fixture.id(20), name: "Zugspitze", expectedReturn: ReturnTime(openedAt: now),
            responders: [ben, cleo])
        change(&form)
        return form
    }

    // MARK: The start

    @Test func journeyStartsOnce() async throws {
        let journey = journey()
        let profile = try profile(journey)
        let (gate, asked) = (Gate<UserProfile>(), Calls<JourneyDraft>([]))
        let store = store(.init(form: form { $0.note = "Over the Höllental." })) {
            $0.journeyClient.start = { draft in
                asked.withValue { $0.append(draft) }
                return try await gate.wait()
            }
        }
        #expect(store.state.canStart && store.state.startWords == "Start the journey")
        await store.send(.startButtonTapped) { $0.isSaving = true }
        await store.send(.startButtonTapped)
        await store.send(.formButtonTapped)
        #expect(store.state.startWords == "Starting …")
        gate.open(profile)
        await store.receive(\.startResponse) {
            ($0.isSaving, $0.form) = (false, nil)
            ($0.journey, $0.timeZone, $0.now) = (journey, profile.timeZone, Fixture.now)
        }
        #expect(
            asked.value == [
                JourneyDraft(
                    id: journey.id, name: "Zugspitze", expectedReturn: journey.expectedReturn,
                    note: "Over the Höllental.")
            ])
        await store.send(.formButtonTapped)
        await store.send(.stopped)
    }

    @Test func formOpensWithTheServersTime() async {
        let store = store { $0.serverClock.offset = { .seconds(60) } }
        let opened = now.adding(.seconds(60))
        await store.send(.formButtonTapped) {
            $0.form = Form(id: JourneyID(UUID(0)), expectedReturn: ReturnTime(openedAt: opened))
        }
        #expect(store.state.form?.expectedReturn.date == opened.adding(.hours(1)))
        #expect(!store.state.canStart)
    }

    @Test func everythingIsChosen() async throws {
        let store = store(.init(timeZone: berlin, form: form()))
        await store.send(.nameChanged("Wank")) { $0.form?.name = "Wank" }
        await store.send(.hoursChosen(4)) {
            $0.form?.expectedReturn = ReturnTime(openedAt: Fixture.now, hours: 4)
        }
        await store.send(.graceChosen(minutes: 30)) { $0.form?.graceMinutes = 30 }
        await store.send(.noteChanged("By car")) { $0.form?.note = "By car" }
        await store.send(.tellsAllRespondersChosen(false)) { $0.form?.tellsAllResponders = false }
        await store.send(.responderToggled(Fixture.cleo)) { $0.form?.chosen = [Fixture.cleo] }
        await store.send(.tellsStartToggled) { $0.form?.tellsStart = true }
        #expect(
            store.state.form?.draft
                == JourneyDraft(
                    id: Fixture.id(20), name: "Wank", expectedReturn: now.adding(.hours(4)),
                    graceMinutes: 30, note: "By car", responders: [Fixture.cleo],
                    tellsResponders: true))
        await store.send(.responderToggled(Fixture.cleo)) { $0.form?.chosen = [] }
        #expect(store.state.form?.responderRefusalWords == JourneyWords.nobodyChosen)
        #expect(!store.state.canStart)
        await store.send(.startButtonTapped)
    }

    @Test func typedReturnIsInThePersonsZone() async {
        // 7:00 UTC.
        let back = Date(timeIntervalSince1970: 1_700_118_000)
        let store = store(.init(timeZone: berlin, form: form()))
        await store.send(.returnTyped("2023-11-16T08:00")) {
            $0.form?.expectedReturn.hours = nil
            $0.form?.expectedReturn.date = back
        }
        let typed = store.state.form.flatMap { store.state.returnText(of: $0.expectedReturn) }
        #expect(typed == "2023-11-16T08:00")
        await store.send(.returnTyped("2023-11-16T")) { $0.form?.expectedReturn.date = nil }
        #expect(store.state.form?.expectedReturn.refusalWords == JourneyWords.unfinishedReturn)
        #expect(!store.state.canStart)
        await store.send(.returnChosen(back)) { $0.form?.expectedReturn.date = back }
        #expect(store.state.canStart)
    }

    @Test(arguments: [
        (Duration.minutes(5) - .milliseconds(1), false), (.minutes(5), true), (.days(7), true),
        (.days(7) + .milliseconds(1), false),
    ])
    func returnHasLimits(length: Duration, isAccepted: Bool) {
        var time = ReturnTime(openedAt: now, hours: nil)
        time.date = now.adding(length)
        #expect(time.refusalWords == (isAccepted ? nil : RefusalWords.journeyReturn.detail))
        #expect((form { $0.expectedReturn = time }.draft != nil) == isAccepted)
    }

    @Test(arguments: [("", false), (" ", false), ("Z", true)]) func nameIsNeeded(
        name: String, isAccepted: Bool
    ) {
        #expect((form { $0.name = name }.draft != nil) == isAccepted)
    }

    @Test(arguments: [(60, true), (61, false)]) func nameIsShort(
        length: Int, isAccepted: Bool
    ) {
        let form = form { $0.name = String(repeating: "z", count: length) }
        #expect(form.nameRefusalWords == (isAccepted ? nil : RefusalWords.journeyName.detail))
        #expect((form.draft != nil) == isAccepted)
    }

    @Test(arguments: [(1_000, true), (1_001, false)]) func noteHasALimit(
        length: Int, isAccepted: Bool
    ) {
        let form = form { $0.note = String(repeating: "z", count: length) }
        #expect(form.noteRefusalWords == (isAccepted ? nil : RefusalWords.journeyNote.detail))
        #expect((form.draft != nil) == isAccepted)
    }

    @Test func withoutRespondersNothingStarts() {
        let form = form { $0.responders = [] }
        #expect(form.responderRefusalWords == RefusalWords.journeyResponders.detail)
        #expect(form.draft == nil)
    }

    /// The person has removed the responder since, or the responder has left.
    @Test func onlyPresentRespondersAreSent() {
        let form = form {
            ($0.tellsAllResponders, $0.chosen) = (false, [Fixture.ben, Fixture.ana])
        }
        #expect(form.draft?.responders == [Fixture.ben])
    }

    @Test func refusalKeepsTheForm() async {
        let store = store(.init(form: form())) {
            $0.journeyClient.start = { _ in throw UserFacingError.refused }
        }
        await store.send(.startButtonTapped) { $0.isSaving = true }
        await store.receive(\.startResponse) { ($0.isSaving, $0.error) = (false, .refused) }
        await store.send(.dismissError) { $0.error = nil }
        await store.send(.sheetDismissed) { $0.form = nil }
    }

    @Test func closedFormTakesNoInput() async {
        let store = store()
        for action: JourneyFeature.Action in [
            .nameChanged("x"), .hoursChosen(2), .returnChosen(now), .returnTyped("x"),
            .graceChosen(minutes: 0), .noteChanged("x"), .tellsAllRespondersChosen(false),
            .responderToggled(Fixture.ben), .tellsStartToggled, .startButtonTapped,
            .arriveButtonTapped, .extendButtonTapped, .laterReturnButtonTapped,
            .confirmReturnButtonTapped,
        ] {
            await store.send(action)
        }
    }

    // MARK: Arrival and later returns

    @Test func arrivalTakesOnePress() async throws {
        let (profile, asked) = (try profile(nil), Calls<JourneyID>([]))
        let store = store(.init(journey: journey(), timeZone: berlin, now: now)) {
            $0.journeyClient.arrive = { id in
                asked.withValue { $0.append(id) }
                return .confirmed(profile)
            }
        }
        await store.send(.arriveButtonTapped) { $0.isSaving = true }
        await store.receive(\.response) {
            ($0.isSaving, $0.journey, $0.now) = (false, nil, nil)
        }
        #expect(asked.value == [Fixture.id(20)])
    }

    @Test(arguments: [(Duration.hours(1), Duration.minutes(90)), (.minutes(-5), .minutes(30))])
    func extensionCountsFromTheLaterTime(back: Duration, expected: Duration) async throws {
        let later = now.adding(expected)
        var extended = journey(backIn: back)
        extended.expectedReturn = later
        let (profile, asked) = (try profile(extended), Calls<Date>([]))
        let store = store(.init(journey: journey(backIn: back), timeZone: berlin)) {
            $0.journeyClient.extend = { _, time, isLater in
                #expect(isLater)
                asked.withValue { $0.append(time) }
                return .confirmed(profile)
            }
        }
        await store.send(.extendButtonTapped) { $0.isSaving = true }
        await store.receive(\.response) {
            ($0.isSaving, $0.now) = (false, Fixture.now)
            $0.journey?.expectedReturn = later
        }
        #expect(asked.value == [later])
        await store.send(.stopped)
    }

    @Test func anotherReturnIsChosen() async throws {
        let later = now.adding(.hours(2))
        var extended = journey()
        extended.expectedReturn = later
        let profile = try profile(extended)
        let store = store(.init(journey: journey(), timeZone: berlin)) {
            $0.journeyClient.extend = { _, _, isLater in
                #expect(!isLater)
                return .confirmed(profile)
            }
        }
        await store.send(.laterReturnButtonTapped) {
            $0.laterReturn = ReturnTime(openedAt: Fixture.now)
        }
        await store.send(.returnChosen(now)) {
            $0.laterReturn?.hours = nil
            $0.laterReturn?.date = Fixture.now
        }
        await store.send(.confirmReturnButtonTapped)
        await store.send(.hoursChosen(2)) {
            $0.laterReturn = ReturnTime(openedAt: Fixture.now, hours: 2)
        }
        #expect(store.state.confirmReturnWords == "Change the return")
        await store.send(.confirmReturnButtonTapped) { $0.isSaving = true }
        #expect(store.state.confirmReturnWords == "Saving …")
        await store.receive(\.response) {
            ($0.isSaving, $0.laterReturn) = (false, nil)
            $0.journey?.expectedReturn = later
            $0.now = Fixture.now
        }
        await store.send(.stopped)
    }

    @Test func failedPressCanBeRepeated() async {
        let store = store(.init(journey: journey())) {
            $0.journeyClient.extend = { _, _, _ in throw UserFacingError.refused }
        }
        await store.send(.extendButtonTapped) { $0.isSaving = true }
        await store.receive(\.response) {
            ($0.isSaving, $0.error) = (false, .refused)
        }
        #expect(store.state.canExtend && store.state.canArrive)
    }

    // MARK: Offline

    @Test func offlinePressesWaitAndAddUp() async {
        let asked = Calls<Date>([])
        let store = store(.init(journey: journey())) {
            $0.journeyClient.expectedReturn = { asked.value.last }
            $0.journeyClient.extend = { _, time, _ in
                asked.withValue { $0.append(time) }
                return .waiting
            }
            $0.journeyClient.arrive = { _ in .waiting }
        }
        let (first, second) = (now.adding(.minutes(90)), now.adding(.minutes(120)))
        await store.send(.extendButtonTapped) { $0.isSaving = true }
        await store.receive(\.response) { ($0.isSaving, $0.waiting) = (false, .laterReturn) }
        // The earlier return shows until the server has the later one.
        #expect(store.state.journey?.expectedReturn == now.adding(.hours(1)))
        #expect(store.state.waitingWords?.contains("Until then the earlier one counts.") == true)
        await store.send(.extendButtonTapped) { $0.isSaving = true }
        await store.receive(\.response) { $0.isSaving = false }
        #expect(asked.value == [first, second])
        await store.send(.arriveButtonTapped) { $0.isSaving = true }
        await store.receive(\.response) { ($0.isSaving, $0.waiting) = (false, .arrival) }
        #expect(store.state.waitingWords?.hasPrefix("Your arrival will be sent") == true)
        #expect(!store.state.canArrive && store.state.canExtend)
        // The arrival was pressed by mistake.
        let third = now.adding(.minutes(150))
        await store.send(.extendButtonTapped) { $0.isSaving = true }
        await store.receive(\.response) { ($0.isSaving, $0.waiting) = (false, .laterReturn) }
        #expect(asked.value == [first, second, third])
        #expect(store.state.canArrive)
    }

    /// The app has restarted since, or the press was made on a notification.
    @Test(
        arguments: [(.minutes(90), .minutes(120)), (nil, .minutes(90))] as [(Duration?, Duration)])
    func extensionCountsFromAQueuedReturn(queued: Duration?, expected: Duration) async {
        let (known, asked) = (queued.map { now.adding($0) }, Calls<Date>([]))
        let store = store(.init(journey: journey(), waiting: .laterReturn)) {
            $0.journeyClient.expectedReturn = { known }
            $0.journeyClient.extend = { _, time, isLater in
                #expect(isLater)
                asked.withValue { $0.append(time) }
                return .waiting
            }
        }
        await store.send(.extendButtonTapped) { $0.isSaving = true }
        await store.receive(\.response) { $0.isSaving = false }
        #expect(asked.value == [now.adding(expected)])
    }

    @Test func lastWaitingPressCounts() {
        var state = State(journey: journey())
        state.apply(Connectivity(isOnline: false, waiting: Fixture.waiting(.extendJourney, .ping)))
        #expect(state.waiting == .laterReturn)
        state.apply(
            Connectivity(isOnline: false, waiting: Fixture.waiting(.extendJourney, .endJourney)))
        #expect(state.waiting == .arrival)
        state.apply(Connectivity())
        #expect(state.waiting == nil && state.waitingWords == nil)
    }

    // MARK: The stages

    @Test func stageFollowsTheTime() async {
        let store = store(.init(journey: journey()))
        await store.send(.momentPassed) { $0.now = Fixture.now }
        #expect(store.state.stage == .underway && store.state.tone == .normal)
        await clock.advance(by: .hours(1))
        await store.receive(\.momentPassed) { $0.now = Fixture.now.adding(.hours(1)) }
        #expect(store.state.stage == .expected && store.state.tone == .warning)
        await clock.advance(by: .minutes(10))
        await store.receive(\.momentPassed) { $0.now = Fixture.now.adding(.minutes(70)) }
        #expect(store.state.stage == .overdue && store.state.tone == .critical)
    }

    @Test func openAlertMeansOverdue() {
        var state = State(journey: journey(), now: now)
        #expect(state.stage == .underway)
        state.journey?.alertId = Fixture.id(7)
        #expect(state.stage == .overdue)
        state.journey = nil
        #expect(state.stage == nil && state.tone == .normal)
    }

    @Test func endElsewhereClosesTheSheet() throws {
        var state = State(journey: journey(), laterReturn: ReturnTime(openedAt: now))
        state.apply(try profile(nil))
        #expect(state.journey == nil && state.laterReturn == nil)
        state.form = form()
        state.apply(try profile(nil))
        #expect(state.form != nil)
        state.apply(try profile(journey()))
        #expect(state.form == nil)
    }

    @Test func anotherJourneyClosesTheSheetOfTheFirst() throws {
        var state = State(journey: journey(), laterReturn: ReturnTime(openedAt: now))
        state.apply(try profile(journey(backIn: .hours(2))))
        #expect(state.laterReturn != nil)
        var second = journey()
        second.id = Fixture.id(21)
        state.apply(try profile(second))
        #expect(state.journey?.id == Fixture.id(21) && state.laterReturn == nil)
    }

    // MARK: Texts

    @Test func textsNameTheTimes() {
        #expect(JourneyWords.extend == "30 minutes more")
        #expect(JourneyWords.graceWords(0) == "None")
        #expect(JourneyWords.graceWords(60) == "1 hour")
        #expect(JourneyWords.hoursWords(2) == "In 2 hours")
        #expect(JourneyWords.notBack("Ana", from: "Zugspitze") == "Ana is not back from Zugspitze")
        #expect(JourneyWords.notBack("Ana", from: nil) == "Ana is not back from a journey")
        #expect(JourneyWords.notBack(from: nil) == "You are not back from your journey")
        #expect(
            JourneyWords.watched(WatchedJourney(name: "Zugspitze", expectedReturn: now))
                == "Zugspitze, back by")
    }
}
