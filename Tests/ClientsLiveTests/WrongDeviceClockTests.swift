import Clients
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// A press counts, whatever the clock of the device says.
@Suite(.timeLimit(.minutes(5))) struct WrongDeviceClockTests {
    @Test func aCheckInFromAClockThatIsADayBehindMovesTheDeadline() async throws {
        let app = try TestApp(.memory)
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        _ = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: app.time.now)
        app.time.pass(.hours(1))
        let wrong = app.time.now.addingTimeInterval(-26 * 3600)
        let answer = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: wrong)
        let record = try #require(answer.confirmed)
        #expect(record.occurredAt == app.time.now)
        #expect(record.nextCheckInTime == app.time.now.adding(.hours(24)))
        await home.clients.stop()
    }

    /// Two minutes of difference are forgiven, and one that moves the deadline needs nothing.
    @Test func aCheckInThatIsOnlyALittleOlderThanAnotherIsLeftAlone() async throws {
        let app = try TestApp(.memory)
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        _ = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: app.time.now)
        let early = app.time.now.addingTimeInterval(-120)
        let answer = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: early)
        #expect(answer.confirmed?.id == id(2))
        #expect(try await app.count("SELECT COUNT(*) FROM check_ins") == 2)
        await home.clients.stop()
    }
}
