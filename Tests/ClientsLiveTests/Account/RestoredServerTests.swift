import API
import Clients
import Domain
import Foundation
import Persistence
import Testing

@testable import ClientsLive

/// The server's database was restored: what a device knows and the server does not is sent again.
@Suite(.timeLimit(.minutes(5))) struct RestoredServerTests {
    let folder, home: Folder

    init() throws { (folder, home) = (try Folder(), try Folder()) }

    private var database: String { folder.url.appending(path: "town.sqlite").path }
    private var backup: String { folder.url.appending(path: "backup.sqlite").path }

    private func connection(_ person: Person, _ town: Town) -> Connection {
        Connection(transport: town.line, store: person.store, random: { 0 })
    }

    /// Ada checks in before the backup; after it she checks in again and raises an alert. All within the
    /// life of one access token.
    private func story(changes: Bool = true) async throws -> Person {
        let town = try Town(at: database)
        try await town.network.wake()
        let ada = try await town.person("Ada", "+15550100001")
        let phone = try await Phone(of: ada, in: home, over: town.line, town: town)
        try await phone.account.refresh()
        _ = await phone.queue([.checkIn(id(1), occurredAt: noon)])
        await phone.pump()
        try town.engine.backUp(to: backup)
        if changes {
            town.time.pass(.minutes(5))
            _ = await phone.queue([
                .checkIn(id(2), occurredAt: noon.adding(.minutes(5))), .raiseAlert(id(3)),
            ])
            await phone.pump()
        }
        while case .more = await phone.account.save() {}
        await phone.die()
        try town.engine.close()
        return ada
    }

    /// A server on the restored database, eight minutes after noon.
    private func restored() async throws -> Town {
        _ = try SQLiteFile.restore(backup, to: database, at: noon.adding(.minutes(8)))
        let town = try Town(at: database)
        town.time.pass(.minutes(8))
        try await town.network.wake()
        return town
    }

    @Test func theLastCheckInAndTheOpenAlertAreSentAgain() async throws {
        let ada = try await story()
        let town = try await restored()
        #expect(try await town.count("SELECT COUNT(*) FROM check_ins") == 1)

        let phone = try await Phone(of: ada, in: home, over: town.line, town: town)
        try await phone.account.refresh()
        #expect(await phone.account.entries.map(\.action.kind).count == 2)
        await phone.pump()
        #expect(
            try await connection(ada, town).call(Routes.checkIns).items.map(\.id) == [id(2), id(1)])
        let alerts = try await connection(ada, town).call(Routes.alerts).items
        #expect(alerts.map(\.id) == ["\(id(3) as AlertID)"])
        #expect(alerts.map(\.isActive) == [true])
        await phone.die()

        // Once: the next start sends nothing.
        let next = try await Phone(of: ada, in: home, over: town.line, town: town)
        try await next.account.refresh()
        #expect(await next.account.entries == [])
        await next.die()
        try town.engine.close()
    }

    /// Raised before the backup and ended after it: the restored server would alarm everybody again.
    @Test func anAlertThatWasEndedAfterTheBackupIsEndedAgain() async throws {
        let town = try Town(at: database)
        try await town.network.wake()
        let ada = try await town.person("Ada", "+15550100001")
        let phone = try await Phone(of: ada, in: home, over: town.line, town: town)
        try await phone.account.refresh()
        _ = await phone.queue([.raiseAlert(id(1))])
        await phone.pump()
        try town.engine.backUp(to: backup)
        town.time.pass(.minutes(5))
        _ = await phone.queue([.endAlert(id(1))])
        await phone.pump()
        // Not known at all to the restored server.
        _ = await phone.queue([.raiseAlert(id(2)), .endAlert(id(2))])
        await phone.pump()
        while case .more = await phone.account.save() {}
        await phone.die()
        try town.engine.close()

        let after = try await restored()
        let alerts = { try await self.connection(ada, after).call(Routes.alerts).items }
        #expect(try await alerts().map(\.isActive) == [true])
        let next = try await Phone(of: ada, in: home, over: after.line, town: after)
        try await next.account.refresh()
        await next.pump()
        #expect(try await alerts().map(\.isActive) == [false])
        #expect(await next.account.entries == [])
        await next.die()
        try after.engine.close()
    }

    @Test func aServerThatHasEverythingChangesNothing() async throws {
        let ada = try await story(changes: false)
        let town = try await restored()
        let phone = try await Phone(of: ada, in: home, over: town.line, town: town)
        try await phone.account.refresh()
        await phone.pump()
        #expect(try await town.count("SELECT COUNT(*) FROM check_ins") == 1)
        #expect(try await town.count("SELECT COUNT(*) FROM alerts") == 0)
        await phone.die()
        try town.engine.close()
    }

    @Test func aRestartIsNoRestore() async throws {
        let ada = try await story()
        let town = try Town(at: database)
        town.time.pass(.minutes(8))
        try await town.network.wake()
        let phone = try await Phone(of: ada, in: home, over: town.line, town: town)
        try await phone.account.refresh()
        #expect(await phone.account.entries == [])
        await phone.die()
        try town.engine.close()
    }

    /// The tokens of before the restore are worthless: the person signs in again, and nothing is lost.
    @Test func whoHasToSignInAgainSendsItThen() async throws {
        let ada = try await story()
        let town = try await restored()
        _ = try await town.engine.write { try $0.execute("DELETE FROM sessions", []) }
        let phone = try await Phone(of: ada, in: home, over: town.line, town: town)
        await #expect(throws: ClientFailure.sessionEnded) { try await phone.account.refresh() }
        await phone.die()
        let queue = try QueueFile(path: home.url.appending(path: "queue-\(ada.id).sqlite").path)
        #expect(try await queue.load().entries.map(\.action.kind).contains(.raiseAlert))
        #expect(try await queue.load().entries.map(\.action.kind).contains(.checkIn))
        try queue.close()
        try town.engine.close()
    }

    /// Killed at each step between the first answer and the last.
    @Test(arguments: 1...12) func aKillLosesNothing(step: Int) async throws {
        let ada = try await story()
        let town = try await restored()
        let faults = FaultLine(deadly: step)
        if let mortal = try? await Phone(
            of: ada, in: home, over: town.line, town: town, faults: faults)
        {
            try? await mortal.account.refresh()
            await mortal.pump()
            await mortal.die()
        }
        let phone = try await Phone(of: ada, in: home, over: town.line, town: town)
        try await phone.account.refresh()
        await phone.pump()
        #expect(
            try await connection(ada, town).call(Routes.checkIns).items.map(\.id) == [id(2), id(1)])
        #expect(try await connection(ada, town).call(Routes.alerts).items.map(\.isActive) == [true])
        await phone.die()
        try town.engine.close()
    }
}
