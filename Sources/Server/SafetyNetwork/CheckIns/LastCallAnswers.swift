import Cryptography
import Domain
import Foundation
import Persistence

/// Answers to a last call, by SMS and by key (product.md, "The last call"). An answer proves its
/// channel.
public struct LastCallAnswers: Commands {
    public let core: Core
    let checkIns: CheckIns
    let alerts: Alerts
    let reach: Reach

    /// How long an SMS can be answered. A late answer still ends the alert.
    static let answerable: Duration = .hours(24)

    /// How long a repeated answer gets the same reply. A person who answers later may believe that
    /// they check in again.
    private static let repeatable: Duration = .minutes(10)

    /// A check-in before this belongs to an earlier deadline. A call rings and lasts a few minutes.
    private static let longestCall: Duration = .minutes(15)

    /// Checks in after the answer "1" or "OK". Returns nil unless the last SMS that expects an
    /// answer is a last call. After "2", and without permission, the reply says that the person
    /// hasn't checked in; nil if they have since the SMS.
    func reply(to answer: TextAnswer, of user: UserID) async throws -> TextReply? {
        let question = try await database.read {
            connection -> (delivery: DeliveryID, isAllowed: Bool)? in
            let since = connection.now.adding(.zero - Self.answerable)
            guard let asked = try connection.textedLastCall(of: user, since: since) else {
                return nil
            }
            let schedule = try connection.schedule(of: user)
            let isAllowed = schedule?.settings.lastCall.takesAnswers ?? false
            // A gateway may deliver an answer twice, and the repeat must get the same reply.
            let isRepeat = try connection.checkIn(CheckInID(asked.id.uuid), of: user) != nil
            let isFollowed = schedule?.lastCheckIn.map { $0 > asked.sent } ?? false
            let isAnswered = !isRepeat && isFollowed
            // The person has checked in since, so the reply must not say that they haven't.
            if isRepeat || isFollowed, !isAllowed || answer == .declines { return nil }
            // Only a last call that expects an answer takes it from an alert or a drill. For the
            // others, `awaitedCheckIn` decides.
            let competes = isAllowed && !isAnswered && answer != .declines
            let other = try connection.textedQuestion(to: user)
            guard other.map({ $0 < (competes ? asked.sent : since) }) ?? true else { return nil }
            return (asked.id, isAllowed)
        }
        guard let question else { return nil }
        try await database.write(about: Subjects([user], isRepeatable: true)) {
            try $0.proveTexts(to: user)
        }
        guard question.isAllowed else { return .notCheckedIn(isAllowed: false) }
        guard [.takesOn, .isFine].contains(answer) else { return .answerOneToCheckIn }
        return try await checkIn(user, answering: question.delivery)
    }

    /// An SMS about the person's own deadline, without a check-in since then.
    struct AwaitedCheckIn {
        let delivery: DeliveryID
        /// When the SMS left.
        let sent: Date
        /// True if the person has allowed answers to a last call.
        let isAllowed: Bool
        /// True if the answer "1" checks in now.
        let takesAnswers: Bool

        /// Returns the reply, which says that the person hasn't checked in.
        func reply(to answer: TextAnswer) -> TextReply {
            guard !takesAnswers else { return .answerOneToCheckIn }
            let isAboutAlerts = [.takesOn, .declines].contains(answer)
            return .notCheckedIn(isAllowed: isAllowed, answer: isAboutAlerts ? answer : nil)
        }
    }

    /// Returns the newest SMS to the person. Returns nil unless it is about their own deadline and
    /// they haven't checked in since then.
    func awaitedCheckIn(of user: UserID) async throws -> AwaitedCheckIn? {
        try await database.read { connection in
            let since = connection.now.adding(.zero - Self.answerable)
            guard let texted = try connection.textedDeadline(of: user, since: since) else {
                return nil
            }
            let schedule = try connection.schedule(of: user)
            let last = schedule?.lastCheckIn ?? .distantPast
            guard last < texted.sent else { return nil }
            let question = try connection.textedQuestion(to: user) ?? .distantPast
            let lastCall = try connection.textedLastCall(of: user, since: since)
            let isAllowed = schedule?.settings.lastCall.takesAnswers ?? false
            return AwaitedCheckIn(
                delivery: texted.id, sent: texted.sent, isAllowed: isAllowed,
                takesAnswers: isAllowed && lastCall.map { max(last, question) < $0.sent } ?? false)
        }
    }

