import Domain
import Foundation

/// What must be true of each message as it is made, and as it arrives.
extension Simulator {
    /// True if the server's clock has been right for a minute.
    var isClockSound: Bool {
        !moments.isMisled && now >= moments.clockWrongUntil.adding(.minutes(1))
    }

    private func isLongAfterRestore(_ span: Duration) -> Bool {
        now.since(truth.restore?.at ?? .distantPast) > span
    }

    // MARK: Alarms

    /// Checks that a repeat isn't the second alarm of its moment. The moments are those of
    /// product.md, counted from the start of the escalation. A new responder, and one who accepts
    /// the role, takes SMS again or has a new endpoint hear of the alert between them.
    func checkMoment(_ item: NotificationItem, _ meaning: Meaning, for person: Int) {
        guard let id = item.alertID, meaning.alarm != nil, meaning.alarm != person,
            let alarm = truth.alarms.first(where: { $0.id == id }), isClockSound,
            isLongAfterRestore(.minutes(2))
        else { return }
        let edge = Edge(responder: person, owner: alarm.owner)
        guard let since = truth.listeners[edge], now.since(since) > .minutes(1),
            now.since(truth.acceptances[edge] ?? .distantPast) > .minutes(1),
            now.since(truth.starts[person] ?? .distantPast) > .minutes(1),
            now.since(hearing.lastAddition(by: person)) > .minutes(1)
        else { return }
        guard item.body.contains("No one is on it yet") else { return }
        let moment = Alarm.lastRepeat(by: item.createdAt, from: alarm.escalationFrom)
        let before = hearing.repeated[id]?[person] ?? alarm.escalationFrom
        hearing.repeated[id, default: [:]][person] = item.createdAt
        if before >= moment, item.createdAt > before || moment == alarm.escalationFrom {
            note(
                "twice",
                "\(name(person)) was told \"\(item.title)\" twice, at "
                    + "\(Invariant.span(before, since: moment)) and "
                    + "\(Invariant.span(item.createdAt, since: moment)) after its moment")
        }
    }

    /// Checks a message as it arrives, by a call, too.
    func checkArrival(_ arrival: Outside.Arrival, _ meaning: Meaning) {
        if let alert = arrival.item.alertID {
            hearing.reachedPeople[alert, default: []].insert(arrival.endpoint.person)
        }
        if hearing.isSecond(arrival) {
            note("twice", "\(arrival.endpoint) got \"\(arrival.item.title)\" in two deliveries")
        }
        if [.reminder, .lastCall, .lastCallByPhone].contains(meaning) {
            checkReminder(arrival, meaning)
        }
        if case .returnReminder = meaning { checkReturnReminder(arrival) }
        if world.hasBudgets { checkCost(arrival, meaning) }
    }

    // MARK: Reminders

    /// A reminder by a wrong clock doesn't count: its correction makes the reminder due again.
    private var timeOfReminder: Date { isClockSound ? now : .distantPast }

    /// Records a reminder, which must be on, due, and the first of its kind for the deadline.
    func reminded(_ person: Int, _ item: NotificationItem) {
        guard let account = truth.accounts[person], let deadline = account.deadline else {
            return note("reminder", "\(name(person)) was reminded, and has no deadline")
        }
        let reminder: Reminder = item.body.contains("2 hours") ? .twoHours : .thirtyMinutes
        var known = hearing.reminders[person] ?? Hearing.Reminders(deadline: deadline)
        if known.deadline != deadline { known = Hearing.Reminders(deadline: deadline) }
        let before = known.made.updateValue(timeOfReminder, forKey: reminder)
        hearing.reminders[person] = known
        guard isClockSound, account.receiptError == .zero, isLongAfterRestore(.minutes(2))
        else { return }
        let left = deadline.since(item.createdAt)
        let limit = reminder.lead + .seconds(1)
        let isOpen = account.opening.map { item.createdAt >= $0.adding(.seconds(-1)) } ?? true
        if left <= .zero || left > limit || !isOpen || !account.reminders.contains(reminder) {
            note(
                "reminder",
                "\(name(person)) was reminded, and had "
                    + "\(Invariant.span(deadline, since: item.createdAt)) left")
        } else if let before, before > account.deadlineSince {
            note("reminder", "\(name(person)) was reminded twice of one deadline")
        }
    }

    /// Checks that no reminder and no last call arrives after the check-in or the deadline. An
    /// attempt in progress may.
    private func checkReminder(_ arrival: Outside.Arrival, _ meaning: Meaning) {
        let (invariant, words) =
            meaning == .reminder ? ("reminder", "a reminder") : ("lastCall", "a last call")
        let person = arrival.endpoint.person
        guard isClockSound, isLongAfterRestore(.hours(3)), let account = truth.accounts[person]
        else { return }
        let made = arrival.item.createdAt
        if let time = hearing.checkedIn[person], made < time, now.since(time) > .minutes(1) {
            note(invariant, "\(arrival.endpoint) heard \(words) after the check-in")
        } else if let deadline = account.deadline, account.receiptError == .zero,
            made < deadline, now.since(deadline) > .minutes(1),
            now.since(moments.runningSince) > .minutes(2), !brokenPeople.contains(person)
        {
            note(invariant, "\(arrival.endpoint) heard \(words) after the deadline")
        }
    }

