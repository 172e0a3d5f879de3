import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A device sends its journey again, because a backup from before the start was restored. Ada has
/// started her journey at noon, and the restore is at one o'clock.
@Suite struct ResentJourneyTests {
    private let scene: JourneyScene
    private let restoredAt = noon.adding(.hours(1))
    private var server: TestServer { scene.server }
    private var ada: Person { scene.ada }
    private var ben: Person { scene.ben }
    private var cleo: Person { scene.cleo }

    init() async throws { scene = try await JourneyScene() }

    private init(_ scene: JourneyScene) { self.scene = scene }

    private func restore() async throws {
        let restoration = Restoration(
            restoredAt: restoredAt, incompleteSince: noon.adding(.minutes(-5)))
        _ = try await server.engine.write(about: .none) { transaction in
            try transaction.updateServerState { $0.restoration = restoration }
        }
        server.clock.set(restoredAt.adding(.minutes(1)))
        try await scene.forgetNews()
    }

    @discardableResult
    private func resend(
        _ draft: JourneyDraft? = nil, startedAt: Date = noon, endedAt: Date? = nil
    ) async throws -> JourneyRecord? {
        try await server.network.journeys.resend(
            draft ?? scene.draft(), startedAt: startedAt, endedAt: endedAt, of: ada.caller
        ).journey
    }

    private func runningCount() async throws -> Int {
        try await server.engine.read { [ada] in
            try $0.count(
                "SELECT COUNT(*) FROM journeys WHERE user_id = $1 AND ended_at IS NULL",
                [.id(ada.id)])
        }
    }

    // MARK: A lost journey

