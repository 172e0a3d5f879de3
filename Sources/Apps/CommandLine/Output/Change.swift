import Clients
import Domain
import Foundation

/// A change between two snapshots. `watch` prints one line per change if it can't redraw the
/// screen.
struct Change: Encodable, Equatable, Sendable {
    enum Event: String, Encodable, Sendable {
        case online, offline, waiting, sent
        case takenBack = "taken-back"
        case alertStarted = "alert-started"
        case alertAcknowledged = "alert-acknowledged"
        case alertReported = "alert-reported"
        case alertReportEnded = "alert-report-ended"
        case alertResumed = "alert-resumed"
        case alertRefused = "alert-refused"
        case alertEnded = "alert-ended"
        case pingReceived = "ping-received"
        case pingSent = "ping-sent"
        case pingAnswered = "ping-answered"
        case pingCleared = "ping-cleared"
        case pingExpired = "ping-expired"
        case drillAsked = "drill-asked"
        case drillEnded = "drill-ended"
        case checkIn = "check-in"
        case contactAdded = "contact-added"
        case contactRemoved = "contact-removed"
        case rolesChanged = "roles-changed"
        case refused

        /// Whether the page of `watch` rings the terminal's bell.
        var isUrgent: Bool {
            [.alertStarted, .alertResumed, .alertRefused, .pingReceived, .drillAsked].contains(self)
        }
    }

    var event: Event
    var text: String
    var userID: String?
    var alertID: String?
    var pingID: String?
    var drillID: String?

    /// Returns the changes, most urgent first.
    static func between(_ old: Snapshot, _ new: Snapshot, at now: Date) -> [Change] {
        alerts(old, new) + pings(old, new) + drills(old, new) + contacts(old, new, now)
            + connection(old, new)
    }

    private static func alerts(_ old: Snapshot, _ new: Snapshot) -> [Change] {
        let before = Dictionary(old.alerts.map { ($0.id, $0) }) { $1 }
        let after = Set(new.alerts.map(\.id))
        return new.alerts.flatMap { alert -> [Change] in
            let hasNewID =
                new.isOwn(alert)
                && old.alerts.contains {
                    $0.isActive && $0.kind == alert.kind && $0.userId == alert.userId
                        && !after.contains($0.id)
                }
            let known = before[alert.id]
            return AlertChanges(known: known, alert: alert, hasNewID: hasNewID, snapshot: new).all
        }
    }

    /// Returns the text after a responder has withdrawn, has lost the role, or hasn't confirmed.
    /// The server then alerts everyone again unless a report remains.
    private static func withdrawal(
        of helper: AlertRecord.Acknowledgement, _ alert: AlertRecord, _ whose: String,
        _ snapshot: Snapshot
    ) -> String {
        let isOnIt =
            isReader(helper.responderId, snapshot) ? "You are" : "\(Plain.name(helper.name)) is"
        let text = "\(isOnIt) no longer on \(whose)."
        if let report = alert.report {
            return """
                \(text) No one is alerted again while this report counts: \
                \(AlertText.action(report, of: alert, in: snapshot)).
                """
        }
        // The server hides reports from a responder who has only been asked.
        return snapshot.seesReports(on: alert) ? "\(text) Everyone is alerted again." : text
    }

    private static func isReader(_ id: String, _ snapshot: Snapshot) -> Bool {
        snapshot.profile.map { $0.id == UserID(id) } ?? false
    }

    /// Returns the event after the end of a report. The server alerts everyone again unless a
    /// responder is on the alert.
    private static func reportEnd(
        _ report: AlertAction, of alert: AlertRecord, _ whose: String, _ snapshot: Snapshot
    ) -> (event: Event, text: String) {
        guard let helper = alert.acknowledgement else {
            return (.alertResumed, "Everyone is alerted again to \(whose).")
        }
        let reporter =
            isReader(report.responderId, snapshot) ? "you" : Plain.name(report.name)
        let isOnIt =
            isReader(helper.responderId, snapshot) ? "you are" : "\(Plain.name(helper.name)) is"
        let text = "What \(reporter) reported no longer counts, and \(isOnIt) on \(whose)."
        return (.alertReportEnded, text)
    }

