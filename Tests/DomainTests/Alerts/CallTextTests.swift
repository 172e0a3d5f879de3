import Domain
import Testing

@Suite struct CallTextTests {
    @Test(arguments: [
        (Duration.seconds(59), "just now"), (.minutes(1), "one minute ago"),
        (.minutes(2), "2 minutes ago"), (.minutes(119), "119 minutes ago"),
        (.minutes(120), "2 hours ago"), (.seconds(-5), "just now"),
        (.hours(72) - .seconds(1), "71 hours ago"), (.hours(188), "7 days 20 hours ago"),
    ])
    func callSaysHowLongAgoTheAlertBegan(since: Duration, words: String) {
        #expect(
            CallText(.needsHelp(name: "Ben", .manual, since: since)).words
                == "This is LifeSignal. Ben needs help. Ben raised an alert \(words).")
    }

    @Test func callSaysWhenALateAlertWasReceived() {
        let text = CallText(
            .needsHelp(name: "Ben", .manual, since: .minutes(183), received: .minutes(3)))
        #expect(
            text.words == """
                This is LifeSignal. Ben needs help. Ben raised an alert 3 hours ago, received 3 \
                minutes ago.
                """)
    }

    @Test func callSaysThatAnOutageDelayedTheAlert() {
        let missed = CallText(
            .needsHelp(
                name: "Ben", .missedCheckIn, since: .minutes(1), deadline: .minutes(219),
                toldLate: true))
        #expect(
            missed.words == """
                This is LifeSignal. Ben has not checked in. Ben should have checked in 3 hours \
                ago. We raised an alert one minute ago. LifeSignal told you later than it should \
                have. Please find out if Ben is fine.
                """)
        let journey = CallText(
            .needsHelp(name: "Ben", .journey, since: .minutes(2), toldLate: true))
        #expect(
            journey.words == """
                This is LifeSignal. Ben is not back from a journey. We raised an alert 2 minutes \
                ago. LifeSignal told you later than it should have. Please find out if Ben is fine.
                """)
    }

    @Test func callSaysWhyThereIsAnAlert() {
        #expect(
            CallText(.needsHelp(name: "Ben", .missedCheckIn, since: .minutes(2))).words == """
                This is LifeSignal. Ben has not checked in. We raised an alert 2 minutes ago. \
                Please find out if Ben is fine.
                """)
        #expect(
            CallText(.needsHelp(name: "Ben", .journey, since: .minutes(2))).words == """
                This is LifeSignal. Ben is not back from a journey. We raised an alert 2 minutes \
                ago. Please find out if Ben is fine.
                """)
    }

    @Test(arguments: [
        (5, "Your deadline is in 5 minutes."), (2, "Your deadline is in 2 minutes."),
        (1, "Your deadline is in one minute."), (0, "Your deadline is now."),
    ])
    func lastCallSaysHowMuchTimeIsLeft(minutes: Int, time: String) {
        #expect(
            CallText(.lastCall(minutes: minutes)).words
                == "This is LifeSignal. You have not checked in. \(time)")
    }

    @Test(arguments: [
        (1, 2, "Your responders are being told."), (0, 2, "No message reaches your responders."),
        (0, 0, "You have no responders who could be told."),
    ])
    func ownAlertSaysWhetherAResponderIsTold(told: Int, all: Int, words: String) {
        let text = CallText(.ownAlert(ToldResponders(told: told, all: all))).words
        #expect(text.contains(words))
        #expect(text.contains("call someone") == (told == 0))
    }

    @Test(arguments: [
        (1, "Your responders are being told."),
        (0, "No message reaches your responders. If you need help, call someone."),
    ])
    func callDuringTheAlertSaysWhoIsTold(told: Int, words: String) {
        let text = CallText(.missedCheckIn(ToldResponders(told: told, all: 2)))
        #expect(text.words == "This is LifeSignal. You missed your check-in. \(words)")
    }

    @Test(
        arguments: [
            (
                .needsHelp(name: "Ben", .manual, since: .zero),
                "Press 1 if you take it on. Press 2 if you can't."
            ), (.drill(name: "Ben"), "Press 1 to say: got it."),
            (.lastCall(minutes: 5), "Press 1 to check in. Press 2 to call for help."),
            (
                .missedCheckIn(ToldResponders(told: 1, all: 1)),
                "Press 1 to check in. Press 2 to call for help."
            ),
        ] as [(CallSubject, String)])
    func questionNamesTheKeys(subject: CallSubject, choice: String) {
        #expect(CallText(subject).choice == choice)
    }

    @Test(
        arguments: [
            (.isYours(name: "Ben"), "You have taken on the alert of Ben. Goodbye."),
            (.isTaken(name: "Ben"), "Somebody else has taken on the alert of Ben. Goodbye."),
            (.isConfirmed, "Thank you. The drill has reached you. Goodbye."),
            (.drillIsOver, "This is LifeSignal. The drill is over. Goodbye."),
            (
                .alertAfterDrill(name: "Ben", .manual),
                "This is LifeSignal. This is not a drill: Ben needs help. Please call Ben. Goodbye."
            ),
            (
                .isCheckedIn(isAlertOn: false),
                "This is LifeSignal. You have checked in. Thank you. Goodbye."
            ),
            (
                .isCheckedIn(isAlertOn: true),
                """
                This is LifeSignal. You have checked in. Thank you. Your alert is still on. Open \
                LifeSignal to end it. Goodbye.
                """
            ),
            (
                .isCheckedIn(isAlertOn: false, areRespondersTold: true),
                """
                This is LifeSignal. You have checked in. Thank you. Your responders are told that \
                you are fine. Goodbye.
                """
            ),
            (
                .isRecorded("Recorded.", isAlertOn: false),
                "This is LifeSignal. Recorded. Check in again then. Goodbye."
            ),
            (
                .isRecorded("Recorded.", isAlertOn: true),
                """
                This is LifeSignal. Recorded. Check in again then. Your alert is still on. Open \
                LifeSignal to end it. Goodbye.
                """
            ),
            (.nothingIsDue, "This is LifeSignal. Your deadline has changed. Goodbye."),
            (
                .numberHasChanged,
                """
                This is LifeSignal. The number of this account has changed, so this call can't \
                check in. Open LifeSignal to check in. Goodbye.
                """
            ),
            (.isOver, "This is LifeSignal. This alert has ended. Goodbye."),
            (
                .noLongerAsked,
                """
                This is LifeSignal. You are no longer asked to help. If you know that someone is \
                in danger, call them. Goodbye.
                """
            ),
            (
                .drillNoLongerAsks,
                "This is LifeSignal. This was only a drill. You are no longer asked. Goodbye."
            ),
            (.isDeclined(.others), "Thank you. We are asking someone else. Goodbye."),
            (.isDeclined(.noOneIsLeft), "Thank you. No one else is left to ask. Goodbye."),
            (.isDeclined(.noOneNow), "Thank you. Goodbye."),
            (.isNotCounted, "\(AlertWords.answerIgnored) Goodbye."),
        ] as [(CallSubject, String)])
    func textWithoutAQuestionEndsTheCall(subject: CallSubject, words: String) {
        let text = CallText(subject)
        #expect(text.words == words && text.choice == nil)
    }

    @Test func keyOneIsThanked() {
        #expect(
            CallText.takenOn(name: "Ben").words
                == "Thank you. You have taken it on. Ben will be told. Goodbye.")
    }

    @Test func drillsIgnoreKeyTwo() {
        let subjects: [CallSubject] = [
            .drill(name: "Ada"), .isConfirmed, .drillIsOver, .drillNoLongerAsks,
        ]
        for subject in subjects {
            #expect(!subject.takesKeyTwo)
        }
    }
}
