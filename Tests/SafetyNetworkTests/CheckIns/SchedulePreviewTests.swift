import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Before saving, clients show the deadlines that the server then sets (product.md, "Schedules").
/// It is Sunday, 15:00 UTC. Ada checks in by 10:00 every day, last at noon.
@Suite struct SchedulePreviewTests {
    enum Past {
        case noPause
        /// Ada paused at 13:00 for five days.
        case pause
        /// Ada paused at 13:00 for five days, and ended this at 14:00.
        case endedPause
        /// Ada paused from 13:00 until 14:00.
        case passedPause
        /// Ada also checked in at 14:30.
        case checkInAfterPause
    }

    private func after(_ past: Past) async throws -> (TestServer, Person) {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.setPlan(.dailyUntil10, of: ada)
        let pauses = server.network.pauses
        let end = noon.adding(.hours(2))
        server.clock.set(noon.adding(.hours(1)))
        switch past {
        case .noPause: break
        case .pause, .endedPause, .checkInAfterPause:
            _ = try await pauses.pause(until: noon.adding(.days(5)), of: ada.caller)
        case .passedPause: _ = try await pauses.pause(until: end, of: ada.caller)
        }
        server.clock.set(end)
        if [.endedPause, .checkInAfterPause].contains(past) {
            _ = try await pauses.endPause(of: ada.caller)
        }
        server.clock.pass(.minutes(30))
        if past == .checkInAfterPause { try await server.checkIn(ada) }
        server.clock.pass(.minutes(30))
        return (server, ada)
    }

    /// - Parameters:
    ///   - interval: from noon to the first deadline of an interval of 8 hours.
    ///   - times: from noon to the first deadline by 11:00 every day.
    @Test(
        arguments: [
            (.noPause, .hours(8), .hours(23)),
            (.pause, .days(5) + .hours(8), .days(5) + .hours(23)),
            (.endedPause, .hours(10), .hours(23)),
            (.passedPause, .hours(10), .hours(23)),
            (.checkInAfterPause, .hours(10) + .minutes(30), .hours(23)),
        ] as [(Past, Duration, Duration)])
    func previewIsWhatTheServerSets(past: Past, interval: Duration, times: Duration) async throws {
        let changes: [(CheckInPlan, Duration)] = [
            (.interval, interval), (.times(.daily(until: 660)), times),
        ]
        for (plan, wait) in changes {
            let (server, ada) = try await after(past)
            var settings = CheckInSettings.standard
            settings.plan = plan
            settings.intervalSeconds = 8 * 3600
            var preview = try await server.profile(ada).schedule
            preview.apply(settings, at: server.clock.now)
            let saved = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
            #expect(preview.deadline == noon.adding(wait))
            #expect(saved.nextCheckInTime == preview.deadline)
            #expect(saved.schedule.nextDeadlines(3) == preview.nextDeadlines(3))
        }
    }
}
