import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct CheckInTests {
    @Test func aCheckInMovesTheDeadlineOfADayAhead() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        #expect(try await town.profile(ada).nextCheckInTime == nil)
        let record = try await town.checkIn(ada)
        #expect(record.nextCheckInTime == noon.adding(.hours(24)))
        let profile = try await town.profile(ada)
        #expect(profile.lastCheckInTime == noon)
        #expect(profile.nextCheckInTime == noon.adding(.hours(24)))
        #expect(profile.status == .active)
    }

    @Test func whoHasNeverCheckedInIsNotMissed() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        try await town.pass(.days(8))
        #expect(try await town.alerts(ada).isEmpty)
        #expect(try await town.profile(ada).status == .active)
    }

    @Test func theSameIDAgainChangesNothingAndGetsTheSameAnswer() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let id: CheckInID = town.world.id()
        let first = try await town.checkIn(ada, id: id)
        try await town.pass(.hours(1))
        try await town.checkIn(ada)
        _ = try await town.setInterval(.hours(8), of: ada)
        try await town.pass(.hours(1))
        let eventsBefore = try await town.events(of: ada).count
        #expect(try await town.checkIn(ada, at: town.clock.now, id: id) == first)
        #expect(try await town.history(of: ada).count == 2)
        #expect(try await town.profile(ada).lastCheckInTime == noon.adding(.hours(1)))
        #expect(try await town.events(of: ada).count == eventsBefore)
    }

    @Test func theSameIDOfTwoPeopleIsTwoCheckIns() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        let id: CheckInID = town.world.id()
        try await town.pass(.hours(1))
        try await town.checkIn(ada, id: id)
        try await town.pass(.hours(1))
        try await town.checkIn(ben, id: id)
        #expect(try await town.profile(ada).lastCheckInTime == noon.adding(.hours(1)))
        #expect(try await town.profile(ben).lastCheckInTime == noon.adding(.hours(2)))
    }

    @Test func aClockALittleAheadIsTakenBackToNow() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let record = try await town.checkIn(ada, at: noon.adding(.minutes(2)))
        #expect(record.occurredAt == noon)
        #expect(record.nextCheckInTime == noon.adding(.hours(24)))
    }

    @Test func aMomentInTheFutureIsRefused() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let future = noon.adding(.minutes(2) + .milliseconds(1))
        #expect(await refusal { try await town.checkIn(ada, at: future) }?.field == "occurredAt")
        #expect(try await town.history(of: ada).isEmpty)
        #expect(try await town.profile(ada).nextCheckInTime == nil)
    }

    @Test func anOlderMomentIsHistoryOnly() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        for older in [noon, noon.aMillisecondBefore, noon.adding(.hours(-30))] {
            let record = try await town.checkIn(ada, at: older)
            #expect(record.occurredAt == older)
            #expect(record.nextCheckInTime == noon.adding(.hours(24)))
        }
        #expect(try await town.profile(ada).lastCheckInTime == noon)
        #expect(
            try await town.history(of: ada).map(\.occurredAt) == [
                noon, noon, noon.aMillisecondBefore, noon.adding(.hours(-30)),
            ])
    }

    @Test func anOlderMomentEndsNoAlert() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        try await town.pass(.hours(24))
        try await town.checkIn(ada, at: noon.adding(.hours(-1)))
        #expect(try await town.openAlert(ada)?.kind == .missedCheckIn)
        #expect(try await town.profile(ada).status == .nonResponsive)
    }

    @Test func aCheckInNeverEndsAManualAlert() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        let alert = try await town.raiseAlert(ada)
        try await town.pass(.hours(24))
        #expect(try await town.alerts(ada).filter(\.isActive).count == 2)
        try await town.checkIn(ada)
        #expect(try await town.openAlert(ada)?.id == alert.id)
        #expect(try await town.alerts(ada).filter(\.isActive).count == 1)
        #expect(try await town.profile(ada).status == .alertActive)
    }

    @Test func whoWatchesOverSomeoneSeesTheCheckInAndNobodyElse() async throws {
        let town = try Town()
        let (ada, ben, cleo) = (
            try await town.armed("Ada"), try await town.person("Ben"), try await town.person("Cleo")
        )
        try await town.connect(ben, watchesOver: ada)
        try await town.connect(ada, watchesOver: cleo)
        try await town.pass(.hours(1))
        try await town.checkIn(ada)
        let summary = UserEvent.checkIn(
            .init(
                userID: ada.id, lastCheckInTime: noon.adding(.hours(1)),
                nextCheckInTime: noon.adding(.hours(25))))
        #expect(try await town.events(of: ada).last == summary)
        #expect(try await town.events(of: ben).last == summary)
        #expect(try await town.events(of: cleo).contains(summary) == false)
    }
}
