import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// After a correction of the server's time, everything is on time again within a minute. Wrong
/// recorded times must not hide a right check-in.
@Suite struct ClockCorrectionTests {
    let machine = Machine()
    let folder: TestFolder
    let environment = TestEnvironment()

    init() throws { folder = try TestFolder() }

    /// Starts a server on this machine and runs `story` with it.
    func serve<Value>(
        wakes: Bool = true, _ story: (TestServer, ServerClock) async throws -> Value
    ) async throws -> Value {
        let clock = machine.clock()
        let server = try TestServer(environment, path: folder.database, by: clock)
        if wakes { try await server.network.serverLife.wake() }
        let value = try await story(server, clock)
        try server.engine.close()
        return value
    }

    func pass(_ duration: Duration, _ server: TestServer) async throws {
        machine.pass(duration)
        try await server.deadlineMonitor.handleDueDeadlines()
        try await server.network.serverLife.giveSignOfLife()
    }

    /// Returns Ada, who checks in now with an interval of 24 hours, and Ben, her responder.
    func people(_ server: TestServer) async throws -> (ada: Person, ben: Person) {
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.setInterval(.hours(24), of: ada, reminders: false)
        try await server.checkIn(ada, at: machine.realTime)
        return (ada, ben)
    }

    /// Executes a statement. The database is always SQLite, because the story restarts the server.
    private func execute(_ statement: String, _ server: TestServer) async throws {
        _ = try await server.engine.write(about: .none) { try $0.execute(statement, []) }
    }

    // MARK: The server's time was ahead

    @Test func checkInEndsTheAlarmOfAFastStart() async throws {
        let (ada, ben) = try await serve { server, _ in try await people(server) }
        machine.reboot(after: .minutes(5), error: .days(2))
        try await serve { server, _ in
            try await pass(.seconds(61), server)
            #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
            _ = try await server.news(of: ben)
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            #expect(try await server.openAlert(ada) != nil)
            try await server.checkIn(ada, at: machine.realTime)
            #expect(try await server.openAlert(ada) == nil)
            #expect(try await server.news(of: ben) == ["Ada checked in"])
            try await pass(.hours(24).minusAMillisecond, server)
            #expect(try await server.openAlert(ada) == nil)
            try await pass(.milliseconds(1), server)
            #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
        }
    }

    @Test func operatorReadsOfACorrectionOnce() async throws {
        _ = try await serve { server, _ in try await people(server) }
        machine.reboot(after: .minutes(5), error: .days(2))
        try await serve { server, _ in
            try await pass(.seconds(30), server)
            #expect(environment.corrections.isEmpty)
            machine.correct()
            machine.synchronise()
            for _ in 1...3 { try await pass(.seconds(1), server) }
            #expect(environment.corrections.count == 1)
            #expect(environment.corrections.allSatisfy { $0.by < .zero && $0.since < $0.until })
        }
    }

    /// The grace after a start lasts longer than a machine needs to correct its clock.
    @Test func fastStartCorrectedInAMinuteAlertsNoOne() async throws {
        let (ada, _) = try await serve { server, _ in try await people(server) }
        machine.reboot(after: .minutes(5), error: .days(2))
        try await serve { server, _ in
            try await pass(.seconds(59), server)
            machine.correct()
            try await pass(.milliseconds(500), server)
            try await pass(.minutes(5), server)
            #expect(try await server.alerts(ada).isEmpty)
            #expect(server.watched.all.missed == 0)
        }
    }

    /// The start grants a grace by its wrong time, which must not hide a return for two days.
    @Test func journeyIsOnTimeAfterAFastStart() async throws {
        let draft = JourneyDraft(
            id: environment.id(), name: "Zugspitze", expectedReturn: noon.adding(.hours(2)),
            graceMinutes: 0)
        let (ada, ben) = try await serve { server, _ in
            let people = try await people(server)
            _ = try await server.network.journeys.start(draft, of: people.ada.caller)
            return people
        }
        machine.reboot(after: .minutes(5), error: .days(2))
        try await serve { server, _ in
            try await pass(.seconds(50), server)
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            #expect(try await server.alerts(ada).isEmpty)
            for person in [ada, ben] { _ = try await server.news(of: person) }
            try await pass(noon.adding(.minutes(106)).since(machine.realTime), server)
            #expect(try await server.news(of: ada) == ["Back from Zugspitze soon?"])
            try await pass(.minutes(13), server)
            #expect(try await server.openAlert(ada) == nil)
            try await pass(.minutes(2), server)
            #expect(try await server.openAlert(ada)?.kind == .journey)
            #expect(try await server.news(of: ben) == ["Ada is not back from Zugspitze"])
        }
    }