    /// Checks in after key 1, or raises an alert after key 2. Ignores key 1 if the person's number
    /// has changed since the call was made, because another person may hold the phone. Returns true
    /// if this is the call's first result.
    func answerCall(_ token: CallToken, _ outcome: CallOutcome) async throws -> Bool {
        let (user, delivery) = (UserID(token.person), DeliveryID(token.delivery))
        switch outcome {
        case .takesOn:
            let isPresent = try await database.read {
                try $0.presentCarrier(of: delivery, to: user) != nil
            }
            guard isPresent else { return false }
            _ = try await checkIn(user, answering: delivery)
        case .declines:
            _ = try await alerts.raiseAlert(AlertID(delivery.uuid), by: caller(user))
        case .comesLate, .unanswered: break
        }
        let subjects = Subjects([user], isRepeatable: true)
        return try await database.write(about: subjects) { transaction -> Bool in
            if [.takesOn, .declines].contains(outcome) {
                try transaction.prove(delivery, of: user)
            }
            let attempt: Int? = if case .unanswered = outcome { token.attempt } else { nil }
            return try transaction.endCall(delivery, to: user, attempt: attempt, outcome)
        }
    }

    /// Returns the reply. A repeated answer has the same id.
    private func checkIn(
        _ user: UserID, answering delivery: DeliveryID
    ) async throws -> TextReply {
        do {
            let record = try await checkIns.checkIn(
                CheckInID(delivery.uuid), occurredAt: now(), by: caller(user))
            guard now().since(record.receivedAt) < Self.repeatable else {
                return .notCheckedInAgain
            }
            return try await database.read { connection -> TextReply in
                let isAlertOn = try !connection.openAlerts(of: user).isEmpty
                if let words = try earlyWords(record, of: user, in: connection) {
                    return .recorded(words, isAlertOn: isAlertOn)
                }
                return isAlertOn ? .checkedInDuringAlert : .checkedIn
            }
        } catch is CommandError {
            return .notCheckedIn(isAllowed: true)
        }
    }

    /// Returns when the window of the next deadline opens. Returns nil if the check-in moved the
    /// deadline or ended an alert.
    private func earlyWords(
        _ record: CheckInRecord, of user: UserID, in connection: any SQLConnection
    ) throws -> String? {
        guard record.opensAt != nil,
            try !connection.endedMissedAlert(of: user, at: record.receivedAt)
        else { return nil }
        let zone = try connection.user(user)?.timeZone.flatMap { ClockZone($0) }
        return SourceRules.answer(to: record).text(in: zone, at: record.receivedAt)
    }

    /// Acts without a session, as the person on the phone.
    private func caller(_ user: UserID) -> Caller { Caller(userID: user, sessionID: newID()) }

    /// The state of a last call, as the call announces it. A change of schedule may have moved the
    /// deadline without a check-in.
    func subject(of user: UserID, in connection: any SQLConnection) throws -> CallSubject {
        let schedule = try connection.schedule(of: user)
        let now = connection.now
        guard let deadline = schedule?.deadline, deadline.since(now) <= LastCallStep.call.lead
        else {
            let since = now.adding(.zero - Self.longestCall)
            let hasCheckedIn = schedule?.lastCheckIn.map { $0 >= since } ?? false
            guard hasCheckedIn else { return .nothingIsDue }
            let isAlertOn = try !connection.openAlerts(of: user).isEmpty
            let last = try connection.checkIns(of: user, page: Page(limit: 1)).first
            if let last, let words = try earlyWords(last, of: user, in: connection) {
                return .isRecorded(words, isAlertOn: isAlertOn)
            }
            let areTold = try last.map {
                try connection.endedMissedAlert(of: user, at: $0.receivedAt)
                    && reach.counted(
                        connection.responders(of: user), of: user, in: connection
                    ).told > 0
            }
            return .isCheckedIn(isAlertOn: isAlertOn, areRespondersTold: areTold ?? false)
        }
        return .lastCall(
            minutes: max(0, Int(deadline.since(now).components.seconds / 60)))
    }
}
