import Clients
import Domain
import Features
import Foundation

struct StatusText {
    var snapshot: Snapshot
    var words: TimeWords

    /// Begins with a call for help that isn't sent, because the person has to phone someone.
    var lines: [String] { alerts(areUnsent: true) + own + urgent + others + footer }

    /// The first lines of a log of changes.
    var log: [String] { (lines + unsent).filter { !$0.isEmpty } }

    /// All lines. The connection, alerts and pings come first, because a small screen cuts off the
    /// last lines.
    /// - Parameter notices: lines about refusals.
    func page(_ notices: [String] = []) -> [String] {
        let connectivity = snapshot.connectivity
        let unsentAlerts = connectivity.waiting.filter { $0.kind == .raiseAlert }
        let otherActions = connectivity.waiting.filter { $0.kind != .raiseAlert }
        let connection =
            [ConnectivityText.line(of: snapshot, words)] + unsent
            + ConnectivityText.waiting(unsentAlerts, words)
        let needs = alerts(areUnsent: true) + urgent
        return connection + [""] + needs + notices
            + ConnectivityText.waiting(otherActions, words) + own + others
    }

    private var own: [String] {
        header + ProtectionText.lines(snapshot.protection) + ProtectionText.lines(snapshot.audience)
    }

    private var unsent: [String] {
        snapshot.connectivity.unsentAlert.map(ConnectivityText.unsent) ?? []
    }

    private var urgent: [String] { alerts(areUnsent: false) + pings + drills }

    private var others: [String] { requests + contacts + notifications }

    // MARK: Parts

    private var header: [String] {
        guard let profile = snapshot.profile else { return ["Nothing is known yet."] }
        let name =
            profile.name.isEmpty
            ? "You have not given a name yet: lifesignal profile edit --name \"Your Name\""
            : Plain.name(profile.name)
        let journey = profile.journey.map { JourneyText.line($0, words) }
        return [name] + Self.checkIns(profile, words, by: snapshot.lastSource)
            + [journey].compactMap(\.self) + AccountNotices(profile).lines(words)
    }

    /// Returns a line about the last check-in and the deadline, and one about a pause.
    /// - Parameter source: the name of the source that checked in; nil for the user.
    static func checkIns(
        _ profile: UserProfile, _ words: TimeWords, by source: String? = nil
    ) -> [String] {
        let pause = profile.pausedUntil(at: words.now).map { "Paused until \(words.day($0))." }
        return [checkIn(profile, words, by: source)] + [pause].compactMap(\.self)
    }

    static func checkIn(
        _ profile: UserProfile, _ words: TimeWords, by source: String? = nil
    ) -> String {
        let hasDeadlines = profile.settings.plan != .none
        guard let last = profile.lastCheckInTime else {
            return hasDeadlines
                ? "You have not checked in yet: lifesignal check-in" : "No deadlines."
        }
        let how = words.past(last) + (source.map { " by \(Plain.line($0))" } ?? "")
        guard let next = profile.nextCheckInTime else {
            return "Checked in \(how). No deadlines."
        }
        let isMissed = CheckInRules.isMissed(deadline: next, at: words.now)
        return
            """
            Checked in \(how). \(isMissed ? "MISSED: it was due" : "Next by") \
            \(words.deadline(next)).
            """
    }

    /// Returns the answer to a check-in.
    static func answer(_ record: CheckInRecord, _ words: TimeWords) -> String {
        guard let deadline = record.nextCheckInTime else {
            return "Checked in at \(words.clock(record.occurredAt)). No deadlines."
        }
        guard let opening = record.opensAt else {
            return """
                Checked in at \(words.clock(record.occurredAt)). Next by \
                \(words.deadline(deadline)).
                """
        }
        let opens =
            words.isSameDay(opening, deadline) ? "at \(words.clock(opening))" : words.day(opening)
        return "Recorded. Your check-in for \(words.day(deadline)) opens \(opens)."
    }

    private func alerts(areUnsent: Bool) -> [String] {
        snapshot.openAlerts.filter { snapshot.isUnsent($0) == areUnsent }
            .map { "ALERT  \(AlertText.line($0, in: snapshot, words))" }
    }

    private var pings: [String] {
        snapshot.pingsToAnswer.map {
            """
            PING   \(snapshot.name(of: $0.responderID)) asks whether you are fine, since \
            \(words.past($0.createdAt)).
            """
        }
    }

