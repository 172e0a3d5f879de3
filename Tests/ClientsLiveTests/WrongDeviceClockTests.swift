import Clients
import Domain
import Foundation
import Testing

@testable import ClientsLive

/// A press counts, whatever the clock of the device says.
@Suite(.timeLimit(.minutes(5))) struct WrongDeviceClockTests {
    @Test func aCheckInFromAClockThatIsADayBehindMovesTheDeadline() async throws {
        let town = try Town()
        let home = try Home(in: town)
        try await home.signIn("+15550100001", in: town)
        _ = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: town.time.now)
        town.time.pass(.hours(1))
        let wrong = town.time.now.addingTimeInterval(-26 * 3600)
        let answer = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: wrong)
        let record = try #require(answer.confirmed)
        #expect(record.occurredAt == town.time.now)
        #expect(record.nextCheckInTime == town.time.now.adding(.hours(24)))
        await home.clients.stop()
    }

    /// Two minutes of difference are forgiven, and one that moves the deadline needs nothing.
    @Test func aCheckInThatIsOnlyALittleOlderThanAnotherIsLeftAlone() async throws {
        let town = try Town()
        let home = try Home(in: town)
        try await home.signIn("+15550100001", in: town)
        _ = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: town.time.now)
        let early = town.time.now.addingTimeInterval(-120)
        let answer = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: early)
        #expect(answer.confirmed?.id == id(2))
        #expect(try await town.count("SELECT COUNT(*) FROM check_ins") == 2)
        await home.clients.stop()
    }
}
