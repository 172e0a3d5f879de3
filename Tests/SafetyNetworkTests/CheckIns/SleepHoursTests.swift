import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

extension CheckInPlan {
    /// An interval with sleep hours of one hour, UTC.
    /// - Parameter hour: when they begin.
    static func sleeping(from hour: Int, zone: String = "Atlantic/Reykjavik") -> Self {
        CheckInPlan(
            intervalWith: TimeOfDay(minutes: hour * 60).flatMap { from in
                TimeOfDay(minutes: hour * 60 + 60).map {
                    SleepHours(from: from, until: $0, timeZone: zone)
                }
            })
    }
}

/// Sleep hours (product.md, "Schedules"). Ada has checked in on Sunday at noon, so her interval of
/// 24 hours ends on Monday at noon. With sleep hours from then to 13:00, she has until 14:00.
@Suite struct SleepHoursTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let deadline = noon.adding(.hours(26))
    private let sleep = CheckInPlan.sleeping(from: 12)

    init() async throws {
        server = try TestServer()
        (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
    }

    @Test func movedDeadlineIsMissedOnTime() async throws {
        try await server.setPlan(sleep, of: ada)
        #expect(try await server.profile(ada).nextCheckInTime == deadline)
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.nextCheckInTime == deadline)
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.plan == sleep)
        _ = try await server.news(of: ben)
        server.clock.set(deadline.aMillisecondBefore)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada) == nil)
        #expect(try await server.profile(ada).status == .active)
        try await server.pass(.milliseconds(1))
        #expect(try await server.openAlert(ada)?.deadline == deadline)
        #expect(try await server.news(of: ben) == ["Ada missed a check-in"])
    }

    @Test func remindersCountFromTheMovedDeadline() async throws {
        try await server.setPlan(sleep, of: ada)
        _ = try await server.news(of: ada)
        try await server.pass(.hours(24).minusAMillisecond)
        #expect(try await server.news(of: ada) == [])
        #expect(try await server.pass(.milliseconds(1)) == deadline.adding(.minutes(-30)))
        #expect(try await server.news(of: ada) == ["Check in soon"])
    }

    @Test func checkInAndPauseAvoidSleep() async throws {
        try await server.setPlan(sleep, of: ada)
        server.clock.set(noon.adding(.minutes(59)))
        #expect(try await server.checkIn(ada).nextCheckInTime == deadline)
        server.clock.set(noon.adding(.minutes(119)))
        #expect(try await server.checkIn(ada).nextCheckInTime == deadline)
        server.clock.set(noon.adding(.minutes(121)))
        #expect(
            try await server.checkIn(ada).nextCheckInTime == deadline.adding(.minutes(1)))
        let paused = try await server.network.pauses.pause(
            until: noon.adding(.days(3)), of: ada.caller)
        #expect(paused.nextCheckInTime == deadline.adding(.days(3)))
    }

    @Test func respondersAreToldOfALongerSilence() async throws {
        _ = try await server.news(of: ben)
        try await server.setPlan(sleep, of: ada)
        let told = try await server.newsItems(of: ben)
        #expect(told.map(\.title) == ["Ada checks in less often"])
        #expect(told.first?.body.contains("at most 26 hours of silence") == true)
        #expect(told.first?.body.contains("instead of 24 hours") == true)
        try await server.setPlan(.sleeping(from: 3), of: ada)
        #expect(try await server.news(of: ben) == [])
        try await server.setPlan(.interval, of: ada)
        #expect(try await server.news(of: ben) == ["Ada changed their schedule again"])
    }

    @Test func sleepHoursThatBreakARuleAreRefused() async throws {
        for plan in [CheckInPlan.sleeping(from: 12, zone: "Europe/Atlantis"), tooLong()] {
            let error = await refusal { try await server.setPlan(plan, of: ada) }
            guard case .invalidArgument(let field, _, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(field == "plan")
        }
        #expect(try await server.profile(ada).settings.plan == .interval)
    }

    private func tooLong() -> CheckInPlan {
        guard var hours = sleep.sleep, let end = TimeOfDay("22:01") else { return .interval }
        hours.until = end
        return .intervalWithSleep(hours)
    }

    /// The monitor hasn't handled the deadline yet, as in a grace after an outage.
    @Test func changeCannotEraseAMissedDeadline() async throws {
        server.clock.set(noon.adding(.hours(24)))
        let error = await refusal { try await server.setPlan(sleep, of: ada) }
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada) != nil)
        #expect(try await server.setPlan(sleep, of: ada).nextCheckInTime == deadline)
        #expect(try await server.openAlert(ada) != nil)
    }

    @Test func sleepHoursAreExported() async throws {
        try await server.setPlan(sleep, of: ada)
        let export = try await server.export(of: ada)
        #expect(export.profile.settings.plan == sleep)
    }
}

/// Without bystanders, because the repair is about everyone's rows.
@Suite struct SleepRepairTests {
    @Test func deadlineOfOtherTimeZonesIsCorrected() async throws {
        let server = try TestServer(hasBystanders: false)
        let ada = try await server.armed("Ada")
        try await server.setPlan(.sleeping(from: 12), of: ada)
        #expect(try await server.network.planRepair.repair() == 0)
        let user = ada.id
        try await server.engine.write(about: Subjects([user])) {
            _ = try $0.execute(
                "UPDATE schedules SET own_deadline_at = NULL WHERE user_id = $1", [.id(user)])
        }
        #expect(try await server.network.planRepair.repair() == 1)
        server.clock.set(noon.adding(.hours(25)))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada) == nil)
        try await server.pass(.hours(1))
        #expect(try await server.openAlert(ada)?.deadline == noon.adding(.hours(26)))
    }
}
