import API
import Clients
import Domain
import Foundation
import Persistence
import TestApp
import Testing

@testable import ClientsLive

/// After the server's database was restored from a backup, a device resends what the server may
/// have lost.
@Suite(.timeLimit(.minutes(5))) struct RestoredServerTests {
    let folder, home: TemporaryFolder

    init() throws { (folder, home) = (try TemporaryFolder(), try TemporaryFolder()) }

    private var database: String { folder.url.appending(path: "app.sqlite").path }
    private var backup: String { folder.url.appending(path: "backup.sqlite").path }

    private func connection(_ person: Person, _ app: TestApp) -> Connection {
        Connection(transport: app.transport, store: person.store, random: { 0 })
    }

    /// Ada checks in before the backup. After the backup, she checks in a second time and raises an
    /// alert. Her access token stays valid.
    private func story(changes: Bool = true) async throws -> Person {
        let app = try TestApp(.file(database))
        try await app.network.serverLife.wake()
        let ada = try await app.person("Ada", "+15550100001")
        let phone = try await Phone(of: ada, in: home, over: app.transport, app: app)
        try await phone.account.refresh()
        _ = await phone.queue([.checkIn(id(1), occurredAt: noon)])
        await phone.pump()
        try app.engine.backUp(to: backup)
        if changes {
            app.time.pass(.minutes(5))
            _ = await phone.queue([
                .checkIn(id(2), occurredAt: noon.adding(.minutes(5))), .raiseAlert(id(3)),
            ])
            await phone.pump()
        }
        while case .more = await phone.account.save() {}
        await phone.die()
        try app.engine.close()
        return ada
    }

    /// Returns a server on the restored database, at this time after noon.
    private func restored(after time: Duration = .minutes(8)) async throws -> TestApp {
        _ = try SQLiteFile.restore(backup, to: database, at: noon.adding(time))
        let app = try TestApp(.file(database))
        app.time.pass(time)
        try await app.network.serverLife.wake()
        return app
    }

    @Test func lastCheckInAndOpenAlertAreResent() async throws {
        let ada = try await story()
        let app = try await restored()
        #expect(try await app.count("SELECT COUNT(*) FROM check_ins") == 1)

        let phone = try await Phone(of: ada, in: home, over: app.transport, app: app)
        try await phone.account.refresh()
        #expect(await phone.account.entries.map(\.action.kind).count == 2)
        await phone.pump()
        #expect(
            try await connection(ada, app).call(Routes.checkIns).items.map(\.id) == [id(2), id(1)])
        let alerts = try await connection(ada, app).call(Routes.alerts).items
        #expect(alerts.map(\.id) == ["\(id(3) as AlertID)"])
        #expect(alerts.map(\.isActive) == [true])
        await phone.die()

        // The next start has nothing left to send.
        let next = try await Phone(of: ada, in: home, over: app.transport, app: app)
        try await next.account.refresh()
        #expect(await next.account.entries == [])
        await next.die()
        try app.engine.close()
    }

    /// Tells the server's time with each answer, as a server behind HTTP does.
    private struct DatedTransport: Transport {
        let app: TestApp

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            var answer = try await app.transport.send(request)
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = .gmt
            formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            answer.headers["date"] = formatter.string(from: app.time.now)
            return answer
        }

        func stream(_ request: TransportRequest) async throws -> TransportStream {
            try await app.transport.stream(request)
        }
    }

    @Test(arguments: [-9, 0, 9]) func resentTimesSurviveAWrongClock(hoursAhead: Int) async throws {
        let ada = try await story()
        let app = try await restored()
        let phone = try await Phone(
            of: ada, in: home, over: DatedTransport(app: app), app: app,
            clockOffset: .hours(hoursAhead))
        try await phone.account.refresh()
        let offset = Duration.hours(hoursAhead)
        #expect(
            await phone.account.entries.map(\.createdAt)
                == Array(repeating: noon.adding(.minutes(5) + offset), count: 2))
        await phone.pump()
        let pressed = noon.adding(.minutes(5))
        let checkIns = try await connection(ada, app).call(Routes.checkIns).items
        #expect(checkIns.map(\.occurredAt) == [pressed, noon])
        let alerts = try await connection(ada, app).call(Routes.alerts).items
        #expect(alerts.map(\.startTime) == [pressed])
        await phone.die()
        try app.engine.close()
    }

    /// The alert was raised before the backup and ended after it. Unless the end is resent, the
    /// restored server repeats the alert to everyone.
    @Test func endAfterTheBackupIsResent() async throws {
        let ada = try await endAlert { phone in
            // The backup doesn't contain this alert, so the restored server doesn't know it.
            _ = await phone.queue([.raiseAlert(id(2)), .endAlert(id(2))])
            await phone.pump()
        }
        let after = try await restored()
        let alerts = { try await self.connection(ada, after).call(Routes.alerts).items }
        #expect(try await alerts().map(\.isActive) == [true])
        let next = try await Phone(
            of: ada, in: home, over: after.transport, app: after, clockOffset: .zero)
        try await next.account.refresh()
        await next.pump()
        #expect(try await alerts().map(\.endTime) == [noon.adding(.minutes(5))])
        #expect(await next.account.entries == [])
        await next.die()
        try after.engine.close()
    }

    /// Ada ends an alert that the backup has. `act` follows, and is lost.
    private func endAlert(_ act: (Phone) async throws -> Void) async throws -> Person {
        let app = try TestApp(.file(database))
        try await app.network.serverLife.wake()
        let ada = try await app.person("Ada", "+15550100001")
        let phone = try await Phone(of: ada, in: home, over: app.transport, app: app)
        try await phone.account.refresh()
        _ = await phone.queue([.raiseAlert(id(1))])
        await phone.pump()
        try app.engine.backUp(to: backup)
        app.time.pass(.minutes(5))
        _ = await phone.queue([.endAlert(id(1))])
        await phone.pump()
        app.time.pass(.minutes(1))
        try await act(phone)
        while case .more = await phone.account.save() {}
        await phone.die()
        try app.engine.close()
        return ada
    }

    /// The backup has an alert that the person has ended since. A newer call for help must not end
    /// with it, even if its request is the one whose answer tells of the restore.
    @Test(arguments: [false, true]) func resentEndSparesANewerAlert(isWaiting: Bool) async throws {
        let ada = try await endAlert { phone in
            _ = await phone.queue([.raiseAlert(id(2))])
            if !isWaiting { await phone.pump() }
        }
        let after = try await restored()
        let next = try await Phone(of: ada, in: home, over: after.transport, app: after)
        if !isWaiting { try await next.account.refresh() }
        await next.pump()
        let alerts = try await connection(ada, after).call(Routes.alerts).items
        #expect(alerts.map(\.isActive) == [true, false])
        #expect(alerts.last?.id == "\(id(1) as AlertID)")
        #expect(await next.account.entries == [])
        let shown = await next.account.shown.alerts.filter(\.isActive)
        #expect(shown.map(\.id) == [alerts[0].id])
        await next.die()
        try after.engine.close()
    }

    /// As above, but the person has ended the newer alert as well, before either was sent.
    @Test func newerAlertWithQueuedEndIsNotRaisedAnew() async throws {
        let ada = try await endAlert { phone in
            _ = await phone.queue([.raiseAlert(id(2)), .endAlert(id(2))])
        }
        let after = try await restored()
        let next = try await Phone(of: ada, in: home, over: after.transport, app: after)
        await next.pump()
        let alerts = try await connection(ada, after).call(Routes.alerts).items
        #expect(!alerts.isEmpty && alerts.allSatisfy { !$0.isActive })
        #expect(await next.account.entries == [])
        #expect(await next.account.shown.alerts.filter(\.isActive).isEmpty)
        await next.die()
        try after.engine.close()
    }

    @Test func resendingChangesNothingOnCompleteServer() async throws {
        let ada = try await story(changes: false)
        let app = try await restored()
        let phone = try await Phone(of: ada, in: home, over: app.transport, app: app)
        try await phone.account.refresh()
        await phone.pump()
        #expect(try await app.count("SELECT COUNT(*) FROM check_ins") == 1)
        #expect(try await app.count("SELECT COUNT(*) FROM alerts") == 0)
        await phone.die()
        try app.engine.close()
    }

    @Test func restartIsNotTreatedAsRestore() async throws {
        let ada = try await story()
        let app = try TestApp(.file(database))
        app.time.pass(.minutes(8))
        try await app.network.serverLife.wake()
        let phone = try await Phone(of: ada, in: home, over: app.transport, app: app)
        try await phone.account.refresh()
        #expect(await phone.account.entries == [])
        await phone.die()
        try app.engine.close()
    }

    /// The restore invalidates earlier tokens. The person signs in, and nothing is lost.
    @Test func actionsAreResentAfterNewSignIn() async throws {
        let ada = try await story()
        let app = try await restored()
        _ = try await app.engine.write(about: .none) { try $0.execute("DELETE FROM sessions", []) }
        let phone = try await Phone(of: ada, in: home, over: app.transport, app: app)
        await #expect(throws: ClientFailure.sessionEnded) { try await phone.account.refresh() }
        await phone.die()
        let queue = try QueueFile(path: home.url.appending(path: "queue-\(ada.id).sqlite").path)
        #expect(try await queue.load().entries.map(\.action.kind).contains(.raiseAlert))
        #expect(try await queue.load().entries.map(\.action.kind).contains(.checkIn))
        try queue.close()
        try app.engine.close()
    }

    // MARK: Journeys

    private static let journey = JourneyDraft(
        id: id(9), name: "Zugspitze", expectedReturn: noon.adding(.hours(1)), note: "In red",
        tellsResponders: true)

    /// Ada starts a journey before or after the backup. `act` follows, and is lost.
    private func travel(
        startsBeforeTheBackup: Bool, _ act: (Phone) async throws -> Void
    ) async throws -> Person {
        let app = try TestApp(.file(database))
        try await app.network.serverLife.wake()
        let ada = try await app.person("Ada", "+15550100001")
        try await app.connect(ada, try await app.person("Ben", "+15550100002"))
        let phone = try await Phone(of: ada, in: home, over: app.transport, app: app)
        try await phone.account.refresh()
        if !startsBeforeTheBackup { try app.engine.backUp(to: backup) }
        app.time.pass(.minutes(1))
        let draft = Self.journey
        let request = StartJourneyRequest(
            id: draft.id, name: draft.name, expectedReturn: draft.expectedReturn,
            note: draft.note, tellsResponders: draft.tellsResponders)
        _ = try await phone.account.perform(
            { try await $0.call(Routes.startJourney, request) }, { .reply(.profile($0)) })
        if startsBeforeTheBackup { try app.engine.backUp(to: backup) }
        app.time.pass(.minutes(1))
        try await act(phone)
        while case .more = await phone.account.save() {}
        await phone.die()
        try app.engine.close()
        return ada
    }

    /// Returns the journey on the restored server, before and after the device has sent everything.
    private func journeyAfterRestore(
        of ada: Person, _ app: TestApp
    ) async throws -> (before: JourneyRecord?, after: JourneyRecord?) {
        let before = try await connection(ada, app).call(Routes.profile).journey
        let phone = try await Phone(of: ada, in: home, over: app.transport, app: app)
        try await phone.account.refresh()
        await phone.pump()
        #expect(await phone.account.entries == [])
        let after = try await connection(ada, app).call(Routes.profile).journey
        #expect(await phone.account.shown.profile?.journey == after)
        while case .more = await phone.account.save() {}
        await phone.die()
        return (before, after)
    }

    @Test func openJourneyIsResentAndAlarms() async throws {
        let ada = try await travel(startsBeforeTheBackup: false) { _ in }
        let app = try await restored()
        let journey = try await journeyAfterRestore(of: ada, app)
        #expect(journey.before == nil)
        let draft = Self.journey
        #expect(
            journey.after
                == JourneyRecord(
                    id: draft.id, name: draft.name, note: draft.note,
                    startTime: noon.adding(.minutes(1)), expectedReturn: draft.expectedReturn,
                    tellsResponders: true))
        app.time.pass(draft.expectedReturn.adding(.minutes(10)).since(app.time.now))
        try await app.deadlineMonitor.handleDueDeadlines()
        let alerts = try await connection(ada, app).call(Routes.alerts).items
        #expect(alerts.map(\.kind) == [.journey] && alerts.map(\.isActive) == [true])
        try app.engine.close()
    }

    /// The return passed after the backup, and the device sends the arrival after the start.
    @Test(arguments: [true, false])
    func passedReturnWaitsForTheArrival(arrives: Bool) async throws {
        let ada = try await travel(startsBeforeTheBackup: true) { phone in
            guard arrives else { return }
            _ = await phone.queue([.endJourney(Self.journey.id)])
            await phone.pump()
        }
        let app = try await restored(after: .minutes(75))
        let alerts = { try await app.count("SELECT COUNT(*) FROM alerts") }
        try await app.deadlineMonitor.handleDueDeadlines()
        app.time.pass(.seconds(5))
        if arrives { #expect(try await journeyAfterRestore(of: ada, app).after == nil) }
        app.time.pass(.milliseconds(54_999))
        try await app.deadlineMonitor.handleDueDeadlines()
        #expect(try await alerts() == 0)
        app.time.pass(.milliseconds(1))
        try await app.deadlineMonitor.handleDueDeadlines()
        #expect(try await alerts() == (arrives ? 0 : 1))
        try app.engine.close()
    }

    @Test func laterReturnIsResent() async throws {
        let later = Self.journey.expectedReturn.adding(.minutes(30))
        let ada = try await travel(startsBeforeTheBackup: true) { phone in
            _ = await phone.queue([.extendJourney(Self.journey.id, expectedReturn: later)])
            await phone.pump()
        }
        let app = try await restored()
        let journey = try await journeyAfterRestore(of: ada, app)
        #expect(journey.before?.expectedReturn == Self.journey.expectedReturn)
        #expect(journey.after?.expectedReturn == later)
        try app.engine.close()
    }

    /// The device knows that the journey has ended, even if it hasn't told the server yet.
    @Test(arguments: [true, false], [true, false])
    func endedJourneyStaysEnded(startsBeforeTheBackup: Bool, isSent: Bool) async throws {
        let ada = try await travel(startsBeforeTheBackup: startsBeforeTheBackup) { phone in
            _ = await phone.queue([.endJourney(Self.journey.id)])
            if isSent { await phone.pump() }
        }
        let app = try await restored()
        let journey = try await journeyAfterRestore(of: ada, app)
        #expect((journey.before != nil) == startsBeforeTheBackup)
        #expect(journey.after == nil)
        #expect(try await app.count("SELECT COUNT(*) FROM journeys WHERE ended_at IS NULL") == 0)
        #expect(try await app.count("SELECT COUNT(*) FROM journeys WHERE note <> ''") <= 1)
        try app.engine.close()
    }

    /// A server that lost the journey refuses the press, and the device sends the journey with it.
    @Test func unsentLaterReturnIsNotLost() async throws {
        let later = Self.journey.expectedReturn.adding(.minutes(30))
        let ada = try await travel(startsBeforeTheBackup: false) { phone in
            _ = await phone.queue([.extendJourney(Self.journey.id, expectedReturn: later)])
        }
        let app = try await restored()
        #expect(try await journeyAfterRestore(of: ada, app).after?.expectedReturn == later)
        try app.engine.close()
    }

    /// Kills the process at each step from the first answer to the last.
    @Test(arguments: 1...12) func killAtAnyStepLosesNothing(step: Int) async throws {
        let ada = try await story()
        let app = try await restored()
        let faults = FaultInjector(deadly: step)
        if let mortal = try? await Phone(
            of: ada, in: home, over: app.transport, app: app, faults: faults)
        {
            try? await mortal.account.refresh()
            await mortal.pump()
            await mortal.die()
        }
        let phone = try await Phone(of: ada, in: home, over: app.transport, app: app)
        try await phone.account.refresh()
        await phone.pump()
        #expect(
            try await connection(ada, app).call(Routes.checkIns).items.map(\.id) == [id(2), id(1)])
        #expect(try await connection(ada, app).call(Routes.alerts).items.map(\.isActive) == [true])
        await phone.die()
        try app.engine.close()
    }
}
