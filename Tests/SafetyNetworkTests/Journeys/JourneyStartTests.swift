import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct JourneyStartTests {
    private let scene: JourneyScene
    private var server: TestServer { scene.server }

    init() async throws { scene = try await JourneyScene() }

    private func refusal(_ draft: JourneyDraft, of person: Person? = nil) async -> CommandError? {
        await SafetyNetworkTests.refusal {
            try await server.network.journeys.start(draft, of: (person ?? scene.ada).caller)
        }
    }

    @Test func startedJourneyIsInTheProfile() async throws {
        let record = try await scene.start(to: [scene.ben], tells: true)
        #expect(record.name == "Zugspitze" && record.note == scene.note)
        #expect(record.startTime == noon && record.expectedReturn == scene.expectedReturn)
        #expect(record.graceMinutes == 10 && record.deadline == scene.deadline)
        #expect(record.responderIds == [scene.ben.id] && record.tellsResponders)
        #expect(record.alertId == nil)
        #expect(try await scene.journey() == record)
        #expect(try await server.events(of: scene.ada).last == .profileChanged)
        #expect(try await server.profile(scene.ada).status == .active)
    }

    @Test func sameIDChangesNothing() async throws {
        let record = try await scene.start(tells: true)
        try await scene.forgetNews()
        server.clock.pass(.minutes(1))
        var again = scene.draft(return: scene.expectedReturn.adding(.hours(1)))
        again.name = "Watzmann"
        #expect(try await scene.start(again) == record)
        #expect(try await scene.news(of: scene.ben) == [])
    }

    /// The answer to the first request was lost, and the person has arrived since.
    @Test func lateRepeatStartsNoSecondJourney() async throws {
        let draft = scene.draft()
        try await scene.start(draft)
        try await scene.arrive()
        _ = try await server.network.journeys.start(draft, of: scene.ada.caller)
        #expect(try await scene.journey() == nil)
        try await scene.run(at: scene.deadline)
        #expect(try await server.alerts(scene.ada).isEmpty)
    }

    @Test func secondJourneyIsRefusedUntilTheEnd() async throws {
        let record = try await scene.start()
        let second = scene.draft(server.environment.id())
        #expect(await refusal(second)?.reason == .journeyRuns)
        #expect(try await scene.journey() == record)
        try await scene.arrive()
        #expect(try await scene.start(second).id == second.id)
    }

    @Test func journeyRunsUntilItsAlertEnds() async throws {
        try await scene.start()
        try await scene.becomeOverdue()
        #expect(await refusal(scene.draft(server.environment.id()))?.reason == .journeyRuns)
    }

    // MARK: Refusals

    @Test(arguments: [
        (Duration.minutes(5) - .milliseconds(1), false), (.minutes(5), true), (.days(7), true),
        (.days(7) + .milliseconds(1), false),
    ])
    func returnIs5MinutesTo7DaysAhead(ahead: Duration, isAccepted: Bool) async throws {
        let error = await refusal(scene.draft(return: noon.adding(ahead)))
        #expect(error?.field == (isAccepted ? nil : "expectedReturn"))
        #expect((try await scene.journey() != nil) == isAccepted)
    }

    @Test(arguments: [(-1, false), (0, true), (60, true), (61, false)])
    func graceIsAtMostAnHour(minutes: Int, isAccepted: Bool) async throws {
        let error = await refusal(scene.draft(grace: minutes))
        #expect(error?.field == (isAccepted ? nil : "graceMinutes"))
    }

    @Test func longNameAndNoteAreRefused() async throws {
        var draft = scene.draft()
        draft.name = String(repeating: "a", count: 61)
        #expect(await refusal(draft)?.field == "name")
        draft = scene.draft()
        draft.note = String(repeating: "a", count: 1_001)
        #expect(await refusal(draft)?.field == "note")
        #expect(try await scene.journey() == nil)
    }

    @Test func journeyNeedsAnAcceptedResponder() async throws {
        let dora = try await server.person("Dora")
        #expect(await refusal(scene.draft(), of: dora)?.reason == .noResponders)
        let emil = try await server.person("Emil")
        try await server.ask(emil, toWatchOver: dora)
        #expect(await refusal(scene.draft(), of: dora)?.reason == .noResponders)
        try await server.accept(.dependent, of: dora, by: emil)
        #expect(await refusal(scene.draft(), of: dora) == nil)
    }

    @Test func chosenRespondersHaveAccepted() async throws {
        let (dora, emil) = (try await server.person("Dora"), try await server.person("Emil"))
        try await server.ask(dora, toWatchOver: scene.ada)
        for chosen in [[dora], [emil], [scene.ben, dora], [scene.ada], []] {
            #expect(await refusal(scene.draft(to: chosen))?.reason == .noResponders)
        }
        #expect(try await scene.journey() == nil)
        // Ada watches over Dora, who isn't her responder.
        try await server.connect(scene.ada, watchesOver: emil)
        #expect(await refusal(scene.draft(to: [emil]))?.reason == .noResponders)
    }

    @Test func otherPeoplesJourneysAreIndependent() async throws {
        let record = try await scene.start(to: [scene.ben])
        let own = scene.draft(server.environment.id(), return: noon.adding(.hours(1)), grace: 0)
        _ = try await server.network.journeys.start(own, of: scene.ben.caller)
        #expect(try await scene.journey() == record)
        try await scene.run(at: noon.adding(.hours(1)))
        #expect(try await server.alerts(scene.ada).map(\.userId) == [scene.ben.id.description])
        #expect(try await scene.journey() == record)
        _ = try await server.network.journeys.end(
            own.id, pressedAt: server.clock.now, of: scene.ben.caller)
        #expect(try await scene.journey() == record)
        try await scene.becomeOverdue()
    }

    @Test func startsThatAreToldAreFiveMinutesApart() async throws {
        try await scene.start(tells: true)
        try await scene.arrive()
        server.clock.pass(.minutes(5) - .milliseconds(1))
        let told = scene.draft(server.environment.id(), tells: true)
        #expect(await refusal(told) == .rateLimited(retryAfter: .milliseconds(1)))
        #expect(try await scene.journey() == nil)
        server.clock.pass(.milliseconds(1))
        #expect(await refusal(told) == nil)
        // A start that no one is told of needs no pause.
        _ = try await server.network.journeys.end(
            told.id, pressedAt: server.clock.now, of: scene.ada.caller)
        #expect(await refusal(scene.draft(server.environment.id())) == nil)
    }

    @Test func startInTheFutureDelaysNoOther() async throws {
        try await scene.start(tells: true)
        try await scene.arrive()
        // The clock had been an hour ahead.
        server.clock.set(noon.adding(.hours(-1)))
        #expect(await refusal(scene.draft(server.environment.id(), tells: true)) == nil)
    }

    // MARK: Notices

    @Test func chosenAreToldOfTheStart() async throws {
        try await server.muteAll(of: scene.ben)
        try await scene.start(to: [scene.ben], tells: true)
        let items = try await server.newsItems(of: scene.ben)
        let item = try #require(items.first)
        #expect(items.count == 1 && item.aboutUserID == scene.ada.id && item.alertID == nil)
        #expect(item.title.hasPrefix("Ada "))
        let text = item.title + item.body
        #expect(text.contains("Zugspitze") && text.contains("14:00 UTC"))
        #expect(!text.contains("Höllental"))
        #expect(try await scene.news(of: scene.cleo) == [])
    }

    @Test func allAreToldOfTheStart() async throws {
        let dora = try await server.person("Dora")
        try await server.ask(dora, toWatchOver: scene.ada)
        try await scene.start(tells: true)
        #expect(try await scene.news(of: scene.ben).count == 1)
        #expect(try await scene.news(of: scene.cleo).count == 1)
        #expect(try await scene.news(of: dora) == [])
    }

    @Test func silentStartTellsNoOne() async throws {
        let before = try await server.events(of: scene.ben).count
        try await scene.start()
        #expect(try await server.events(of: scene.ben).count == before)
        for person in [scene.ben, scene.cleo] { #expect(try await scene.news(of: person) == []) }
    }

    @Test(arguments: [true, false]) func onlyThoseToldSeeTheJourney(tells: Bool) async throws {
        func watched(by person: Person) async throws -> WatchedJourney? {
            try await server.contact(scene.ada, seenBy: person)?.watch?.journey
        }
        try await scene.start(to: [scene.ben], tells: tells)
        let shown = WatchedJourney(name: "Zugspitze", expectedReturn: scene.expectedReturn)
        #expect(try await watched(by: scene.ben) == (tells ? shown : nil))
        #expect(try await watched(by: scene.cleo) == nil)
        let later = scene.expectedReturn.adding(.hours(1))
        try await scene.extend(until: later)
        #expect(try await watched(by: scene.ben)?.expectedReturn == (tells ? later : nil))
        try await scene.arrive()
        #expect(try await watched(by: scene.ben) == nil)
    }
}
