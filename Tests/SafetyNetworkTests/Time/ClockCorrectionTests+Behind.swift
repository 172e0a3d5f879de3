import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

extension ClockCorrectionTests {
    @Test(arguments: [true, false])
    func startedFiftyMinutesBehindAndCorrectedAfterTwoSeconds(knowsBySynchronisation: Bool)
        async throws
    {
        let (ada, ben) = try await serve { town, _ in
            let people = try await people(town)
            try await pass(.hours(1), town)
            return people
        }
        machine.reboot(after: .hours(23) - .seconds(30), error: .minutes(-50))
        try await serve { town, _ in
            try await pass(.seconds(2), town)
            machine.correct()
            if knowsBySynchronisation { machine.synchronise() }
            try await pass(.seconds(1), town)
            try await town.checkIn(ben, at: machine.realTime)
            #expect(try await town.alerts(ada).isEmpty)
            try await pass(.seconds(27), town)
            #expect(try await town.openAlert(ada)?.kind == .missedCheckIn)
            try await town.checkIn(ada, at: machine.realTime)
            #expect(try await town.openAlert(ada) == nil)
            #expect(
                try await town.profile(ada).nextCheckInTime == machine.realTime.adding(.hours(24)))
        }
    }

    /// Events two days early by the server's time are two days later once it is right.
    @Test func whoCheckedInByATimeThatWasBehindIsNotMissedWhenItIsRight() async throws {
        machine.setWall(by: .days(-2))
        try await serve { town, clock in
            let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
            try await town.connect(ben, watchesOver: ada)
            machine.pass(.hours(1))
            // By a page of the web app, whose time is the server's.
            try await town.checkIn(ada, at: clock.now())
            try await pass(.hours(1), town)
            machine.correct()
            machine.synchronise()
            try await pass(.seconds(1), town)
            #expect(try await town.alerts(ada).isEmpty)
            let deadline = try #require(try await town.profile(ada).nextCheckInTime)
            #expect(deadline.since(noon.adding(.hours(25))).magnitude <= .seconds(1))
            machine.pass(deadline.since(machine.realTime).minusAMillisecond)
            try await town.watch.look()
            #expect(try await town.alerts(ada).isEmpty)
            try await pass(.milliseconds(1), town)
            #expect(try await town.openAlert(ada)?.kind == .missedCheckIn)
        }
    }
}
