import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

extension ClockCorrectionTests {
    @Test(arguments: [true, false])
    func startBehindIsCorrectedWithinSeconds(knowsBySynchronisation: Bool)
        async throws
    {
        let (ada, ben) = try await serve { server, _ in
            let people = try await people(server)
            try await pass(.hours(1), server)
            return people
        }
        machine.reboot(after: .hours(23) - .seconds(30), error: .minutes(-50))
        try await serve { server, _ in
            try await pass(.seconds(2), server)
            machine.correct()
            if knowsBySynchronisation { machine.synchronise() }
            try await pass(.seconds(1), server)
            try await server.checkIn(ben, at: machine.realTime)
            #expect(try await server.alerts(ada).isEmpty)
            try await pass(.seconds(27), server)
            #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
            try await server.checkIn(ada, at: machine.realTime)
            #expect(try await server.openAlert(ada) == nil)
            #expect(
                try await server.profile(ada).nextCheckInTime == machine.realTime.adding(.hours(24))
            )
        }
    }

    /// The machine's clock lacks a battery. The server starts with the saved time.
    @Test func checkInBeforeAPowerFailureStays() async throws {
        let (ada, _) = try await serve { server, _ in
            let people = try await people(server)
            try await pass(.hours(1), server)
            return people
        }
        machine.reboot(after: .hours(8), error: .days(-300))
        try await serve { server, clock in
            try await pass(.minutes(1), server)
            #expect(clock.now() == noon.adding(.minutes(61)))
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            #expect(clock.now() == machine.realTime)
            let profile = try await server.profile(ada)
            #expect(profile.lastCheckInTime == noon)
            #expect(profile.nextCheckInTime == noon.adding(.hours(24)))
        }
    }

    /// The server's time is two days behind. The correction must move times recorded meanwhile by
    /// two days.
    /// - Parameter isByDevice: true for a device with a right clock; false for a page of the web
    ///   app, which uses the server's time.
    @Test(arguments: [true, false])
    func checkInBySlowTimeIsNotMissedLater(isByDevice: Bool) async throws {
        machine.setWall(by: .days(-2))
        try await serve { server, clock in
            let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
            try await server.connect(ben, watchesOver: ada)
            machine.pass(.hours(1))
            let pressed = isByDevice ? machine.realTime : clock.now()
            machine.pass(.milliseconds(40))
            _ = try await server.network.checkIns.checkIn(
                environment.id(), occurredAt: pressed,
                sentAt: pressed.adding(.milliseconds(30)), by: ada.caller)
            try await pass(.hours(1), server)
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), server)
            #expect(try await server.alerts(ada).isEmpty)
            let deadline = try #require(try await server.profile(ada).nextCheckInTime)
            #expect(deadline.since(noon.adding(.hours(25))).magnitude <= .seconds(1))
            machine.pass(deadline.since(machine.realTime).minusAMillisecond)
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.alerts(ada).isEmpty)
            try await pass(.milliseconds(1), server)
            #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
        }
    }

    /// Ada, who has raised an alert, and Ben, her responder, of a server that is two days behind.
    /// The alert is from 13:00.
    private func alarmed(_ server: TestServer) async throws -> (ada: Person, ben: Person) {
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        machine.pass(.hours(1))
        try await server.raiseAlert(ada)
        try await pass(.minutes(1), server)
        return (ada, ben)
    }

    /// The clock becomes right.
    private func correct(_ server: TestServer) async throws {
        machine.correct()
        machine.synchronise()
        try await pass(.seconds(1), server)
    }

    /// Without the correction, the alert would seem two days old, and its repeats would be daily.
    @Test func alertByASlowClockIsRepeatedOnTime() async throws {
        machine.setWall(by: .days(-2))
        try await serve { server, _ in
            let (ada, ben) = try await alarmed(server)
            for person in [ada, ben] { _ = try await server.news(of: person) }
            try await correct(server)
            #expect(try await server.news(of: ben) == [])
            #expect(try await server.news(of: ada) == [])
            #expect(try await server.openAlert(ada)?.startTime == noon.adding(.hours(1)))
            let rest = noon.adding(.minutes(65)).since(machine.realTime)
            try await pass(rest.minusAMillisecond, server)
            #expect(try await server.news(of: ben) == [])
            try await pass(.milliseconds(1), server)
            #expect(try await server.news(of: ben) == ["Ada still needs help"])
        }
    }

    @Test func acknowledgementByASlowClockLastsHalfAnHour() async throws {
        machine.setWall(by: .days(-2))
        try await serve { server, _ in
            let (ada, ben) = try await alarmed(server)
            let alert = try #require(try await server.openAlert(ada))
            _ = try await server.acknowledge(alert, ben)
            try await pass(.minutes(1), server)
            _ = try await server.news(of: ben)
            try await correct(server)
            let taken = try #require(try await server.openAlert(ada)?.acknowledgement)
            #expect(taken.time == noon.adding(.minutes(61)))
            #expect(taken.afterSeconds == 60)
            let rest = noon.adding(.minutes(91)).since(machine.realTime)
            try await pass(rest.minusAMillisecond, server)
            #expect(try await server.news(of: ben) == [])
            try await pass(.milliseconds(1), server)
            #expect(try await server.news(of: ben) == ["Are you still helping Ada?"])
        }
    }

    @Test func endByASlowClockIsMovedForward() async throws {
        machine.setWall(by: .days(-2))
        try await serve { server, _ in
            let (ada, ben) = try await alarmed(server)
            let alert = try #require(try await server.openAlert(ada))
            _ = try await server.acknowledge(alert, ben)
            try await pass(.minutes(1), server)
            _ = try await server.endAlert(alert, ada)
            try await correct(server)
            let record = try await server.alert(alert, seenBy: ada)
            #expect(record.startTime == noon.adding(.hours(1)))
            #expect(record.acknowledgement?.time == noon.adding(.minutes(61)))
            #expect(record.endTime == noon.adding(.minutes(62)))
        }
    }

    /// The server dies before its next sign of life. By its old time, the corrected start of the
    /// alert would again lie in the wrong period an hour later.
    @Test func alertIsMovedForwardOnlyOnce() async throws {
        machine.setWall(by: .minutes(-50))
        let ada = try await serve { server, _ in
            let (ada, _) = try await alarmed(server)
            machine.correct()
            machine.synchronise()
            machine.pass(.seconds(1))
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.openAlert(ada)?.startTime == noon.adding(.hours(1)))
            return ada
        }
        machine.pass(.hours(1))
        try await serve { server, clock in
            #expect(clock.now() == machine.realTime)
            let open = try await server.openAlert(ada)
            #expect(open?.startTime == noon.adding(.hours(1)))
        }
    }

    @Test(arguments: [
        (Duration.zero, true), (CheckInRules.clockSkew, true),
        (CheckInRules.clockSkew + .milliseconds(1), false),
    ])
    func alertsStartByADevicesRightClockStays(age: Duration, isMoved: Bool) {
        let received = noon.adding(.hours(1))
        let started = received.adding(.zero - age)
        let alert = AlertRow(
            id: environment.id(), userID: environment.id(), kind: .manual, startedAt: started,
            receivedAt: received, deadlineAt: nil, toldLate: false, repeats: 1)
        let correction = ClockCorrection(
            by: .hours(2), since: noon, until: noon.adding(.hours(3)))
        let forwarded = alert.forwarded(by: correction, at: noon.adding(.hours(5)))
        #expect(forwarded.startedAt == (isMoved ? started.adding(.hours(2)) : started))
        #expect(forwarded.receivedAt == noon.adding(.hours(3)))
        #expect(forwarded.escalationFrom == noon.adding(.hours(3)))
    }

    @Test(arguments: [
        (Duration.zero, true), (.milliseconds(-1), false), (.hours(3), true),
        (Duration.hours(3) + .milliseconds(1), false),
    ])
    func everyTimeOfAnAlertMovesForward(recorded: Duration, isMoved: Bool) {
        let moment = noon.adding(recorded)
        let correction = ClockCorrection(
            by: .hours(2), since: noon, until: noon.adding(.hours(3)))
        let forwarded = alertRow(at: moment).forwarded(by: correction, at: noon.adding(.hours(5)))
        let right: Date? = isMoved ? moment.adding(.hours(2)) : moment
        #expect(laterTimes.map { forwarded[keyPath: $0] } == laterTimes.map { _ in right })
    }

    @Test func pauseEndedByASlowClockRaisesNoFalseAlarm() async throws {
        machine.setWall(by: .days(-2))
        try await serve { server, clock in
            let ada = try await server.person("Ada")
            _ = try await server.setInterval(.hours(24), of: ada, reminders: false)
            try await server.checkIn(ada, at: clock.now())
            let pauses = server.network.pauses
            _ = try await pauses.pause(until: noon.adding(.days(1)), of: ada.caller)
            machine.pass(.hours(1))
            _ = try await pauses.endPause(of: ada.caller)
            try await pass(.minutes(1), server)
            try await correct(server)
            #expect(try await server.alerts(ada).isEmpty)
            let profile = try await server.profile(ada)
            #expect(profile.nextCheckInTime == noon.adding(.hours(25)))
        }
    }

    @Test func pingByASlowClockLivesADay() async throws {
        machine.setWall(by: .days(-2))
        try await serve { server, _ in
            let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
            try await server.connect(ben, watchesOver: ada)
            _ = try await server.ping(ada, by: ben)
            try await pass(.hours(1), server)
            try await correct(server)
            let rest = noon.adding(.hours(24)).since(machine.realTime)
            try await pass(rest.minusAMillisecond, server)
            #expect(server.watched.all.expiredPings == 0)
            try await pass(.milliseconds(1), server)
            #expect(server.watched.all.expiredPings == 1)
        }
    }
}
