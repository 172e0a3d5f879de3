import Domain
import Foundation

extension Truth {
    /// A person's last journey. Its times are the server's, unless noted.
    struct Journey: Sendable {
        /// The name of every journey, so that its messages have the same titles.
        static let name = "the lake"
        static let note = "By the old road, alone, in the blue car"

        var id: JourneyID
        var expectedReturn: Date
        var grace: Duration
        /// The chosen responders; nil for all.
        var chosen: Set<Int>?
        /// Whether the chosen responders see the journey from its start.
        var tells: Bool
        /// The true time of the start, or of the last change of the return.
        var changedAt: Date
        /// The true time when the server heard of the arrival; nil before.
        var endedAt: Date?
        /// Whether responders were told that the person isn't back.
        var hadAlert = false

        var isRunning: Bool { endedAt == nil }
        var deadline: Date { expectedReturn.adding(grace) }

        func concerns(_ person: Int) -> Bool { chosen?.contains(person) ?? true }
    }
}

/// The rules of product.md, "Journeys".
extension Simulator {
    /// How long an alert about a journey stays with the chosen.
    private static let chosenAlone: Duration = .minutes(15)

    private var isSure: Bool {
        isClockSound && now.since(truth.restore?.at ?? .distantPast) > .minutes(2)
    }

    /// Records what must reach all responders by now: 15 minutes without any answer.
    func widenAlarms() {
        for alarm in truth.alarms where alarm.chosen != nil && !alarm.isWide {
            guard alarm.isUnattended, alarm.answeredAt == nil,
                lastPass ?? .distantPast >= alarm.escalationFrom.adding(Self.chosenAlone)
            else { continue }
            truth.change(alarm.id) { $0.isWide = true }
        }
    }

    /// Returns whether the server may tell responders who weren't chosen.
    private func mayWiden(_ alarm: Alarm) -> Bool {
        // A person who has stopped text messages may be unreachable. The server then doesn't wait
        // for their answer.
        let chosen = listening(alarm.chosen ?? [], to: alarm.owner)
            .filter { truth.stops[$0] == nil }
        if chosen.isSubset(of: alarm.refused) { return true }
        let time = alarm.startedAt.adding(Self.chosenAlone - .seconds(1))
        return server.map { $0.clock.now() >= time } ?? false
            && (alarm.isUnattended || alarm.released != nil)
    }

    private func listening(_ chosen: Set<Int>, to owner: Int) -> Set<Int> {
        chosen.filter { truth.roles[Edge(responder: $0, owner: owner)] != nil }
    }

    /// Checks that a person who hears of a journey was chosen, or that all are told by now.
    func checkChosen(_ item: NotificationItem, _ meaning: Meaning, to person: Int) {
        if case .schedule(let news, let owner) = meaning, news.isOfJourney {
            guard let journey = truth.accounts[owner]?.journey, isSure else { return }
            let isTold = journey.tells && journey.concerns(person) || journey.hadAlert
            if !isTold { tellsStranger(item, person) }
            return
        }
        guard let alert = item.alertID else { return }
        if let alarm = truth.alarms.first(where: { $0.id == alert }) {
            guard alarm.owner != person, !alarm.concerns(person) else { return }
            if !mayWiden(alarm), isSure, !brokenPeople.contains(alarm.owner) {
                tellsStranger(item, person)
            }
            sights.insert("journey: all are told")
            truth.change(alert) { $0.isWide = true }
        } else if let owner = meaning.alarm, item.title.hasSuffix("from \(Truth.Journey.name)"),
            let journey = truth.accounts[owner]?.journey, !journey.concerns(person)
        {
            // The alert has just begun.
            let chosen = listening(journey.chosen ?? [], to: owner)
            if !chosen.isEmpty, isSure { tellsStranger(item, person) }
        }
    }

    private func tellsStranger(_ item: NotificationItem, _ person: Int) {
        note("chosen", "\(name(person)) was told \"\(item.title)\" and was not chosen")
    }

    /// Checks what a responder sees of a person's journey.
    func checkWatched(_ contact: ContactData, of owner: Int, by person: Int) {
        guard let watch = contact.watch else { return }
        let journey = truth.accounts[owner]?.journey
        let isShown = journey.map { $0.isRunning && $0.tells && $0.concerns(person) } ?? false
        guard watch.journey?.expectedReturn != (isShown ? journey?.expectedReturn : nil)
        else { return }
        note(
            "chosen",
            "\(name(person)) sees \(watch.journey == nil ? "no" : "a") journey of "
                + "\(name(owner)), who shows them \(isShown ? "another" : "none")")
    }