    @Test func lostJourneyRunsAgain() async throws {
        try await restore()
        let record = try #require(
            try await resend(scene.draft(grace: 20, to: [ben], tells: true)))
        #expect(record.startTime == noon && record.expectedReturn == scene.expectedReturn)
        #expect(record.graceMinutes == 20 && record.note == scene.note)
        #expect(record.responderIds == [ben.id] && record.tellsResponders)
        // They were told of the start before.
        #expect(try await scene.news(of: ben) == [])
        #expect(try await resend(scene.draft(grace: 20, to: [ben], tells: true)) == record)
        try await scene.run(at: scene.expectedReturn.adding(.minutes(19)))
        #expect(try await server.openAlert(ada) == nil)
        try await scene.run(at: scene.expectedReturn.adding(.minutes(20)))
        #expect(try await scene.alarms(of: ben) == ["Ada may not be back from Zugspitze"])
        #expect(try await scene.alarms(of: cleo) == [])
    }

    @Test func overdueJourneyAlarmsAtOnce() async throws {
        try await restore()
        try await resend(scene.draft(return: noon.adding(.minutes(30))))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada)?.kind == .journey)
        for person in [ben, cleo] {
            #expect(try await scene.alarms(of: person) == ["Ada may not be back from Zugspitze"])
        }
        try await scene.arrive()
        #expect(try await server.openAlert(ada) == nil)
    }

    @Test func lostResponderLeavesTheChoiceToTheRest() async throws {
        let dora = try await server.person("Dora")
        try await restore()
        let one = try await resend(scene.draft(to: [ben, dora], tells: true))
        #expect(one?.responderIds == [ben.id] && one?.tellsResponders == true)
        try await scene.arrive()
        let none = try await resend(
            scene.draft(server.environment.id(), to: [dora], tells: true),
            startedAt: noon.adding(.minutes(1)))
        #expect(none?.responderIds == nil && none?.tellsResponders == false)
    }

    // MARK: A lost later return or end

    @Test func laterReturnIsTakenUp() async throws {
        try await scene.start()
        try await restore()
        let later = scene.expectedReturn.adding(.minutes(30))
        #expect(try await resend(scene.draft(return: later))?.expectedReturn == later)
        // A device that was offline knows an older return.
        #expect(try await resend()?.expectedReturn == later)
    }

    /// Those who search must not believe that Ada has just spoken.
    @Test(arguments: [true, false])
    func resentReturnIsNoNewWord(endsAlert: Bool) async throws {
        try await scene.start()
        try await restore()
        try await scene.run(at: scene.deadline.adding(.minutes(10)))
        #expect(try await server.openAlert(ada) != nil)
        try await scene.forgetNews()
        // The grace is 10 minutes, so the alert goes on if it has passed since this return.
        let later = scene.deadline.adding(endsAlert ? .milliseconds(1) : .zero)
        try await resend(scene.draft(return: later))
        #expect(try await (server.openAlert(ada) == nil) == endsAlert)
        let bodies = try await server.newsItems(of: ben).map(\.body)
        #expect(bodies.contains { $0.contains("This is no new word from Ada.") })
        #expect(!bodies.contains { $0.contains("said so at") })
        let chosenAt = try await server.engine.read { [ada] in
            try $0.journey(of: ada.id)?.returnChosenAt
        }
        #expect(chosenAt == noon)
    }

    @Test func laterReturnWithdrawsAWaitingReminder() async throws {
        let scene = try await JourneyScene { $0.isSMSAvailable = true }
        let server = scene.server
        try await server.send(.sms)
        try await scene.start()
        try await scene.run(at: scene.expectedReturn.adding(.minutes(-15)))
        let restoration = Restoration(restoredAt: server.clock.now, incompleteSince: noon)
        _ = try await server.engine.write(about: .none) { transaction in
            try transaction.updateServerState { $0.restoration = restoration }
        }
        let later = scene.expectedReturn.adding(.hours(1))
        _ = try await server.network.journeys.resend(
            scene.draft(return: later), startedAt: noon, endedAt: nil, of: scene.ada.caller)
        #expect(try await server.send(.sms) == [])
    }

    @Test func endIsTakenUp() async throws {
        try await scene.start(tells: true)
        try await restore()
        #expect(try await resend(endedAt: noon.adding(.minutes(30))) == nil)
        #expect(try await runningCount() == 0)
        let news = try await server.newsItems(of: ben)
        #expect(news.map(\.title) == ["Ada has arrived: Zugspitze"])
        #expect(news.first?.body.contains("12:30 UTC") == true)
        #expect(try await resend() == nil)
    }

    /// The device's clock was wrong at the end.
    @Test(arguments: [(-1, "11:59"), (600, "22:00")])
    func endLiesBetweenTheStartAndNow(minutes: Int, wrongTime: String) async throws {
        try await scene.start(tells: true)
        try await restore()
        _ = try await resend(endedAt: noon.adding(.minutes(minutes)))
        let body = try #require(try await server.newsItems(of: ben).first?.body)
        #expect(body.contains("13:01 UTC") && !body.contains(wrongTime))
    }

    @Test func endOfALostJourneyKeepsItEnded() async throws {
        try await restore()
        #expect(try await resend(endedAt: noon.adding(.minutes(30))) == nil)
        let notes = try await server.engine.read {
            try $0.count("SELECT COUNT(*) FROM journeys WHERE note <> ''", [])
        }
        #expect(notes == 0)
        // Another device hasn't heard of the end.
        #expect(try await resend() == nil)
        #expect(try await runningCount() == 0)
        #expect(try await scene.news(of: ben) == [])
        try await scene.run(at: scene.deadline)
        #expect(try await server.alerts(ada).isEmpty)
    }

    @Test func cleanUpKeepsALostJourneyEnded() async throws {
        let here = Self(try await JourneyScene(TestServer(hasBystanders: false)))
        let server = here.server
        let retention = Retention(server.network)
        func cleanUp() async throws {
            while try await retention.pass() < server.clock.now.adding(.minutes(10)) {}
        }
        func rowCount() async throws -> Int {
            try await server.engine.read { try $0.count("SELECT COUNT(*) FROM journeys", []) }
        }
        try await here.restore()
        #expect(try await here.resend(endedAt: noon.adding(.minutes(30))) == nil)
        let end = here.restoredAt.adding(Restoration.longest)
        for time in [noon.adding(.days(2)), end.adding(.milliseconds(-1))] {
            server.clock.set(time)
            try await cleanUp()
            // Another device was away.
            #expect(try await here.resend() == nil)
            #expect(try await here.runningCount() == 0)
            #expect(try await rowCount() == 1)
        }
        server.clock.set(end)
        try await cleanUp()
        #expect(try await rowCount() == 0)
    }

    @Test func cleanUpEmptiesTheNoteAfterARestore() async throws {
        let here = Self(try await JourneyScene(TestServer(hasBystanders: false)))
        let (server, ada) = (here.server, here.ada)
        let retention = Retention(server.network)
        func note() async throws -> String? {
            while try await retention.pass() < server.clock.now.adding(.minutes(10)) {}
            return try await server.engine.read { [ada] in try $0.journey(of: ada.id)?.note }
        }
        try await here.restore()
        try await here.scene.start()
        try await here.scene.arrive()
        server.clock.pass(.days(1) - .milliseconds(1))
        #expect(try await note() == here.scene.note)
        server.clock.pass(.milliseconds(1))
        #expect(try await note() == "")
    }

    @Test func cleanUpDeletesOtherRowsAfterARestore() async throws {
        let here = Self(try await JourneyScene(TestServer(hasBystanders: false)))
        let server = here.server
        let retention = Retention(server.network)
        func codes() async throws -> Int {
            while try await retention.pass() < server.clock.now.adding(.minutes(10)) {}
            return try await server.engine.read {
                try $0.count("SELECT COUNT(*) FROM sign_in_codes", [])
            }
        }
        try await here.restore()
        #expect(try await codes() > 0)
        server.clock.pass(SignInRules.codeMemory)
        #expect(try await codes() == 0)
    }

    /// Had it been running at the backup, the backup would have it.
    @Test(arguments: [true, false])
    func journeyFromBeforeTheBackupHadEnded(isFromBefore: Bool) async throws {
        try await restore()
        let backup = noon.adding(.minutes(-5))
        let start = isFromBefore ? backup.adding(.milliseconds(-1)) : backup
        #expect((try await resend(startedAt: start) == nil) == isFromBefore)
        #expect(try await runningCount() == (isFromBefore ? 0 : 1))
    }

    @Test func newerJourneyReplacesTheOlder() async throws {
        let first = try await scene.start(tells: true)
        try await restore()
        let draft = scene.draft(server.environment.id())
        #expect(try await resend(draft, startedAt: noon.adding(.minutes(40)))?.id == draft.id)
        #expect(try await server.news(of: ben) == ["Ada has arrived: Zugspitze"])
        #expect(try await resend(scene.draft(first.id))?.id == draft.id)
    }

    @Test func olderJourneyIsIgnored() async throws {
        try await restore()
        try await scene.start()
        try await scene.arrive()
        #expect(try await resend(scene.draft(server.environment.id())) == nil)
        #expect(try await runningCount() == 0)
    }

    // MARK: Limits

    @Test func withoutARestoreNothingChanges() async throws {
        server.clock.set(restoredAt)
        #expect(try await resend() == nil)
        #expect(try await resend(endedAt: restoredAt) == nil)
        try await scene.start()
        #expect(try await resend(endedAt: restoredAt) != nil)
    }

    @Test func startAfterTheRestoreIsNotLost() async throws {
        try await restore()
        #expect(try await resend(startedAt: restoredAt) == nil)
        #expect(try await resend(startedAt: restoredAt.adding(.milliseconds(-1))) != nil)
    }

    @Test(arguments: [true, false]) func resendingEndsWithTheRestoration(isInTime: Bool)
        async throws
    {
        try await restore()
        let end = restoredAt.adding(Restoration.longest)
        server.clock.set(isInTime ? end.adding(.milliseconds(-1)) : end)
        #expect((try await resend() != nil) == isInTime)
    }

    @Test func badValuesAreRefused() async throws {
        try await restore()
        let now = server.clock.now
        let longest = now.adding(.days(7))
        let tooLong = await refusal {
            try await resend(scene.draft(return: longest.adding(.milliseconds(1))))
        }
        #expect(tooLong?.field == "expectedReturn")
        let beforeTheStart = await refusal { try await resend(scene.draft(return: noon)) }
        #expect(beforeTheStart?.field == "expectedReturn")
        #expect(await refusal { try await resend(scene.draft(grace: 61)) }?.field == "graceMinutes")
        #expect(try await runningCount() == 0)
        #expect(try await resend(scene.draft(return: longest)) != nil)
    }

    @Test func endInTheFutureIsNow() async throws {
        try await scene.start()
        try await restore()
        try await resend(endedAt: restoredAt.adding(.days(1)))
        let ended = try await server.engine.read { [ada] in try $0.journey(of: ada.id)?.endedAt }
        #expect(ended == server.clock.now)
    }
}
