import Domain
import Foundation
import Persistence

struct AlertBeginning {
    var alert: AlertRow
    var owner: UserRow
    /// Since when a restore may have lost check-ins; nil if it lost none.
    var incompleteSince: Date?
    /// When the person was asked after a restore; nil for a journey, which isn't asked about.
    var askedAt: Date?

    private var deadline: Date { alert.deadlineAt ?? alert.startedAt }

    func notice(_ text: NotificationText) -> Notice {
        var notice = Notice.urgent(text, about: owner.id, alert: alert, .alertBegin)
        notice.superseded = alert.newsOfJourney(of: owner)
        return notice
    }

    func text(at now: Date) -> NotificationText {
        beginning(at: now).withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
    }

    private func beginning(at now: Date) -> NotificationText {
        switch alert.kind {
        case .manual:
            .alertRaised(
                name: owner.displayName, at: alert.startedAt, receivedAt: alert.receivedAt)
        case .missedCheckIn:
            if let incompleteSince, let askedAt {
                .mayHaveMissed(
                    name: owner.displayName, deadline: deadline, incompleteSince: incompleteSince,
                    askedAt: askedAt)
            } else {
                .missedCheckIn(
                    name: owner.displayName, deadline: deadline, at: now, late: alert.toldLate)
            }
        case .journey:
            incompleteSince.map {
                .mayNotBeBack(
                    name: owner.displayName, journey: alert.journey ?? "", expected: deadline,
                    incompleteSince: $0)
            }
                ?? .notBack(
                    name: owner.displayName, journey: alert.journey ?? "", expected: deadline,
                    late: alert.toldLate)
        }
    }

    /// Returns the text for the owner, with the number to call if no message reaches a responder;
    /// nil for a manual alert that reached a responder.
    func textToOwner(_ responders: ToldResponders) -> NotificationText? {
        let text: NotificationText
        switch alert.kind {
        case .missedCheckIn:
            return .missedCheckIn(deadline: deadline, responders, of: owner)
        case .journey where responders.all > 0:
            text = .journeyRespondersWereTold(
                journey: alert.journey ?? "", expected: deadline, responders)
        case .journey, .manual:
            guard responders.told == 0 else { return nil }
            text = responders.all == 0 ? .alertReachedNobody : .alertReachedNobody(responders)
        }
        return responders.told > 0 ? text : text.withOwnEmergencyNumber(owner.phoneNumber)
    }
}

extension NotificationText {
    /// Text for the owner, with the number to call if no message reaches a responder.
    static func missedCheckIn(
        deadline: Date, _ responders: ToldResponders, of owner: UserRow
    ) -> Self {
        let text: Self =
            responders.all == 0
            ? .nobodyWasTold(deadline: deadline)
            : .respondersWereTold(deadline: deadline, responders)
        return responders.told > 0 ? text : text.withOwnEmergencyNumber(owner.phoneNumber)
    }

    static func alertRepeated(_ alert: AlertRow, of owner: UserRow) -> Self {
        alertRepeated(
            name: owner.displayName, kind: alert.kind, since: alert.startedAt,
            receivedAt: alert.receivedAt
        ).withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
    }
}

extension AlertRow {
    /// News of the journey that the alert is about; nil for other alerts.
    func newsOfJourney(of owner: UserRow) -> StoredNews? {
        journey.map { .journey($0, name: owner.displayName) }
    }

    /// When the server received an alert that came late; nil for other alerts.
    var lateReceipt: Date? {
        AlertRules.cameLate(startedAt: startedAt, receivedAt: receivedAt) ? receivedAt : nil
    }

    /// The missed deadline of an alert that began late; nil for other alerts.
    var lateDeadline: Date? {
        AlertRules.lateDeadline(deadlineAt, of: kind, startedAt: startedAt)
    }
}

struct AlertLifecycle: Commands {
    let core: Core
    let notifier: Notifier
    let alertRecords: AlertRecords
    let drills: Drills
    let reach: Reach

    /// Opens alerts and notifies every responder. Notifies the owner of a missed check-in, and of a
    /// manual alert that reached no responder. On a database with round trips, the number of
    /// statements doesn't depend on the number of alerts.
    func open(_ beginnings: [AlertBeginning], in transaction: Transaction) throws {
        guard !beginnings.isEmpty else { return }
        let beginnings = beginnings.map { beginning in
            var beginning = beginning
            beginning.alert.nextCallAt = firstCall(after: transaction.now)
            return beginning
        }
        try transaction.insert(beginnings.map(\.alert))
        try drills.endDrills(ofAlerted: beginnings.map(\.owner.id), in: transaction)
        let all = try transaction.responders(of: beginnings.map(\.owner.id))
        let responders = Dictionary(
            beginnings.map { ($0.owner.id, $0.alert.audience(among: all[$0.owner.id] ?? [])) },
            uniquingKeysWith: { first, _ in first })
        let counts = try reach.counted(responders, in: transaction)
        var announcements: [Announcement] = []
        for beginning in beginnings {
            let told = responders[beginning.owner.id] ?? []
            try alertRecords.publish(
                beginning.alert, to: told.map(\.id), isNew: true, in: transaction)
            announcements.append(
                Announcement(to: told, beginning.notice(beginning.text(at: transaction.now))))
            var count = counts[beginning.owner.id] ?? ToldResponders(told: 0, all: 0)
            count.areChosen = beginning.alert.onlyFor != nil
            if let toOwner = beginning.textToOwner(count) {
                announcements.append(
                    Announcement(
                        to: [Recipient(beginning.owner)], beginning.notice(toOwner)))
            }
        }
        try notifier.notify(announcements, in: transaction)
    }

