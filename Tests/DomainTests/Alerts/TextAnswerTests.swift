import Domain
import Testing

@Suite struct TextAnswerTests {
    @Test(arguments: [
        ("1", TextAnswer.takesOn), (" 1. ", .takesOn), ("Yes!", .takesOn), ("2", .declines),
        ("no", .declines), ("stop", .stops), ("Stop.", .stops), ("STOPALL", .stops),
        ("unsubscribe", .stops), ("cancel", .stops), ("END", .stops), ("quit", .stops),
        ("start", .starts), ("UNSTOP", .starts), ("", .unclear), ("12", .unclear),
        ("please stop by", .unclear),
        ("\u{661}", .takesOn), ("\u{FF11}", .takesOn), ("1\u{FE0F}\u{20E3}", .takesOn),
        ("1 \u{1F44D}", .takesOn), ("\u{2460}", .takesOn), ("\u{200E}1\u{200B}", .takesOn),
        ("\u{FEFF}2", .declines), ("2\u{FE0F}\u{20E3}", .declines), ("\u{6F2}", .declines),
        ("Yes, I'm on it", .takesOn), ("I\u{2019}m on it!", .takesOn), ("I can't", .declines),
        ("1\n\nAnna Meier\n+49 151 1234567", .takesOn),
        ("2\r\n--\r\nSent from my phone", .declines),
        ("\u{FF39}\u{FF25}\u{FF33}", .takesOn), ("REVOKE", .stops), ("OptOut", .stops),
        ("opt-out", .stops), ("opt out.", .stops), ("STOP\nAnna", .stops),
        ("10", .unclear), ("1 or 2?", .unclear), ("no 1", .unclear), ("1/2", .unclear),
        ("1.5", .unclear), ("1\n2", .unclear), ("1\nno", .unclear), ("1 2", .unclear),
        ("\u{BD}", .unclear), ("\u{1F44D}", .unclear), ("I can't find it", .unclear),
        ("yes?\nor no", .unclear),
    ])
    func aWordIsAnAnswer(text: String, answer: TextAnswer) {
        #expect(TextAnswer(text) == answer)
    }

    @Test func aLongTextIsCutBetweenCharacters() {
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}"
        let long = String(repeating: family, count: 57)
        let cut = TextLength.cut(long, toParts: 3)
        #expect(TextLength.parts(of: cut) == 3)
        #expect(cut.dropLast(3).allSatisfy { String($0) == family })
        #expect(TextLength.cut("short", toParts: 1) == "short")
        let exact = String(repeating: "a", count: 160)
        #expect(TextLength.cut(exact, toParts: 1) == exact)
        #expect(TextLength.cut(exact + "a", toParts: 1).count == 160)
    }

    @Test func repliesFitIntoOneMessage() {
        let name = "Maximiliane Mustermann"
        let replies: [TextReply] = [
            .isYours(name: name), .isTaken(responder: name, name: name),
            .declined(name: name, .isInHand), .declined(name: name, .noOneIsLeft),
            .declined(name: name, .othersAreAsked), .declined(name: name, .othersHaveTheAlert),
            .isYours(name: name, next: "Christoph Musterhausen"),
            .declined(name: name, .isInHand, next: "Christoph Musterhausen"),
            .declined(name: name, .othersAreAsked, next: "Christoph Musterhausen"),
            .declined(name: name, .othersHaveTheAlert, next: "Christoph Musterhausen"),
            .notCheckedIn(isAllowed: false, next: "Christoph Musterhausen"),
            .changedNothing(hasEnded: true, next: "Christoph Musterhausen"),
            .notCounted, .nothingOpen, .drillConfirmed, .drillRefused, .notBack, .ownAlert,
            .openInvitation(), .openInvitation(answer: .declines, next: "Christoph Musterhausen"),
            .started, .help,
            .startedAfter(ended: ["Ada"], stillOn: ["Dan"]),
        ]
        for reply in replies { #expect(TextLength.parts(of: reply.text) == 1) }
    }

    @Test func replyNamesTheOtherOpenAlert() {
        let thanks = "LifeSignal: Thank you. You are on it, and Ada is being told."
        #expect(TextReply.isYours(name: "Ada").text == thanks)
        #expect(
            TextReply.isYours(name: "Ada", next: "Dan").text
                == "\(thanks) Dan's alert is open, too: 1 = on it, 2 = can't.")
        #expect(
            TextReply.isYours(name: "Ada", next: "Ada").text
                == "\(thanks) Ada's other alert is open, too: 1 = on it, 2 = can't.")
        #expect(
            TextReply.declined(name: "Ada", .othersAreAsked, next: "Dan").text
                == "LifeSignal: You said that you can't help Ada. Others are being asked. "
                + "Dan's alert is open, too: 1 = on it, 2 = can't.")
        #expect(
            TextReply.changedNothing(hasEnded: false).offering("Dan").text
                == "LifeSignal: Your answer changed nothing. "
                + "Dan's alert is open: 1 = on it, 2 = can't.")
        let invited = "LifeSignal: To answer an invitation, open the link in it."
        let warning = "LifeSignal: You have NOT checked in. Open LifeSignal to check in."
        for (answer, number) in [(TextAnswer.takesOn, 1), (.declines, 2)] {
            let reply = TextReply.notCheckedIn(isAllowed: false, answer: answer)
            #expect(reply.offered == answer)
            let invitation = TextReply.openInvitation(answer: answer)
            #expect(invitation.offered == answer && invitation.text == invited)
            #expect(
                invitation.offering("Dan").text
                    == "\(invited) Did you mean Dan's alert? Then answer \(number) again.")
            #expect(
                reply.offering("Dan").text
                    == "\(warning) Did you mean Dan's alert? Then answer \(number) again.")
        }
    }

    @Test(arguments: [
        ("a", 160, 1), ("a", 161, 2), ("a", 306, 2), ("a", 307, 3), ("€", 80, 1), ("€", 81, 2),
        ("’", 70, 1), ("’", 71, 2), ("’", 134, 2), ("’", 135, 3),
    ])
    func longTextsSplitIntoParts(sign: String, count: Int, parts: Int) {
        #expect(TextLength.parts(of: String(repeating: sign, count: count)) == parts)
    }

    /// The answer options may lengthen a drill's SMS from one part to two, but not to three. They
    /// may lengthen the SMS of an alarm.
    @Test func answerOptionsRarelyAddAThirdPart() {
        let choice = "Answer 1 if you take it on, 2 if you can't."
        let fits = String(repeating: "a", count: 306 - choice.count - 1)
        #expect(TextLength.adding(choice, to: fits) == "\(fits) \(choice)")
        #expect(TextLength.adding(choice, to: fits + "a") == fits + "a")
        #expect(TextLength.adding(choice, to: fits + "a", upTo: 3) == "\(fits)a \(choice)")
        let long = String(repeating: "a", count: 310)
        #expect(TextLength.adding(choice, to: long) == "\(long) \(choice)")
    }
}
