import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct CheckInTests {
    @Test func checkInMovesTheDeadlineADayAhead() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        #expect(try await server.profile(ada).nextCheckInTime == nil)
        let record = try await server.checkIn(ada)
        #expect(record.nextCheckInTime == noon.adding(.hours(24)))
        let profile = try await server.profile(ada)
        #expect(profile.lastCheckInTime == noon)
        #expect(profile.nextCheckInTime == noon.adding(.hours(24)))
        #expect(profile.status == .active)
    }

    @Test func unarmedUserIsNeverMissed() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        try await server.pass(.days(8))
        #expect(try await server.alerts(ada).isEmpty)
        #expect(try await server.profile(ada).status == .active)
    }

    @Test func repeatedIDGetsTheSameAnswer() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let id: CheckInID = server.environment.id()
        let first = try await server.checkIn(ada, id: id)
        try await server.pass(.hours(1))
        try await server.checkIn(ada)
        _ = try await server.setInterval(.hours(8), of: ada)
        try await server.pass(.hours(1))
        let eventsBefore = try await server.events(of: ada).count
        #expect(try await server.checkIn(ada, at: server.clock.now, id: id) == first)
        #expect(try await server.history(of: ada).count == 2)
        #expect(try await server.profile(ada).lastCheckInTime == noon.adding(.hours(1)))
        #expect(try await server.events(of: ada).count == eventsBefore)
    }

    @Test func sameIDOfTwoPeopleIsTwoCheckIns() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        let id: CheckInID = server.environment.id()
        try await server.pass(.hours(1))
        try await server.checkIn(ada, id: id)
        try await server.pass(.hours(1))
        try await server.checkIn(ben, id: id)
        #expect(try await server.profile(ada).lastCheckInTime == noon.adding(.hours(1)))
        #expect(try await server.profile(ben).lastCheckInTime == noon.adding(.hours(2)))
    }

    @Test func clockSlightlyAheadCountsAsNow() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let record = try await server.checkIn(ada, at: noon.adding(.minutes(2)))
        #expect(record.occurredAt == noon)
        #expect(record.nextCheckInTime == noon.adding(.hours(24)))
    }

    @Test func aMomentInTheFutureIsRefused() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let future = noon.adding(.minutes(2) + .milliseconds(1))
        #expect(await refusal { try await server.checkIn(ada, at: future) }?.field == "occurredAt")
        #expect(try await server.history(of: ada).isEmpty)
        #expect(try await server.profile(ada).nextCheckInTime == nil)
    }

    @Test func anOlderMomentIsHistoryOnly() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        for older in [noon, noon.aMillisecondBefore, noon.adding(.hours(-30))] {
            let record = try await server.checkIn(ada, at: older)
            #expect(record.occurredAt == older)
            #expect(record.nextCheckInTime == noon.adding(.hours(24)))
        }
        #expect(try await server.profile(ada).lastCheckInTime == noon)
        #expect(
            try await server.history(of: ada).map(\.occurredAt) == [
                noon, noon, noon.aMillisecondBefore, noon.adding(.hours(-30)),
            ])
    }

    @Test func anOlderMomentEndsNoAlert() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.pass(.hours(24))
        try await server.checkIn(ada, at: noon.adding(.hours(-1)))
        #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
        #expect(try await server.profile(ada).status == .nonResponsive)
    }

    @Test func aCheckInNeverEndsAManualAlert() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        let alert = try await server.raiseAlert(ada)
        try await server.pass(.hours(24))
        #expect(try await server.alerts(ada).filter(\.isActive).count == 2)
        try await server.checkIn(ada)
        #expect(try await server.openAlert(ada)?.id == alert.id)
        #expect(try await server.alerts(ada).filter(\.isActive).count == 1)
        #expect(try await server.profile(ada).status == .alertActive)
    }

    @Test func onlyRespondersSeeTheCheckIn() async throws {
        let server = try TestServer()
        let (ada, ben, cleo) = (
            try await server.armed("Ada"), try await server.person("Ben"),
            try await server.person("Cleo")
        )
        try await server.connect(ben, watchesOver: ada)
        try await server.connect(ada, watchesOver: cleo)
        try await server.pass(.hours(1))
        try await server.checkIn(ada)
        let summary = UserEvent.checkIn(
            .init(
                userID: ada.id, lastCheckInTime: noon.adding(.hours(1)),
                nextCheckInTime: noon.adding(.hours(25))))
        #expect(try await server.events(of: ada).last == summary)
        #expect(try await server.events(of: ben).last == summary)
        #expect(try await server.events(of: cleo).contains(summary) == false)
    }
}