    private static func pings(_ old: Snapshot, _ new: Snapshot) -> [Change] {
        let before = Dictionary(old.pings.map { ($0.id, $0) }) { $1 }
        let after = Set(new.pings.map(\.id))
        return new.pings.compactMap { ping in
            let isMine = ping.responderID == new.profile?.id
            let name = new.name(of: isMine ? ping.dependentID : ping.responderID)
            func change(_ event: Event, _ text: String) -> Change {
                Change(
                    event: event, text: text,
                    userID: "\(isMine ? ping.dependentID : ping.responderID)", pingID: "\(ping.id)")
            }
            guard before[ping.id]?.state != ping.state else { return nil }
            switch ping.state {
            case .pending:
                // The server may give another id to a ping that the reader sent offline. The first
                // id then disappears.
                let isKnown = old.pings.contains {
                    $0.state == .pending && $0.responderID == ping.responderID
                        && $0.dependentID == ping.dependentID && !after.contains($0.id)
                }
                if isKnown { return nil }
                return isMine
                    ? change(.pingSent, "You asked \(name) whether they are fine.")
                    : change(.pingReceived, "PING: \(name) asks whether you are fine.")
            case _ where before[ping.id] == nil: return nil
            case .answered:
                // The answer may be hours old. Only the notification gives its time.
                return change(
                    .pingAnswered,
                    isMine ? "\(name) answered your ping." : "You told \(name) that you are fine.")
            case .cleared:
                return change(
                    .pingCleared, "The ping \(isMine ? "to" : "from") \(name) was taken back.")
            case .expired:
                return change(
                    .pingExpired,
                    "The ping \(isMine ? "to" : "from") \(name) was not answered within a day.")
            }
        }
    }

    private static func drills(_ old: Snapshot, _ new: Snapshot) -> [Change] {
        func drills(of snapshot: Snapshot, without other: Snapshot) -> [DrillQuestion] {
            let known = Set(other.drills.map(\.id))
            // A drill without a notification is muted.
            return snapshot.drills.filter { !known.contains($0.id) && $0.notificationID != nil }
        }
        func change(_ event: Event, _ drill: DrillQuestion, _ text: String) -> Change {
            Change(event: event, text: text, userID: "\(drill.ownerID)", drillID: "\(drill.id)")
        }
        let asked = drills(of: new, without: old).map {
            change(.drillAsked, $0, "DRILL: \(DrillText.question($0))")
        }
        let ended = drills(of: old, without: new).map {
            change(
                .drillEnded, $0,
                "The drill by \(Plain.name($0.name)) no longer waits for your answer.")
        }
        return asked + ended
    }

    private static func contacts(_ old: Snapshot, _ new: Snapshot, _ now: Date) -> [Change] {
        let before = Dictionary(old.contacts.map { ($0.id, $0) }) { $1 }
        let after = Set(new.contacts.map(\.id))
        func change(_ event: Event, _ contact: ContactData, _ text: String) -> Change {
            Change(
                event: event, text: "\(Plain.name(contact.name)) \(text)", userID: "\(contact.id)")
        }
        var changes = old.contacts.filter { !after.contains($0.id) }.map {
            change(.contactRemoved, $0, "is no longer your contact.")
        }
        for contact in new.contacts {
            guard let known = before[contact.id] else {
                changes.append(
                    change(
                        .contactAdded, contact,
                        "is now your contact: \(ContactText.relation(contact))."))
                continue
            }
            if known.relation != contact.relation {
                changes.append(
                    change(
                        .rolesChanged, contact,
                        "has new roles: \(ContactText.relation(contact))."))
            }
            if let last = contact.watch?.lastCheckInTime, known.watch != nil,
                known.watch?.lastCheckInTime.map({ $0 < last }) ?? true
            {
                changes.append(change(.checkIn, contact, "checked in."))
            }
        }
        return changes
    }

    private static func connection(_ earlier: Snapshot, _ later: Snapshot) -> [Change] {
        let (old, new) = (earlier.connectivity, later.connectivity)
        let hasStoppedConnecting = earlier.isConnecting && !later.isConnecting
        let before = Set(old.waiting.map(\.id))
        let after = Set(new.waiting.map(\.id))
        var changes: [Change] = []
        if old.isOnline != new.isOnline || hasStoppedConnecting {
            changes.append(
                Change(
                    event: new.isOnline ? .online : .offline,
                    text: new.isOnline ? "Online." : "Offline."))
        }
        changes += new.waiting.filter { !before.contains($0.id) }.map {
            Change(event: .waiting, text: "Waiting to be sent: \($0.kind.words.own).")
        }
        let isReplaced = hasLaterReturn(earlier, later)
        let left = old.waiting.filter { !after.contains($0.id) && !new.refused.contains($0.id) }
        changes += left.map { action -> Change in
            let own = action.kind.words.own
            return new.discarded.contains(action.id) || action.kind == .endJourney && isReplaced
                ? Change(event: .takenBack, text: "Taken back: \(own).")
                : Change(event: .sent, text: "No longer waiting: \(own).")
        }
        return changes
    }

