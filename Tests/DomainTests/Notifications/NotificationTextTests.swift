import Foundation
import Testing

@testable import Domain

@Suite struct NotificationTextTests {
    /// Returns every text of a notification about a person called `name`.
    static func all(name: String) throws -> [NotificationText] {
        let deadline = noon.adding(.hours(-1))
        let states: [Relation.Consent] = [
            .absent, .inForce(since: noon), .requested(isMine: true, at: noon),
            .requested(isMine: false, at: noon),
        ]
        let relations = states.flatMap { state in
            states.map { Relation(responder: state, dependent: $0) }
        }
        return [
            .reminder(.twoHours, deadline: deadline), .reminder(.thirtyMinutes, deadline: deadline),
            .reminder(.twoHours, deadline: noon, missed: deadline),
            .lastCallByPhone(deadline: noon, missed: deadline),
            .missedCheckIn(name: name, deadline: deadline, at: noon, late: false),
            .missedCheckIn(name: name, deadline: deadline, at: noon, late: true),
            .nobodyWasTold(deadline: deadline),
            .respondersWereTold(deadline: deadline, .init(told: 1, all: 1)),
            .respondersWereTold(deadline: deadline, .init(told: 200, all: 200)),
            .onlyOneWasTold(
                deadline: deadline, responder: name, isReached: true, pausedUntil: nil),
            .onlyOneWasTold(
                deadline: deadline, responder: name, isReached: false, pausedUntil: noon),
            .alertRaised(name: name, at: noon),
            .alertReachedNobody,
            .alertRepeated(name: name, kind: .manual, since: noon),
            .alertRepeated(name: name, kind: .missedCheckIn, since: noon),
            .alertEnded(name: name, at: noon), .alertAcknowledged(responder: name, name: name),
            .alertEnded(name: name, at: noon, learnedAt: noon),
            .alertEndedElsewhere(device: "Phone", at: noon, learnedAt: noon),
            .helpIsComing(responder: name), .everyoneRefused(name: name),
            .chosenRefused(name: name),
            .everyoneRefusedToOwner(areAlertedAgain: true),
            .everyoneRefusedToOwner(areAlertedAgain: false),
            .doesItGoOn(name: name), .alertLapsed(name: name, responder: name),
            .alertLapsed(name: name, responder: nil),
            .helpStillComes(responder: name, reporter: name),
            .youStillHelp(name: name, reporter: name), .browserWasTaken, .appWasTaken,
            .helpOutlastsReport(responder: name, reporter: name),
            .helpOutlastsReport(responder: name, reporter: name, incompleteSince: noon),
            .pauseIsOver(name: name, incompleteSince: noon), .pauseIsOver(incompleteSince: noon),
            .noResponderIsLeft(responder: name), .noResponderIsLeft(responder: nil),
            .noResponderIsLeft(responder: name, wasOnIt: false),
            .helpIsNotComing(responder: name, wasOnIt: false),
            .checkedIn(name: name, occurredAt: deadline, receivedAt: noon),
            .ping(name: name), .pingAnswered(name: name, at: noon, receivedAt: noon),
            .pingAnswered(name: name, at: deadline, receivedAt: noon), .pingCleared(name: name),
            .pingEndedByRoles(name: name),
            .contactRemoved(name: name), .accountDeleted(name: name),
            .accountDeleted(name: name, byAdministrator: true, duringAlert: true),
            .accountDeleted(name: name, byAdministrator: true, expected: noon),
            .protectionLost(.nobody), .protectionLost(.asked),
            .schedule(.longerSilence(.hours(30), before: .hours(24)), name: name),
            .schedule(
                .longerSilence(.hours(30), before: .hours(24), pausedUntil: noon), name: name),
            .schedule(
                .longerSilence(
                    .hours(30), before: .hours(24), pausedUntil: noon, clockChange: .hours(1)),
                name: name),
            .schedule(.longerSilence(nil, before: .hours(24)), name: name),
            .schedule(
                .laterCheckIns(.standard, silence: .hours(24), pausedUntil: noon), name: name),
            .schedule(
                .laterCheckIns(.standard, silence: .hours(24), first: deadline), name: name),
            .schedule(.undone(silence: .hours(24), pausedUntil: noon), name: name),
            .schedule(.pauseBegan(until: noon), name: name),
            .schedule(.pauseChanged(until: noon), name: name),
            .schedule(.pauseEnded(hasDeadlines: true), name: name),
            .schedule(.pauseEnded(hasDeadlines: false), name: name),
            .pauseEnds(at: noon, deadline: noon), .pauseEnds(at: noon, deadline: nil),
        ]
            + relations.flatMap { relation in
                ContactNews.allCases.flatMap { news in
                    [true, false].map {
                        .contact(news, name: name, isMine: $0, relation: relation)
                    }
                }
            }
    }

