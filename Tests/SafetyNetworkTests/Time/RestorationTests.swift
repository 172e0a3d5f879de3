import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A backup has taken the place of the database: who is silent now may have checked in meanwhile.
@Suite struct RestorationTests: ServesAgain {
    let world = World()
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Ada checked in at noon, and Ben watches over her. The backup is made an hour after noon and
    /// restored five hours after it; Ada checked in at four, which is lost.
    private func restored() async throws -> (ada: Person, ben: Person) {
        let people = try await serve { town in
            let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
            try await town.connect(ben, watchesOver: ada)
            try await town.pass(.hours(1))
            try await town.network.giveSignOfLife()
            try town.engine.backUp(to: folder.path + "/backup.db")
            try await town.pass(.hours(3))
            try await town.checkIn(ada)
            for person in [ada, ben] { _ = try await town.news(of: person) }
            return (ada, ben)
        }
        world.clock.set(noon.adding(.hours(5)))
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: world.clock.now)
        return people
    }

    @Test func thePersonIsAskedBeforeTheRespondersAreTold() async throws {
        let (ada, ben) = try await restored()
        try await serve { town in
            _ = try await (town.news(of: ada), town.news(of: ben))
            world.clock.set(noon.adding(.hours(24)))
            try await town.watch.look()
            #expect(try await town.alerts(ada).isEmpty)
            let question = try #require(try await town.newsItems(of: ada).last)
            #expect(question.title == "Are you OK? Please check in")
            #expect(question.body.contains("after 13:00 UTC"))
            #expect(question.body.contains("Your responders will be told in 15 minutes."))
            #expect(try await town.news(of: ben) == [])

            try await town.pass(.minutes(15).minusAMillisecond)
            #expect(try await town.alerts(ada).isEmpty)
            try await town.pass(.milliseconds(1))
            #expect(try await town.openAlert(ada)?.toldLate == false)
            let alarm = try #require(try await town.newsItems(of: ben).last)
            #expect(alarm.title == "Ada may have missed a check-in")
            #expect(alarm.body.contains("may have lost a check-in"))
        }
    }

    @Test func theQuestionCanNotBeMutedAndGoesBySMS() async throws {
        let (ada, _) = try await restored()
        let town = try Town(world, path: folder.database, options: { $0.isSMSAvailable = true })
        try await town.network.wake()
        let all = Set(NotificationType.allCases).subtracting([.alert])
        _ = try await town.network.setPreferences(
            try NotificationPreferences(muted: all), of: ada.caller)
        world.clock.set(noon.adding(.hours(24)))
        _ = try await town.news(of: ada)
        try await town.watch.look()
        #expect(try await town.news(of: ada) == ["Are you OK? Please check in"])
        let texts = try await town.engine.read {
            try $0.count(
                "SELECT COUNT(*) FROM deliveries WHERE user_id = $1 AND channel = 'sms'",
                [.id(ada.id)])
        }
        #expect(texts == 1)
        try town.engine.close()
    }

    @Test func aRestartDoesNotAskTwice() async throws {
        let (ada, ben) = try await restored()
        try await serve { town in
            world.clock.set(noon.adding(.hours(24)))
            try await town.watch.look()
            try await town.network.giveSignOfLife()
            _ = try await (town.news(of: ada), town.news(of: ben))
        }
        world.clock.pass(.minutes(14))
        try await serve { town in
            try await town.watch.look()
            #expect(try await town.news(of: ada) == [])
            try await town.pass(.minutes(1))
            #expect(try await town.news(of: ben) == ["Ada may have missed a check-in"])
        }
    }

    /// An older moment than the last one is a word of the person as well.
    @Test(arguments: [Duration.hours(4), .minutes(-5)])
    func whoHasBeenHeardSinceIsTreatedAsAlways(occurred: Duration) async throws {
        let (ada, ben) = try await restored()
        try await serve { town in
            _ = try await town.news(of: ben)
            try await town.checkIn(ada, at: noon.adding(occurred))
            world.clock.set(noon.adding(.hours(24) + max(.zero, occurred)).aMillisecondBefore)
            try await town.watch.look()
            #expect(try await town.alerts(ada).isEmpty)
            try await town.pass(.milliseconds(1))
            #expect(try await town.openAlert(ada) != nil)
            #expect(try await town.news(of: ben) == ["Ada missed a check-in"])
        }
    }

    @Test func whoIsHeardWhileTheQuestionIsOpenIsFine() async throws {
        let (ada, ben) = try await restored()
        try await serve { town in
            _ = try await town.news(of: ben)
            world.clock.set(noon.adding(.hours(24)))
            try await town.watch.look()
            try await town.pass(.minutes(14))
            try await town.checkIn(ada)
            try await town.pass(.hours(1))
            #expect(try await town.alerts(ada).isEmpty)
            #expect(try await town.news(of: ben) == [])
        }
    }

    /// A deadline that passed before the backup was known then.
    @Test func aDeadlineFromBeforeTheBackupIsToldAtOnce() async throws {
        let (ada, _) = try await restored()
        let town = try Town(
            world, path: folder.database, options: { $0.intervalLimits = .demonstration })
        try await town.network.wake()
        _ = try await town.setInterval(.hours(1) - .seconds(1), of: ada)
        try await town.watch.look()
        #expect(try await town.openAlert(ada) != nil)
        try town.engine.close()
    }

    /// Down for hours, but nobody claims that LifeSignal could not tell.
    @Test func aRestoreIsNoOutage() async throws {
        let (ada, _) = try await restored()
        world.clock.set(noon.adding(.hours(25)))
        try await serve { town in
            try await town.watch.look()
            #expect(try await town.news(of: ada).contains("Are you OK? Please check in"))
            try await town.pass(.minutes(15))
            #expect(try await town.openAlert(ada)?.toldLate == false)
        }
    }

    /// A session whose tokens were renewed after the backup goes on, once.
    @Test func aDeviceStaysSignedInThatRenewedItsTokensAfterTheBackup() async throws {
        let (ada, later) = try await serve { town in
            let ada = try await town.armed("Ada")
            try await town.network.giveSignOfLife()
            try town.engine.backUp(to: folder.path + "/backup.db")
            try await town.pass(.hours(3))
            let second = try await town.network.refresh(ada.tokens.refreshToken)
            return (ada, try await town.network.refresh(second.refreshToken))
        }
        world.clock.set(noon.adding(.hours(5)))
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: world.clock.now)
        try await serve { town in
            let next = try await town.network.refresh(later.refreshToken)
            #expect(next.caller == ada.caller)
            let last = try await town.network.refresh(next.refreshToken)
            // From then on a token that is not the last one is a stolen one.
            #expect(
                await refusal { try await town.network.refresh(ada.tokens.refreshToken) }
                    == SafetyNetwork.sessionOver)
            #expect(
                await refusal { try await town.network.refresh(last.refreshToken) }
                    == SafetyNetwork.sessionOver)
        }
    }

    @Test func aWeekAfterTheRestoreATokenThatIsNotKnownEndsTheSession() async throws {
        let (ada, later) = try await serve { town in
            let ada = try await town.armed("Ada")
            try await town.network.giveSignOfLife()
            try town.engine.backUp(to: folder.path + "/backup.db")
            let second = try await town.network.refresh(ada.tokens.refreshToken)
            return (ada, try await town.network.refresh(second.refreshToken))
        }
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: world.clock.now)
        try await serve { _ in }
        world.clock.set(noon.adding(Restoration.longest + .hours(1)))
        try await serve { town in
            #expect(
                await refusal { try await town.network.refresh(later.refreshToken) }
                    == SafetyNetwork.sessionOver)
            let sessions = try await town.network.sessions(of: ada.caller)
            #expect(sessions.isEmpty)
        }
    }

    @Test func aRestoreChangesTheEpochAndARestartDoesNot() async throws {
        let first = try await serve { town in town.network.epoch.text }
        #expect(first != nil)
        let again = try await serve { town in town.network.epoch.text }
        #expect(again == first)
        let engine = try SQLiteEngine(path: folder.database)
        try engine.backUp(to: folder.path + "/backup.db")
        try engine.close()
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: world.clock.now)
        let second = try await serve { town in town.network.epoch.text }
        #expect(second != nil && second != first)
    }
}
