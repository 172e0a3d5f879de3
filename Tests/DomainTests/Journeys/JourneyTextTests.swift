import Foundation
import Testing

@testable import Domain

@Suite struct JourneyTextTests {
    private let expected = noon.adding(.hours(2))

    @Test func respondersReadWhereFromAndSinceWhen() {
        let text = NotificationText.notBack(
            name: "Ada", journey: "Zugspitze", expected: expected, late: false)
        #expect(text.title == "Ada is not back from Zugspitze" && text.type == .alert)
        #expect(
            text.body
                == "Ada should have been back at 14:00 UTC. Please find out if they are fine.")
        let late = NotificationText.notBack(
            name: "Ada", journey: "Zugspitze", expected: expected, late: true)
        #expect(late.body.hasPrefix(text.body) && late.body.contains("This is late"))
    }

    @Test func startSaysWhatFollows() {
        let text = NotificationText.journeyStarted(
            name: "Ada", journey: "Zugspitze", expected: expected)
        #expect(
            text.body
                == "Ada wants to be back at 14:00 UTC. LifeSignal tells you if they are late.")
    }

    @Test func reminderSaysWhatFollows() {
        func reminder(
            _ step: JourneyStep, _ responders: ToldResponders? = nil
        ) -> NotificationText {
            .journeyReminder(
                step, journey: "Zugspitze", expected: expected,
                deadline: expected.adding(.minutes(10)), responders: responders)
        }
        let (before, last) = (reminder(.remindBefore), reminder(.remindAtReturn))
        #expect(before.title == "Back from Zugspitze soon?")
        #expect(before.body.contains("14:00 UTC") && before.body.contains("14:10 UTC"))
        #expect(last.title == "Are you back from Zugspitze?")
        #expect(last.body.hasPrefix("Your responders are told at 14:10 UTC unless you say"))
        func body(told: Int, of all: Int) -> String {
            reminder(.remindAtReturn, ToldResponders(told: told, all: all)).body
        }
        #expect(body(told: 1, of: 2).hasPrefix("1 of your 2 responders is told at 14:10 UTC"))
        #expect(
            body(told: 0, of: 1)
                == "No message reaches your responder. Say that you have arrived.")
        #expect(body(told: 0, of: 0).hasPrefix("You have no responders who would be told."))
    }

    @Test(
        arguments: [
            (1, 1, "Your other responder is told at 14:25 UTC unless you say"),
            (3, 3, "Your 3 other responders are told at 14:25 UTC"),
            (1, 2, "1 of your 2 other responders is told at 14:25 UTC"),
            (0, 2, nil),
        ] as [(Int, Int, String?)])
    func reminderSaysWhenOthersAreTold(told: Int, all: Int, words: String?) {
        var chosen = ToldResponders(told: 0, all: 2)
        chosen.areChosen = true
        let text = NotificationText.journeyReminder(
            .remindAtReturn, journey: "Zugspitze", expected: expected,
            deadline: expected.adding(.minutes(10)), responders: chosen,
            others: ToldResponders(told: told, all: all))
        let end = words ?? "Say that you have arrived."
        let whole = "No message reaches the 2 responders you chose. \(end)"
        #expect(text.body.hasPrefix(whole), "\(text.body)")
    }

    @Test func unsentPressSaysUntilWhen() {
        let (arrival, later) = (
            NotificationText.journeyPressWaits(isArrival: true, deadline: expected),
            NotificationText.journeyPressWaits(isArrival: false, deadline: expected)
        )
        #expect(arrival.title == "Your arrival has not been sent")
        #expect(later.title == "Your later return has not been sent")
        for text in [arrival, later] { #expect(text.body.contains("before 14:00 UTC")) }
    }

    @Test(arguments: [(Duration.minutes(1), false), (.minutes(1) + .milliseconds(1), true)])
    func latePressGivesBothTimes(delay: Duration, isLate: Bool) {
        let received = expected.adding(delay)
        let texts = [
            NotificationText.journeyEnded(
                name: "Ada", journey: "Zugspitze", pressedAt: expected, receivedAt: received),
            NotificationText.journeyExtended(
                name: "Ada", journey: "Zugspitze", expected: noon.adding(.hours(4)),
                pressedAt: expected, receivedAt: received),
        ]
        for text in texts {
            #expect(text.body.contains("14:00 UTC"))
            #expect(text.body.contains("received at 14:01 UTC") == isLate)
        }
        #expect(texts.last?.body.contains("16:00 UTC") == true)
    }

    @Test(arguments: [(true, "Ada comes back earlier"), (false, "Ada comes back later")])
    func titleOfANewReturnSaysItsDirection(isEarlier: Bool, title: String) {
        let text = NotificationText.journeyExtended(
            name: "Ada", journey: "Zugspitze", expected: noon, isEarlier: isEarlier,
            pressedAt: noon, receivedAt: noon)
        #expect(text.title == "\(title): Zugspitze" && text.kind == .journey)
    }

    /// An end of an alert can't be muted.
    @Test func endOfAnAlertIsAnAlert() {
        for endsAlert in [true, false] {
            let text = NotificationText.journeyEnded(
                name: "Ada", journey: "Zugspitze", pressedAt: noon, receivedAt: noon,
                endsAlert: endsAlert)
            #expect(text.type == (endsAlert ? .alert : .system))
            #expect(text.body.hasSuffix(" The alert has ended.") == endsAlert)
            let later = NotificationText.journeyExtended(
                name: "Ada", journey: "Zugspitze", expected: noon, pressedAt: noon,
                receivedAt: noon, endsAlert: endsAlert)
            #expect(later.body.hasSuffix(" The alert has ended.") == endsAlert)
        }
    }

    @Test(arguments: [true, false])
    func laterReturnSaysThatTheAlertGoesOn(keepsAlert: Bool) {
        let text = NotificationText.journeyExtended(
            name: "Ada", journey: "Zugspitze", expected: noon, pressedAt: noon, receivedAt: noon,
            keepsAlert: keepsAlert)
        #expect(text.body.hasSuffix("so the alert goes on.") == keepsAlert)
    }

    @Test(arguments: [(false, false), (true, false), (false, true)])
    func resentReturnIsNoNewWord(endsAlert: Bool, keepsAlert: Bool) {
        let text = NotificationText.journeyReturnResent(
            name: "Ada", journey: "Zugspitze", expected: expected, endsAlert: endsAlert,
            keepsAlert: keepsAlert)
        #expect(text.title == "Ada wanted to come back later: Zugspitze")
        #expect(text.type == (endsAlert ? .alert : .system))
        let words = """
            Ada had chosen to be back at 14:00 UTC, before LifeSignal was restored. This is no new \
            word from Ada.
            """
        let fate = keepsAlert ? " This time has passed, so the alert goes on." : ""
        #expect(text.body == words + (endsAlert ? " The alert has ended." : fate))
    }
}
