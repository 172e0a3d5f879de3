import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Ada's answers by SMS to a reminder or to the news of her missed deadline. She has checked in at
/// noon. She and Ben watch over each other.
@Suite struct ReminderAnswerTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let deadline = noon.adding(.hours(24))

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.armed("Ada")
        ben = try await server.person("Ben")
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

    @Test func okWithoutAReminderIsNoAnswer() async throws {
        try await choose(
            LastCall(sendsMessage: true, calls: true, takesAnswers: true), reminds: true)
        #expect(try await text("OK") == TextReply.help.text)
        #expect(try await server.history(of: ada).count == 1)
    }

    // MARK: Beside an alert

    /// A check-in never ends a manual alert.
    @Test(arguments: [true, false]) func checkInByTextNamesTheOwnAlert(isOpen: Bool) async throws {
        try await choose(
            LastCall(sendsMessage: true, calls: false, takesAnswers: true), reminds: false)
        server.clock.set(deadline.adding(.minutes(-10) - .seconds(1)))
        let alert = try await server.raiseAlert(ada)
        if !isOpen { _ = try await server.endAlert(alert, ada) }
        _ = try await server.send(.sms)
        try await run(at: deadline.adding(.minutes(-10)))
        #expect(try await server.send(.sms).contains("Ada"))
        let reply: TextReply = isOpen ? .checkedInDuringAlert : .checkedIn
        #expect(try await text("1") == reply.text)
        #expect(try await server.history(of: ada).count == 2)
        #expect(try await server.openAlert(ada)?.id == (isOpen ? alert.id : nil))
        // A call about the same deadline says so, too.
        let (answers, id) = (server.network.calls.lastCallAnswers, ada.id)
        let subject = try await server.engine.read { try answers.subject(of: id, in: $0) }
        #expect(subject == .isCheckedIn(isAlertOn: isOpen))
    }

    // MARK: Beside an alert's SMS

    /// Ben's alert is older than the reminder, or than the news of Ada's missed deadline.
    @Test(arguments: [true, false], ["1", "2"])
    func answerIsNotAboutAnOlderAlert(isReminder: Bool, answer: String) async throws {
        try await choose(
            LastCall(sendsMessage: false, calls: false, takesAnswers: true), reminds: isReminder)
        let time = isReminder ? deadline.adding(.hours(-2)) : deadline
        server.clock.set(time.adding(.seconds(-20)))
        let alert = try await server.raiseAlert(ben)
        #expect(try await server.send(.sms).contains("Ada"))
        try await run(at: time)
        #expect(try await server.send(.sms).contains("Ada"))
        let meaning: TextAnswer = answer == "1" ? .takesOn : .declines
        let reply = TextReply.notCheckedIn(isAllowed: true, answer: meaning, next: "Ben")
        // A gateway may deliver the answer twice.
        for seconds in [0, 10] {
            server.clock.pass(.seconds(seconds))
            #expect(try await text(answer) == reply.text)
        }
        #expect(try await server.alert(alert, seenBy: ben).history.isEmpty)
        #expect(try await server.history(of: ada).count == 1)
        // The reply has asked for the same answer about the alert.
        server.clock.pass(.milliseconds(10_001))
        let named = answer == "1" ? "Ben is being told" : "can't help Ben"
        #expect(try await text(answer)?.contains(named) == true)
        #expect(try await text(answer)?.contains(named) == true)
        let acts = try await server.alert(alert, seenBy: ben).history.map(\.kind)
        let act: AlertAction.Kind = answer == "1" ? .acknowledged : .declined
        #expect(acts == [act])
        server.clock.pass(.milliseconds(10_001))
        #expect(try await text(answer)?.contains("NOT checked in") == true)
    }

    @Test func answerIsAboutANewerAlert() async throws {
        let time = try await remind()
        server.clock.set(time.adding(.seconds(20)))
        let alert = try await server.raiseAlert(ben)
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await text("1")?.contains("Ben is being told") == true)
        #expect(try await server.alert(alert, seenBy: ben).acknowledgement?.name == "Ada")
    }

    // MARK: Time

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