    /// Restarts the escalation of an open alert after another missed deadline. Notifies the
    /// responder who acknowledged, or reported and didn't refuse afterwards. Notifies all
    /// responders if there is none.
    func restart(
        _ open: AlertRow, missing deadline: Date, owner: UserRow,
        in transaction: Transaction
    ) throws {
        var alert = open
        let onIt = try alert.acknowledgedBy ?? reporter(of: alert, in: transaction)
        let responders = try transaction.responders(of: owner.id)
        // A report whose author has refused since would pause the repeats about this deadline.
        if onIt == nil, alert.report != nil {
            alert.endReport()
            try transaction.supersedeNews(about: alert, for: responders.map(\.id) + [owner.id])
        }
        alert.escalation = alert.escalation.restarted(at: transaction.now)
        alert.deadlineAt = deadline
        alert.isOwnerNotified = false
        alert.withoutSMS = false
        alert.nextCallAt = firstCall(after: transaction.now)
        try transaction.update(alert)
        try transaction.withdrawSteps(
            from: .call, about: AlertKey(owner: owner.id, id: alert.id), reason: .superseded)
        try alertRecords.publish(alert, to: responders.map(\.id), in: transaction)
        let text = NotificationText.missedAgain(name: owner.displayName, deadline: deadline)
            .withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
        let told = responders.filter { onIt == nil || onIt == $0.id }
        // A repeat is often due at the same moment, and its message says less.
        try transaction.supersedeRepeats(of: alert, for: told.map(\.id))
        try notifier.notify(
            told, .urgent(text, about: owner.id, alert: alert, .alertRepeat), in: transaction)
        let toOwner: NotificationText
        if onIt != nil, let helper = told.first {
            let pause = alert.reportedAt?.adding(Escalation.pauseAfterReport)
            toOwner = .onlyOneWasTold(
                deadline: deadline, responder: helper.displayName,
                isReached: try reach.reaches(helper, in: transaction),
                pausedUntil: alert.acknowledgedBy == nil ? pause : nil)
        } else {
            let count = try reach.counted(responders, of: owner.id, in: transaction)
            toOwner = .missedCheckIn(deadline: deadline, count, of: owner)
        }
        try notifier.notify(
            Recipient(owner), .urgent(toOwner, about: owner.id, alert: alert), in: transaction)
    }

    /// Returns the author of the report in force; nil if they have refused the alert since.
    private func reporter(of alert: AlertRow, in transaction: Transaction) throws -> UserID? {
        guard let reporter = alert.reportedBy, let time = alert.reportedAt else { return nil }
        let last = try transaction.lastAction(
            by: reporter, about: AlertKey(owner: alert.userID, id: alert.id), since: time)
        return last?.isRefusal == true ? nil : reporter
    }

    /// Ends an alert and withdraws its pending deliveries. Notifies everyone who was told of the
    /// alert, on at least the same channels. The messages name other open alerts of the owner.
    /// - Parameter time: an end that a restore has lost; nil for now.
    func end(
        _ alert: AlertRow, owner: UserRow, by caller: Caller, at time: Date? = nil,
        saying text: NotificationText, in transaction: Transaction
    ) throws -> AlertRow {
        var ended = alert
        ended.ending = try transaction.ending(by: caller)
        ended.endedAt = time ?? transaction.now
        try transaction.update(ended)
        var reach = try transaction.reach(of: alert)
        try supersede(alert, in: transaction)
        try transaction.addAttempts(about: alert, to: &reach)
        let responders = try transaction.audience(of: alert)
        try alertRecords.publish(ended, to: responders.map(\.id), in: transaction)
        // Otherwise the end would read as the all-clear.
        let others = try OtherAlerts(besides: ended, of: owner, in: transaction)
        for endText in AlertReach.EndText.allCases {
            let announcements = others.announcements(
                text, to: responders.filter { reach[$0.id]?.endText == endText }
            ) { text in
                var notice = Notice.urgent(text, about: owner.id, alert: ended, .alertEnd)
                notice.useSMS(endText)
                notice.superseded = alert.newsOfJourney(of: owner)
                return notice
            }
            try notifier.notify(announcements, in: transaction)
        }
        try transaction.forgetAlerts(
            of: owner.id, beyond: StormRules.alertsKept(responders: responders.count),
            since: transaction.now.adding(.zero - StormRules.alertsKeptWindow),
            besides: alert.id)
        return ended
    }
}
