import Foundation
import Testing

@testable import Domain

/// The messages ten and five minutes before the deadline (product.md, "The last call").
@Suite struct LastCallTests {
    private let deadline = noon.adding(.hours(24))
    private var tenBefore: Date { deadline.adding(.minutes(-10)) }
    private var fiveBefore: Date { deadline.adding(.minutes(-5)) }

    private let message = SentReminders(.message)
    private let call = SentReminders(.call)
    private let reminders: SentReminders = [
        SentReminders(.twoHours), SentReminders(.thirtyMinutes),
    ]

    /// A schedule without reminders. The last check-in was at noon.
    private func schedule(
        _ lastCall: LastCall = .standard, interval: Duration = .hours(24), reminders: Bool = false
    ) -> CheckInSchedule {
        var settings = CheckInSettings.every(
            interval, twoHours: reminders, thirtyMinutes: reminders)
        settings.lastCall = lastCall
        return CheckInSchedule(settings: settings, lastCheckIn: noon)
    }

    private func switches(message: Bool = true, calls: Bool? = nil) -> LastCall {
        LastCall(sendsMessage: message, calls: calls, takesAnswers: false)
    }

    // MARK: Moments

    @Test func messageThenCallThenAlert() {
        var schedule = schedule()
        #expect(schedule.nextDue(at: noon) == tenBefore)
        #expect(schedule.act(at: tenBefore.aMillisecondBefore) == nil)
        #expect(
            schedule.act(at: tenBefore)
                == .lastCall(.message, deadline: deadline, covers: reminders.union(message)))
        #expect(schedule.act(at: tenBefore) == nil)

