import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Deadlines are computed again after an update of the time zones. Without bystanders, because the
/// repair is about everyone's rows.
@Suite struct PlanRepairTests {
    private let server: TestServer
    private let ada: Person
    /// Monday, 10:00 UTC.
    private let deadline = noon.adding(.hours(22))

    init() async throws {
        server = try TestServer(hasBystanders: false)
        ada = try await server.armed("Ada")
    }

    private func repair() async throws -> Int { try await server.network.planRepair.repair() }

    /// Changes Ada's row, as an older server or other time zones would.
    private func change(_ assignments: String) async throws {
        let user = ada.id
        try await server.engine.write(about: Subjects([user])) {
            _ = try $0.execute(
                "UPDATE schedules SET \(assignments) WHERE user_id = $1", [.id(user)])
        }
    }

    private func nextDue() async throws -> Date? {
        let user = ada.id
        return try await server.engine.read {
            try $0.scheduleMemory(of: user)?.nextDueAt
        }
    }

    @Test func deadlineOfOtherTimeZonesIsCorrected() async throws {
        try await server.setPlan(.dailyUntil10, of: ada)
        try await change(
            """
            own_deadline_at = own_deadline_at + 3600000, next_due_at = next_due_at + 3600000
            """)
        #expect(try await repair() == 1)
        #expect(try await nextDue() == deadline.adding(.hours(-2)))
        #expect(try await repair() == 0)
        server.clock.set(deadline)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada)?.deadline == deadline)
    }

    private func storedDeadline() async throws -> Date? {
        let user = ada.id
        return try await server.engine.read { try $0.schedule(of: user)?.deadline }
    }

    private func moveFirstDeadline(hours: Int) async throws {
        let gap = hours * 3_600_000
        try await change(
            """
            start_deadline_at = start_deadline_at + \(gap),
            own_deadline_at = own_deadline_at + \(gap)
            """)
    }

    @Test(arguments: [-1, 1])
    func firstDeadlineAfterAPauseIsCorrected(hours: Int) async throws {
        try await server.setPlan(.dailyUntil10, of: ada)
        _ = try await server.network.pauses.pause(until: noon.adding(.days(5)), of: ada.caller)
        try await moveFirstDeadline(hours: hours)
        #expect(try await storedDeadline() == deadline.adding(.days(5) + .hours(hours)))
        #expect(try await repair() == 1)
        #expect(try await storedDeadline() == deadline.adding(.days(5)))
        #expect(try await repair() == 0)
    }

    /// An earlier deadline may come from the old schedule, without a window.
    @Test(arguments: [(1, true), (-1, false)])
    func firstDeadlineAfterAChangeIsNotLate(hours: Int, isCorrected: Bool) async throws {
        server.clock.pass(.minutes(1))
        try await server.setPlan(.dailyUntil10, of: ada)
        try await moveFirstDeadline(hours: hours)
        #expect(try await repair() == (isCorrected ? 1 : 0))
        let expected = isCorrected ? deadline : deadline.adding(.hours(hours))
        #expect(try await storedDeadline() == expected)
    }

    /// Otherwise open screens would keep the deadline of the old time zones.
    @Test func repairedDeadlineIsPublished() async throws {
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        try await server.setPlan(.dailyUntil10, of: ada)
        try await change("own_deadline_at = own_deadline_at + 3600000")
        let before = server.published.events.count
        let stale = server.published.staleDevices.count
        for moved in [1, 0] {
            #expect(try await repair() == moved)
            let events = server.published.events.dropFirst(before)
            #expect(events.count == 2)
            #expect(events.contains { $0.userID == ada.id && $0.kind == .profileChanged })
            #expect(events.contains { $0.userID == ben.id && $0.kind == .contactChanged })
            #expect(
                Array(server.published.staleDevices.dropFirst(stale))
                    == [StaleDevices(user: ada.id, besides: nil)])
        }
    }

    /// An older server handles the row as an interval, and would look again too late.
    @Test func monitoringAfterTheDeadlineIsCorrected() async throws {
        try await server.setPlan(.dailyUntil10, of: ada)
        try await change("next_due_at = \(deadline.adding(.hours(20)).milliseconds)")
        #expect(try await repair() == 1)
        #expect(try await nextDue() == deadline.adding(.hours(-2)))
    }

    @Test func olderServersDeadlineIsRemoved() async throws {
        try await server.setPlan(.none, of: ada)
        try await change("next_due_at = \(noon.adding(.hours(24)).milliseconds)")
        #expect(try await repair() == 1)
        #expect(try await nextDue() == nil)
        try await server.pass(.days(2))
        #expect(try await server.alerts(ada).isEmpty)
    }

    @Test func freshSchedulesAreLeftAlone() async throws {
        for plan in [CheckInPlan.dailyUntil10, .none, .interval] {
            try await server.setPlan(plan, of: ada)
            #expect(try await repair() == 0)
        }
    }

    @Test(arguments: [CheckInPlan.dailyUntil10, .none])
    func pausesAreLeftAlone(plan: CheckInPlan) async throws {
        try await server.setPlan(plan, of: ada)
        _ = try await server.network.pauses.pause(until: noon.adding(.days(5)), of: ada.caller)
        #expect(try await nextDue() == noon.adding(.days(4)))
        #expect(try await repair() == 0)
        try await server.pass(.days(5))
        #expect(try await repair() == 0)
    }

    @Test func intervalsAreLeftAlone() async throws {
        try await change("next_due_at = \(noon.adding(.hours(20)).milliseconds)")
        #expect(try await repair() == 0)
        #expect(try await nextDue() == noon.adding(.hours(20)))
    }

    @Test func openAlertsAreLeftAlone() async throws {
        try await server.setPlan(.dailyUntil10, of: ada)
        server.clock.set(deadline)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada) != nil)
        #expect(try await repair() == 0)
        try await server.pass(.hours(12))
        #expect(try await repair() == 0)
        #expect(try await server.alerts(ada).count == 1)
    }

    @Test func graceAfterAnOutageStays() async throws {
        try await server.setPlan(.dailyUntil10, of: ada)
        try await server.pass(.hours(21))
        try await server.outage(.hours(8))
        #expect(try await repair() == 0)
        #expect(try await nextDue() == server.clock.now.adding(.minutes(1)))
    }

    @Test func everybodyIsRepaired() async throws {
        var people: [Person] = []
        for name in ["Ben", "Cleo", "Dan"] { people.append(try await server.armed(name)) }
        for person in people {
            try await server.setPlan(.dailyUntil10, of: person)
            let user = person.id
            try await server.engine.write(about: Subjects([user])) {
                _ = try $0.execute(
                    "UPDATE schedules SET own_deadline_at = 1 WHERE user_id = $1", [.id(user)])
            }
        }
        #expect(try await repair() == people.count)
    }
}
