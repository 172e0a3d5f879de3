import Domain
import Features
import Foundation
import TestApp
import Testing

@Suite(.timeLimit(.minutes(5))) struct CheckInStoryTests {
    @Test func checkInMovesTheDeadlineForTheResponder() async throws {
        let both = try await AnaAndBen()
        try await both.ben.contact(
            "Ana", "with the first deadline",
            isAs: { $0.watch?.nextCheckInTime == TestTime.noon.adding(.hours(24)) })
        both.app.time.pass(.hours(3))
        await both.ana.send(tabs: .home(.checkIn(.checkInButtonTapped)))
        let deadline = TestTime.noon.adding(.hours(27))
        try await both.ana.tabs(
            "the confirmation",
            that: {
                $0.home.checkIn.confirmation != nil && $0.home.checkIn.nextCheckInTime == deadline
            })
        let seen = try await both.ben.contact(
            "Ana", "with the next deadline", isAs: { $0.watch?.nextCheckInTime == deadline })
        #expect(seen.watch?.lastCheckInTime == TestTime.noon.adding(.hours(3)))
    }

    @Test func newIntervalMovesTheDeadlineForTheResponder() async throws {
        let both = try await AnaAndBen()
        await both.ana.send(tabs: .home(.checkIn(.scheduleButtonTapped)))
        await both.ana.send(tabs: .home(.checkIn(.schedule(.intervalPresetTapped(.hours(8))))))
        await both.ana.send(tabs: .home(.checkIn(.schedule(.saveTapped))))
        try await both.ana.tabs(
            "the new interval",
            that: {
                $0.home.checkIn.scheduleSheet == nil
                    && $0.home.checkIn.settings.interval == .hours(8)
            })
        let seen = try await both.ben.contact(
            "Ana", "with the earlier deadline",
            isAs: { $0.watch?.nextCheckInTime == TestTime.noon.adding(.hours(8)) })
        #expect(seen.watch?.checkInIntervalSeconds == 8 * 3_600)
    }

    @Test func missedDeadlineAlertsUntilACheckIn() async throws {
        let both = try await AnaAndBen()
        both.app.time.pass(.hours(25))
        try await both.app.deadlineMonitor.handleDueDeadlines()
        try await both.ben.contact(
            "Ana", "who is silent", isAs: { $0.watch?.status == .nonResponsive })
        try await both.ben.tabs("a badge", that: { $0.badge(of: .dependents) == 1 })
        let item = try await both.ben.notification("Ana missed")
        #expect(try await item.aboutUserID == both.ana.id && item.readAt == nil)
        await both.ben.send(tabs: .opened(try #require(NotificationSubject(item))))
        await both.ben.send(tabs: .dependentAlert(.presented(.onAppear)))
        try await both.ben.tabs(
            "the alert, and how to help",
            that: {
                $0.dependentAlert?.alert?.kind == .missedCheckIn
                    && $0.dependentAlert?.emergencyNote != nil
            })

        await both.ana.send(tabs: .home(.checkIn(.checkInButtonTapped)))
        try await both.ben.contact("Ana", "who is fine", isAs: { $0.watch?.status == .active })
        try await both.ben.tabs(
            "that it is over, and no badge",
            that: { $0.dependentAlert?.isOver == true && $0.badge(of: .dependents) == 0 })
    }

    @Test func otherDeviceShowsTheCheckIn() async throws {
        let app = try TestApp(.memory)
        let phone = try await app.welcome("Ana", "+15550100001")
        let tablet = TestUser("Ana's tablet", in: app)
        try await tablet.signIn("+15550100001", in: app)
        try await tablet.arrive()
        app.time.pass(.hours(1))
        let deadline = app.time.now.adding(.hours(24))
        await phone.send(tabs: .home(.checkIn(.checkInButtonTapped)))
        try await tablet.tabs(
            "the deadline of the phone's check-in",
            that: { $0.home.checkIn.nextCheckInTime == deadline })
    }
}
