import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// The messages to Ada shortly before her deadline (product.md, "The last call"). She has checked
/// in at noon, and gets no reminders. She and Ben watch over each other.
@Suite struct LastCallTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let deadline = noon.adding(.hours(24))
    private let checkedIn = CallSubject.isCheckedIn(isAlertOn: false)
    private var tenBefore: Date { deadline.adding(.minutes(-10)) }
    private var fiveBefore: Date { deadline.adding(.minutes(-5)) }

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
            $0.pushKinds.insert(.apns)
        })
        (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada, mutually: true)
        try await Self.choose(.standard, ada, on: server)
        try await server.send(.sms)
    }

    private static func choose(
        _ lastCall: LastCall, _ person: Person, on server: TestServer
    ) async throws {
        let settings = CheckInSettings(
            intervalSeconds: 86_400, remindTwoHoursBefore: false, remindThirtyMinutesBefore: false,
            lastCall: lastCall)
        _ = try await server.network.checkIns.updateSettings(settings, of: person.caller)
    }

    private func choose(
        message: Bool = true, calls: Bool? = nil, answers: Bool = false
    ) async throws {
        try await Self.choose(
            LastCall(sendsMessage: message, calls: calls, takesAnswers: answers), ada, on: server)
    }

    private func run(at time: Date) async throws {
        server.clock.set(time)
        try await server.deadlineMonitor.handleDueDeadlines()
    }

    private struct Row: Equatable {
        var channel: String
        var state: String
        var reason: String?
    }

    /// The deliveries of Ada's last calls, by channel.
    private func lastCalls() async throws -> [Row] {
        try await server.engine.read { [ada] in
            try $0.query(
                """
                SELECT channel, state, reason FROM deliveries
                WHERE user_id = $1 AND purpose = 'lastCall' ORDER BY created_at, channel
                """, [.id(ada.id)]
            ) {
                Row(
                    channel: try $0["channel"], state: try $0["state"], reason: try $0["reason"])
            }
        }
    }

    private func addPhone() async throws {
        let token = try AppToken(
            apns: String(repeating: "ab", count: 32), environment: .production)
        _ = try await server.network.appEndpoints.saveAppEndpoint(
            server.environment.id(), token, of: ada.caller)
        _ = try await server.news(of: ada)
    }

    private func text(_ text: String) async throws -> String? {
        try await server.network.textAnswers.receiveText(text, from: ada.number)
    }

    private func history() async throws -> Int { try await server.history(of: ada).count }

    // MARK: The message

    @Test func messageGoesByEveryChannelTenMinutesBefore() async throws {
        try await addPhone()
        try await run(at: tenBefore.aMillisecondBefore)
        #expect(try await lastCalls() == [])
        try await run(at: tenBefore)
        #expect(try await lastCalls().map(\.channel) == ["apns", "sms", "stream"])
        let news = try await server.newsItems(of: ada)
        #expect(news.map(\.title) == ["Last call: check in now"])
        #expect(
            news.first?.body == "Your responder is told at 12:00 UTC unless you check in.")
        try await run(at: tenBefore)
        #expect(try await server.news(of: ada) == [])
        #expect(server.watched.all.reminders == 1)
    }

    @Test func mutedPersonGetsIt() async throws {
        try await server.muteAll(of: ada)
        try await run(at: tenBefore)
        #expect(try await server.send(.sms) == ["Ada"])
        #expect(try await server.news(of: ada) == ["Last call: check in now"])
    }

    @Test func messageCanBeTurnedOff() async throws {
        try await choose(message: false, calls: false)
        try await run(at: tenBefore)
        try await run(at: fiveBefore)
        #expect(try await lastCalls() == [])
        #expect(try await server.news(of: ada) == ["You get fewer last calls"])
    }

    /// A person who was only asked has not accepted, so no one would be told.
    @Test func withoutRespondersTheMessageSaysSo() async throws {
        let dora = try await server.armed("Dora")
        try await Self.choose(.standard, dora, on: server)
        try await server.ask(ben, toWatchOver: dora)
        try await run(at: tenBefore)
        #expect(
            try await server.newsItems(of: dora).map(\.body) == [
                "Your deadline is 12:00 UTC. You have no responders who would be told."
            ])
    }

    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func messageExplainsAllowedAnswers(isOffered: Bool, isAllowed: Bool) async throws {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.takesTextAnswers = isOffered
        })
        let ada = try await server.armed("Ada")
        try await Self.choose(
            LastCall(sendsMessage: true, calls: nil, takesAnswers: isAllowed), ada, on: server)
        server.clock.set(tenBefore)
        try await server.deadlineMonitor.handleDueDeadlines()
        let body = try #require(try await server.newsItems(of: ada).last?.body)
        #expect(body.hasSuffix("Answer the SMS with 1 to check in.") == (isOffered && isAllowed))
    }

    @Test func checkInBeforeCancelsIt() async throws {
        server.clock.set(tenBefore.aMillisecondBefore)
        try await server.checkIn(ada)
        try await run(at: tenBefore)
        try await run(at: fiveBefore)
        try await run(at: deadline)
        #expect(try await lastCalls() == [])
        #expect(try await server.openAlert(ada) == nil)
    }

    @Test func checkInWithdrawsUnsentMessages() async throws {
        try await run(at: tenBefore)
        try await run(at: fiveBefore)
        try await server.checkIn(ada)
        let unsent = try await lastCalls().filter { $0.channel != "stream" }
        #expect(
            unsent == [
                Row(channel: "sms", state: "superseded", reason: "checked-in"),
                Row(channel: "voice", state: "superseded", reason: "checked-in"),
            ])
        #expect(try await server.send(.sms) == [])
        #expect(try await server.send(.voice) == [])
    }

    @Test func deadlineWithdrawsUnsentMessages() async throws {
        try await run(at: tenBefore)
        try await run(at: fiveBefore)
        try await run(at: deadline)
        let unsent = try await lastCalls().filter { $0.channel != "stream" }
        #expect(
            unsent
                == ["sms", "voice"].map {
                    Row(channel: $0, state: "superseded", reason: "\(DeliveryReason.tooLate)")
                })
        #expect(try await server.openAlert(ada)?.deadline == deadline)
        #expect(try await server.send(.voice) == [])
    }

    @Test func pauseWithdrawsUnsentMessages() async throws {
        try await run(at: tenBefore)
        _ = try await server.network.pauses.pause(
            until: deadline.adding(.days(1)), of: ada.caller)
        #expect(try await lastCalls().filter { $0.channel == "sms" }.map(\.state) == ["superseded"])
        try await run(at: fiveBefore)
        #expect(try await server.send(.voice) == [])
    }

    @Test func newDeadlineWithdrawsUnsentMessages() async throws {
        try await run(at: tenBefore)
        // The deadline stays, so the message is still true.
        try await choose(calls: false)
        #expect(try await lastCalls().first { $0.channel == "sms" }?.state == "queued")
        _ = try await server.setInterval(.hours(48), of: ada)
        #expect(try await lastCalls().first { $0.channel == "sms" }?.state == "superseded")
    }

    /// The deadline doesn't move.
    @Test func alertOpensAtTheDeadline() async throws {
        try await run(at: tenBefore)
        try await run(at: fiveBefore)
        try await run(at: deadline.aMillisecondBefore)
        #expect(try await server.openAlert(ada) == nil)
        try await run(at: deadline)
        #expect(try await server.openAlert(ada)?.deadline == deadline)
    }

    // MARK: Who is called

    @Test(
        arguments: [
            (nil, false, true), (nil, true, false), (true, true, true), (true, false, true),
            (false, false, false),
        ] as [(Bool?, Bool, Bool)])
    func settingDecidesWhoIsCalled(calls: Bool?, hasPush: Bool, isCalled: Bool) async throws {
        try await choose(calls: calls)
        if hasPush { try await addPhone() }
        try await run(at: tenBefore)
        _ = try await server.news(of: ada)
        try await run(at: fiveBefore.aMillisecondBefore)
        #expect(try await server.send(.voice) == [])
        try await run(at: fiveBefore)
        #expect(try await server.send(.voice) == (isCalled ? ["Ada"] : []))
        #expect(try await server.news(of: ada) == (isCalled ? ["LifeSignal calls you"] : []))
        try await run(at: fiveBefore.adding(.minutes(1)))
        #expect(try await server.send(.voice) == [])
    }

    /// A webhook tells a machine, not the person.
    @Test func webhookDoesNotReplaceTheCall() async throws {
        let url = try #require(URL(string: "https://example.org/hook"))
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook, url: url, of: ada.caller)
        try await run(at: tenBefore)
        try await run(at: fiveBefore)
        #expect(try await server.send(.voice) == ["Ada"])
    }

    @Test func callIsOnlySpoken() async throws {
        try await choose(message: false, calls: true)
        try await addPhone()
        try await run(at: fiveBefore)
        #expect(try await lastCalls().map(\.channel) == ["stream", "voice"])
    }

    @Test func withoutVoiceNobodyIsCalled() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let ada = try await server.armed("Ada")
        try await Self.choose(
            LastCall(sendsMessage: false, calls: true, takesAnswers: false), ada, on: server)
        _ = try await server.news(of: ada)
        server.clock.set(fiveBefore)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.send(.voice) == [])
        #expect(try await server.news(of: ada) == [])
    }

    // MARK: Keys

    /// Calls Ada five minutes before the deadline. Returns the call's token.
    private func call() async throws -> String {
        try await run(at: tenBefore)
        try await server.send(.sms)
        try await run(at: fiveBefore)
        #expect(try await server.send(.voice) == ["Ada"])
        let key = try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))
        return CallToken(
            person: ada.id.uuid, delivery: try await server.delivery(.voice, ada).uuid,
            attempt: 1, expiresAt: fiveBefore.adding(.hours(1))
        ).text(key: key)
    }

    private func calls() async throws -> [Row] {
        try await lastCalls().filter { $0.channel == "voice" }
    }

    @Test func callSaysHowMuchTimeIsLeft() async throws {
        let token = try await call()
        #expect(try await server.network.calls.call(token) == .lastCall(minutes: 5))
        server.clock.pass(.milliseconds(1))
        #expect(try await server.network.calls.call(token) == .lastCall(minutes: 4))
        server.clock.set(deadline)
        #expect(try await server.network.calls.call(token) == .lastCall(minutes: 0))
    }

    @Test func keyOneChecksIn() async throws {
        let token = try await call()
        for _ in 0..<2 {
            #expect(try await server.network.calls.takeOn(byCall: token) == checkedIn)
        }
        #expect(try await history() == 2)
        #expect(try await server.profile(ada).lastCheckInTime == fiveBefore)
        #expect(
            try await server.profile(ada).nextCheckInTime == fiveBefore.adding(.hours(24)))
        try await server.network.calls.enterUnansweredCall(.noKeyPressed, token)
        #expect(try await calls().map(\.state) == ["acknowledged"])
        try await run(at: deadline)
        #expect(try await server.openAlert(ada) == nil)
    }

    @Test func keyOneEndsNothingElse() async throws {
        let token = try await call()
        let own = try await server.raiseAlert(ada)
        let bens = try await server.raiseAlert(ben)
        let answer = try await server.network.calls.takeOn(byCall: token)
        #expect(answer == .ownAlert(ToldResponders(told: 1, all: 1)))
        #expect(try await history() == 2)
        #expect(try await server.alert(own, seenBy: ben).isActive)
        let record = try await server.alert(bens, seenBy: ada)
        #expect(record.isActive && record.acknowledgement == nil)
    }

    @Test func keyTwoRaisesOneAlert() async throws {
        let token = try await call()
        _ = try await server.news(of: ben)
        for _ in 0..<2 { try await server.network.calls.decline(byCall: token) }
        #expect(try await server.alerts(ada).map(\.kind) == [.manual])
        #expect(try await server.news(of: ben).count == 1)
        let answer = try await server.network.calls.call(token)
        #expect(answer == .ownAlert(ToldResponders(told: 1, all: 1)))
        #expect(try await calls() == [Row(channel: "voice", state: "seen", reason: "declined")])
        // The call for help isn't a check-in.
        #expect(try await history() == 1)
    }

    /// A carrier may repeat its request after the alert's end. "Your alert is on" would be false.
    @Test func repeatedKeyTwoRaisesNoSecondAlert() async throws {
        let token = try await call()
        try await server.network.calls.decline(byCall: token)
        let alert = try #require(try await server.openAlert(ada))
        _ = try await server.endAlert(alert, ada)
        try await server.network.calls.decline(byCall: token)
        #expect(try await server.alerts(ada).count == 1)
        #expect(try await server.openAlert(ada) == nil)
        #expect(try await server.network.calls.call(token) == .lastCall(minutes: 5))
    }

    /// Ben has left, or is a guest and has sent STOP.
    @Test(arguments: [0, 1]) func callSaysIfNobodyIsTold(all: Int) async throws {
        let (token, id) = (try await call(), ben.id)
        if all == 0 {
            try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        } else {
            try await server.engine.write(about: .none) { try $0.setGuest(since: $0.now, id) }
            _ = try await server.network.textAnswers.receiveText("STOP", from: ben.number)
        }
        let answer = try await server.network.calls.decline(byCall: token)
        #expect(answer == .ownAlert(ToldResponders(told: 0, all: all)))
    }

    @Test func callWithoutAKeyIsUnanswered() async throws {
        let token = try await call()
        let network = server.network
        #expect(try await network.calls.enterUnansweredCall(.noKeyPressed, token))
        #expect(try await !network.calls.enterUnansweredCall(.noKeyPressed, token))
        #expect(
            try await calls() == [Row(channel: "voice", state: "failed", reason: "no-key-pressed")])
        #expect(try await history() == 1)
        try await run(at: deadline)
        #expect(try await server.openAlert(ada)?.deadline == deadline)
    }

    // MARK: Answers by SMS

    /// Sends the SMS ten minutes before the deadline.
    private func ask(answers: Bool = true) async throws {
        try await choose(calls: false, answers: answers)
        try await run(at: tenBefore)
        #expect(try await server.send(.sms) == ["Ada"])
    }

    @Test(arguments: ["1", "OK", "I'm fine"]) func allowedAnswerChecksIn(answer: String)
        async throws
    {
        try await ask()
        server.clock.pass(.minutes(1))
        #expect(try await text(answer) == TextReply.checkedIn.text)
        #expect(try await history() == 2)
        #expect(try await server.profile(ada).lastCheckInTime == server.clock.now)
        try await run(at: deadline)
        #expect(try await server.openAlert(ada) == nil)
    }

    @Test func answerWithoutPermissionDoesNotCheckIn() async throws {
        try await ask(answers: false)
        for answer in ["1", "OK"] {
            #expect(try await text(answer) == TextReply.notCheckedIn(isAllowed: false).text)
        }
        #expect(try await history() == 1)
        try await run(at: deadline)
        #expect(try await server.openAlert(ada)?.deadline == deadline)
    }

    /// Ada has checked in with the app, so no reply may say that she hasn't.
    @Test(arguments: [("1", false), ("2", false), ("2", true)])
    func answerAfterTheCheckInIsNotNeeded(answer: String, isAllowed: Bool) async throws {
        try await ask(answers: isAllowed)
        server.clock.pass(.milliseconds(1))
        try await server.checkIn(ada)
        #expect(try await text(answer) == TextReply.nothingOpen.text)
        #expect(try await history() == 2)
    }

    @Test func twoAfterTheAnswerOneIsNotNeeded() async throws {
        try await ask()
        #expect(try await text("1") == TextReply.checkedIn.text)
        #expect(try await text("2") == TextReply.nothingOpen.text)
    }

    @Test(arguments: [false, true]) func unclearAnswerIsNoCheckIn(isAllowed: Bool) async throws {
        let reply: TextReply = isAllowed ? .answerOneToCheckIn : .notCheckedIn(isAllowed: false)
        try await ask(answers: isAllowed)
        server.clock.pass(.minutes(1))
        #expect(try await text("All good, thanks") == reply.text)
        #expect(try await history() == 1)
        #expect((try await text("1") == TextReply.checkedIn.text) == isAllowed)
    }

    @Test func unclearAnswerToALaterAlertGetsTheHelpText() async throws {
        try await ask()
        server.clock.pass(.minutes(1))
        _ = try await server.raiseAlert(ben)
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await text("I am on my way") == TextReply.help.text)
    }

    /// A refusal must not be thanked for.
    @Test func twoDoesNotCheckIn() async throws {
        try await ask()
        #expect(try await text("2") == TextReply.answerOneToCheckIn.text)
        #expect(try await history() == 1)
    }

    @Test func unsentMessageHasNoAnswer() async throws {
        try await choose(calls: false, answers: true)
        try await run(at: tenBefore)
        #expect(try await text("1") == TextReply.nothingOpen.text)
        #expect(try await history() == 1)
    }

    /// After some minutes, the person may believe that they check in again.
    @Test func repeatedAnswerChecksInOnce() async throws {
        try await ask()
        for _ in 0..<2 { #expect(try await text("1") == TextReply.checkedIn.text) }
        server.clock.set(tenBefore.adding(.minutes(10)).aMillisecondBefore)
        #expect(try await text("1") == TextReply.checkedIn.text)
        server.clock.set(tenBefore.adding(.minutes(10)))
        #expect(try await text("1") == TextReply.notCheckedInAgain.text)
        #expect(try await history() == 2)
        #expect(try await server.profile(ada).lastCheckInTime == tenBefore)
    }

    @Test func lateAnswerEndsTheAlert() async throws {
        try await ask()
        try await run(at: deadline)
        #expect(try await server.openAlert(ada) != nil)
        #expect(try await text("1") == TextReply.checkedIn.text)
        #expect(try await server.openAlert(ada) == nil)
    }

    @Test(arguments: [(Duration.hours(24), true), (.hours(24) + .milliseconds(1), false)])
    func messageIsAnswerableForADay(age: Duration, isAnswerable: Bool) async throws {
        try await ask()
        server.clock.set(tenBefore.adding(age))
        #expect((try await text("1") == TextReply.checkedIn.text) == isAnswerable)
        #expect(try await history() == (isAnswerable ? 2 : 1))
    }

    @Test func answerIsProofOfTheChannel() async throws {
        try await ask(answers: false)
        _ = try await text("1")
        let reachability = try await server.contact(ada, seenBy: ben)?.reachability
        #expect(reachability?.state == .proven && reachability?.channel == .sms)
    }

    // MARK: Beside an alert's SMS

    @Test func earlierAlertKeepsTheAnswerForTheLastCall() async throws {
        server.clock.set(tenBefore.adding(.minutes(-1)))
        let alert = try await server.raiseAlert(ben)
        #expect(try await server.send(.sms).contains("Ada"))
        try await ask()
        #expect(try await text("1") == TextReply.checkedIn.text)
        #expect(try await server.alert(alert, seenBy: ben).acknowledgement == nil)
        #expect(try await history() == 2)
    }

    @Test func repeatedAnswerDoesNotTakeOnAnEarlierAlert() async throws {
        server.clock.set(tenBefore.adding(.minutes(-1)))
        let alert = try await server.raiseAlert(ben)
        try await server.send(.sms)
        try await ask()
        for _ in 0..<2 { #expect(try await text("1") == TextReply.checkedIn.text) }
        #expect(try await server.alert(alert, seenBy: ben).acknowledgement == nil)
    }

    /// The newest SMS is the last call, so "1" is about it until Ada has checked in.
    @Test(arguments: [false, true])
    func lastCallThatTakesNoAnswersComesBeforeAnEarlierAlert(checksIn: Bool) async throws {
        server.clock.set(tenBefore.adding(.minutes(-1)))
        let alert = try await server.raiseAlert(ben)
        try await server.send(.sms)
        try await ask(answers: checksIn)
        if checksIn {
            server.clock.pass(.minutes(1))
            try await server.checkIn(ada)
        }
        let reply = try await text("1")
        #expect(reply?.contains("You are on it") == checksIn)
        #expect(reply?.contains("NOT checked in") == !checksIn)
        let helper = try await server.alert(alert, seenBy: ben).acknowledgement?.name
        #expect(helper == (checksIn ? "Ada" : nil))
    }

    /// "1" would check in, so the reply asks for that and not for an answer about the alert.
    @Test func twoToALastCallRefusesNoEarlierAlert() async throws {
        server.clock.set(tenBefore.adding(.minutes(-1)))
        let alert = try await server.raiseAlert(ben)
        try await server.send(.sms)
        try await ask()
        #expect(try await text("2") == TextReply.answerOneToCheckIn.text)
        #expect(try await server.alert(alert, seenBy: ben).history.isEmpty)
    }

    @Test func callAfterAChangeOfScheduleClaimsNoCheckIn() async throws {
        let token = try await call()
        let later = CheckInSettings(
            intervalSeconds: 172_800, remindTwoHoursBefore: false, remindThirtyMinutesBefore: false)
        _ = try await server.network.checkIns.updateSettings(later, of: ada.caller)
        #expect(try await server.network.calls.call(token) == .nothingIsDue)
    }

    /// The call has offered key 2 for help, so the key counts whatever arrives meanwhile.
    @Test(arguments: [false, true]) func keyTwoAsksForHelpAfterTheDeadlineMoved(checksIn: Bool)
        async throws
    {
        let token = try await call()
        if checksIn {
            try await server.checkIn(ada)
        } else {
            let later = CheckInSettings(
                intervalSeconds: 172_800, remindTwoHoursBefore: false,
                remindThirtyMinutesBefore: false)
            _ = try await server.network.checkIns.updateSettings(later, of: ada.caller)
        }
        let subject = try await server.network.calls.call(token)
        #expect(subject == (checksIn ? checkedIn : .nothingIsDue))
        #expect(subject.takesKeyTwo)
        let answer = try await server.network.calls.decline(byCall: token)
        #expect(answer == .ownAlert(ToldResponders(told: 1, all: 1)))
        #expect(!answer.takesKeyTwo)
        #expect(try await server.alerts(ada).map(\.kind) == [.manual])
    }

    @Test func laterAlertGetsTheAnswer() async throws {
        try await ask()
        server.clock.pass(.minutes(1))
        let alert = try await server.raiseAlert(ben)
        // The alert's SMS hasn't been sent, so Ada can't mean it.
        #expect(try await text("2") == TextReply.answerOneToCheckIn.text)
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await text("1")?.contains("You are on it") == true)
        #expect(try await server.alert(alert, seenBy: ben).acknowledgement?.name == "Ada")
        #expect(try await history() == 1)
    }

    /// "Ben is fine" asks nothing, so the answer is still about the last call.
    @Test func endOfAnAlertLeavesTheAnswerToTheLastCall() async throws {
        server.clock.set(tenBefore.adding(.minutes(-1)))
        let alert = try await server.raiseAlert(ben)
        try await server.send(.sms)
        try await ask()
        server.clock.pass(.minutes(1))
        _ = try await server.endAlert(alert, ben)
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await text("1") == TextReply.checkedIn.text)
    }

    @Test func laterDrillGetsTheAnswer() async throws {
        try await ask()
        server.clock.pass(.minutes(1))
        _ = try await server.network.drills.startDrill(server.environment.id(), by: ben.caller)
        try await server.send(.sms)
        #expect(try await text("1") == TextReply.drillConfirmed.text)
        #expect(try await history() == 1)
    }
}