        #expect(schedule.nextDue(at: tenBefore) == fiveBefore)
        #expect(schedule.act(at: fiveBefore.aMillisecondBefore) == nil)
        #expect(
            schedule.act(at: fiveBefore)
                == .lastCall(.call, deadline: deadline, covers: reminders.union(call)))
        #expect(schedule.act(at: fiveBefore) == nil)

        #expect(schedule.nextDue(at: fiveBefore) == deadline)
        #expect(schedule.act(at: deadline.aMillisecondBefore) == nil)
        #expect(schedule.act(at: deadline) == .missed(deadline: deadline))
    }

    @Test func lastCallFollowsTheReminders() {
        var schedule = schedule(reminders: true)
        var leads: [Duration] = []
        while let due = schedule.nextDue(at: noon), schedule.act(at: due) != nil {
            leads.append(deadline.since(due))
        }
        #expect(leads == [.hours(2), .minutes(30), .minutes(10), .minutes(5), .zero])
    }

    /// The message comes before the call, and no reminder comes after it.
    @Test func messageComesFirstAfterAnOutage() {
        var schedule = schedule(reminders: true)
        let late = deadline.aMillisecondBefore
        #expect(
            schedule.act(at: late)
                == .lastCall(.message, deadline: deadline, covers: reminders.union(message)))
        #expect(schedule.nextDue(at: late) == fiveBefore)
        #expect(
            schedule.act(at: late)
                == .lastCall(.call, deadline: deadline, covers: reminders.union(call)))
        #expect(schedule.act(at: late) == nil)
        #expect(schedule.act(at: deadline) == .missed(deadline: deadline))
    }

    @Test func callAloneCoversTheReminders() {
        var schedule = schedule(switches(message: false), reminders: true)
        #expect(
            schedule.act(at: fiveBefore)
                == .lastCall(.call, deadline: deadline, covers: reminders.union(call)))
        #expect(schedule.act(at: fiveBefore) == nil)
    }

    @Test func nothingIsSentAtTheDeadline() {
        var schedule = schedule()
        #expect(schedule.act(at: deadline) == .missed(deadline: deadline))
        #expect(schedule.act(at: deadline) == nil)
        #expect(schedule.nextDue(at: deadline) == nil)
    }

    @Test func beforeTheFirstCheckInThereIsNone() {
        let schedule = CheckInSchedule(settings: .standard, lastCheckIn: nil)
        for step in LastCallStep.allCases { #expect(schedule.moment(of: step) == nil) }
    }

    // MARK: Switches

    @Test(
        arguments: [
            (true, nil, -10, -5), (true, true, -10, -5), (true, false, -10, -10),
            (false, nil, -5, -5), (false, true, -5, -5), (false, false, 0, 0),
        ] as [(Bool, Bool?, Int, Int)])
    func eachPartCanBeTurnedOff(message: Bool, calls: Bool?, first: Int, last: Int) {
        var schedule = schedule(switches(message: message, calls: calls))
        #expect((schedule.moment(of: .message) != nil) == message)
        #expect((schedule.moment(of: .call) != nil) == (calls != false))
        var due: [Date] = []
        while let next = schedule.nextDue(at: noon), schedule.act(at: next) != nil {
            due.append(next)
        }
        #expect(due.first == deadline.adding(.minutes(first)))
        #expect(due.last == deadline)
        #expect(due.dropLast().last ?? deadline == deadline.adding(.minutes(last)))
    }

    @Test(
        arguments: [
            (nil, true, false), (nil, false, true), (true, true, true), (true, false, true),
            (false, true, false), (false, false, false),
        ] as [(Bool?, Bool, Bool)])
    func peopleWithoutPushAreCalledByDefault(calls: Bool?, hasPush: Bool, isCalled: Bool) {
        #expect(switches(calls: calls).calls(hasPush: hasPush) == isCalled)
    }

    // MARK: Which schedules

    @Test(arguments: [(1_800, true), (1_799, false), (600, false), (1, false)])
    func shortIntervalsHaveNone(seconds: Int, hasLastCall: Bool) {
        let schedule = schedule(interval: .seconds(seconds))
        let deadline = noon.adding(.seconds(seconds))
        #expect(
            schedule.moment(of: .message) == (hasLastCall ? deadline.adding(.minutes(-10)) : nil))
        #expect(schedule.moment(of: .call) == (hasLastCall ? deadline.adding(.minutes(-5)) : nil))
        #expect(
            schedule.nextDue(at: noon)
                == (hasLastCall ? deadline.adding(.minutes(-10)) : deadline))
    }

    @Test func timesHaveALastCall() {
        var settings = CheckInSettings.at(.dailyUntil10)
        settings.lastCall = .standard
        // Times ignore the interval.
        settings.intervalSeconds = 60
        let schedule = CheckInSchedule(settings: settings, lastCheckIn: noon)
        #expect(schedule.moment(of: .message) == utc("2026-03-02T09:50:00Z"))
        #expect(schedule.moment(of: .call) == utc("2026-03-02T09:55:00Z"))
    }

    @Test func shortestWindowHasALastCallInside() {
        var settings = CheckInSettings.at(CheckInTimes(.until("10:00", from: "09:30")))
        settings.lastCall = .standard
        let schedule = CheckInSchedule(settings: settings, lastCheckIn: noon)
        #expect(schedule.opening == utc("2026-03-02T09:30:00Z"))
        #expect(schedule.moment(of: .message) == utc("2026-03-02T09:50:00Z"))
    }

    @Test func withoutDeadlinesThereIsNone() {
        var settings = CheckInSettings.planned(.none)
        settings.lastCall = .standard
        let schedule = CheckInSchedule(settings: settings, lastCheckIn: noon)
        for step in LastCallStep.allCases { #expect(schedule.moment(of: step) == nil) }
        #expect(schedule.nextDue(at: noon) == nil)
    }

    // MARK: Changes

    @Test func checkInCancelsTheRest() {
        var schedule = schedule()
        _ = schedule.act(at: tenBefore)
        #expect(schedule.hasReminded)
        let checkIn = tenBefore.adding(.minutes(1))
        _ = schedule.checkIn(at: checkIn)
        #expect(schedule.remindersSent == [])
        #expect(schedule.act(at: fiveBefore) == nil)
        #expect(schedule.act(at: deadline) == nil)
        let next = checkIn.adding(.hours(24) + .minutes(-10))
        #expect(schedule.nextDue(at: checkIn) == next)
        #expect(schedule.act(at: next) != nil)
    }

    @Test func changedSwitchesSendNothingAgain() {
        var schedule = schedule()
        _ = schedule.act(at: tenBefore)
        var settings = schedule.settings
        settings.lastCall.takesAnswers = true
        schedule.apply(settings, at: tenBefore.adding(.minutes(1)))
        #expect(schedule.dueAction(at: fiveBefore.aMillisecondBefore) == nil)
        settings.lastCall.calls = false
        schedule.apply(settings, at: tenBefore.adding(.minutes(2)))
        #expect(schedule.dueAction(at: deadline.aMillisecondBefore) == nil)
    }

    /// Only a later time of the day changes, and the deadline stays.
    @Test func keptDeadlineKeepsItsMessages() {
        let deadline = utc("2026-03-02T10:00:00Z")
        var settings = CheckInSettings.at(CheckInTimes(.until("10:00"), .until("18:00")))
        settings.lastCall = .standard
        var schedule = CheckInSchedule(
            settings: settings, lastCheckIn: noon,
            start: FirstDeadline(from: noon.adding(.hours(1)), deadline: deadline))
        _ = schedule.act(at: deadline.adding(.minutes(-10)))
        let sent = schedule.remindersSent
        #expect(sent == reminders.union(message))
        settings.plan = .times(CheckInTimes(.until("10:00"), .until("20:00")))
        schedule.apply(settings, at: deadline.adding(.minutes(-9)))
        #expect(schedule.deadline == deadline && schedule.remindersSent == sent)
        settings.plan = .interval
        schedule.apply(settings, at: deadline.adding(.minutes(-8)))
        #expect(schedule.deadline == self.deadline && schedule.remindersSent == [])
    }

    @Test func fourthMessageOfAnHourIsTooMuch() {
        let times = [0, 1, 2].map { noon.adding(.minutes($0)) }
        #expect(!DeadlineMessageLimits.isTooMuch(Array(times.dropLast()), since: nil))
        #expect(DeadlineMessageLimits.isTooMuch(times, since: nil))
        #expect(DeadlineMessageLimits.isTooMuch(times, since: noon.aMillisecondBefore))
        #expect(!DeadlineMessageLimits.isTooMuch(times, since: noon))
    }

    @Test func pauseCancelsTheLastCall() {
        var schedule = schedule()
        _ = schedule.act(at: tenBefore)
        let end = deadline.adding(.days(3))
        schedule.pause(until: end, at: tenBefore.adding(.minutes(1)))
        #expect(schedule.act(at: fiveBefore) == nil)
        #expect(schedule.act(at: deadline) == nil)
        #expect(schedule.moment(of: .message) == end.adding(.hours(24) + .minutes(-10)))
    }

    /// The monitor sleeps until `nextDue`. An action that is due earlier would come late.
    @Test func nextDueAgreesWithDueAction() {
        for number in 0..<16 {
            for seconds in [1_799, 1_800, 3_600, 7_201, 86_400] {
                for reminders in [true, false] {
                    var schedule = schedule(
                        LastCall(flags: number), interval: .seconds(seconds),
                        reminders: reminders)
                    var actions = 0
                    while let due = schedule.nextDue(at: noon) {
                        #expect(schedule.dueAction(at: due.aMillisecondBefore) == nil)
                        #expect(schedule.act(at: due) != nil)
                        actions += 1
                        guard actions < 10 else { break }
                    }
                    #expect(schedule.hasOpenedAlert && actions < 10)
                }
            }
        }
    }

    // MARK: Changes

    @Test func quieterHasLostItsMessageOrCalls() {
        let changes: [(old: LastCall, new: LastCall)] = [
            (.standard, switches(message: false)), (.standard, switches(calls: false)),
            (switches(calls: true), .standard), (.standard, .off),
        ]
        for (old, new) in changes {
            #expect(new.isQuieter(than: old))
            #expect(!old.isQuieter(than: new))
            #expect(!new.isQuieter(than: new))
        }
        // The old last call sends nothing.
        #expect(!switches(message: false, calls: true).isQuieter(than: .off))
    }

    // MARK: Storage

    @Test func flagsKeepEveryCombination() {
        var seen: Set<Int> = []
        for sendsMessage in [true, false] {
            for calls in [Bool?.none, true, false] {
                for takesAnswers in [true, false] {
                    let lastCall = LastCall(
                        sendsMessage: sendsMessage, calls: calls, takesAnswers: takesAnswers)
                    #expect(LastCall(flags: lastCall.flags) == lastCall)
                    seen.insert(lastCall.flags)
                }
            }
        }
        #expect(seen.count == 12)
        #expect(LastCall.standard.flags == 0)
        #expect(LastCall(flags: 0) == .standard)
    }

    /// The bits share a column with the reminders and the pause.
    @Test func stepsHaveTheirOwnBits() {
        #expect(message.rawValue == 16 && call.rawValue == 32)
        #expect(SentReminders.ofPauses.union(reminders).isDisjoint(with: [message, call]))
    }

    @Test func oldClientsGetTheStandard() throws {
        let old = """
            {"intervalSeconds":86400,"remindTwoHoursBefore":true,"remindThirtyMinutesBefore":false}
            """
        let settings = try JSONDecoder().decode(CheckInSettings.self, from: Data(old.utf8))
        #expect(settings.lastCall == .standard && settings.plan == .interval)
        // The standard isn't written, because old clients may reject unknown fields.
        let text = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
        #expect(!text.contains("lastCall") && !text.contains("plan"))
    }

    @Test(arguments: [Bool?.none, true, false])
    func chosenLastCallIsWritten(calls: Bool?) throws {
        var settings = CheckInSettings.standard
        settings.lastCall = LastCall(sendsMessage: false, calls: calls, takesAnswers: true)
        let data = try JSONEncoder().encode(settings)
        #expect(try JSONDecoder().decode(CheckInSettings.self, from: data) == settings)
    }

    // MARK: Words

    @Test func messageSaysWhatWouldHappen() {
        let soon = noon.adding(.minutes(10))
        let watched = NotificationText.lastCall(
            deadline: soon, responders: ToldResponders(told: 2, all: 2), takesAnswers: true)
        #expect(watched.title == "Last call: check in now")
        #expect(
            watched.body
                == """
                Your 2 responders are told at 12:10 UTC unless you check in. Answer the SMS with \
                1 to check in.
                """)
        for (all, words) in [
            (0, "You have no responders who would be told."),
            (1, "No message reaches your responder."),
            (2, "No message reaches your 2 responders."),
        ] {
            let text = NotificationText.lastCall(
                deadline: soon, responders: ToldResponders(told: 0, all: all),
                takesAnswers: false)
            #expect(text.body == "Your deadline is 12:10 UTC. \(words)")
        }
        #expect(
            NotificationText.lastCallByPhone(deadline: soon).body
                == "Check in before 12:10 UTC. On the phone, press 1.")
    }

    /// A new schedule during the alert has a deadline of its own.
    @Test func messagesDuringTheAlertNameIt() {
        let soon = noon.adding(.minutes(10))
        let alert = "Your alert about the check-in before 12:00 UTC is on. Check in to end it."
        for (told, words) in [
            (1, "LifeSignal alerts again at 12:10 UTC."), (0, "No message reaches your responder."),
        ] {
            let text = NotificationText.lastCall(
                deadline: soon, responders: ToldResponders(told: told, all: 1),
                takesAnswers: false, missed: noon)
            #expect(text.title == "Last call: check in now" && text.body == "\(alert) \(words)")
        }
        #expect(
            NotificationText.lastCallByPhone(deadline: soon, missed: noon).body
                == "\(alert) On the phone, press 1.")
        let reminder = NotificationText.reminder(.thirtyMinutes, deadline: soon, missed: noon)
        #expect(reminder.title == "Check in now")
        #expect(
            reminder.body
                == "\(alert) LifeSignal alerts again in less than 30 minutes, at 12:10 UTC.")
    }

    @Test(arguments: [
        "OK", "ok.", "Okay!", "fine", "I'm OK", "I\u{2019}m fine", "I am OK", "I am fine",
        "OK\n\nAnna",
    ])
    func fineIsAnAnswer(text: String) {
        #expect(TextAnswer(text) == .isFine)
    }

    @Test(arguments: ["not OK", "OK?\nno", "1 OK", "OK 2", "I'm not fine", "book"])
    func doubtfulTextIsUnclear(text: String) {
        #expect(TextAnswer(text) == .unclear)
    }

    @Test func repliesFitIntoOneMessage() {
        let replies: [TextReply] = [
            .checkedIn, .checkedInDuringAlert, .notCheckedIn(isAllowed: true),
            .notCheckedIn(isAllowed: false), .notCheckedInAgain, .answerOneToCheckIn,
            .recorded(
                "Recorded. Your check-in for 20:00 CEST on Sunday opens at 14:00 CEST on Sunday.",
                isAlertOn: false),
        ]
        for reply in replies {
            #expect(TextLength.parts(of: reply.text) == 1)
        }
    }

    @Test func lastCallIsPaidLikeARepeat() {
        #expect(BudgetUse(DeliveryPurpose.lastCall) == .alertRepeat)
        #expect(AlertClaim(.lastCall) == nil)
    }
}
