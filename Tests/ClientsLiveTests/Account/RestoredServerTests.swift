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

    /// Returns a server on the restored database, at eight minutes past noon.
    private func restored() async throws -> TestApp {
        _ = try SQLiteFile.restore(backup, to: database, at: noon.adding(.minutes(8)))
        let app = try TestApp(.file(database))
        app.time.pass(.minutes(8))
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

    /// The alert was raised before the backup and ended after it. Unless the end is resent, the
    /// restored server repeats the alert to everyone.
    @Test func endAfterTheBackupIsResent() async throws {
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
        // The backup doesn't contain this alert, so the restored server doesn't know it.
        _ = await phone.queue([.raiseAlert(id(2)), .endAlert(id(2))])
        await phone.pump()
        while case .more = await phone.account.save() {}
        await phone.die()
        try app.engine.close()

        let after = try await restored()
        let alerts = { try await self.connection(ada, after).call(Routes.alerts).items }
        #expect(try await alerts().map(\.isActive) == [true])
        let next = try await Phone(of: ada, in: home, over: after.transport, app: after)
        try await next.account.refresh()
        await next.pump()
        #expect(try await alerts().map(\.isActive) == [false])
        #expect(await next.account.entries == [])
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