    /// True if another process has extended the journey while the watch stepped aside, which takes
    /// an unsent arrival back.
    private static func hasLaterReturn(_ old: Snapshot, _ new: Snapshot) -> Bool {
        let known = Set(old.connectivity.waiting.map(\.id))
        let isQueued = new.connectivity.waiting.contains {
            $0.kind == .extendJourney && !known.contains($0.id)
        }
        guard let before = old.profile?.journey, let after = new.profile?.journey else {
            return isQueued
        }
        let isSent = after.id == before.id && after.expectedReturn != before.expectedReturn
        return isQueued || isSent
    }
}

extension Change {
    /// The changes of one alert.
    private struct AlertChanges {
        /// The alert in the earlier snapshot.
        let known: AlertRecord?
        let alert: AlertRecord
        /// True if the earlier snapshot has the alert by another id. The server may give another id
        /// to an alert that the reader raised offline. The first id then disappears.
        let hasNewID: Bool
        let snapshot: Snapshot

        private var isOwn: Bool { snapshot.isOwn(alert) }
        private var name: String { snapshot.name(of: alert.userId) }
        private var whose: String { isOwn ? "your alert" : "\(name)'s alert" }

        var all: [Change] {
            [start, acknowledgement, report, withdrawal, refusal, end].compactMap(\.self)
        }

        private func change(_ event: Event, _ text: String) -> Change {
            Change(event: event, text: text, userID: alert.userId, alertID: alert.id)
        }

        private var start: Change? {
            guard known == nil, !hasNewID, alert.isActive else { return nil }
            let text =
                switch alert.kind {
                case .manual: isOwn ? "You called for help" : "\(name) needs help"
                case .missedCheckIn: isOwn ? "You missed a check-in" : "\(name) missed a check-in"
                case .journey: JourneyText.overdue(alert, name: isOwn ? nil : name)
                }
            let unsent = snapshot.isUnsent(alert) ? " \(AlertText.notSent)" : ""
            return change(.alertStarted, "ALERT: \(text).\(unsent)")
        }

        private var acknowledgement: Change? {
            // An alert that ended without a responder on it shows its first acknowledgement.
            guard let taken = alert.acknowledgement, alert.acknowledgementEnd == nil,
                taken.responderId != known?.acknowledgement?.responderId,
                alert.isActive || known?.isActive == true
            else { return nil }
            return change(.alertAcknowledged, "\(Plain.name(taken.name)) is on \(whose).")
        }

        private var report: Change? {
            guard let report = alert.report, known?.report != report, alert.isActive else {
                return nil
            }
            let words = AlertText.action(report, of: alert, in: snapshot)
            return change(.alertReported, "\(words). No one is alerted again for 12 hours.")
        }

        /// The end of an acknowledgement or report.
        private var withdrawal: Change? {
            guard alert.isActive else { return nil }
            if alert.acknowledgement == nil, let left = known?.acknowledgement {
                return change(
                    .alertResumed, Change.withdrawal(of: left, alert, whose, snapshot))
            }
            // A responder who has lost the role, or was asked again, no longer sees the report.
            guard let report = known?.report, alert.report == nil, snapshot.seesReports(on: alert)
            else { return nil }
            let end = Change.reportEnd(report, of: alert, whose, snapshot)
            return change(end.event, end.text)
        }

        private var refusal: Change? {
            guard isOwn, alert.isRefusedByAll == true, known?.isRefusedByAll != true else {
                return nil
            }
            return change(
                .alertRefused,
                "Everyone who can be reached has said that they can't. Call for help directly.")
        }

        private var end: Change? {
            guard known?.isActive == true, !alert.isActive else { return nil }
            let place = alert.ending.map { " It was ended \(AlertWords.place($0))." } ?? ""
            return change(
                .alertEnded,
                isOwn
                    ? "Your alert has ended.\(Plain.line(place))" : "\(name)'s alert has ended.")
        }
    }
}
