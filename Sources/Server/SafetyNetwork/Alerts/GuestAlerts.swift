import Cryptography
import Domain
import Foundation
import Persistence

/// An alert on the page that a message to a responder links to.
public struct GuestAlert: Equatable, Sendable {
    /// Who is on the alert.
    public enum Helper: Equatable, Sendable {
        case nobody
        /// The reader of the page.
        case you
        case another(name: String)
    }

    public var name: String
    public var phoneNumber: PhoneNumber?
    public var kind: AlertKind
    public var startedAt: Date
    /// The start of the alert by the reader's clock, with the day if it isn't today.
    public var startWords: String
    /// When the server received an alert that came late, by the reader's clock; nil for others.
    public var receivedWords: String?
    /// The missed deadline of an alert that began late, by the reader's clock; nil for others.
    public var deadlineWords: String?
    /// True if an outage delayed the alert.
    public var toldLate = false
    /// How long the alert has been open, or was open before its end.
    public var duration: Duration
    public var isOver: Bool
    public var helper: Helper
    /// True if the reader is a guest, and a STOP holds every message back.
    public var hasStoppedTexts = false
    /// True if the reader can stop being a responder on this page. Only guests can; people with an
    /// account use the app.
    public var canStop: Bool
    public var report: GuestReport?
    public var leavesOthers = true
    /// True if the reader has accepted the role of responder.
    public var hasAccepted = true
    /// True if the reader's last answer was "I can't".
    public var hasDeclined = false
    /// True if the answer that was just given doesn't count, because the reader has changed it too
    /// often.
    public var isBeyondLimit = false
    /// Empty unless the alert is open and the reader is an accepted responder who is on it.
    public var emergencyNote = ""
    /// The time of this state by the reader's clock.
    public var nowWords: String
    /// nil unless the alert is about a journey.
    public var journey: GuestJourney?
}

public struct GuestJourney: Equatable, Sendable {
    public var name: String
    /// The expected return by the reader's clock.
    public var returnWords: String
    /// Empty unless the alert is open and the reader is an accepted responder.
    public var note: String
}

public struct GuestReport: Equatable, Sendable {
    /// "Ben reports that Ana is safe".
    public var words: String
    /// Until when the repeats pause, with the day if it isn't today.
    public var endWords: String
    /// True if everyone is alerted again once the report is lifted.
    public var alertsEveryone = true
}

/// What a reader of an alert's page can press. The raw values are in the page's form.
public enum GuestAnswer: String, Sendable {
    case onIt = "on-it"
    case cannot = "cannot"
    /// Alert all responders again.
    case again = "alert-again"
    /// Never be told again when the person needs help.
    case stop = "stop"
    /// Undo the stop.
    case undo = "undo"
}

/// The role of a responder who stopped by the link in a message, and can still undo the stop.
public struct StoppedHelp: Equatable, Sendable {
    /// The name of the person in need.
    public var name: String
    /// Until when the responder can undo the stop, by the reader's clock.
    public var undoWords: String
    /// True if the link's alert has ended.
    public var isOver: Bool
}

/// Why the page of a genuine link shows no alert.
public enum PastAlert: Equatable, Sendable {
    /// The reader isn't notified of the person's alerts any more.
    case ofFormerResponder
    /// The alert was deleted: with the person's account, or long after its end.
    case deleted
}

/// Answers to alerts by the links in SMS and e-mails, for people without the app.
public struct GuestAlerts: Commands {
    public let core: Core
    let alertRecords: AlertRecords
    let responding: Responding
    let contacts: Contacts
    let invitationAnswers: InvitationAnswers

    static let guestLinkLifetime: Duration = .days(1)

    /// Returns the URL of the page that shows an alert to one person.
    /// - Parameter channel: the channel of the message with the link. Pressing a button on the page
    ///   proves that this channel works.
    public func alertLink(
        to person: UserID, _ alert: AlertID, in channel: DeliveryChannel
    ) -> URL {
        link(channel == .email ? .mailedAlert : .alert, person.uuid, alert.uuid)
    }

    /// Returns the token of a link, and the channel of the link's message.
    private func alertToken(
        _ secret: String
    ) async throws -> (token: LinkToken, channel: DeliveryChannel)? {
        try await verified {
            if let token = LinkToken(secret, .alert, key: key) { return (token, .sms) }
            return LinkToken(secret, .mailedAlert, key: key).map { ($0, .email) }
        }
    }

    /// Returns the alert of a link; nil for an invalid or expired link.
    public func guestAlert(by secret: String) async throws -> GuestAlert? {
        guard let (token, channel) = try await alertToken(secret) else { return nil }
        return try await database.read { connection in
            let alert = try self.alert(of: token, by: channel, in: connection)
            return try alert.flatMap { try guestAlert($0, UserID(token.owner), in: connection) }
        }
    }