    private var drills: [String] {
        snapshot.drillsToAnswer.map { "DRILL  \(DrillText.question($0))" }
    }

    private var requests: [String] {
        snapshot.requestsToAnswer.map { contact, request in
            let words = ContactText.words(request)
            return "ASKS   \(Plain.name(contact.name)) \(words): lifesignal contacts accept|decline"
        }
    }

    private var contacts: [String] {
        ["", TimeWords.count(snapshot.contacts.count, "contact")]
            + ContactText.table(snapshot, words).map { "  \($0)" }
    }

    private var notifications: [String] {
        let count = snapshot.unread.count
        return count == 0
            ? []
            : ["", "\(TimeWords.count(count, "unread notification")): lifesignal notifications"]
    }

    private var footer: [String] { [""] + ConnectivityText.lines(of: snapshot, words) }
}

enum ContactText {
    static func table(_ snapshot: Snapshot, _ words: TimeWords) -> [String] {
        let contacts = snapshot.contactsInOrder
        let width = min(30, contacts.map { TerminalRows.cells(Plain.name($0.name)) }.max() ?? 0)
        return contacts.map { contact in
            let name = Plain.name(contact.name)
            let isUnconfirmed = contact.isUnconfirmed(in: snapshot, at: words.now)
            return
                ([
                    name.padded(to: width),
                    roles(contact), state(contact, words, isUnconfirmed: isUnconfirmed),
                ] + journey(contact, words) + requests(contact) + reachability(contact)
                + pings(contact, in: snapshot, words))
                .filter { !$0.isEmpty }.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }
    }

    static func roles(_ contact: ContactData) -> String {
        switch (contact.isResponder, contact.isDependent) {
        case (true, true): "you help each other "
        case (true, false): "your responder      "
        case (false, true): "you watch over them "
        case (false, false): "asked               "
        }
    }

    static func requests(_ contact: ContactData) -> [String] {
        contact.requests.map(words)
    }

    /// Returns the journey of a contact who told the user of it.
    private static func journey(_ contact: ContactData, _ words: TimeWords) -> [String] {
        guard let watch = contact.watch, let journey = watch.journey else { return [] }
        let back = words.deadline(journey.expectedReturn)
        let theirs = words.theirs(journey.expectedReturn, watch)
        return ["on a journey, \(Plain.line(journey.name)): back by \(back)\(theirs)"]
    }

    private static func reachability(_ contact: ContactData) -> [String] {
        contact.reachability?.state == .unreachable
            ? [contact.reachability?.words].compactMap(\.self) : []
    }

    static func words(_ request: RoleRequest) -> String {
        switch (request.role, request.isMine) {
        case (.responder, true): "has not accepted yet to be your responder"
        case (.responder, false): "asks to be your responder"
        case (.dependent, true): "you asked to be their responder"
        case (.dependent, false): "asks you to be their responder"
        }
    }

    static func relation(_ contact: ContactData) -> String {
        let isConnected = contact.isResponder || contact.isDependent
        let roles = isConnected ? [roles(contact).trimmingCharacters(in: .whitespaces)] : []
        return (roles + requests(contact)).joined(separator: "; ")
    }

    /// - Parameter isUnconfirmed: true if only the clock says that the contact is overdue.
    static func state(
        _ contact: ContactData, _ words: TimeWords, isUnconfirmed: Bool = false
    ) -> String {
        guard let watch = contact.watch, let status = contact.status(at: words.now) else {
            return ""
        }
        let next = watch.nextCheckInTime.map { words.deadline($0) + words.theirs($0, watch) }
        let pause = watch.pausedUntil(at: words.now).map {
            "paused until \(words.day($0))\(words.theirs($0, watch))"
        }
        let isFree = watch.plan == CheckInPlan.none || watch.lastCheckInTime != nil
        let known = pause ?? next ?? (isFree ? "no deadlines" : "has not checked in yet")
        let missed = watch.missedDeadline(at: words.now) == nil ? nil : next
        let overdue = isUnconfirmed ? ContactData.overdueWords : "NOT RESPONDING"
        return switch status {
        case .active: known
        // An overdue journey says nothing about the check-in.
        case .nonResponsive:
            missed.map { "\(overdue), was due \($0)" } ?? "\(overdue); \(known)"
        case .alertActive: "ALERT; \(known)"
        }
    }