    /// Records a part of a last call, which must be on, due, and the first for the deadline.
    func calledLast(_ person: Int, _ item: NotificationItem, _ step: LastCallStep) {
        sights.insert("last call: \(step)")
        guard let account = truth.accounts[person], let deadline = account.deadline else {
            return note("lastCall", "\(name(person)) got a last call, and has no deadline")
        }
        var known = hearing.reminders[person] ?? Hearing.Reminders(deadline: deadline)
        if known.deadline != deadline { known = Hearing.Reminders(deadline: deadline) }
        let before = known.lastCalls.updateValue(timeOfReminder, forKey: step)
        hearing.reminders[person] = known
        guard isClockSound, account.receiptError == .zero, isLongAfterRestore(.minutes(2))
        else { return }
        let left = deadline.since(item.createdAt)
        let lead: Duration = step == .message ? .minutes(10) : .minutes(5)
        let isOn =
            step == .message ? account.lastCall.sendsMessage : account.lastCall.calls != false
        if left <= .zero || left > lead + .seconds(1) || !isOn {
            note(
                "lastCall",
                "\(name(person)) got a last call, and had "
                    + "\(Invariant.span(deadline, since: item.createdAt)) left")
        } else if let before, before > account.deadlineSince {
            note("lastCall", "\(name(person)) got a last call twice for one deadline")
        }
    }

    /// Records that a responder was told of a schedule.
    func learned(_ responder: Int, _ news: ScheduleNews, of owner: Int) {
        let edge = Edge(responder: responder, owner: owner)
        if let index = hearing.untold.firstIndex(where: { $0.edge == edge && $0.news == news }) {
            hearing.untold.remove(at: index)
        }
        guard news == .pauseEnded else { return }
        hearing.pauseEnds[edge] = now
        if truth.accounts[owner]?.pause?.isCut == false { sights.insert("pause: ended by itself") }
    }

    // MARK: Money

    /// Checks that an SMS or a call about an alert was within the owner's budget of the day. Only
    /// messages that surely were charged before it count.
    private func checkCost(_ arrival: Outside.Arrival, _ meaning: Meaning) {
        let endpoint = arrival.endpoint
        guard endpoint.isSMS || endpoint.isCall, let alert = arrival.item.alertID,
            let owner = hearing.owners[alert], let server
        else { return }
        let day = Duration.days(1).milliseconds
        let today = server.clock.now().milliseconds / day
        let cost = Hearing.Cost(owner: owner, isCall: endpoint.isCall, day: today)
        let place = Hearing.Place(endpoint: endpoint, alert: alert)
        defer {
            if hearing.costs[cost]?[arrival.delivery] == nil,
                arrival.item.createdAt.milliseconds / day == today
            {
                hearing.costs[cost, default: [:]][arrival.delivery] = now
            }
        }
        let share = endpoint.isCall ? 20 : 40
        // The server charges it as an alarm if the last message said that somebody was on it.
        let isAlarm = hearing.believingInHelp.contains(place)
        let percent: Int? =
            switch meaning {
            case .isOver, .parted: nil
            case .takenOn, .reported: 85
            case .untaken: isAlarm ? 200 : 85
            case .question: 90
            case .goesOn, .missedAgain, .lapsed: isAlarm || !hearing.isRepeat(at: place) ? 200 : 90
            default: 200
            }
        let trouble = world.outside.lastTrouble(endpoint) ?? .distantPast
        guard let percent, isClockSound, trouble < now.adding(.minutes(-15)),
            hearing.costs[cost]?[arrival.delivery] == nil
        else { return }
        let byAll = hearing.costs.filter { $0.key.day == today && $0.key.isCall == cost.isCall }
            .reduce(0) { $0 + $1.value.values.count { now.since($0) > .minutes(1) } }
        let total = endpoint.isCall ? World.totalCalls : World.totalSMS
        if world.hasTotalBudget, byAll >= total * min(percent, 100) / 100 {
            note(
                "budget",
                "\(endpoint) got \"\(arrival.item.title)\", and all had caused "
                    + "\(byAll) messages of the day")
        }
        let spent = (hearing.costs[cost] ?? [:]).values.count { now.since($0) > .minutes(1) }
        if spent >= share * percent / 100 {
            note(
                "budget",
                "\(endpoint) got \"\(arrival.item.title)\", and \(name(owner)) had caused "
                    + "\(spent) messages of the day")
        }
    }

    // MARK: Who was told

    /// Checks the people whom the owner's history names as told.
    func checkTold(_ record: AlertRecord, of owner: Int) {
        guard let alert = AlertID(record.id) else { return }
        let told = record.ledger.filter { $0.state == .accepted && $0.channel != .stream }
        for entry in told {
            guard let person = UserID(entry.recipientId).flatMap({ identities[$0] }),
                hearing.reachedPeople[alert]?.contains(person) != true
            else { continue }
            note(
                "told",
                "\(name(owner)) reads that \(name(person)) was told by \(entry.channel), and "
                    + "nothing has reached \(name(person))")
        }
    }

    /// Checks the number of responders who "are being told".
    func checkTold(_ item: NotificationItem, to owner: Int) {
        let words =
            #/(?:(\d+) of )?(?:your|the) (?:(\d+) )?responders?(?: you chose)? \w+ being told/#
            .ignoresCase()
        let shown = item.body.firstMatch(of: words)
        guard let shown, isClockSound else { return }
        let count = (shown.output.1 ?? shown.output.2).flatMap { Int($0) } ?? 1
        let able = truth.roles.keys.filter {
            $0.owner == owner
                && (truth.accounts[$0.responder] != nil || truth.stops[$0.responder] == nil)
        }
        if count > able.count {
            note(
                "told",
                "\(name(owner)) reads that \(count) responders are being told, and only "
                    + "\(able.count) can be")
        }
    }
}
