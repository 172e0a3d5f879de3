import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct ReminderTests {
    @Test func eachComesOnceAtItsMoment() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        town.clock.set(noon.adding(.hours(22)).aMillisecondBefore)
        #expect(try await town.watch.look() == noon.adding(.hours(22)))
        #expect(try await town.news(of: ada) == [])
        #expect(try await town.pass(.milliseconds(1)) == noon.adding(.hours(23) + .minutes(30)))
        #expect(
            try await town.newsItems(of: ada).map(\.body) == [
                "Less than 2 hours left: check in before 12:00 UTC."
            ])
        try await town.pass(.hours(1))
        #expect(try await town.news(of: ada) == [])
        #expect(try await town.pass(.minutes(30)) == noon.adding(.hours(24)))
        #expect(
            try await town.newsItems(of: ada).map(\.body) == [
                "Less than 30 minutes left: check in before 12:00 UTC."
            ])
        #expect(town.watched.all.reminders == 2)
    }

    @Test func aCheckInCancelsTheRestAndBeginsAnew() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        try await town.pass(.hours(22))
        try await town.checkIn(ada)
        _ = try await town.news(of: ada)
        try await town.pass(.hours(22).minusAMillisecond)
        #expect(try await town.news(of: ada) == [])
        try await town.pass(.milliseconds(1))
        #expect(try await town.news(of: ada) == ["Check in soon"])
    }

    @Test func oneThatIsOffDoesNotCome() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.armed("Ben"))
        _ = try await town.setInterval(.hours(24), of: ada, reminders: false)
        let late = CheckInSettings(
            intervalSeconds: 86_400, remindTwoHoursBefore: false, remindThirtyMinutesBefore: true)
        _ = try await town.network.updateSettings(late, of: ben.caller)
        try await town.pass(.hours(22))
        try await town.pass(.minutes(90))
        #expect(try await town.news(of: ada) == [])
        #expect(
            try await town.newsItems(of: ben).map(\.createdAt) == [
                noon.adding(.hours(23) + .minutes(30))
            ])
    }

    @Test func oneThatIsNotShorterThanTheIntervalIsSkipped() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.armed("Ben"))
        _ = try await town.setInterval(.hours(2), of: ada)
        _ = try await town.setInterval(.hours(2) + .seconds(1), of: ben)
        try await town.pass(.seconds(1))
        #expect(try await town.news(of: ada) == [])
        #expect(try await town.news(of: ben) == ["Check in soon"])
        try await town.pass(.minutes(90))
        #expect(try await town.news(of: ada) == ["Check in soon"])
    }

    @Test func afterAPauseOnlyTheMostUrgentComes() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        try await town.pass(.hours(23) + .minutes(45))
        #expect(
            try await town.newsItems(of: ada).map(\.body) == [
                "Less than 30 minutes left: check in before 12:00 UTC."
            ])
    }

    @Test func whenTheDeadlineIsPastNoneComes() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        try await town.pass(.hours(25))
        #expect(try await town.news(of: ada) == ["You missed your check-in"])
    }

    @Test func aNewDeadlineHasRemindersOfItsOwn() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        try await town.pass(.hours(22))
        _ = try await town.setInterval(.hours(48), of: ada)
        _ = try await town.news(of: ada)
        try await town.pass(.hours(24))
        #expect(try await town.news(of: ada) == ["Check in soon"])
    }
}
