import Domain
import Foundation
import SeededGenerator
import TestDatabase
import Testing

@testable import SafetyNetwork

/// The machine's clock changes while people rely on the server. No alarm may be false or missing.
@Suite struct WrongClockTests {
    /// Returns the real time until Ada's alert opens.
    private func alarm(_ jump: Duration, back: Duration? = nil) async throws -> Duration {
        let machine = Machine()
        let clock = machine.clock()
        let environment = TestEnvironment()
        let server = try TestServer(environment, by: clock)
        let ada = try await server.armed("Ada")
        _ = try await server.setInterval(.hours(24), of: ada, reminders: false)
        machine.pass(.minutes(1))
        machine.setWall(by: jump)
        for minute in 1...(26 * 60) {
            if back == .minutes(minute) { machine.setWall(by: .zero - jump) }
            try await server.deadlineMonitor.handleDueDeadlines()
            if server.watched.all.missed > 0 {
                #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
                return machine.real
            }
            machine.pass(.minutes(1))
        }
        return .days(1000)
    }

    @Test func forwardByTwelveHours() async throws {
        let alarm = try await alarm(.hours(12))
        #expect(alarm >= .hours(24) * 100 / 105)
        #expect(alarm <= .hours(24))
    }

    @Test func backwardByTwelveHours() async throws {
        let alarm = try await alarm(.hours(-12))
        let latest: Duration = Duration.hours(24) * 100 / 95
        #expect(alarm >= .hours(24))
        #expect(alarm <= latest + .minutes(1))
    }

    @Test(arguments: [Duration.hours(12), .hours(-12)])
    func thereAndBack(jump: Duration) async throws {
        let alarm = try await alarm(jump, back: .minutes(60))
        #expect(alarm >= .hours(24) - .minutes(1))
        #expect(alarm <= .hours(24) + .minutes(1))
    }

    @Test func failingCorrectionDoesNotStopTheMonitor() async throws {
        let machine = Machine()
        let clock = machine.clock()
        let server = try TestServer(TestEnvironment(), by: clock)
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        func pass(_ duration: Duration) async throws {
            machine.pass(duration)
            try await server.deadlineMonitor.handleDueDeadlines()
        }
        try await pass(.hours(1))
        machine.setWall(by: .days(-2))
        try await pass(.seconds(1))
        try await pass(.hours(2))
        for person in [ada, ben] { try await server.checkIn(person, at: machine.realTime) }
        let received = machine.realTime
        let id = TestDatabase.literal(ada.id.uuid)
        try await TestDatabase.refuse(
            "UPDATE", of: "schedules", when: "OLD.user_id = \(id)", in: server.engine)
        machine.correct()
        try await pass(.seconds(1))
        #expect(clock.correction == nil)
        let deadline = try await server.profile(ben).nextCheckInTime
        #expect(deadline.map { $0.since(received).magnitude <= .days(1) + .seconds(1) } == true)
    }

    @Test func rightDeviceIsAcceptedByAWrongServer() async throws {
        let machine = Machine()
        let clock = machine.clock()
        let server = try TestServer(TestEnvironment(), by: clock)
        let ada = try await server.armed("Ada")
        machine.setWall(by: .hours(-12))
        for _ in 1...20 {
            machine.pass(.hours(1))
            _ = clock.now()
            // The device sends the real time, and the server's time falls behind it.
            try await server.checkIn(ada, at: noon.adding(machine.real))
        }
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(server.watched.all.missed == 0)
        #expect(try await server.history(of: ada).count == 21)
    }

    /// A person who checks in every 22 hours never causes an alarm, whatever the wall clock shows.
    @Test(arguments: 0..<5)
    func timelyCheckInsAreNeverReported(seed: Int) async throws {
        var random = SeededGenerator(seed: seed)
        let machine = Machine()
        let clock = machine.clock()
        let server = try TestServer(TestEnvironment(), by: clock)
        let ada = try await server.armed("Ada")
        for hour in 1...220 {
            if Int.random(in: 0..<6, using: &random) == 0 {
                machine.setWall(by: .hours(.random(in: -48...48, using: &random)))
            }
            machine.pass(.hours(1))
            try await server.deadlineMonitor.handleDueDeadlines()
            if hour.isMultiple(of: 22) { try await server.checkIn(ada, at: clock.now()) }
        }
        #expect(try await server.alerts(ada).isEmpty)
        #expect(try await server.history(of: ada).count == 11)
    }
}