    /// Checks an alert in a responder's list.
    func checkListed(_ record: AlertRecord, of owner: Int, by person: Int) {
        if record.note != nil {
            note("chosen", "\(name(person))'s list shows the note of \(name(owner))")
        }
        guard let alarm = truth.alarms.first(where: { $0.id.description == record.id }),
            !alarm.concerns(person)
        else { return }
        note(
            "chosen",
            "\(name(person)) sees the alert of \(name(owner)), and was not chosen")
    }

    // MARK: Reminders

    /// Records a reminder of the return, which must be due, and the first of its kind.
    func remindedOfReturn(_ person: Int, _ item: NotificationItem, isLast: Bool) {
        guard let journey = truth.accounts[person]?.journey, journey.isRunning else {
            return note("return", "\(name(person)) was reminded, and is not on a journey")
        }
        var known =
            hearing.returns[person] ?? .init(expectedReturn: journey.expectedReturn)
        if known.expectedReturn != journey.expectedReturn {
            known = .init(expectedReturn: journey.expectedReturn)
        }
        let before = known.made.updateValue(now, forKey: isLast)
        hearing.returns[person] = known
        guard isSure else { return }
        let due = journey.expectedReturn.adding(isLast ? .zero : .minutes(-15))
        if item.createdAt < due.adding(.seconds(-1)) || item.createdAt >= journey.deadline {
            note(
                "return",
                "\(name(person)) was reminded "
                    + "\(Invariant.span(journey.deadline, since: item.createdAt)) "
                    + "before the responders are told")
        } else if let before, before >= due.adding(.seconds(-1)) {
            // A reminder that a wrong clock sent too early is repeated on time.
            note("return", "\(name(person)) was reminded twice of one return")
        }
    }

    /// Checks that no reminder arrives after the arrival or after a later return. An attempt in
    /// progress may.
    func checkReturnReminder(_ arrival: Outside.Arrival) {
        let person = arrival.endpoint.person
        guard isClockSound, now.since(truth.restore?.at ?? .distantPast) > .hours(3),
            let journey = truth.accounts[person]?.journey, !brokenPeople.contains(person)
        else { return }
        let change = journey.endedAt ?? journey.changedAt
        if arrival.item.createdAt < change.adding(.seconds(-1)), now.since(change) > .minutes(1) {
            note(
                "return",
                "\(arrival.endpoint) heard \"\(arrival.item.title)\" after the "
                    + (journey.isRunning ? "later return" : "arrival"))
        }
    }
}

extension Invariant {
    static let overdue: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        let mayWait = world.downtime > .seconds(60) || world.truth.restore != nil
        let grace: Duration = mayWait ? .seconds(60) : .zero
        for (person, account) in world.truth.accounts.enumerated() {
            guard let journey = account?.journey, journey.isRunning,
                !world.broken.contains(person), world.openAlert(person, .journey) == nil
            else { continue }
            let latest = [
                journey.deadline, journey.changedAt, sound, world.runningSince.adding(grace),
            ].max()
            guard let latest, world.now > latest.adding(tolerance) else { continue }
            return "\(world.name(person)) is not back for "
                + "\(span(world.now, since: journey.expectedReturn)), without an alert"
        }
        return nil
    }

    static let awaited: @Sendable (Observation) -> String? = { world in
        for alert in world.open where alert.kind == .journey {
            guard let account = world.truth.accounts[alert.owner] else { continue }
            guard let journey = account.journey, journey.isRunning else {
                return "\(world.name(alert.owner)) is not on a journey, and an alert is open"
            }
            guard world.truth.alarm(of: alert.owner, .journey) == nil else { continue }
            let earliest = journey.deadline.adding(
                .zero - account.receiptError - .milliseconds(slew(world)) - tolerance)
            if world.now < earliest {
                return "\(world.name(alert.owner)) has "
                    + "\(span(journey.deadline, since: world.now)) left to come back, "
                    + "and an alert is open"
            }
        }
        return nil
    }

    /// Checks that each reminder was made within a minute of its time.
    static let returns: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        let restored = world.truth.restore?.at ?? .distantPast
        for (person, account) in world.truth.accounts.enumerated() {
            guard let journey = account?.journey, journey.isRunning,
                world.now < journey.deadline, !world.broken.contains(person)
            else { continue }
            for isLast in [false, true] {
                let due = journey.expectedReturn.adding(isLast ? .zero : .minutes(-15))
                let latest =
                    [sound, world.runningSince, restored, journey.changedAt].max() ?? sound
                guard latest < due.adding(.minutes(-1)), world.now > due.adding(.minutes(1))
                else { continue }
                let known = world.hearing.returns[person]
                if known?.expectedReturn == journey.expectedReturn, known?.made[isLast] != nil {
                    continue
                }
                return "\(world.name(person)) was not reminded of the return, and has "
                    + "\(span(journey.deadline, since: world.now)) left"
            }
        }
        return nil
    }
}
