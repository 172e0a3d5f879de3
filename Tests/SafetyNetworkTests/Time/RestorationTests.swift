import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A backup has replaced the database. People who seem silent may have checked in since the backup.
@Suite struct RestorationTests: ServesAgain {
    let environment = TestEnvironment()
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Returns Ada and her responder Ben. Ada checks in at noon and four hours later. A backup from
    /// one hour after noon is restored after five hours, so the second check-in is lost.
    private func restored() async throws -> (ada: Person, ben: Person) {
        let people = try await serve { server in
            let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
            try await server.connect(ben, watchesOver: ada)
            try await server.pass(.hours(1))
            try await server.network.serverLife.giveSignOfLife()
            try server.engine.backUp(to: folder.path + "/backup.db")
            try await server.pass(.hours(3))
            try await server.checkIn(ada)
            for person in [ada, ben] { _ = try await server.news(of: person) }
            return (ada, ben)
        }
        environment.clock.set(noon.adding(.hours(5)))
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: environment.clock.now)
        return people
    }

    /// Ada blocks Ben after the backup. The restore makes him her responder again.
    @Test func accountsAreToldOnceToCheckWhatIsUndone() async throws {
        let (ada, ben) = try await serve { server in
            let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
            try await server.connect(ben, watchesOver: ada)
            await server.network.timeZones.noteTimeZone("Europe/Berlin", of: ada.caller)
            try await server.pass(.hours(1))
            try await server.network.serverLife.giveSignOfLife()
            try server.engine.backUp(to: folder.path + "/backup.db")
            _ = try await server.network.blocks.block(ben.id, by: ada.caller)
            #expect(try await !server.network.announcements.pass())
            return (ada, ben)
        }
        environment.clock.set(noon.adding(.hours(2)))
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: environment.clock.now)
        for isFirstStart in [true, false] {
            try await serve { server in
                for person in [ada, ben] { _ = try await server.newsItems(of: person) }
                let (waiting, state) = try await server.engine.read {
                    (try $0.waitingAnnouncement(), try $0.serverState())
                }
                #expect((waiting != nil) == isFirstStart)
                #expect(waiting?.number == (isFirstStart ? state.restoreNews : nil))
                while try await server.network.announcements.pass() {}
                // Ben's time zone isn't known.
                for (person, time) in [(ada, "14:00 CET"), (ben, "13:00 UTC")] {
                    let news = try await server.newsItems(of: person)
                    #expect(news.count == (isFirstStart ? 1 : 0))
                    let areComplete = news.allSatisfy {
                        $0.type == .system && $0.body.contains("after \(time) may be undone")
                    }
                    #expect(areComplete)
                }
                #expect(try await server.contact(ben, seenBy: ada) != nil)
            }
        }
    }

    @Test(arguments: [
        (true, "Your responder is told in 15 minutes."),
        (false, "No message reaches your responder."),
    ])
    func questionSaysWhomMessagesReach(sendsTexts: Bool, words: String) async throws {
        let (ada, _) = try await restored()
        try await serve(isSMSAvailable: sendsTexts) { server in
            environment.clock.set(noon.adding(.hours(24)))
            try await server.deadlineMonitor.handleDueDeadlines()
            let question = try #require(try await server.newsItems(of: ada).last)
            #expect(question.title == "Are you OK? Please check in")
            #expect(question.body.hasSuffix(words))
        }
    }

    @Test func personIsAskedBeforeTheResponders() async throws {
        let (ada, ben) = try await restored()
        try await serve { server in
            _ = try await (server.news(of: ada), server.news(of: ben))
            environment.clock.set(noon.adding(.hours(24)))
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.alerts(ada).isEmpty)
            let question = try #require(try await server.newsItems(of: ada).last)
            #expect(question.title == "Are you OK? Please check in")
            #expect(question.body.contains("after 13:00 UTC"))
            #expect(try await server.news(of: ben) == [])

            try await server.pass(.minutes(15).minusAMillisecond)
            #expect(try await server.alerts(ada).isEmpty)
            try await server.pass(.milliseconds(1))
            #expect(try await server.openAlert(ada)?.toldLate == false)
            let alarm = try #require(try await server.newsItems(of: ben).last)
            #expect(alarm.title == "Ada may have missed a check-in")
            #expect(alarm.body.contains("may have lost a check-in"))
            #expect(alarm.body.contains("was asked at 12:00 UTC and has not answered"))
        }
    }

    /// Ada is asked a day after noon, and the server stops 5 minutes later. The 15 minutes end
    /// before it starts again.
    private func askedBeforeAnOutage() async throws -> (ada: Person, ben: Person) {
        let people = try await restored()
        try await serve { server in
            environment.clock.set(noon.adding(.hours(24)))
            try await server.deadlineMonitor.handleDueDeadlines()
            try await server.pass(.minutes(5))
            try await server.network.serverLife.giveSignOfLife()
            _ = try await (server.news(of: people.ada), server.news(of: people.ben))
        }
        environment.clock.pass(.hours(1))
        return people
    }

    @Test(arguments: [true, false])
    func questionThatRunsOutInAnOutageGetsAGrace(answers: Bool) async throws {
        let (ada, ben) = try await askedBeforeAnOutage()
        try await serve { server in
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.alerts(ada).isEmpty)
            if answers { try await server.checkIn(ada, at: noon.adding(.hours(24) + .minutes(10))) }
            try await server.pass(.seconds(60).minusAMillisecond)
            #expect(try await server.alerts(ada).isEmpty)
            try await server.pass(.milliseconds(1))
            #expect(try await server.alerts(ada).isEmpty == answers)
            let news = try await server.newsItems(of: ben)
            #expect(news.map(\.title) == (answers ? [] : ["Ada may have missed a check-in"]))
            #expect(news.allSatisfy { $0.body.contains("was asked at 12:00 UTC") })
        }
    }

    @Test func reminderChangeKeepsTheGraceOfAQuestion() async throws {
        let (ada, _) = try await askedBeforeAnOutage()
        try await serve { server in
            var settings = try await server.profile(ada).settings
            settings.remindTwoHoursBefore.toggle()
            _ = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
            try await server.pass(.seconds(60).minusAMillisecond)
            #expect(try await server.alerts(ada).isEmpty)
            try await server.pass(.milliseconds(1))
            #expect(try await server.openAlert(ada)?.toldLate == false)
        }
    }

    /// An answer by SMS then gets the reply that the person has not checked in.
    @Test func questionCountsAsAReminder() async throws {
        let (ada, _) = try await restored()
        try await serve { server in
            let time = noon.adding(.hours(24))
            environment.clock.set(time)
            try await server.deadlineMonitor.handleDueDeadlines()
            let purposes: [String] = try await server.engine.read {
                try $0.values(
                    "SELECT purpose FROM deliveries WHERE user_id = $1 AND created_at >= $2",
                    [.id(ada.id), .date(time)])
            }
            #expect(Set(purposes) == ["reminder"])
        }
    }

    @Test func questionWithoutRespondersPromisesNothing() async throws {
        let (ada, ben) = try await restored()
        try await serve { server in
            try await server.network.contacts.removeContact(ben.id, by: ada.caller)
            environment.clock.set(noon.adding(.hours(24)))
            try await server.deadlineMonitor.handleDueDeadlines()
            let question = try #require(try await server.newsItems(of: ada).last)
            #expect(question.title == "Are you OK? Please check in")
            #expect(!question.body.contains("responders will be told"))
        }
    }

    /// The copy in Firestore is newer than the backup, and may have people who signed up later.
    @Test func restoreCopiesEveryoneAgain() async throws {
        try await serve { server in
            try await server.engine.write(about: .none) { try $0.noteCopiesFilled(7) }
        }
        _ = try await restored()
        try await serve { server async throws in
            #expect(try await server.engine.read { try $0.filledCopies() } == nil)
        }
    }

    @Test func questionIsTextedDespiteMuting() async throws {
        let (ada, _) = try await restored()
        let server = try TestServer(
            environment, path: folder.database, options: { $0.isSMSAvailable = true })
        try await server.network.serverLife.wake()
        let all = Set(NotificationType.allCases).subtracting([.alert])
        _ = try await server.network.notifications.setPreferences(
            try NotificationPreferences(muted: all), of: ada.caller)
        environment.clock.set(noon.adding(.hours(24)))
        _ = try await server.news(of: ada)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.news(of: ada) == ["Are you OK? Please check in"])
        let texts = try await server.engine.read {
            try $0.count(
                "SELECT COUNT(*) FROM deliveries WHERE user_id = $1 AND channel = 'sms'",
                [.id(ada.id)])
        }
        #expect(texts == 1)
        try server.engine.close()
    }

    @Test func aRestartDoesNotAskTwice() async throws {
        let (ada, ben) = try await restored()
        try await serve { server in
            environment.clock.set(noon.adding(.hours(24)))
            try await server.deadlineMonitor.handleDueDeadlines()
            try await server.network.serverLife.giveSignOfLife()
            _ = try await (server.news(of: ada), server.news(of: ben))
        }
        environment.clock.pass(.minutes(14))
        try await serve { server in
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.news(of: ada) == [])
            try await server.pass(.minutes(1))
            #expect(try await server.news(of: ben) == ["Ada may have missed a check-in"])
        }
    }

    /// A check-in for an earlier moment is also a sign of life.
    @Test(arguments: [Duration.hours(4), .minutes(-5)])
    func personHeardSinceIsHandledNormally(occurred: Duration) async throws {
        let (ada, ben) = try await restored()
        try await serve { server in
            _ = try await server.news(of: ben)
            try await server.checkIn(ada, at: noon.adding(occurred))
            environment.clock.set(noon.adding(.hours(24) + max(.zero, occurred)).aMillisecondBefore)
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.alerts(ada).isEmpty)
            try await server.pass(.milliseconds(1))
            #expect(try await server.openAlert(ada) != nil)
            #expect(try await server.news(of: ben) == ["Ada missed a check-in"])
        }
    }

    @Test func pauseAfterTheRestoreIsASignOfLife() async throws {
        let (ada, ben) = try await restored()
        try await serve { server in
            let end = noon.adding(.hours(6))
            _ = try await server.network.pauses.pause(until: end, of: ada.caller)
            for time in [end, noon.adding(.hours(30))] {
                environment.clock.set(time)
                try await server.deadlineMonitor.handleDueDeadlines()
            }
            #expect(try await server.news(of: ben).last == "Ada missed a check-in")
        }
    }

    @Test func answerToTheQuestionPreventsAnAlert() async throws {
        let (ada, ben) = try await restored()
        try await serve { server in
            _ = try await server.news(of: ben)
            environment.clock.set(noon.adding(.hours(24)))
            try await server.deadlineMonitor.handleDueDeadlines()
            try await server.pass(.minutes(14))
            try await server.checkIn(ada)
            try await server.pass(.hours(1))
            #expect(try await server.alerts(ada).isEmpty)
            #expect(try await server.news(of: ben) == [])
        }
    }

    /// The deadline passed before the backup, so no lost check-in could explain the silence.
    @Test func deadlineBeforeTheBackupIsReportedAtOnce() async throws {
        let (ada, _) = try await restored()
        let server = try TestServer(
            environment, path: folder.database, options: { $0.intervalLimits = .demonstration })
        try await server.network.serverLife.wake()
        _ = try await server.setInterval(.hours(1) - .seconds(1), of: ada)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada) != nil)
        try server.engine.close()
    }

    /// The server was down for a restore. No message may say that LifeSignal couldn't tell anyone.
    @Test func aRestoreIsNoOutage() async throws {
        let (ada, _) = try await restored()
        environment.clock.set(noon.adding(.hours(25)))
        try await serve { server in
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.news(of: ada).contains("Are you OK? Please check in"))
            try await server.pass(.minutes(15))
            #expect(try await server.openAlert(ada)?.toldLate == false)
        }
    }

    private func startJourney(of person: Person, _ server: TestServer) async throws {
        let draft = JourneyDraft(
            id: environment.id(), name: "Zugspitze", expectedReturn: noon.adding(.hours(2)),
            graceMinutes: 0)
        _ = try await server.network.journeys.start(draft, of: person.caller)
    }

    /// An arrival since the backup may be lost. Nothing is lost of a later journey.
    @Test(arguments: [true, false])
    func onlyAJourneyOfTheBackupIsToldWithDoubt(isOfTheBackup: Bool) async throws {
        let (ada, ben) = try await serve { server in
            let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
            try await server.connect(ben, watchesOver: ada)
            if isOfTheBackup { try await startJourney(of: ada, server) }
            try await server.network.serverLife.giveSignOfLife()
            try server.engine.backUp(to: folder.path + "/backup.db")
            return (ada, ben)
        }
        environment.clock.set(noon.adding(.hours(1)))
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: environment.clock.now)
        try await serve { server in
            if !isOfTheBackup { try await startJourney(of: ada, server) }
            _ = try await server.news(of: ben)
            try await server.pass(.hours(1))
            let alarm = try #require(try await server.newsItems(of: ben).last)
            let isOrMay = isOfTheBackup ? "may not be" : "is not"
            #expect(alarm.title == "Ada \(isOrMay) back from Zugspitze")
            #expect(alarm.body.contains("may have lost news since 12:00 UTC") == isOfTheBackup)
        }
    }

    /// A session whose tokens were renewed after the backup continues once.
    @Test func tokensRenewedAfterTheBackupWorkOnce() async throws {
        let (ada, later) = try await serve { server in
            let ada = try await server.armed("Ada")
            try await server.network.serverLife.giveSignOfLife()
            try server.engine.backUp(to: folder.path + "/backup.db")
            try await server.pass(.hours(3))
            let second = try await server.network.signIn.refresh(ada.tokens.refreshToken)
            return (ada, try await server.network.signIn.refresh(second.refreshToken))
        }
        environment.clock.set(noon.adding(.hours(5)))
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: environment.clock.now)
        try await serve { server in
            let next = try await server.network.signIn.refresh(later.refreshToken)
            #expect(next.caller == ada.caller)
            let last = try await server.network.signIn.refresh(next.refreshToken)
            // After that, any token but the last counts as stolen.
            #expect(
                await refusal { try await server.network.signIn.refresh(ada.tokens.refreshToken) }
                    == CommandError.sessionOver)
            #expect(
                await refusal { try await server.network.signIn.refresh(last.refreshToken) }
                    == CommandError.sessionOver)
        }
    }

    @Test func unknownTokenEndsTheSessionAWeekLater() async throws {
        let (ada, later) = try await serve { server in
            let ada = try await server.armed("Ada")
            try await server.network.serverLife.giveSignOfLife()
            try server.engine.backUp(to: folder.path + "/backup.db")
            let second = try await server.network.signIn.refresh(ada.tokens.refreshToken)
            return (ada, try await server.network.signIn.refresh(second.refreshToken))
        }
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: environment.clock.now)
        try await serve { _ in }
        environment.clock.set(noon.adding(Restoration.longest + .hours(1)))
        try await serve { server in
            #expect(
                await refusal { try await server.network.signIn.refresh(later.refreshToken) }
                    == CommandError.sessionOver)
            let sessions = try await server.network.signIn.sessions(of: ada.caller)
            #expect(sessions.isEmpty)
        }
    }

    // MARK: Alerts that were open in the backup

    /// Returns Ada, her responder Ben, and her alert, which she ends after the backup. The backup
    /// is restored an hour later.
    /// - Parameter isLeased: whether a server was sending the SMS during the backup.
    private func restoredAlert(
        isLeased: Bool = false
    ) async throws -> (ada: Person, ben: Person, alert: AlertRecord) {
        let story = try await serve(isSMSAvailable: true) { server in
            let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
            try await server.connect(ben, watchesOver: ada)
            let alert = try await server.raiseAlert(ada)
            if isLeased {
                // The lease ends after the restore.
                let leased = try await server.engine.write(about: .none) {
                    try $0.leaseDeliveries(
                        channels: [.sms], lease: .hours(1) + .seconds(10), limit: 10)
                }
                #expect(!leased.isEmpty)
            }
            try await server.network.serverLife.giveSignOfLife()
            try server.engine.backUp(to: folder.path + "/backup.db")
            _ = try await server.endAlert(alert, ada)
            return (ada, ben, alert)
        }
        environment.clock.set(noon.adding(.hours(1)))
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: environment.clock.now)
        return story
    }

    @Test(arguments: [true, false])
    func openAlertOfTheBackupWaitsForItsEnd(ends: Bool) async throws {
        let (ada, ben, alert) = try await restoredAlert()
        try await serve(isSMSAvailable: true) { server in
            try await server.network.serverLife.prepareStart(keepsCopy: false)
            _ = try await server.news(of: ben)
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.alertNews(of: ben).isEmpty)
            if ends { _ = try await server.endAlert(alert, ada) }
            try await server.pass(.seconds(60).minusAMillisecond)
            #expect(try await server.alertNews(of: ben).count == (ends ? 1 : 0))
            try await server.pass(.milliseconds(1))
            #expect(try await server.alertNews(of: ben).count == (ends ? 0 : 1))
            #expect(try await (server.openAlert(ada) == nil) == ends)
        }
    }

    @Test(arguments: [true, false])
    func unsentMessagesOfAnOpenAlertWait(isLeased: Bool) async throws {
        let (_, ben, _) = try await restoredAlert(isLeased: isLeased)
        try await serve(isSMSAvailable: true) { server in
            try await server.network.serverLife.prepareStart(keepsCopy: false)
            for (pause, isDue) in [
                (Duration.zero, false), (.seconds(60).minusAMillisecond, false),
                (.milliseconds(1), true),
            ] {
                environment.clock.pass(pause)
                let now = environment.clock.now
                let due = try await server.engine.read {
                    try $0.count(
                        """
                        SELECT COUNT(*) FROM deliveries
                        WHERE user_id = $1 AND alert_id IS NOT NULL AND next_try_at <= $2
                        """, [.id(ben.id), .date(now)])
                }
                #expect((due > 0) == isDue)
            }
        }
    }

    /// Only the first start after the restore holds the alerts.
    @Test func laterStartHoldsNoAlert() async throws {
        let (_, ben, _) = try await restoredAlert()
        try await serve { _ in }
        environment.clock.pass(.seconds(60))
        try await serve { server in
            _ = try await server.news(of: ben)
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.alertNews(of: ben).count == 1)
        }
    }

    @Test func onlyARestoreChangesTheEpoch() async throws {
        let first = try await serve { server in server.network.epoch.text }
        #expect(first != nil)
        let again = try await serve { server in server.network.epoch.text }
        #expect(again == first)
        let engine = try SQLiteEngine(
            path: folder.database, now: { [environment] in environment.clock.now })
        try engine.backUp(to: folder.path + "/backup.db")
        try engine.close()
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: environment.clock.now)
        let second = try await serve { server in server.network.epoch.text }
        #expect(second != nil && second != first)
    }
}
