import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Each change of the schedule may bring a new deadline with its own messages. SMS and calls have a
/// limit. Ada has checked in at noon, and has no responders and no endpoint.
@Suite struct LastCallLimitTests {
    private let server: TestServer
    private let ada: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.armed("Ada")
    }

    private func choose(_ seconds: Int, reminders: Bool = false) async throws {
        let settings = CheckInSettings(
            intervalSeconds: seconds, remindTwoHoursBefore: reminders,
            remindThirtyMinutesBefore: reminders)
        _ = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
    }

    /// Handles the message and the call, which may be due together. Returns the SMS and calls.
    private func sent() async throws -> Sent {
        for _ in 0..<2 { try await server.deadlineMonitor.handleDueDeadlines() }
        let texts = try await server.send(.sms).count
        return Sent(texts: texts, calls: try await server.send(.voice).count)
    }

    private struct Sent: Equatable {
        var texts: Int
        var calls: Int
    }

    /// The server forgets notifications beyond a hundred, but not these SMS and calls.
    @Test func changesCostThreeTextsAndThreeCallsAnHour() async throws {
        server.clock.set(noon.adding(.minutes(55) + .seconds(30)))
        var (texts, calls) = (0, 0)
        for number in 0..<120 {
            try await choose(number.isMultiple(of: 2) ? 3_600 : 3_610)
            let more = try await sent()
            (texts, calls) = (texts + more.texts, calls + more.calls)
        }
        #expect(texts == DeadlineMessageLimits.perHour)
        #expect(calls == DeadlineMessageLimits.perHour)
        let news = try await server.news(of: ada)
        #expect(news.filter { $0 == "Last call: check in now" }.count > 50)
    }

    /// A last call is never missing because of changes before the check-in.
    @Test func checkInEndsTheCountOfLastCalls() async throws {
        server.clock.set(noon.adding(.minutes(55) + .seconds(30)))
        for number in 0..<10 {
            try await choose(number.isMultiple(of: 2) ? 3_610 : 3_600)
            _ = try await sent()
        }
        try await server.checkIn(ada)
        let deadline = server.clock.now.adding(.hours(1))
        server.clock.set(deadline.adding(.minutes(-10)))
        #expect(try await sent() == Sent(texts: 1, calls: 0))
        server.clock.set(deadline.adding(.minutes(-5)))
        #expect(try await sent() == Sent(texts: 0, calls: 1))
    }

    @Test func changeThatMovesNoDeadlineSendsNothingAgain() async throws {
        let laterTimes = [1_080, 1_200]
        let ten = noon.adding(.hours(22))
        server.clock.set(noon.adding(.hours(1)))
        for minute in laterTimes {
            let times = CheckInTimes(
                timeZone: "Atlantic/Reykjavik",
                windows: [600, minute].compactMap { TimeOfDay(minutes: $0) }.map {
                    CheckInWindow(days: [.monday], deadline: $0)
                })
            try await server.setPlan(.times(times), of: ada)
            #expect(try await server.profile(ada).nextCheckInTime == ten)
            server.clock.set(ten.adding(.minutes(-10)))
            #expect(try await sent().texts == (minute == laterTimes.first ? 1 : 0))
        }
    }

    @Test func checkInsInALoopCostThreeRemindersAnHour() async throws {
        try await choose(7_201, reminders: true)
        var texts = 0
        for _ in 0..<6 {
            server.clock.pass(.seconds(1))
            texts += try await sent().texts
            server.clock.pass(.seconds(10))
            try await server.checkIn(ada)
        }
        #expect(texts == DeadlineMessageLimits.perHour)
        server.clock.pass(DeadlineMessageLimits.window)
        try await server.checkIn(ada)
        server.clock.pass(.seconds(1))
        #expect(try await sent().texts == 1)
    }
}
