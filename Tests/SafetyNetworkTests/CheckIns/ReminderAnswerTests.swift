import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Ada's answers by SMS to a reminder or to the news of her missed deadline. She has checked in at
/// noon. She and Ben watch over each other.
@Suite struct ReminderAnswerTests {
    private let server: TestServer
    private let ada: Person
    private let deadline = noon.adding(.hours(24))

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.armed("Ada")
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada, mutually: true)
        try await server.send(.sms)
    }

    private func choose(_ lastCall: LastCall, reminds: Bool) async throws {
        let settings = CheckInSettings(
            intervalSeconds: 86_400, remindTwoHoursBefore: reminds,
            remindThirtyMinutesBefore: false, lastCall: lastCall)
        _ = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
    }

    private func run(at time: Date) async throws {
        server.clock.set(time)
        try await server.deadlineMonitor.handleDueDeadlines()
    }

    private func text(_ text: String) async throws -> String? {
        try await server.network.textAnswers.receiveText(text, from: ada.number)
    }

    /// Sends the SMS two hours before the deadline, and returns the time.
    private func remind() async throws -> Date {
        try await choose(
            LastCall(sendsMessage: false, calls: false, takesAnswers: true), reminds: true)
        let time = deadline.adding(.hours(-2))
        try await run(at: time)
        #expect(try await server.send(.sms) == ["Ada"])
        return time
    }

    @Test(arguments: ["1", "2", "OK"]) func answerToAReminderChecksNobodyIn(answer: String)
        async throws
    {
        _ = try await remind()
        #expect(try await text(answer) == TextReply.notCheckedIn(isAllowed: true).text)
        #expect(try await server.history(of: ada).count == 1)
    }

    @Test func answerAfterTheCheckInIsNotNeeded() async throws {
        let time = try await remind()
        server.clock.set(time.adding(.minutes(1)))
        try await server.checkIn(ada)
        #expect(try await text("1") == TextReply.nothingOpen.text)
    }

    @Test(arguments: [(Duration.hours(24), true), (.hours(24) + .milliseconds(1), false)])
    func reminderIsAnsweredForADay(age: Duration, isAnswered: Bool) async throws {
        let time = try await remind()
        server.clock.set(time.adding(age))
        let reply: TextReply = isAnswered ? .notCheckedIn(isAllowed: true) : .nothingOpen
        #expect(try await text("1") == reply.text)
    }

    /// A phone may answer each reply automatically.
    @Test func unclearAnswersToOneMessageGetOneReply() async throws {
        _ = try await remind()
        #expect(try await text("All good, thanks") == TextReply.notCheckedIn(isAllowed: true).text)
        #expect(try await text("Did you get that?") == nil)
        #expect(try await text("1") == TextReply.notCheckedIn(isAllowed: true).text)
        try await run(at: deadline)
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await text("All good, thanks") == TextReply.notCheckedIn(isAllowed: true).text)
        #expect(try await text("Did you get that?") == nil)
        #expect(try await server.history(of: ada).count == 1)
    }

    @Test func unclearAnswerAfterTheCheckInGetsTheHelpText() async throws {
        let time = try await remind()
        #expect(try await text("All good") == TextReply.notCheckedIn(isAllowed: true).text)
        server.clock.set(time.adding(.minutes(1)))
        try await server.checkIn(ada)
        #expect(try await text("All good") == TextReply.help.text)
    }

    @Test func answerToTheMissedDeadlineChecksNobodyIn() async throws {
        try await choose(.off, reminds: false)
        try await run(at: deadline)
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await text("1") == TextReply.notCheckedIn(isAllowed: false).text)
        server.clock.pass(.minutes(1))
        try await server.checkIn(ada)
        #expect(try await text("1") == TextReply.nothingOpen.text)
    }
}
