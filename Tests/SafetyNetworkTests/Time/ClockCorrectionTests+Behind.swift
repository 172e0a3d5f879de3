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

    /// The clock has no battery, so the server goes on from the saved time until the clock is right.
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
}
