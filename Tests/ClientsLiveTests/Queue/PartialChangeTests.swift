import API
import Clients
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// A change made on one device, while another device of the same user changed something else.
@Suite struct PartialChangeTests {
    let app: TestApp
    let ben: Person

    init() async throws {
        app = try TestApp(.memory)
        ben = try await app.person("Ben", "+15550100002")
    }

    /// Returns a phone of Ada, and a connection of her other device.
    private func ada() async throws -> (home: Home, other: Connection) {
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        _ = try await home.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        _ = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: noon)
        app.time.pass(.milliseconds(1))
        let other = try await app.person("Ada", "+15550100001")
        return (home, other.connection)
    }

    // MARK: Settings

    /// Times in Berlin, and a call as the last call.
    private func times() throws -> CheckInSettings {
        let window = CheckInWindow(days: .everyDay, deadline: try #require(TimeOfDay("21:00")))
        return CheckInSettings(
            plan: .times(CheckInTimes(timeZone: "Europe/Berlin", windows: [window])),
            intervalSeconds: 24 * 3600, remindTwoHoursBefore: true,
            remindThirtyMinutesBefore: true,
            lastCall: LastCall(sendsMessage: true, calls: true, takesAnswers: false))
    }

    @Test(arguments: [true, false])
    func reminderLeavesTheNewerSchedule(isOffline: Bool) async throws {
        let (home, other) = try await ada()
        var pressed = CheckInSettings.standard
        pressed.remindThirtyMinutesBefore = false
        if isOffline {
            await home.goOffline()
            #expect(try await change(pressed, [.thirtyMinutes], by: home).isWaiting)
            // The phone shows the change before the server has it.
            let shown = await first(home.values.userClient.profileStream())
            #expect(shown?.settings == pressed)
        }
        let deadline = try await other.call(Routes.updateSettings, times()).nextCheckInTime
        if isOffline {
            home.goOnline()
            await home.isSent()
        } else {
            _ = try await change(pressed, [.thirtyMinutes], by: home)
        }
        let saved = try await other.call(Routes.profile)
        var expected = try times()
        expected.remindThirtyMinutesBefore = false
        #expect(saved.settings == expected && saved.nextCheckInTime == deadline)
        await home.clients.stop()
    }

    @Test func queuedIntervalReplacesTheNewerScheduleOnly() async throws {
        let (home, other) = try await ada()
        await home.goOffline()
        var pressed = CheckInSettings.standard
        pressed.intervalSeconds = 10 * 3600
        #expect(try await change(pressed, [.plan], by: home).isWaiting)
        _ = try await other.call(Routes.updateSettings, times())
        home.goOnline()
        await home.isSent()
        var expected = try times()
        expected.plan = .interval
        expected.intervalSeconds = 10 * 3600
        #expect(try await other.call(Routes.profile).settings == expected)
        await home.clients.stop()
    }

    /// Queues of older versions don't say what was changed.
    @Test func queuedChangeOfEverythingReplacesEverything() async throws {
        let (home, other) = try await ada()
        await home.goOffline()
        var pressed = CheckInSettings.standard
        pressed.remindThirtyMinutesBefore = false
        #expect(try await change(pressed, nil, by: home).isWaiting)
        _ = try await other.call(Routes.updateSettings, times())
        home.goOnline()
        await home.isSent()
        #expect(try await other.call(Routes.profile).settings == pressed)
        await home.clients.stop()
    }

    private func change(
        _ settings: CheckInSettings, _ only: Set<CheckInSettings.Part>?, by home: Home
    ) async throws -> Submission<UserProfile> {
        try await home.values.checkInClient.updateSettings(settings: settings, only: only)
    }
}
