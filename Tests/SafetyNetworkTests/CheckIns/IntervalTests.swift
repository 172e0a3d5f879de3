import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct IntervalTests {
    @Test(arguments: [3600, 28_800, 57_600, 86_400, 172_800, 604_800])
    func theDeadlineIsCountedFromTheLastCheckIn(seconds: Int) async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        town.clock.pass(.minutes(10))
        let profile = try await town.setInterval(.seconds(seconds), of: ada)
        #expect(profile.nextCheckInTime == noon.adding(.seconds(seconds)))
        let reminder: Duration = seconds > 7200 ? .hours(2) : .minutes(30)
        #expect(try await town.watch.look() == noon.adding(.seconds(seconds) - reminder))
    }

    @Test(arguments: [0, -1, 3599, 604_801])
    func anIntervalOutsideOneHourToSevenDaysIsRefused(seconds: Int) async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        #expect(
            await refusal { try await town.setInterval(.seconds(seconds), of: ada) }?.field
                == "intervalSeconds")
        #expect(try await town.profile(ada).settings == .standard)
    }

    @Test func aShorterIntervalMayBeMissedNow() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.pass(.hours(8))
        let profile = try await town.setInterval(.hours(8), of: ada)
        #expect(profile.status == .nonResponsive)
        try await town.watch.look()
        #expect(try await town.news(of: ben) == ["Ada missed a check-in"])
        #expect(try await town.openAlert(ada)?.deadline == noon.adding(.hours(8)))
    }

    @Test func aShorterIntervalMayJustHold() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        town.clock.set(noon.adding(.hours(8)).aMillisecondBefore)
        #expect(try await town.setInterval(.hours(8), of: ada).status == .active)
        try await town.watch.look()
        #expect(try await town.openAlert(ada) == nil)
        try await town.pass(.milliseconds(1))
        #expect(try await town.openAlert(ada) != nil)
    }

    /// The alarm is out; a longer interval is no sign of life, and the next check-in still ends it.
    @Test func aLongerIntervalEndsNoAlertAndACheckInThenDoes() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.pass(.hours(24))
        _ = try await town.setInterval(.hours(48), of: ada)
        try await town.pass(.minutes(5))
        #expect(try await town.openAlert(ada) != nil)
        #expect(
            try await town.news(of: ben) == [
                "Ada missed a check-in", "Ada is still non-responsive",
            ])

        try await town.checkIn(ada)
        #expect(try await town.openAlert(ada) == nil)
        #expect(try await town.news(of: ben) == ["Ada checked in"])
    }

    @Test func theNewDeadlinePassesUnderTheOldAlert() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        try await town.pass(.hours(24))
        _ = try await town.setInterval(.hours(25), of: ada)
        try await town.pass(.hours(3))
        #expect(try await town.alerts(ada).count == 1)
        #expect(try await town.openAlert(ada) != nil)
        try await town.checkIn(ada)
        #expect(try await town.openAlert(ada) == nil)
        try await town.pass(.hours(25))
        #expect(try await town.alerts(ada).filter(\.isActive).count == 1)
    }

    @Test func theSettingsOfOnesOwnAreToldToTheWatchers() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        _ = try await town.setInterval(.hours(8), of: ada)
        #expect(try await town.events(of: ada).last == .profileChanged)
        #expect(try await town.events(of: ben).last == .contactChanged(.init(contactID: ada.id)))
        #expect(
            try await town.contact(ada, seenBy: ben)?.watch?.nextCheckInTime
                == noon.adding(.hours(8)))
        let count = try await town.events(of: ada).count
        _ = try await town.setInterval(.hours(8), of: ada)
        #expect(try await town.events(of: ada).count == count)
    }
}