    /// "Every 24 hours"; nil unless the user watches over the contact.
    static func plan(_ contact: ContactData) -> String? {
        contact.watch.map { Plain.line($0.planWords) }
    }

    static let unheardPing = "none of their devices announces pings"

    private static func pings(
        _ contact: ContactData, in snapshot: Snapshot, _ words: TimeWords
    ) -> [String] {
        let isWaiting = snapshot.connectivity.isWaiting(.ping, about: contact.id)
        return [
            contact.hasPendingPing ? "asks whether you are fine" : nil,
            isWaiting
                ? "your ping waits to be sent"
                : contact.pingedAt.map { "pinged \(words.ago($0)), no answer yet" },
            contact.pingedAt != nil && !isWaiting && contact.hearsPings == false
                ? unheardPing : nil,
        ].compactMap(\.self)
    }
}

extension ContactData {
    /// Returns true if only the clock says that the contact is overdue, because this device can't
    /// ask the server (`WatchedState.isUnconfirmed`).
    func isUnconfirmed(in snapshot: Snapshot, at now: Date) -> Bool {
        guard var present = watch else { return false }
        present.status = present.status(at: now)
        let connectivity = snapshot.connectivity
        return present.isUnconfirmed(
            knownUntil: connectivity.isOnline ? nil : connectivity.lastSynced, at: now)
    }
}

enum AlertText {
    static let discarded = "The alert was not sent and is discarded."

    static func line(_ alert: AlertRecord, in snapshot: Snapshot, _ words: TimeWords) -> String {
        let (isOwn, isUnsent) = (snapshot.isOwn(alert), snapshot.isUnsent(alert))
        let name = snapshot.name(of: alert.userId)
        let what =
            switch alert.kind {
            case .manual: isOwn ? "You called for help" : "\(name) needs help"
            case .missedCheckIn: isOwn ? "You missed a check-in" : "\(name) missed a check-in"
            case .journey: JourneyText.overdue(alert, name: isOwn ? nil : name)
            }
        let watch = snapshot.contacts.first { "\($0.id)" == alert.userId }?.watch
        let theirs = { (date: Date) in watch.map { words.theirs(date, $0) } ?? "" }
        let start = isUnsent ? "NOT SENT: \(what)" : what
        var parts = ["\(start), \(words.past(alert.startTime))\(theirs(alert.startTime))"]
        if alert.kind == .journey, let back = alert.deadline {
            parts.append("expected back by \(words.moment(back))\(theirs(back))")
        }
        let deadline = AlertRules.lateDeadline(
            alert.deadline, of: alert.kind, startedAt: alert.startTime)
        if let deadline {
            parts.append("should have checked in by \(words.moment(deadline))\(theirs(deadline))")
        }
        if let end = alert.endTime {
            let place = alert.ending.map { ", ended \(Plain.line(AlertWords.place($0)))" } ?? ""
            parts.append("over since \(words.moment(end))\(theirs(end))\(place)")
        }
        if let taken = alert.acknowledgement {
            let end = alert.acknowledgementEnd?.words ?? ""
            parts.append(
                """
                \(Plain.name(taken.name)) \(alert.isActive ? "is on it," : "took it on") after \
                \(TimeWords.span(Int(taken.afterSeconds)))\(end)
                """
            )
        } else if isOwn, alert.isRefusedByAll == true {
            parts.append(
                "everyone who can be reached has said that they can’t: call for help directly")
        } else if let refusals = alert.refusals {
            parts += refusals.map { action($0, of: alert, in: snapshot) }
            if isOwn, alert.isUnheard == true {
                parts.append(
                    "no message reaches your other responders: call for help directly")
            } else if isOwn, alert.report == nil,
                let alone = JourneyText.alone(in: alert, snapshot, words)
            {
                parts.append(alone)
            }
        } else if isUnsent {
            parts.append("we don't know whether anyone was told: phone someone now")
        } else if alert.isActive, alert.report == nil {
            parts.append("no one is on it yet")
            if isOwn, let silence = ProtectionText.silence(of: alert, in: snapshot) {
                parts.append("\(silence): call for help directly")
            } else if isOwn, let alone = JourneyText.alone(in: alert, snapshot, words) {
                parts.append(alone)
            }
        }
        if let report = alert.report {
            parts.append("\(action(report, of: alert, in: snapshot)), \(words.past(report.time))")
        }
        if let end = alert.pausedUntil {
            let own = isOwn ? " (not true? lifesignal alert resume)" : ""
            parts.append("no one is alerted again until \(words.moment(end))\(own)")
        }
        return "\(parts.joined(separator: "; ")).  \(alert.id)"
    }