    @Test(
        "title and body are short, and one line each",
        arguments: [String(repeating: "n", count: 100), "Ada", ProfileRules.displayName("")])
    func short(name: String) throws {
        for text in try Self.all(name: name) {
            #expect((1...130).contains(text.title.count), "\(text.title)")
            #expect((1...400).contains(text.body.count), "\(text.body)")
            #expect(ProfileRules.isOnOneLine(text.title + text.body))
            #expect(text.body.hasSuffix("."))
        }
    }

    @Test func longestSilenceNamesTheChangeOfClocks() {
        let changes: [ScheduleChange] = [
            .longerSilence(.hours(30), before: nil, clockChange: .hours(1)),
            .laterCheckIns(.standard, silence: .hours(30), clockChange: .hours(1)),
            .undone(silence: .hours(30), clockChange: .hours(1)),
        ]
        for change in changes {
            let body = NotificationText.schedule(change, name: "Ada").body(in: nil, at: noon)
            #expect(body.contains("at most 30 hours (31 hours when the clocks change) of silence."))
        }
    }

    @Test(arguments: [("Update", "Update. Maintenance: "), ("Update!", "Update! Maintenance: ")])
    func maintenanceFollowsAWholeSentence(text: String, beginning: String) {
        let maintenance = Maintenance(from: noon, until: noon.adding(.hours(1)))
        let news = NotificationText.announcement(text, maintenance: maintenance)
        #expect(news.body.hasPrefix(beginning), "\(news.body)")
        #expect(NotificationText.announcement(text, maintenance: nil).body == text)
    }

