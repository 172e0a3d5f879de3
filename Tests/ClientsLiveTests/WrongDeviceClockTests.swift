import API
import Clients
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// A check-in counts even with a wrong device clock.
@Suite(.timeLimit(.minutes(5))) struct WrongDeviceClockTests {
    @Test func checkInFromAClockADayBehindMovesTheDeadline() async throws {
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

    @Test(arguments: [-25 * 60, -49, 49, 25 * 60]) func immediateCheckInCountsFromItsReceipt(
        minutesAhead: Int
    ) async throws {
        let app = try TestApp(.memory)
        let offset = Duration.minutes(minutesAhead)
        let home = try Home(in: app, clockOffset: offset)
        try await home.signIn("+15550100001", in: app)
        let pressed = app.time.now.adding(offset)
        let answer = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: pressed)
        let record = try #require(answer.confirmed)
        #expect(record.occurredAt == app.time.now)
        #expect(record.nextCheckInTime == app.time.now.adding(.hours(24)))
        await home.clients.stop()
    }

    /// If the end were sent first, the server wouldn't find the alert. The end would then count as
    /// done, and the alert would stay open.
    @Test(arguments: [false, true])
    func anEndFollowsItsAlertAfterTheClockWasSetBack(restarts: Bool) async throws {
        let app = try TestApp(.memory)
        var home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        await home.goOffline()
        #expect(try await home.values.alertClient.raise(id: id(1)).isWaiting)
        app.time.pass(.hours(-2))
        #expect(try await home.values.alertClient.end(id: id(1)).isWaiting)
        app.time.pass(.hours(2))
        #expect(await home.waiting() == [.raiseAlert, .endAlert])
        if restarts {
            await home.clients.stop()
            home = try Home(in: app, folder: home.folder, tokens: home.tokens)
            try await home.clients.start()
        }
        home.goOnline()
        await home.isSent()
        #expect(try await app.count("SELECT COUNT(*) FROM alerts") == 1)
        #expect(try await app.count("SELECT COUNT(*) FROM alerts WHERE ended_at IS NULL") == 0)
        await home.clients.stop()
    }

    /// The server answers the queued alert with the one that the other phone has raised.
    @Test(arguments: [false, true])
    func queuedEndSparesAnAlertThatAnotherPhoneRaisedLater(isLater: Bool) async throws {
        let app = try TestApp(.memory)
        let (home, other) = (try Home(in: app), try Home(in: app))
        try await home.signIn("+15550100001", in: app)
        try await other.signIn("+15550100001", in: app)
        func raiseOnTheOtherPhone() async throws {
            #expect(try await !other.values.alertClient.raise(id: id(2)).isWaiting)
        }
        await home.goOffline()
        #expect(try await home.values.alertClient.raise(id: id(1)).isWaiting)
        app.time.pass(.seconds(10))
        if !isLater { try await raiseOnTheOtherPhone() }
        app.time.pass(.seconds(10))
        #expect(try await home.values.alertClient.end(id: id(1)).isWaiting)
        app.time.pass(.seconds(10))
        if isLater { try await raiseOnTheOtherPhone() }
        home.goOnline()
        await home.isSent()
        #expect(try await app.count("SELECT COUNT(*) FROM alerts") == 1)
        #expect(
            try await app.count("SELECT COUNT(*) FROM alerts WHERE ended_at IS NULL")
                == (isLater ? 1 : 0))
        await home.clients.stop()
        await other.clients.stop()
    }

    @Test func offsetFollowsTheServersDateHeader() {
        let witness = ServerClockWitness()
        let headers = ["date": "Fri, 15 Jan 2027 08:00:00 GMT"]
        let eight = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(witness.offset == .zero)
        witness.see(headers, at: eight.adding(.minutes(-49)))
        #expect(witness.offset == .minutes(49))
        witness.see([:], at: eight)
        witness.see(headers, at: nil)
        witness.see(["date": "tomorrow"], at: eight)
        #expect(witness.offset == .minutes(49))
        witness.see(headers, at: eight.adding(.minutes(2)))
        #expect(witness.offset == .zero)
        witness.see(headers, at: eight.adding(.milliseconds(120_001)))
        #expect(witness.offset == .milliseconds(-120_001))
    }

    @Test func eachCheckInTryCarriesItsSendTime() async throws {
        let transport = FakeTransport { _, number in
            guard number > 1 else { throw ClientFailure.unreachable(.interrupted) }
            return try .problem(.notFound)
        }
        var options = Connection.Options()
        // Each attempt takes seven seconds.
        options.deviceTime = {
            Date(timeIntervalSince1970: 1_800_000_000 + 7 * Double(transport.requests.count))
        }
        let connection = Connection(
            transport: transport, store: MemoryTokenStore(.stage(1)), clock: EagerClock().client,
            random: { 0 }, options: options)
        _ = try? await connection.call(
            Routes.checkIn, CheckInRequest(occurredAt: Date(timeIntervalSince1970: 1_800_000_000)),
            id: UUID())
        #expect(
            transport.requests.map { $0.headers[Endpoint.sentAt] } == [
                "2027-01-15T08:00:00.000Z", "2027-01-15T08:00:07.000Z",
            ])
    }

    /// A difference of two minutes is tolerated. A check-in that moves the deadline needs no second
    /// one.
    @Test func slightlyOlderCheckInIsNotRepeated() async throws {
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