    /// Returns the link's own alert. If it has ended, returns the person's newest open alert. Not
    /// every alert has a message of its own (`StormRules`). Returns nil if the link may be at the
    /// person's former number or address.
    private func alert(
        of token: LinkToken, by channel: DeliveryChannel, in connection: any SQLConnection
    ) throws -> AlertRow? {
        let person = UserID(token.owner)
        guard let alert = try connection.alert(AlertID(token.subject), watchedBy: person) else {
            return nil
        }
        let sentAt = try connection.firstDeliveryTime(
            about: .alert(AlertKey(owner: alert.userID, id: alert.id)), to: person, by: channel)
        guard try connection.hasCarrier(channel, of: person, since: sentAt) else { return nil }
        guard let end = alert.endedAt else { return alert }
        guard connection.now < end.adding(Self.guestLinkLifetime) else { return nil }
        return try connection.newestOpenAlert(of: alert.userID, visibleTo: person) ?? alert
    }

    /// Records the person's answer and returns the alert's new state. Returns nil for an invalid
    /// link, or if the person isn't a responder.
    public func answerAlert(by secret: String, _ answer: GuestAnswer) async throws -> GuestAlert? {
        guard let (token, channel) = try await alertToken(secret) else { return nil }
        let person = UserID(token.owner)
        if answer == .undo {
            try await undoStop(token)
            return try await guestAlert(by: secret)
        }
        let found = try await database.read { try self.alert(of: token, by: channel, in: $0) }
        guard let alert = found, alert.userID != person else { return nil }
        let (id, owner) = (alert.id, alert.userID)
        try await provePress(by: person, about: owner) {
            let key = AlertKey(owner: owner, id: AlertID(token.subject))
            return try $0.lastDelivery(about: .alert(key), to: person, by: channel)
        }
        var isBeyondLimit = false
        do {
            switch answer {
            case .onIt: try await responding.acknowledgeAlert(id, by: person)
            case .cannot: try await responding.declineAlert(id, by: person)
            case .again: try await responding.resumeRepeats(of: id, by: person)
            case .stop:
                guard try await guestAlert(by: secret)?.canStop == true else { break }
                try await stopHelp(of: person, for: owner)
            case .undo: break
            }
        } catch CommandError.notFound {
            return nil
        } catch CommandError.rateLimited {
            isBeyondLimit = true
        } catch CommandError.permissionDenied {
            // The page shows the unchanged alert instead of an error.
        }
        var page = try await guestAlert(by: secret)
        // A refusal beyond the limit throws only for the responder who is on the alert.
        let isIgnored = answer == .cannot && page?.isOver == false && page?.hasDeclined == false
        page?.isBeyondLimit = isBeyondLimit || isIgnored
        return page
    }

    /// Returns why a genuine link shows no alert; nil for another reason, and for an invalid link.
    public func pastAlert(by secret: String) async throws -> PastAlert? {
        guard let (token, _) = try await alertToken(secret) else { return nil }
        let person = UserID(token.owner)
        return try await database.read { connection -> PastAlert? in
            let all = try connection.owners(ofAlert: AlertID(token.subject))
            if all.isEmpty { return .deleted }
            let owners = all.filter { $0 != person }
            let isFormer = try owners.allSatisfy {
                try !connection.isNotified(person, ofAlertsOf: $0)
            }
            return !owners.isEmpty && isFormer ? .ofFormerResponder : nil
        }
    }

    /// Returns the stop that the link's reader can undo; nil if there is none.
    public func stoppedHelp(by secret: String) async throws -> StoppedHelp? {
        guard let (token, _) = try await alertToken(secret) else { return nil }
        return try await database.read { connection in
            guard let (owner, invitation) = try self.stop(of: token, in: connection),
                let end = invitation.undoEnd
            else { return nil }
            return StoppedHelp(
                name: owner.displayName,
                undoWords: clockTime(end, in: owner.timeZone, at: connection.now),
                isOver: try connection.alert(AlertID(token.subject), of: owner.id)?.isOpen != true)
        }
    }

    private func stop(
        of token: LinkToken, in connection: any SQLConnection
    ) throws -> (owner: UserRow, invitation: Invitation)? {
        let person = UserID(token.owner)
        for id in try connection.owners(ofAlert: AlertID(token.subject)) where id != person {
            let stopped = try connection.allInvitations(of: id).first {
                $0.contactID == person && $0.undoEnd.map { $0 > connection.now } ?? false
            }
            // A person who declined an invitation can be a responder since, as by a code.
            if let stopped, let owner = try connection.user(id),
                try invitationAnswers.responder(of: id, by: stopped, in: connection) == nil
            {
                return (owner, stopped)
            }
        }
        return nil
    }

    /// Declines the invitation that made the person a responder. They can undo that on the same
    /// page. Removes the contact if there was no invitation.
    private func stopHelp(of person: UserID, for owner: UserID) async throws {
        let isStopped = try await database.write(about: Subjects([owner, person])) { transaction in
            guard let me = try transaction.user(owner),
                let invitation = try transaction.allInvitations(of: owner).first(where: {
                    $0.contactID == person && $0.state == .accepted
                })
            else { return false }
            try invitationAnswers.decline(invitation, for: me, in: transaction)
            return true
        }
        guard !isStopped else { return }
        try await contacts.endHelp(of: person, for: owner)
    }