    /// The answer to a responder who has declined. The server ignores a refusal beyond the limit of
    /// changes (`ActRules`), so the responder's last action is then another one.
    /// - Parameters:
    ///   - user: the responder; nil if unknown.
    ///   - hasAccepted: true if the responder has accepted the role.
    static func declined(
        _ alert: AlertRecord, by user: UserID? = nil, hasAccepted: Bool = true
    ) -> String {
        guard alert.isActive else { return "This alert has ended: there was nothing to do." }
        let last = user.flatMap { user in
            alert.history.last { $0.responderId == user.description }
        }
        if let last, !last.kind.isRefusal {
            return AlertWords.answerIgnored
        }
        let declined = "You have said that you can't."
        switch alert.afterRefusal(hasAccepted: hasAccepted) {
        case .isInHand: return declined
        case .noOneIsLeft: return "\(declined) No one else is left."
        case .othersAreAsked: return "\(declined) Others are being asked."
        case .othersHaveTheAlert: return "\(declined) Others have the alert, too."
        }
    }

    static func timeline(
        _ alert: AlertRecord, in snapshot: Snapshot, _ words: TimeWords
    ) -> [String] {
        let person = snapshot.isOwn(alert) ? nil : snapshot.name(of: alert.userId)
        let timeline = AlertTimeline(
            alert, reader: snapshot.profile?.id, person: person,
            stopped: person == nil ? snapshot.contacts.stopped : [])
        return timeline.steps.map { step in
            let later = [
                step.next.map { "due \(words.momentWithSeconds($0))" },
                step.arrived.map { "arrived \(words.momentWithSeconds($0))" },
            ].compactMap(\.self)
            let text = ([Plain.line(step.words)] + later).joined(separator: ", ")
            return "  \(words.momentWithSeconds(step.time))  \(text)"
        }
    }

    static func action(
        _ action: AlertAction, of alert: AlertRecord, in snapshot: Snapshot
    ) -> String {
        let isOwn = snapshot.profile.map { UserID(action.responderId) == $0.id } ?? false
        let person = snapshot.isOwn(alert) ? nil : snapshot.name(of: alert.userId)
        let name = isOwn ? nil : Plain.name(action.name)
        return action.wordsWithMeans(by: name, about: person)
    }
}

enum ConnectivityText {
    static func lines(of snapshot: Snapshot, _ words: TimeWords) -> [String] {
        [line(of: snapshot, words)] + waiting(snapshot.connectivity.waiting, words)
    }

    static func line(of snapshot: Snapshot, _ words: TimeWords) -> String {
        let connectivity = snapshot.connectivity
        guard !connectivity.isOnline else { return "Online." }
        let date = connectivity.lastSynced
        guard !snapshot.isConnecting else {
            return date.map { "Connecting: as of \(words.past($0))." } ?? "Connecting."
        }
        guard !snapshot.isRateLimited else {
            return Output.age(of: date, isRateLimited: true, words)
        }
        return date.map { "Offline: as of \(words.past($0))." } ?? "Offline."
    }

    static let unsentChoice =
        "Send it now: `lifesignal alert start`. Discard it: `lifesignal alert stop`."

    /// Returns lines about an alert that an ended session left unsent. The person hasn't yet
    /// answered whether to send it. Times are by this device's clock.
    static func unsent(_ alert: UnsentAlert) -> [String] {
        let end = ClientProcess.words.second(alert.sendsAt)
        return [
            notSent(raisedAt: alert.raisedAt),
            "\(unsentChoice) The first command after \(end) sends it.",
        ]
    }

    static func notSent(raisedAt date: Date) -> String {
        "Your alert of \(ClientProcess.words.past(date)) was NOT sent."
    }

    static func waiting(_ actions: [WaitingAction], _ words: TimeWords) -> [String] {
        actions.map { "Waiting to be sent: \($0.kind.words.own) of \(words.moment($0.createdAt))." }
    }
}