    /// The start lies in the future. A new return must not have to lie after it.
    @Test func journeyOfAFastClockCanBeExtended() async throws {
        machine.setWall(by: .days(2))
        try await serve { server, _ in
            let (ada, _) = try await people(server)
            let draft = JourneyDraft(
                id: environment.id(), name: "Zugspitze", expectedReturn: noon.adding(.days(3)))
            _ = try await server.network.journeys.start(draft, of: ada.caller)
            machine.pass(.minutes(1))
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            let later = noon.adding(.days(1))
            let profile = try await server.network.journeys.extend(
                draft.id, until: later, pressedAt: machine.realTime, of: ada.caller)
            #expect(profile.journey?.expectedReturn == later)
            #expect(profile.journey.map { $0.startTime <= machine.realTime } == true)
        }
    }

    @Test(arguments: [true, false])
    func futureCheckInDoesNotHideLaterOnes(looksBefore: Bool) async throws {
        machine.setWall(by: .days(2))
        try await serve { server, clock in
            let ada = try await server.person("Ada")
            machine.pass(.hours(1))
            try await server.checkIn(ada, at: clock.now())
            try await pass(.hours(1), server)
            machine.correct()
            machine.synchronise()
            machine.pass(.seconds(1))
            if looksBefore {
                try await server.deadlineMonitor.handleDueDeadlines()
                // The recorded times are as if the clock had always been right.
                #expect(try await server.profile(ada).lastCheckInTime == noon.adding(.hours(1)))
            }
            let now = machine.realTime
            try await server.checkIn(ada, at: now)
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.profile(ada).lastCheckInTime == now)
            try await pass(.hours(24).minusAMillisecond, server)
            #expect(try await server.alerts(ada).isEmpty)
            try await pass(.milliseconds(1), server)
            #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
        }
    }

    @Test func futureAlertIsRepeatedOnTime() async throws {
        machine.setWall(by: .days(2))
        try await serve { server, _ in
            let (ada, ben) = try await people(server)
            try await server.raiseAlert(ada)
            try await pass(.minutes(3), server)
            _ = try await server.news(of: ben)
            machine.correct()
            machine.synchronise()
            try await pass(.minutes(2).minusAMillisecond, server)
            #expect(try await server.news(of: ben) == [])
            #expect(try await server.alerts(ada).last?.startTime == noon)
            try await pass(.milliseconds(1), server)
            #expect(try await server.news(of: ben) == ["Ada still needs help"])
        }
    }

    @Test func futureAnswersAreCorrected() async throws {
        machine.setWall(by: .days(2))
        try await serve { server, _ in
            let (ada, ben) = try await people(server)
            let alert = try await server.raiseAlert(ada)
            try await pass(.minutes(1), server)
            _ = try await server.acknowledge(alert, ben)
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            let acknowledgement = try await server.alert(alert, seenBy: ada).acknowledgement
            #expect(acknowledgement?.time == noon.adding(.minutes(1)))
            #expect(acknowledgement?.afterSeconds == 60)
        }
    }

    @Test func futureRefusalIsCorrected() async throws {
        machine.setWall(by: .days(2))
        try await serve { server, _ in
            let (ada, ben) = try await people(server)
            let alert = try await server.raiseAlert(ada)
            try await pass(.minutes(1), server)
            let id = try alert.typedID
            _ = try await server.network.responding.declineAlert(id, by: ben.caller)
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            let open = try await server.engine.read { try $0.openAlerts(of: ada.id) }
            #expect(open.first { $0.id == id }?.refusedAt == noon.adding(.minutes(1)))
        }
    }

    @Test func futureEndIsCorrected() async throws {
        machine.setWall(by: .days(2))
        try await serve { server, _ in
            let (ada, ben) = try await people(server)
            let alert = try await server.raiseAlert(ada)
            try await pass(.minutes(1), server)
            _ = try await server.acknowledge(alert, ben)
            try await pass(.minutes(1), server)
            _ = try await server.endAlert(alert, ada)
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            let record = try await server.alert(alert, seenBy: ada)
            #expect(record.startTime == noon)
            #expect(record.acknowledgement?.time == noon.adding(.minutes(1)))
            #expect(record.endTime == noon.adding(.minutes(2)))
        }
    }

    /// The start is past at the correction, so it stays wrong.
    @Test func correctedEndIsNotBeforeTheStart() {
        var alert = alertRow(at: noon.adding(.hours(1)))
        alert.endedAt = noon.adding(.minutes(110))
        let correction = ClockCorrection(
            by: .hours(-1), since: noon, until: noon.adding(.hours(2)))
        let corrected = alert.corrected(by: correction, at: noon.adding(.minutes(65)))
        #expect(corrected.endedAt == alert.startedAt)
    }

    /// The times of an alert that come after its start.
    var laterTimes: [WritableKeyPath<AlertRow, Date?>] {
        [\.acknowledgedAt, \.askedAt, \.reportedAt, \.refusedAt, \.nextCallAt, \.endedAt]
    }

    /// Returns an alert with all times at this moment.
    func alertRow(at moment: Date) -> AlertRow {
        var alert = AlertRow(
            id: environment.id(), userID: environment.id(), kind: .manual, startedAt: moment,
            deadlineAt: nil, toldLate: false, repeats: 1)
        for time in laterTimes { alert[keyPath: time] = moment }
        return alert
    }

    /// The time was two hours ahead. It is an hour after noon.
    @Test(arguments: [(Duration.minutes(60), 60), (.minutes(150), 30), (.minutes(300), 60)])
    func everyFutureTimeOfAnAlertIsCorrected(recorded: Duration, minutes: Int) {
        let correction = ClockCorrection(
            by: .hours(-2), since: noon, until: noon.adding(.hours(5)))
        let corrected = alertRow(at: noon.adding(recorded))
            .corrected(by: correction, at: noon.adding(.hours(1)))
        let right: Date? = noon.adding(.minutes(minutes))
        #expect(laterTimes.map { corrected[keyPath: $0] } == laterTimes.map { _ in right })
        let first = [corrected.startedAt, corrected.receivedAt, corrected.escalationFrom]
        #expect(first.allSatisfy { $0 == right })
    }

    /// While the time was two days ahead, 33 repeats counted as sent.
    @Test func repeatsSkippedByWrongTimeAreSent() async throws {
        let ben = try await serve { server, _ in
            let (ada, ben) = try await people(server)
            try await server.raiseAlert(ada)
            try await pass(.minutes(6), server)
            return ben
        }
        machine.reboot(after: .seconds(30), error: .days(2))
        try await serve { server, _ in
            try await pass(.minutes(2), server)
            _ = try await server.news(of: ben)
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            #expect(try await server.news(of: ben) == [])
            try await pass(noon.adding(.minutes(15)).since(machine.realTime), server)
            // The false alarm about Ada's deadline is still open and repeats as well.
            #expect(try await server.news(of: ben).contains("Ada still needs help"))
        }
    }

    /// The monitor postpones a row that it can't save. The wrong time would hide it for two days.
    @Test(arguments: [true, false])
    func damagedAlertIsRepeatedAfterTheCorrection(isMendedBefore: Bool) async throws {
        let mending = "DROP TRIGGER broken"
        let (ada, ben) = try await serve { server, _ in
            let (ada, ben) = try await people(server)
            try await server.raiseAlert(ada)
            try await pass(.seconds(30), server)
            _ = try await server.news(of: ben)
            try await execute(
                """
                CREATE TRIGGER broken BEFORE UPDATE OF repeats ON alerts
                BEGIN SELECT RAISE(ABORT, 'broken'); END
                """, server)
            return (ada, ben)
        }
        machine.reboot(after: .seconds(30), error: .days(2))
        try await serve { server, _ in
            try await pass(.minutes(3), server)
            if isMendedBefore { try await execute(mending, server) }
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            if !isMendedBefore { try await execute(mending, server) }
            _ = try await server.news(of: ben)
            try await pass(.minutes(2), server)
            #expect(try await server.alerts(ada).contains { $0.isActive })
            #expect(try await server.news(of: ben).contains("Ada still needs help"))
        }
    }

    @Test func futurePingAndDeliveryDoNotWait() async throws {
        machine.setWall(by: .days(2))
        try await serve { server, clock in
            let (ada, ben) = try await people(server)
            _ = try await server.ping(ada, by: ben)
            let retry = clock.now().adding(.minutes(8))
            _ = try await server.engine.write(about: .none) {
                try $0.execute("UPDATE deliveries SET next_try_at = $1", [.date(retry)])
            }
            machine.pass(.minutes(1))
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            let now = machine.realTime
            let late = try await server.engine.read {
                try $0.count("SELECT COUNT(*) FROM deliveries WHERE next_try_at > $1", [.date(now)])
            }
            #expect(late == 0)
            try await pass(.hours(24), server)
            #expect(server.watched.all.expiredPings == 1)
        }
    }

    /// The correction is smaller than the longest back-off. A delivery postponed before the time
    /// became wrong keeps its next attempt.
    @Test(arguments: [true, false])
    func postponedDeliveryIsRetriedAfterItsPause(wasWrong: Bool) async throws {
        machine.setWall(by: .minutes(15))
        try await serve { server, clock in
            let (ada, ben) = try await people(server)
            _ = try await server.ping(ada, by: ben)
            let retry = wasWrong ? clock.now().adding(.minutes(2)) : noon.adding(.minutes(10))
            let written = wasWrong ? clock.now() : noon
            _ = try await server.engine.write(about: .none) {
                try $0.execute(
                    "UPDATE deliveries SET next_try_at = $1, updated_at = $2",
                    [.date(retry), .date(written)])
            }
            machine.pass(.minutes(1))
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            let next = try await server.engine.read {
                try $0.value("SELECT MAX(next_try_at) FROM deliveries", []) as Date?
            }
            let expected = noon.adding(wasWrong ? .minutes(2) : .minutes(10))
            #expect(next.map { $0.since(expected).magnitude <= .milliseconds(10) } == true)
        }
    }

    // MARK: The machine is right, and the server isn't

    /// The machine's time is right and the server's is wrong, without any confirmation.
    @Test func deviceAgreeingWithTheMachineIsUnderstood() async throws {
        machine.setWall(by: .days(2))
        try await serve { server, clock in
            let (ada, _) = (try await server.armed("Ada"), ())
            try await pass(.hours(2), server)
            machine.correct()
            try await pass(.seconds(1), server)
            #expect(clock.knownError < .days(-1))
            let before = clock.now()
            try await server.checkIn(ada, at: machine.realTime)
            #expect(
                try await server.profile(ada).lastCheckInTime.map {
                    $0.since(before).magnitude <= .seconds(1)
                } == true)
        }
    }

    // MARK: Open screens

    /// Returns the number of events of this kind to a person since there were `count` of all.
    private func events(
        _ kind: UserEvent.Kind, to person: Person, after count: Int, of server: TestServer
    ) -> Int {
        server.published.events.dropFirst(count).count {
            $0.userID == person.id && $0.kind == kind
        }
    }

    /// Otherwise screens would show a false "overdue", or a deadline that is too late.
    @Test(arguments: [Duration.days(2), .days(-2)])
    func correctedDeadlineIsPublishedOnce(error: Duration) async throws {
        machine.setWall(by: error)
        try await serve { server, clock in
            let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
            try await server.connect(ben, watchesOver: ada)
            machine.pass(.hours(1))
            try await server.checkIn(ada, at: clock.now())
            try await pass(.hours(1), server)
            let before = server.published.events.count
            let stale = server.published.staleDevices.count
            machine.correct()
            machine.synchronise()
            for _ in 1...2 {
                try await pass(.seconds(1), server)
                #expect(events(.profileChanged, to: ada, after: before, of: server) == 1)
                #expect(events(.contactChanged, to: ben, after: before, of: server) == 1)
                // Ben lacks a deadline, so the correction changes none.
                #expect(events(.profileChanged, to: ben, after: before, of: server) == 0)
            }
            #expect(
                server.published.staleDevices.dropFirst(stale).filter { $0.user == ada.id }
                    == [StaleDevices(user: ada.id, besides: nil)])
        }
    }

    @Test(arguments: [true, false])
    func correctedJourneyIsPublished(tellsResponders: Bool) async throws {
        machine.setWall(by: .days(2))
        try await serve { server, _ in
            let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
            try await server.connect(ben, watchesOver: ada)
            var draft = JourneyDraft(
                id: environment.id(), name: "Zugspitze", expectedReturn: noon.adding(.days(3)))
            draft.tellsResponders = tellsResponders
            _ = try await server.network.journeys.start(draft, of: ada.caller)
            machine.pass(.minutes(1))
            let before = server.published.events.count
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            #expect(events(.profileChanged, to: ada, after: before, of: server) == 1)
            #expect(
                events(.contactChanged, to: ben, after: before, of: server)
                    == (tellsResponders ? 1 : 0))
        }
    }

    @Test func interruptedCorrectionIsRepeatedAtTheStart() async throws {
        machine.setWall(by: .days(2))
        let ada = try await serve { server, clock in
            let ada = try await server.person("Ada")
            machine.pass(.hours(1))
            try await server.checkIn(ada, at: clock.now())
            try await pass(.hours(1), server)
            machine.correct()
            machine.synchronise()
            machine.pass(.seconds(1))
            _ = clock.now()
            // The deadline monitor hasn't run, so the correction must not count as done.
            try await server.network.serverLife.giveSignOfLife()
            return ada
        }
        let lastCheckIn = try await serve { server, _ in
            try await server.profile(ada).lastCheckInTime
        }
        #expect(lastCheckIn == noon.adding(.hours(1)))
    }
}