    @Test func alertTextsCannotBeMuted() throws {
        let alerts: [NotificationText] = [
            .missedCheckIn(name: "Ada", deadline: noon, at: noon, late: false),
            .nobodyWasTold(deadline: noon),
            .respondersWereTold(deadline: noon, .init(told: 2, all: 2)),
            .alertRaised(name: "Ada", at: noon),
            .alertReachedNobody,
            .alertRepeated(name: "Ada", kind: .manual, since: noon),
            .alertRepeated(name: "Ada", kind: .missedCheckIn, since: noon),
            .alertEnded(name: "Ada", at: noon), .alertAcknowledged(responder: "Ben", name: "Ada"),
            .helpIsComing(responder: "Ben"),
            .doesItGoOn(name: "Ada"), .alertLapsed(name: "Ada", responder: "Ben"),
        ]
        let preferences = try NotificationPreferences(
            muted: Set(NotificationType.allCases).subtracting([.alert]))
        for text in alerts { #expect(preferences.allows(text.type), "\(text.title)") }
    }

    @Test func everyTypeHasItsTexts() throws {
        #expect(Set(try Self.all(name: "Ada").map(\.type)) == Set(NotificationType.allCases))
    }
}

@Suite struct NotificationWordingTests {
    @Test func missedCheckInTextSaysWhoAndWhen() {
        let deadline = noon.adding(.minutes(-90))
        let inTime = NotificationText.missedCheckIn(
            name: "Ada", deadline: deadline, at: noon, late: false)
        #expect(inTime.title == "Ada missed a check-in")
        #expect(
            inTime.body
                == "Ada should have checked in by 10:30 UTC. Please find out if they are fine.")
        let late = NotificationText.missedCheckIn(
            name: "Ada", deadline: deadline, at: noon, late: true)
        #expect(
            late.body == inTime.body
                + " This is late: LifeSignal could not tell you for 90 minutes.")
    }

    @Test(arguments: [
        (Duration.minutes(119), "119 minutes"), (.minutes(120), "2 hours"),
        (.hours(72) - .seconds(1), "71 hours"), (.hours(188), "7 days 20 hours"),
    ])
    func longOutageIsInDays(outage: Duration, words: String) {
        let late = NotificationText.missedCheckIn(
            name: "Ada", deadline: noon.adding(.zero - outage), at: noon, late: true)
        #expect(late.body(in: nil, at: noon).hasSuffix("could not tell you for \(words)."))
    }

    /// Responders may have declined or withdrawn before a repeat, and a confirmation may not be the
    /// first.
    @Test(arguments: AlertKind.allCases) func repeatsAreTrueAfterAnswersToo(kind: AlertKind) {
        let text = NotificationText.alertRepeated(name: "Ada", kind: kind, since: noon)
        #expect(text.body == "No one is on it yet. The alert began at 12:00 UTC.")
        #expect(
            NotificationText.doesItGoOn(name: "Ada").body
                == "Confirm that you are still on it, or everyone will be told again.")
    }

    /// An alert that comes more than a minute late has two times.
    @Test(arguments: [
        (Duration.minutes(1), false), (.milliseconds(60_001), true), (.minutes(180), true),
    ])
    func textsOfALateAlertGiveTheReceipt(delay: Duration, isLate: Bool) {
        let received = noon.adding(delay)
        let receipt = NotificationText(.alert, "T", ", received at \(clock: received)").body
        func owner(told: Int) -> NotificationText {
            .nobodyHasTakenItOn(.init(told: told, all: 1), since: noon, receivedAt: received)
        }
        let texts: [NotificationText] = [
            .alertRaised(name: "Ada", at: noon, receivedAt: received),
            .alertRepeated(name: "Ada", kind: .manual, since: noon, receivedAt: received),
            .nobodyIsThere(since: noon, receivedAt: received), owner(told: 0), owner(told: 1),
        ]
        for text in texts {
            #expect(text.body.contains("12:00 UTC"), "\(text.body)")
            #expect(text.body.contains(receipt) == isLate, "\(text.body)")
        }
        #expect(owner(told: 1).body.contains("responders since 12:00 UTC.") == !isLate)
    }

    @Test func noRespondersTextIsPlain() {
        #expect(NotificationText.nobodyWasTold(deadline: noon).body.contains("no one was told"))
        #expect(NotificationText.alertReachedNobody.body.contains("no one was told"))
        #expect(
            NotificationText.respondersWereTold(deadline: noon, .init(told: 1, all: 1)).body
                .contains(
                    "Your responder is being told."))
        #expect(
            NotificationText.respondersWereTold(deadline: noon, .init(told: 2, all: 2)).body
                .contains(
                    "Your 2 responders are being told."))
    }

    @Test(
        "only responders that a message reaches count as told",
        arguments: [
            (1, 1, "Your responder is being told."),
            (1, 2, "1 of your 2 responders is being told."),
            (2, 3, "2 of your 3 responders are being told."),
            (0, 1, "No message reaches your responder."),
            (0, 2, "No message reaches your 2 responders."),
        ])
    func told(told: Int, all: Int, words: String) {
        let responders = ToldResponders(told: told, all: all)
        let missed = NotificationText.respondersWereTold(deadline: noon, responders)
        #expect(missed.body.contains(words))
        let later = NotificationText.nobodyHasTakenItOn(responders, since: noon).body
        #expect(later.hasPrefix("LifeSignal has been alerting") == (told > 0))
        #expect(
            later.contains("No message about your alert (12:00 UTC) reaches") == (told == 0))
        #expect(later.contains(") reaches your responder.") == (told == 0 && all == 1))
        #expect(later.contains(") reaches your responders.") == (told == 0 && all == 2))
        if told == 0 {
            #expect(NotificationText.alertReachedNobody(responders).body.contains(words))
        }
    }

    @Test(arguments: [
        (1, 1, "The responder you chose is being told."),
        (1, 2, "1 of the 2 responders you chose is being told."),
        (2, 2, "The 2 responders you chose are being told."),
        (0, 1, "No message reaches the responder you chose."),
        (0, 2, "No message reaches the 2 responders you chose."),
    ])
    func chosenAreNamed(told: Int, all: Int, words: String) {
        var responders = ToldResponders(told: told, all: all)
        responders.areChosen = true
        let text = NotificationText.journeyRespondersWereTold(
            journey: "Zugspitze", expected: noon, responders)
        #expect(text.body.contains(words))
        #expect(text.body.contains("call for help directly") == (told == 0))
        let later = NotificationText.nobodyHasTakenItOn(
            responders, since: noon, wasForChosen: true)
        #expect(later.body.hasPrefix("No responder you chose is on it.") == (told > 0))
    }

    @Test func silentResponderIsAskedForWhatHelps() {
        func body(isGuest: Bool, hasStopped: Bool) -> String {
            NotificationText.responderIsSilent(
                name: "Mia", isGuest: isGuest, hasStoppedTexts: hasStopped
            ).body
        }
        #expect(body(isGuest: false, hasStopped: false).hasSuffix("turn notifications on."))
        let stopped = body(isGuest: false, hasStopped: true)
        #expect(stopped.contains("turn notifications on, or to answer START"))
        let guest = body(isGuest: true, hasStopped: false)
        #expect(guest.hasPrefix("No message reaches Mia.") && !guest.contains("notifications"))
    }

    @Test(arguments: AlertReport.allCases, AlertKind.allCases)
    func reportTextSaysHowToUndoIt(report: AlertReport, kind: AlertKind) {
        let toOthers = NotificationText.alertReported(
            report, responder: "Ben", name: "Ada", kind: kind)
        #expect(toOthers.title == AlertWords.reported(report, by: "Ben", about: "Ada"))
        #expect(toOthers.body.contains("for 12 hours, unless you ask for it"))
        let later = NotificationText.alertReported(
            report, responder: "Ben", name: "Ada", kind: kind, pausedUntil: noon)
        #expect(later.title == toOthers.title)
        #expect(later.body.contains("again until 12:00 UTC, unless you ask for it"))
        #expect(toOthers.body.contains(AlertWords.untilEnd(of: kind, name: "Ada")))
        let toOwner = NotificationText.reportedToOwner(report, responder: "Ben", kind: kind)
        #expect(toOwner.title == AlertWords.reported(report, by: "Ben", about: nil))
        #expect(
            toOwner.body.hasSuffix(
                "If that is not true, open LifeSignal and alert everyone again."))
        let ends =
            switch kind {
            case .manual: "End the alert"
            case .missedCheckIn: "Check in"
            case .journey: "Say that you have arrived"
            }
        #expect(toOwner.body.hasPrefix(ends) == (report == .foundSafe))
    }

    @Test(arguments: AlertReport.allCases)
    func withdrawalNamesTheReportThatRemains(report: AlertReport) {
        for name in ["Ada", nil] {
            let text = NotificationText.reportStillHolds(
                report, reporter: "Cleo", name: name, withdrawn: "Ben", pausedUntil: noon)
            #expect(text.title == AlertWords.reported(report, by: "Cleo", about: name))
            #expect(text.body.hasPrefix("Ben is no longer on it. No one is alerted again until"))
            #expect(text.body.hasSuffix("until 12:00 UTC, unless you ask for it."))
        }
    }

    @Test func anEndElsewhereNamesTheDevice() {
        let text = NotificationText.alertEndedElsewhere(device: "Firefox on Linux", at: noon)
        #expect(text.body.contains("on “Firefox on Linux” at 12:00 UTC"))
        #expect(text.body.contains("call for help again"))
        let hostile = NotificationText.alertEndedElsewhere(device: "http://x.example", at: noon)
        #expect(hostile.body.contains("on another device at"))
        let resent = NotificationText.alertEndedElsewhere(
            device: "Phone", at: noon, learnedAt: noon.adding(.minutes(1)))
        let words = "at 12:00 UTC. LifeSignal was restored from a backup, and learned of the end"
        #expect(resent.body.contains(words))
    }

    @Test func warningsOfSilenceNameTheDays() {
        let device = NotificationText.deviceEnds(deviceName: "Phone", days: 14, isLastWay: false)
        #expect(device.body.contains("on “Phone”") && device.body.contains("In 14 days"))
        #expect(!device.body.contains("Nothing else"))
        let last = NotificationText.deviceEnds(deviceName: "Phone", days: 1, isLastWay: true)
        #expect(
            last.body.contains("In 1 day it") && last.body.contains("Nothing else reaches you."))
        #expect(NotificationText.responderFallsSilent(name: "Ben", days: 3).body.contains("3 days"))
    }

    @Test(
        "a check-in that arrives more than a minute late says so",
        arguments: [(0, false), (60_000, false), (60_001, true), (2_280_000, true)])
    func lateArrival(milliseconds: Int, saysSo: Bool) {
        let happened = noon.adding(.minutes(-118))
        let text = NotificationText.checkedIn(
            name: "Ada", occurredAt: happened,
            receivedAt: happened.adding(.milliseconds(milliseconds)))
        #expect(text.body.hasPrefix("Ada checked in at 10:02 UTC"))
        #expect(text.body.contains("received") == saysSo)
    }

    @Test(arguments: [(60_000, "Ada is fine"), (60_001, "Ada answered your ping")])
    func lateAnswerToAPing(milliseconds: Int, title: String) {
        let text = NotificationText.pingAnswered(
            name: "Ada", at: noon, receivedAt: noon.adding(.milliseconds(milliseconds)))
        #expect(text.title == title)
    }

    @Test func lateCheckInTextStatesBothTimes() {
        let text = NotificationText.checkedIn(
            name: "Ada", occurredAt: noon.adding(.minutes(-118)),
            receivedAt: noon.adding(.minutes(-80)))
        #expect(text.body == "Ada checked in at 10:02 UTC, received 10:40 UTC.")
    }

    @Test(
        "roles are described from the reader's side",
        arguments: [
            (true, false, "Ben is told when you need help."),
            (false, true, "You are told when Ben needs help."),
            (true, true, "You and Ben watch over each other."),
        ])
    func roles(isResponder: Bool, isDependent: Bool, sentence: String) throws {
        let roles = try ContactRoles(isResponder: isResponder, isDependent: isDependent)
        let relation = Relation(agreed: roles, at: noon)
        for news in ContactNews.allCases {
            let text = NotificationText.contact(news, name: "Ben", isMine: true, relation: relation)
            #expect(text.body == sentence)
        }
    }

    @Test func endedRolesComeFirst() throws {
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        let both = Relation(agreed: roles, at: noon)
        func body(_ new: Relation) -> String {
            NotificationText.contact(
                .rolesChanged, name: "Ben", isMine: true, relation: new, old: both
            ).body
        }
        var (withoutResponder, withoutDependent) = (both, both)
        withoutResponder.responder = .absent
        withoutDependent.dependent = .absent
        #expect(
            body(withoutResponder)
                == "Ben is no longer told when you need help. You are told when Ben needs help.")
        #expect(
            body(withoutDependent)
                == "You are no longer told when Ben needs help. Ben is told when you need help.")
        #expect(body(both) == "You and Ben watch over each other.")
    }

    @Test func addedByCodeTextOffersRemoveAndBlock() throws {
        let roles = try ContactRoles(isResponder: true, isDependent: false)
        let text = NotificationText.contact(
            .added, name: "Ben", isMine: false, relation: Relation(agreed: roles, at: noon))
        #expect(text.type == .contactAdded && text.title == "Ben is now your contact")
        #expect(text.body.contains("remove or block"))
    }

    @Test func lostLastResponderTextIsPlain() {
        #expect(NotificationText.protectionLost(.nobody).body.hasPrefix("No one will be alerted"))
        #expect(NotificationText.protectionLost(.asked).body.contains("not accepted yet"))
        #expect(NotificationText.protectionLost(.nobody).type == .system)
    }

    @Test func acknowledgementTextNamesTheResponder() {
        #expect(
            NotificationText.alertAcknowledged(responder: "Ben", name: "Ada").body
                == "Ben is helping Ada.")
        #expect(NotificationText.helpIsComing(responder: "Ben").title == "Ben is on it")
    }

    @Test func textNamesAnotherAlert() {
        func added(
            _ kind: AlertKind, _ name: String?, _ helper: NotificationText.Helper?
        ) -> String {
            let text = NotificationText.helpIsComing(responder: "Ben")
                .besides(kind, of: name, helper: helper)
            #expect(text.title == "Ben is on it")
            return String(text.body.dropFirst("Ben is helping you. ".count))
        }
        #expect(
            added(.manual, "Ada", .noOne)
                == "Another alert, which Ada raised, is still on, and no one is on it.")
        #expect(
            added(.manual, nil, .another("Cleo"))
                == "Another alert, which you raised, is still on, and Cleo is on it.")
        #expect(
            added(.missedCheckIn, "Ada", .reader)
                == "Another alert, about Ada's missed check-in, is still on, and you are on it.")
        #expect(
            added(.missedCheckIn, nil, nil)
                == "Another alert, about your missed check-in, is still on.")
        #expect(
            added(.journey, "Ada", nil) == "Another alert, about Ada's journey, is still on.")
        #expect(
            added(.journey, nil, .noOne)
                == "Another alert, about your journey, is still on, and no one is on it.")
    }

    @Test func aReminderSaysHowLongIsLeft() {
        #expect(
            NotificationText.reminder(.twoHours, deadline: noon).body
                == "Less than 2 hours left: check in before 12:00 UTC.")
        #expect(
            NotificationText.reminder(.thirtyMinutes, deadline: noon).body
                == "Less than 30 minutes left: check in before 12:00 UTC.")
    }
}
