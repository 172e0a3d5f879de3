import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct TextAnswerTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
            $0.intervalLimits = .demonstration
        })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        _ = try await server.send(.sms)
    }

    private func text(_ text: String, _ person: Person) async throws -> String? {
        try await server.network.textAnswers.receiveText(text, from: person.number)
    }

    /// Raises an alert and sends its SMS.
    private func alarm() async throws -> AlertRecord {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.send(.sms)
        return alert
    }

    @Test func textOneAcknowledges() async throws {
        let alert = try await alarm()
        for _ in 0..<2 {
            #expect(
                try await text(" 1.", ben)?.contains("You are on it, and Ada is being told.")
                    == true)
        }
        let record = try await server.alert(alert, seenBy: cleo)
        #expect(record.acknowledgement?.name == "Ben")
        #expect(record.history.map(\.means) == ["by text message"])
        #expect(try await server.news(of: ada).filter { $0 == "Ben is on it" }.count == 1)
        #expect(
            try await text("1", cleo) == "LifeSignal: Thank you. Ben is helping Ada already, "
                + "so no one is told that you are, too.")
        let reachability = try await server.contact(ben, seenBy: ada)?.reachability
        #expect(reachability?.state == .proven && reachability?.channel == .sms)
    }

    @Test func textTwoDeclinesAndCallsTheNext() async throws {
        let alert = try await alarm()
        #expect(try await text("2", ben)?.contains("you can't help Ada. Others") == true)
        #expect(try await server.reason(.voice, ben) == "declined")
        try await server.pass(.seconds(90))
        #expect(try await server.send(.voice) == ["Cleo"])
        #expect(try await server.alert(alert, seenBy: ada).history.map(\.kind) == [.declined])
    }

    @Test func answerMeansTheAlertOfTheNewestSMS() async throws {
        let dan = try await server.person("Dan")
        try await server.connect(ben, watchesOver: dan)
        let first = try await alarm()
        server.clock.pass(.minutes(1))
        let second = try await server.raiseAlert(dan)
        // The second alert's SMS hasn't been sent, so the answer is about the first alert.
        #expect(try await text("1", ben)?.contains("Ada") == true)
        _ = try await server.send(.sms)
        server.clock.pass(.milliseconds(10_001))
        #expect(try await text("1", ben)?.contains("Dan") == true)
        #expect(try await server.alert(first, seenBy: ada).acknowledgement?.name == "Ben")
        #expect(try await server.alert(second, seenBy: dan).acknowledgement?.name == "Ben")
    }

    @Test func withoutAnOpenAlertNothingChanges() async throws {
        #expect(try await text("1", ben)?.contains("There is no open question to you") == true)
        let alert = try await alarm()
        _ = try await server.endAlert(alert, ada)
        for word in ["1", "2"] {
            #expect(try await text(word, ben)?.contains("There is no open question to you") == true)
        }
        #expect(try await server.alert(alert, seenBy: ada).history.isEmpty)
    }

    @Test func formerRespondersTextChangesNothing() async throws {
        let alert = try await alarm()
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        #expect(try await text("1", ben)?.contains("There is no open question to you") == true)
        #expect(try await server.alert(alert, seenBy: ada).acknowledgement == nil)
    }

    @Test func strangersGetNoReply() async throws {
        let number = try PhoneNumber("+442071838750")
        for word in ["1", "2", "STOP", "START", "Who is this?"] {
            #expect(try await server.network.textAnswers.receiveText(word, from: number) == nil)
        }
    }

    @Test func helpTextIsSentOnceADay() async throws {
        #expect(try await text("What?", ben)?.contains("Answer an alert with 1") == true)
        #expect(try await text("Hello", ben) == nil)
        server.clock.pass(.days(1) - .milliseconds(1))
        #expect(try await text("Hello", ben) == nil)
        #expect(try await text("Hello", cleo) != nil)
        server.clock.pass(.milliseconds(1))
        #expect(try await text("Hello", ben) != nil)
    }

    @Test func replyIsCharged() async throws {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.budgets.sms = Budget(total: 10, perUser: 1)
        })
        let ben = try await server.person("Ben")
        let network = server.network
        #expect(try await network.textAnswers.receiveText("What?", from: ben.number) != nil)
        #expect(try await network.textAnswers.receiveText("1", from: ben.number) == nil)
    }

    @Test func textAnswersADrillToo() async throws {
        _ = try await server.network.drills.startDrill(server.environment.id(), by: ada.caller)
        _ = try await server.send(.sms)
        #expect(try await text("2", ben) == TextReply.drillRefused.text)
        #expect(try await text("1", ben)?.contains("The drill has reached you.") == true)
        #expect(try await text("2", ben) == TextReply.nothingOpen.text)
        let drill = try #require(try await server.network.drills.drills(of: ada.caller).own)
        let answer = drill.answers.first { $0.name == "Ben" }
        #expect(answer?.channel == .sms && answer?.answeredAt != nil)
    }

    /// The gateway delivers Ben's answer again after Cleo's has ended the drill.
    @Test func repeatedAnswerToADrillGetsTheSameReply() async throws {
        let start = server.clock.now
        _ = try await server.network.drills.startDrill(server.environment.id(), by: ada.caller)
        _ = try await server.send(.sms)
        for person in [ben, cleo] { _ = try await text("1", person) }
        let drill = try #require(try await server.network.drills.drills(of: ada.caller).own)
        #expect(drill.end == .everyoneAnswered)
        server.clock.set(start.adding(DrillRules.length).aMillisecondBefore)
        #expect(try await text("1", ben)?.contains("The drill has reached you.") == true)
        server.clock.pass(.milliseconds(1))
        #expect(try await text("1", ben)?.contains("There is no open question to you") == true)
        #expect(try await server.network.drills.drills(of: ada.caller).own == drill)
    }

    /// The fifth alert has no SMS, because the fourth alert's SMS is still true.
    @Test func alarmWithoutSMSUsesTheEarlierOne() async throws {
        for _ in 1...4 { _ = try await server.endAlert(try await alarm(), ada) }
        let alert = try await server.raiseAlert(ada)
        #expect(try await server.send(.sms) == [])
        #expect(try await text("1", ben)?.contains("Ada is being told") == true)
        #expect(try await server.alert(alert, seenBy: ada).acknowledgement?.name == "Ben")
    }

    @Test func lastRefusalsReplySaysNoOneIsLeft() async throws {
        _ = try await alarm()
        #expect(try await text("2", ben)?.contains("Others are being asked.") == true)
        #expect(try await text("2", cleo)?.contains("no one else is left") == true)
    }

    /// The server asks others only without an acknowledgement and a report.
    @Test(arguments: [true, false])
    func refusalWhileHelpIsThereNamesNoOthers(hasReport: Bool) async throws {
        let alert = try await alarm()
        if hasReport {
            _ = try await server.network.responding.report(
                .withThem, on: try alert.typedID, by: cleo.caller)
        } else {
            _ = try await server.acknowledge(alert, cleo)
        }
        #expect(try await text("2", ben) == "LifeSignal: You said that you can't help Ada.")
        let history = try await server.alert(alert, seenBy: ada).history
        #expect(history.contains { $0.kind == .declined && $0.name == "Ben" })
    }

    @Test func endedDrillLeavesTheAnswerToTheAlert() async throws {
        let dan = try await server.person("Dan")
        try await server.connect(ben, watchesOver: dan)
        let alert = try await server.raiseAlert(dan)
        _ = try await server.send(.sms)
        server.clock.pass(.minutes(1))
        let drill = try await server.network.drills.startDrill(
            server.environment.id(), by: ada.caller)
        _ = try await server.send(.sms)
        _ = try await server.network.drills.stopDrill(drill.id, by: ada.caller)
        #expect(try await text("1", ben)?.contains("Dan") == true)
        #expect(try await server.alert(alert, seenBy: dan).acknowledgement?.name == "Ben")
    }

    // MARK: About the own alert

    /// Ben reports that Ada is safe, and she gets the SMS about it.
    private func reportedAlarm() async throws -> AlertRecord {
        let alert = try await alarm()
        server.clock.pass(.seconds(1))
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: ben.caller)
        #expect(try await server.send(.sms).contains("Ada"))
        return alert
    }

    @Test(arguments: ["Yes", "No", "1", "2", "OK"])
    func answerToTheOwnManualAlertReachesNoOne(answer: String) async throws {
        let alert = try await reportedAlarm()
        #expect(try await text(answer, ada) == TextReply.ownAlert.text)
        let record = try await server.alert(alert, seenBy: ada)
        #expect(record.isActive && record.report?.name == "Ben")
        #expect(try await text("2", cleo)?.contains("you can't help Ada") == true)
    }

    /// - Parameter waits: true if the SMS about Dan, who raised an alert before the report, leaves
    ///   after the report's SMS.
    @Test(arguments: [(true, "Dan"), (false, "Ada")])
    func answerIsToTheSMSThatLeftLast(waits: Bool, about: String) async throws {
        let (alert, dan) = (try await alarm(), try await server.person("Dan"))
        try await server.connect(ada, watchesOver: dan)
        let danger = try await server.raiseAlert(dan)
        if waits {
            let retry = server.clock.now.adding(.minutes(1))
            _ = try await server.engine.write(about: Subjects([ada.id])) { [ada] in
                try $0.execute(
                    """
                    UPDATE deliveries SET next_try_at = $1
                    WHERE user_id = $2 AND channel = 'sms' AND state = 'queued'
                    """, [.date(retry), .id(ada.id)])
            }
        }
        _ = try await server.send(.sms)
        server.clock.pass(.seconds(1))
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: ben.caller)
        #expect(try await server.send(.sms).contains("Ada"))
        server.clock.pass(.minutes(1))
        #expect(try await server.send(.sms).contains("Ada") == waits)
        let reply = try await text("1", ada)
        let helper = try await server.alert(danger, seenBy: dan).acknowledgement?.name
        #expect(helper == (about == "Dan" ? "Ada" : nil))
        #expect((reply == TextReply.ownAlert.text) == (about == "Ada"))
    }

    /// A phone may answer each reply automatically.
    @Test func freeWordingAboutTheOwnAlertGetsOneReply() async throws {
        let alert = try await reportedAlarm()
        #expect(try await text("I am not safe", ada) == TextReply.ownAlert.text)
        #expect(try await text("Hello?", ada) == nil)
        #expect(try await text("No", ada) == TextReply.ownAlert.text)
        _ = try await server.endAlert(alert, ada)
        #expect(try await text("No", ada) == TextReply.nothingOpen.text)
    }

    @Test(arguments: [(Duration.hours(24), true), (.hours(24) + .milliseconds(1), false)])
    func newsOfTheOwnAlertIsAnsweredForADay(age: Duration, isAnswered: Bool) async throws {
        _ = try await reportedAlarm()
        server.clock.pass(age)
        let reply: TextReply = isAnswered ? .ownAlert : .nothingOpen
        #expect(try await text("No", ada) == reply.text)
    }

    @Test func laterAlertOfAnotherGetsTheOwnersAnswer() async throws {
        let dan = try await server.person("Dan")
        try await server.connect(ada, watchesOver: dan)
        _ = try await reportedAlarm()
        server.clock.pass(.minutes(1))
        _ = try await server.raiseAlert(dan)
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await text("1", ada)?.contains("Dan is being told") == true)
    }

    // MARK: Last calls

    /// Half an hour after Ben's "I'm on it", the server asks whether he is still helping.
    @Test(arguments: [(Duration.minutes(29), true), (.minutes(31), false)])
    func newerQuestionGetsTheAnswer(lastCall: Duration, confirms: Bool) async throws {
        try await server.expectLastCall(of: ben, at: server.clock.now.adding(lastCall))
        let alert = try await alarm()
        _ = try await server.acknowledge(alert, ben)
        try await server.send(.sms)
        for time in [Duration.minutes(29), .minutes(1), .minutes(1)] {
            try await server.pass(time)
            try await server.send(.sms)
        }
        let reply = try await text("1", ben)
        #expect(reply?.contains("You are on it") == confirms)
        #expect((reply == TextReply.checkedIn.text) != confirms)
        #expect(try await server.history(of: ben).count == (confirms ? 1 : 2))
        try await server.pass(.minutes(4))
        let helper = try await server.openAlert(ada)?.acknowledgement
        #expect((helper?.name == "Ben") == confirms)
    }

    // MARK: Invitations

    /// Returns Mia, who is a responder of Dan, and Dan.
    private func miaAndDan() async throws -> (mia: Person, dan: Person) {
        let (mia, dan) = (try await server.person("Mia"), try await server.person("Dan"))
        try await server.connect(mia, watchesOver: dan)
        return (mia, dan)
    }

    private func invite(_ person: Person) async throws -> Invitation {
        try await server.network.invitations.invite("Mia", .number(person.number), by: ada.caller)
    }

    @Test(arguments: ["Yes", "No", "1", "2"])
    func answerToAnInvitationLeavesAnEarlierAlert(answer: String) async throws {
        let (mia, dan) = try await miaAndDan()
        let alert = try await server.raiseAlert(dan)
        #expect(try await server.send(.sms).contains("Mia"))
        server.clock.pass(.seconds(1))
        _ = try await invite(mia)
        let meaning: TextAnswer = ["Yes", "1"].contains(answer) ? .takesOn : .declines
        let reply = TextReply.openInvitation(answer: meaning, next: "Dan")
        // A gateway may deliver the answer twice.
        for seconds in [0, 10] {
            server.clock.pass(.seconds(seconds))
            #expect(try await text(answer, mia) == reply.text)
        }
        let record = try await server.alert(alert, seenBy: dan)
        #expect(record.acknowledgement == nil && record.history.isEmpty)
        // The reply has asked for the same answer about the alert.
        server.clock.pass(.milliseconds(10_001))
        let named = meaning == .takesOn ? "Dan is being told" : "can't help Dan"
        #expect(try await text(answer, mia)?.contains(named) == true)
        let acts = try await server.alert(alert, seenBy: dan).history.map(\.kind)
        #expect(acts == [meaning == .takesOn ? .acknowledged : .declined])
        server.clock.pass(.milliseconds(10_001))
        #expect(try await text(answer, mia) == TextReply.openInvitation().text)
    }

    /// Ada is on Dan's alert, so it awaits no answer of Mia's.
    @Test func answerToAnInvitationOffersNoAlertInHand() async throws {
        let (mia, dan) = try await miaAndDan()
        try await server.connect(ada, watchesOver: dan)
        let alert = try await server.raiseAlert(dan)
        #expect(try await server.send(.sms).contains("Mia"))
        _ = try await server.acknowledge(alert, ada)
        server.clock.pass(.seconds(1))
        _ = try await invite(mia)
        #expect(try await text("1", mia) == TextReply.openInvitation().text)
    }

    /// "OK" neither accepts nor declines an invitation.
    @Test(arguments: [
        ("Yes", TextReply.openInvitation()), ("No", .openInvitation()), ("1", .openInvitation()),
        ("2", .openInvitation()), ("OK", .checkedIn),
    ])
    func answerToAnInvitationLeavesAnEarlierLastCall(answer: String, reply: TextReply) async throws
    {
        let mia = try await server.person("Mia")
        try await server.expectLastCall(of: mia, at: server.clock.now.adding(.hours(24)))
        try await server.pass(.hours(24))
        #expect(try await server.send(.sms).contains("Mia"))
        server.clock.pass(.seconds(1))
        _ = try await invite(mia)
        #expect(try await text(answer, mia) == reply.text)
        #expect(try await server.history(of: mia).count == (reply == .checkedIn ? 2 : 1))
    }

    @Test func alertAfterAnInvitationGetsTheAnswer() async throws {
        let (mia, dan) = try await miaAndDan()
        _ = try await invite(mia)
        server.clock.pass(.seconds(1))
        _ = try await server.raiseAlert(dan)
        #expect(try await server.send(.sms).contains("Mia"))
        #expect(try await text("1", mia)?.contains("Dan is being told") == true)
    }

    /// The server sends nothing for Ada's second invitation to the same number.
    @Test func invitationWithoutAMessageLeavesTheAnswerToTheAlert() async throws {
        let (mia, dan) = try await miaAndDan()
        let first = try await invite(mia)
        try await server.network.invitations.withdrawInvitation(first.id, by: ada.caller)
        server.clock.pass(.seconds(1))
        _ = try await server.raiseAlert(dan)
        #expect(try await server.send(.sms).contains("Mia"))
        server.clock.pass(.seconds(1))
        _ = try await invite(mia)
        #expect(server.environment.texts(on: mia.number).count == 1)
        #expect(try await text("1", mia)?.contains("Dan is being told") == true)
    }

    @Test func invitationIsAnsweredUntilItExpires() async throws {
        let mia = try await server.person("Mia")
        _ = try await invite(mia)
        server.clock.pass(InvitationRules.lifetime - .milliseconds(1))
        #expect(try await text("Yes", mia) == TextReply.openInvitation().text)
        server.clock.pass(.milliseconds(1))
        #expect(try await text("Yes", mia) == TextReply.nothingOpen.text)
    }

    // MARK: STOP

    @Test func stopEndsTextMessagesAndTellsTheOwner() async throws {
        _ = try await server.news(of: ada)
        for _ in 0..<2 { #expect(try await text("STOP", ben) == nil) }
        #expect(try await server.news(of: ada) == ["Ben has stopped text messages"])
        let reachability = try #require(
            try await server.contact(ben, seenBy: ada)?.reachability)
        #expect(reachability.hasStoppedTexts == true && reachability.state == .notProven)
        #expect(reachability.words?.hasSuffix("they have stopped text messages") == true)
        _ = try await server.raiseAlert(ada)
        #expect(try await server.send(.sms) == ["Cleo"])
        // People with an account can still be called, and still get codes.
        try await server.pass(.seconds(90))
        #expect(try await server.send(.voice).contains("Ben"))
        #expect(try await !server.code(for: ben.number).isEmpty)
        #expect(try await text("What?", ben) == nil)
        #expect(try await text("start", ben) == "LifeSignal: You get text messages again.")
        #expect(try await text("start", ben) == nil)
        let after = try await server.contact(ben, seenBy: ada)?.reachability
        #expect(after?.hasStoppedTexts == nil)
        let again = try await server.news(of: ada).filter { $0 == "Ben gets text messages again" }
        #expect(again.count == 1)
    }

    @Test func stopAndStartReachTheOwnersPages() async throws {
        let changed = UserEvent.contactChanged(.init(contactID: ben.id))
        for word in ["STOP", "START"] {
            let before = try await server.events(of: ada).count
            _ = try await text(word, ben)
            #expect(try await server.events(of: ada).dropFirst(before).contains(changed))
        }
    }

    /// This provider handles STOP itself and passes on no START. A stored STOP could never be
    /// lifted.
    @Test func stopIsNotStoredWithoutStart() async throws {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.takesTextAnswers = false
        })
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.network.textAnswers.stopTexts(to: ben.number)
        #expect(try await server.news(of: ada) == [])
        _ = try await server.raiseAlert(ada)
        #expect(try await server.send(.sms) == ["Ben"])
        try await server.network.textAnswers.stopTexts(
            to: ben.id, reportedFor: try await lastText(to: ben, on: server))
        let reachability = try await server.contact(ben, seenBy: ada)?.reachability
        #expect(reachability != nil && reachability?.hasStoppedTexts == nil)
    }

    private func lastText(to person: Person, on server: TestServer) async throws -> DeliveryID {
        let ids = try await server.engine.read { connection in
            try connection.query(
                """
                SELECT id FROM deliveries WHERE user_id = $1 AND channel = 'sms'
                ORDER BY created_at DESC LIMIT 1
                """, [.id(person.id)]
            ) { try $0["id"] as DeliveryID }
        }
        return try #require(ids.first)
    }

    /// The provider's report about a message to Ben's former number comes after his change.
    @Test func reportedStopCountsOnlyForThePresentNumber() async throws {
        let first = try await alarm()
        let old = try await lastText(to: ben, on: server)
        server.clock.pass(.seconds(1))
        let number = try PhoneNumber("+442071838750")
        let code = try await server.code(for: number)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: number, code: code, of: ben.caller)
        func hasStopped() async throws -> Bool {
            try await server.contact(ben, seenBy: ada)?.reachability?.hasStoppedTexts == true
        }
        let answers = server.network.textAnswers
        try await answers.stopTexts(to: ben.id, reportedFor: old)
        #expect(try await !hasStopped())

        _ = try await server.endAlert(first, ada)
        server.clock.pass(.minutes(1))
        _ = try await alarm()
        let new = try await lastText(to: ben, on: server)
        #expect(new != old)
        try await answers.stopTexts(to: ben.id, reportedFor: new)
        #expect(try await hasStopped())
    }

    @Test func stopWithdrawsPendingTexts() async throws {
        _ = try await server.raiseAlert(ada)
        _ = try await text("STOP", ben)
        #expect(try await server.send(.sms) == ["Cleo"])
        #expect(try await server.reason(.sms, ben) == "texts-stopped")
    }

    @Test func newNumberIsNotStopped() async throws {
        _ = try await text("STOP", ben)
        let number = try PhoneNumber("+442071838750")
        let code = try await server.code(for: number)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: number, code: code, of: ben.caller)
        // Even the message about the change of number isn't sent to the old number.
        #expect(server.environment.texts(on: ben.number).isEmpty)
        _ = try await server.raiseAlert(ada)
        #expect(try await server.send(.sms).sorted() == ["Ben", "Cleo"])
    }

    @Test func stopDeclinesAnInvitation() async throws {
        let number = try PhoneNumber("+442071838750")
        _ = try await server.network.invitations.invite("Mia", .number(number), by: ada.caller)
        _ = try await server.network.textAnswers.receiveText("STOP", from: number)
        #expect(
            try await server.network.invitations.invitations(of: ada.caller).map(\.state) == [
                .declined
            ])
        #expect(try await server.news(of: ada).contains("Mia said no"))
    }

    @Test func stopOfAnUnknownNumberHoldsInvitations() async throws {
        let number = try PhoneNumber("+442071838750")
        let (answers, invitations) = (server.network.textAnswers, server.network.invitations)
        #expect(try await answers.receiveText("STOP", from: number) == nil)
        _ = try await invitations.invite("Mia", .number(number), by: ada.caller)
        #expect(server.environment.texts(on: number).isEmpty)
        #expect(try await answers.receiveText("START", from: number) == nil)
        _ = try await invitations.invite("Mia", .number(number), by: ben.caller)
        #expect(server.environment.texts(on: number).count == 1)
    }

    /// START undoes a STOP only. The number had its one message.
    @Test func startAllowsNoSecondInvitation() async throws {
        let number = try PhoneNumber("+442071838750")
        let (answers, invitations) = (server.network.textAnswers, server.network.invitations)
        _ = try await invitations.invite("Mia", .number(number), by: ada.caller)
        for text in ["STOP", "START"] {
            #expect(try await answers.receiveText(text, from: number) == nil)
        }
        _ = try await invitations.invite("Mia", .number(number), by: ben.caller)
        #expect(server.environment.texts(on: number).count == 1)
    }

    /// Mia became a responder by Ada's code, so STOP ends only the text messages.
    @Test func stopLeavesARespondersInvitation() async throws {
        let mia = try await server.person("Mia")
        _ = try await invite(mia)
        try await server.connect(mia, watchesOver: ada)
        _ = try await text("STOP", mia)
        #expect(
            try await server.network.invitations.invitations(of: ada.caller).map(\.state) == [
                .pending
            ])
        #expect(try await server.news(of: ada) == ["Mia has stopped text messages"])
        #expect(try await server.contact(mia, seenBy: ada)?.isResponder == true)
    }

    /// Invites Mia as a guest, and returns the secret of her link.
    private func guestsLink(from inviter: Person) async throws -> String {
        let invitation = try await server.network.invitations.invite(
            "Mia", .number(try PhoneNumber("+442071838750")), by: inviter.caller)
        let link = server.network.link(.invitation, inviter.id.uuid, invitation.id.uuid)
        return try #require(link.fragment)
    }

    @Test func yesAfterAStopTellsBothSidesOfTheStop() async throws {
        let (number, dan) = (try PhoneNumber("+442071838750"), try await server.person("Dan"))
        let (links, answers) = (
            [try await guestsLink(from: ada), try await guestsLink(from: dan)],
            server.network.invitationAnswers
        )
        let accepted = try await answers.answerInvitation(by: links[0], .yes(name: "Mia"))
        #expect(accepted?.hasStoppedTexts == false)
        _ = try await server.network.textAnswers.receiveText("STOP", from: number)
        #expect(try await answers.invitation(by: links[0])?.hasStoppedTexts == true)
        let view = try await answers.invitation(by: links[1])
        #expect(view?.state == .declined && view?.hasStoppedTexts == true)
        #expect(try await !server.news(of: dan).contains("Mia has stopped text messages"))
        for _ in 0..<2 {
            let view = try await answers.answerInvitation(by: links[1], .yes(name: "Mia"))
            #expect(view?.state == .accepted && view?.hasStoppedTexts == true)
        }
        let news = try await server.news(of: dan)
        #expect(news.filter { $0 == "Mia has stopped text messages" }.count == 1)
        _ = try await server.network.textAnswers.receiveText("START", from: number)
        #expect(try await answers.invitation(by: links[1])?.hasStoppedTexts == false)
    }

    @Test func stoppedGuestIsNotCalledEither() async throws {
        let number = try PhoneNumber("+442071838750")
        let secret = try await guestsLink(from: ada)
        _ = try await server.network.invitationAnswers.answerInvitation(
            by: secret, .yes(name: "Mia"))
        _ = try await server.network.textAnswers.receiveText("STOP", from: number)
        _ = try await server.raiseAlert(ada)
        #expect(try await !server.send(.sms).contains("Mia"))
        try await server.pass(.seconds(90))
        #expect(try await !server.send(.voice).contains("Mia"))
        let mia = try await server.network.contacts.contacts(of: ada.caller).first {
            $0.name == "Mia"
        }
        #expect(mia?.reachability?.state == .unreachable)
        #expect(mia?.reachability?.words == "Can’t be reached: they have stopped text messages")
    }
}