    private func undoStop(_ token: LinkToken) async throws {
        guard
            let (link, name) = try await database.read({ connection -> (LinkToken, String)? in
                guard let (owner, invitation) = try self.stop(of: token, in: connection),
                    let subject = try linkSubject(of: invitation, by: owner.id, in: connection)
                else { return nil }
                return (LinkToken(owner: owner.id.uuid, subject: subject), invitation.name)
            })
        else { return }
        _ = try await invitationAnswers.answerInvitation(
            by: link.text(.invitation, key: key), .yes(name: name))
    }

    /// Records that the person pressed a button on the page of a message. This proves that they saw
    /// the message and that its channel works.
    func provePress(
        by person: UserID, about owner: UserID,
        _ delivery: @escaping @Sendable (Transaction) throws -> DeliveryID?
    ) async throws {
        try await database.write(about: Subjects([owner, person], isRepeatable: true)) {
            transaction in
            guard let delivery = try delivery(transaction) else { return }
            _ = try transaction.reportDelivery(
                delivery, of: person, attempt: nil, ProviderReport(state: .seen))
            try transaction.prove(delivery, of: person)
        }
    }

    private func guestAlert(
        _ alert: AlertRow, _ person: UserID, in connection: any SQLConnection
    ) throws -> GuestAlert? {
        guard let owner = try connection.user(alert.userID),
            let reader = try connection.user(person)
        else { return nil }
        let now = connection.now
        var recipient = Recipient(reader)
        recipient.readTimes(like: owner)
        let helper: GuestAlert.Helper =
            switch alert.acknowledgedBy {
            case nil: .nobody
            case person: .you
            case .some(let other):
                .another(name: try connection.user(other)?.displayName ?? "Somebody")
            }
        let isAccepted =
            try connection.contact(owner.id, of: person)?.relation.dependent.isInForce == true
        let refusing = try connection.peopleRefusing(
            AlertKey(owner: owner.id, id: alert.id), since: alert.escalationFrom)
        let zone = recipient.timeZone.flatMap { ClockZone($0) }
        let journey = try alert.journey.map { name in
            let record = try connection.record(of: alert, for: viewer(person), withLedger: true)
            return GuestJourney(
                name: name,
                returnWords: Timestamp.clockTime(
                    alert.deadlineAt ?? alert.startedAt, in: zone, at: now),
                note: alert.isOpen ? record.note ?? "" : "")
        }
        return GuestAlert(
            name: owner.displayName, phoneNumber: owner.phoneNumber, kind: alert.kind,
            startedAt: alert.startedAt,
            startWords: Timestamp.clockTime(alert.startedAt, in: zone, at: now),
            receivedWords: alert.lateReceipt.map { Timestamp.clockTime($0, in: zone, at: now) },
            deadlineWords: alert.lateDeadline.map { Timestamp.clockTime($0, in: zone, at: now) },
            toldLate: alert.toldLate,
            duration: (alert.endedAt ?? now).since(alert.startedAt),
            isOver: !alert.isOpen, helper: helper,
            hasStoppedTexts: try connection.hasStoppedTexts(guest: person),
            canStop: recipient.isGuest,
            report: try report(on: alert, of: owner, for: person, zone, in: connection),
            leavesOthers: try !alertRecords.hasEveryoneRefused(alert, in: connection),
            hasAccepted: isAccepted,
            hasDeclined: alert.isOpen && refusing.contains(person),
            emergencyNote: alert.isOpen && helper == .you && isAccepted ? owner.emergencyNote : "",
            nowWords: Timestamp.clockTime(now, in: zone, at: now), journey: journey)
    }

    /// Returns the report that pauses the repeats. Returns nil without a report, and for a person
    /// who hasn't agreed to be a responder.
    private func report(
        on alert: AlertRow, of owner: UserRow, for person: UserID, _ zone: ClockZone?,
        in connection: any SQLConnection
    ) throws -> GuestReport? {
        guard alert.isOpen, let report = alert.report, let reporter = alert.reportedBy,
            let time = alert.reportedAt,
            try connection.contact(owner.id, of: person)?.relation.dependent.isInForce == true
        else { return nil }
        let name =
            reporter == person ? nil : try connection.user(reporter)?.displayName ?? "Somebody"
        return GuestReport(
            words: AlertWords.reported(report, by: name, about: owner.displayName),
            endWords: Timestamp.clockTime(
                time.adding(Escalation.pauseAfterReport), in: zone, at: connection.now),
            alertsEveryone: AlertRules.liftingAlertsEveryone(
                by: reporter, whileHelpedBy: alert.acknowledgedBy))
    }
}

extension SQLConnection {
    /// Returns true for a guest without an e-mail address who has sent STOP. STOP ends SMS and
    /// calls.
    func hasStoppedTexts(guest: UserID) throws -> Bool {
        guard let user = try user(guest), user.guestSince != nil, user.smsStoppedAt != nil else {
            return false
        }
        return try confirmedEmail(of: guest) == nil
    }
}
