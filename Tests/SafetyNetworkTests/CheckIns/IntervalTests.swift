import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct IntervalTests {
    @Test(arguments: [3600, 28_800, 57_600, 86_400, 172_800, 604_800])
    func deadlineCountsFromTheLastCheckIn(seconds: Int) async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        server.clock.pass(.minutes(10))
        let profile = try await server.setInterval(.seconds(seconds), of: ada)
        #expect(profile.nextCheckInTime == noon.adding(.seconds(seconds)))
        let reminder: Duration = seconds > 7200 ? .hours(2) : .minutes(30)
        #expect(
            try await server.deadlineMonitor.handleDueDeadlines()
                == noon.adding(.seconds(seconds) - reminder))
    }

    @Test(arguments: [0, -1, 3599, 604_801])
    func intervalOutside1HourTo7DaysIsRefused(seconds: Int) async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        #expect(
            await refusal { try await server.setInterval(.seconds(seconds), of: ada) }?.field
                == "intervalSeconds")
        #expect(try await server.profile(ada).settings == .standard)
    }

    @Test func aShorterIntervalMayBeMissedNow() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.pass(.hours(8))
        let profile = try await server.setInterval(.hours(8), of: ada)
        #expect(profile.status == .nonResponsive)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.news(of: ben) == ["Ada missed a check-in"])
        #expect(try await server.openAlert(ada)?.deadline == noon.adding(.hours(8)))
    }

    @Test func aShorterIntervalMayJustHold() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        server.clock.set(noon.adding(.hours(8)).aMillisecondBefore)
        #expect(try await server.setInterval(.hours(8), of: ada).status == .active)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada) == nil)
        try await server.pass(.milliseconds(1))
        #expect(try await server.openAlert(ada) != nil)
    }

    /// After an alarm, a longer interval isn't a sign of life. The alert stays open until the next
    /// check-in.
    @Test func onlyACheckInEndsTheExtendedAlert() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.pass(.hours(24))
        _ = try await server.setInterval(.hours(48), of: ada)
        try await server.pass(.minutes(5))
        #expect(try await server.openAlert(ada) != nil)
        #expect(
            try await server.news(of: ben) == [
                "Ada missed a check-in", "Ada checks in less often", "Ada still hasn't checked in",
            ])

        try await server.checkIn(ada)
        #expect(try await server.openAlert(ada) == nil)
        #expect(try await server.news(of: ben) == ["Ada checked in"])
    }

    /// The monitor hasn't handled the deadline yet, as in a grace after an outage.
    @Test(arguments: [
        (Duration.hours(8), false), (.hours(25), false),
        (.hours(25) + .seconds(1), true), (.hours(48), true),
    ])
    func longerIntervalCannotEraseAMissedDeadline(interval: Duration, isRefused: Bool) async throws
    {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        server.clock.set(noon.adding(.hours(25)))
        let error = await refusal { try await server.setInterval(interval, of: ada) }
        if isRefused {
            guard case .unavailable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try await server.profile(ada).settings == .standard)
        } else {
            #expect(error == nil)
        }
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada) != nil)
        _ = try await server.setInterval(interval, of: ada)
        #expect(try await server.openAlert(ada) != nil)
    }

    @Test func theNewDeadlinePassesUnderTheOldAlert() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.pass(.hours(24))
        _ = try await server.setInterval(.hours(25), of: ada)
        try await server.pass(.hours(3))
        #expect(try await server.alerts(ada).count == 1)
        #expect(try await server.openAlert(ada) != nil)
        try await server.checkIn(ada)
        #expect(try await server.openAlert(ada) == nil)
        try await server.pass(.hours(25))
        #expect(try await server.alerts(ada).filter(\.isActive).count == 1)
    }

    @Test func settingsChangeIsSentToResponders() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.setInterval(.hours(8), of: ada)
        #expect(try await server.events(of: ada).last == .profileChanged)
        #expect(try await server.events(of: ben).last == .contactChanged(.init(contactID: ada.id)))
        #expect(
            try await server.contact(ada, seenBy: ben)?.watch?.nextCheckInTime
                == noon.adding(.hours(8)))
        let count = try await server.events(of: ada).count
        _ = try await server.setInterval(.hours(8), of: ada)
        #expect(try await server.events(of: ada).count == count)
    }
}

@Suite struct CanaryIntervalTests {
    @Test func onlyCanaryNumbersHaveIntervalsOfSeconds() async throws {
        let number = try PhoneNumber("+15550190")
        let code = String(repeating: "0a", count: 16)
        let server = try TestServer(options: {
            $0.canaryNumbers = [number]
            $0.testNumbers = [number: code]
        })
        try await server.network.codes.requestCode(for: number, from: "somewhere")
        let canary = Person(
            name: "Canary", number: number,
            tokens: try await server.network.signIn.signIn(number, code: code, deviceName: "Canary")
        )
        let ada = try await server.armed("Ada")
        let profile = try await server.setInterval(.seconds(5), of: canary)
        #expect(profile.settings.intervalSeconds == 5)
        for interval in [Duration.seconds(5), .seconds(3_599), .zero] {
            #expect(
                await refusal { try await server.setInterval(interval, of: ada) }?.field
                    == "intervalSeconds")
        }
        #expect(await refusal { try await server.setInterval(.zero, of: canary) } != nil)
    }
}
