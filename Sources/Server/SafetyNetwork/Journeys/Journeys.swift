import Domain
import Foundation
import Persistence

/// A person's way home with an expected return (product.md, "Journeys").
public struct Journeys: Commands {
    public let core: Core
    let notifier: Notifier
    let profiles: Profiles
    let alertLifecycle: AlertLifecycle

    /// The shortest time between a start and the next start that responders are told of.
    static let betweenStarts: Duration = .minutes(5)

    /// Starts a journey. A repeated id changes nothing and gets the present state. Throws
    /// `invalidArgument` for a value outside its limits, during another journey, and without an
    /// accepted responder.
    public func start(_ draft: JourneyDraft, of caller: Caller) async throws -> UserProfile {
        let name = try JourneyRules.name(draft.name)
        let note = try JourneyRules.note(draft.note)
        try JourneyRules.check(graceMinutes: draft.graceMinutes)
        return try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            let now = transaction.now
            let last = try transaction.journey(of: caller.userID)
            guard last?.id != draft.id else {
                return try profiles.profile(of: caller.userID, in: transaction)
            }
            guard let owner = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            guard last?.isRunning != true else {
                throw CommandError.invalidArgument(
                    field: "id", RefusalWords.journeyRuns.detail, reason: .journeyRuns)
            }
            try JourneyRules.check(
                expectedReturn: draft.expectedReturn, at: now,
                shortest: options.intervalLimits.shortestJourney)
            try check(draft.responders, of: caller.userID, in: transaction)
            // A script could otherwise use up the limit of news, and hold back others. A start in
            // the future comes from a wrong clock.
            if draft.tellsResponders, let last, last.startedAt <= now,
                now.since(last.startedAt) < Self.betweenStarts
            {
                throw CommandError.rateLimited(
                    retryAfter: Self.betweenStarts - now.since(last.startedAt))
            }
            var journey = Journey(
                id: draft.id, name: name, note: note, startedAt: now,
                expectedReturn: draft.expectedReturn, graceMinutes: draft.graceMinutes,
                responders: draft.responders, tellsResponders: draft.tellsResponders)
            journey.setReminders(at: now)
            try transaction.save(journey, of: owner.id)
            try announce(
                journey, of: owner, doneBy: caller,
                .journeyStarted(
                    name: owner.displayName, journey: name, expected: journey.expectedReturn),
                in: transaction)
            return try profiles.profile(of: owner.id, in: transaction)
        }
    }

    /// Throws `invalidArgument` if no responder would be told, or a chosen one hasn't
    /// accepted.
    private func check(
        _ chosen: [UserID]?, of user: UserID, in connection: any SQLConnection
    ) throws {
        let accepted = try connection.responderIDs(of: user)
        let asked = chosen ?? accepted
        guard !asked.isEmpty, asked.allSatisfy(accepted.contains) else {
            throw CommandError.invalidArgument(
                field: "responderIds", RefusalWords.journeyResponders.detail,
                reason: .noResponders)
        }
    }

    /// Moves the expected return, and ends an alert about the journey. Does nothing after the
    /// journey's end. Throws `notFound` for an unknown id, and `invalidArgument` for a return
    /// before the press or more than 7 days ahead.
    /// - Parameters:
    ///   - isLater: true if the return may not move earlier than the present one.
    ///   - pressedAt: the press, by the device's clock.
    ///   - sentAt: when the device sent the press, by the device's clock.
    public func extend(
        _ id: JourneyID, until chosen: Date, isLater: Bool = false, pressedAt: Date,
        sentAt: Date? = nil, of caller: Caller
    ) async throws -> UserProfile {
        try await change(id, of: caller, pressedAt, sentAt) { journey, owner, moment, transaction in
            let now = transaction.now
            let expected = isLater ? max(chosen, journey.expectedReturn) : chosen
            guard expected > moment, expected <= now.adding(JourneyRules.longest) else {
                throw CommandError.invalidArgument(
                    field: "expectedReturn", RefusalWords.journeyReturn.detail)
            }
            // The clock of another device may be a little ahead of this one's.
            let press =
                moment >= journey.returnChosenAt
                ? moment
                : Self.latestTime(of: moment, pressedAt: pressedAt, sentAt: sentAt, at: now)
            guard press >= journey.returnChosenAt else { return }
            guard expected != journey.expectedReturn else {
                // The return stays, but the press still outdates an earlier arrival.
                return try transaction.noteReturnChosen(at: press, of: owner.id)
            }
            try move(
                &journey, of: owner, until: expected, pressedAt: press, by: caller,
                in: transaction)
        }
    }

    /// - Parameter moment: the press; nil if a device sends the return again by itself, which says
    ///   nothing about the person now.
    private func move(
        _ journey: inout Journey, of owner: UserRow, until expected: Date, pressedAt moment: Date?,
        by caller: Caller, in transaction: Transaction
    ) throws {
        let now = transaction.now
        let alert = try openAlert(about: journey, of: owner.id, in: transaction)
        let isEarlier = expected < journey.expectedReturn
        journey.extend(until: expected, chosenAt: moment ?? journey.returnChosenAt, at: now)
        // The new return has passed on the way. The alert stays, and a second one would say the
        // same.
        if alert != nil, journey.deadline <= now { journey.alert = alert?.id }
        try transaction.save(journey, of: owner.id)
        try keepGrace(of: journey, of: owner.id, in: transaction)
        let name = journey.name
        func text(endsAlert: Bool = false, keepsAlert: Bool = false) -> NotificationText {
            guard let moment else {
                return .journeyReturnResent(
                    name: owner.displayName, journey: name, expected: expected,
                    endsAlert: endsAlert, keepsAlert: keepsAlert)
            }
            return .journeyExtended(
                name: owner.displayName, journey: name, expected: expected, isEarlier: isEarlier,
                pressedAt: moment, receivedAt: now, endsAlert: endsAlert, keepsAlert: keepsAlert)
        }
        if let alert, journey.alert != nil {
            // News for those who search.
            try publish(journey, of: owner.id, in: transaction)
            try notifier.notify(
                try transaction.audience(of: alert),
                .urgent(text(keepsAlert: true), about: owner.id, alert: alert, .alertNews),
                in: transaction)
        } else {
            if let alert {
                _ = try alertLifecycle.end(
                    alert, owner: owner, by: caller, saying: text(endsAlert: true),
                    in: transaction)
            }
            try announce(
                journey, of: owner, doneBy: caller, text(), besides: alert, in: transaction)
        }
    }

    /// Keeps the grace after an outage. Devices send queued presses oldest first, so an arrival may
    /// follow a return that has passed.
    private func keepGrace(
        of journey: Journey, of user: UserID, in transaction: Transaction
    ) throws {
        guard journey.alert == nil, journey.deadline <= transaction.now,
            let outage = try transaction.serverState().outage, outage.explains(journey.deadline),
            outage.graceEnd > transaction.now
        else { return }
        try transaction.postponeJourney(of: user, until: outage.graceEnd)
    }

    /// Ends the journey and the alert about it. Does nothing after the journey's end, and for an
    /// arrival that was pressed before the return was chosen. Throws `notFound` for an unknown id.
    /// The parameters are as in `extend`.
    public func end(
        _ id: JourneyID, pressedAt: Date, sentAt: Date? = nil, of caller: Caller
    ) async throws -> UserProfile {
        try await change(id, of: caller, pressedAt, sentAt) { journey, owner, moment, transaction in
            let now = transaction.now
            let latest = Self.latestTime(
                of: moment, pressedAt: pressedAt, sentAt: sentAt, at: now)
            // Otherwise the person has since said that they come back later. The clocks of two
            // devices differ a little, and in doubt the arrival counts.
            guard latest.adding(JourneyRules.arrivalDoubt) >= min(journey.returnChosenAt, now)
            else { return }
            try finish(&journey, of: owner, pressedAt: moment, by: caller, in: transaction)
        }
    }

    /// Returns the latest possible time of a press. A device's clock may be wrong, but
    /// it measures the time from press to sending.
    /// - Parameter moment: the press by the server's time, if the device's clock is right.
    static func latestTime(
        of moment: Date, pressedAt: Date, sentAt: Date?, at now: Date
    ) -> Date {
        guard let sentAt else { return moment }
        return max(moment, now.adding(.zero - max(sentAt.since(pressedAt), .zero)))
    }

    private func finish(
        _ journey: inout Journey, of owner: UserRow, pressedAt moment: Date, by caller: Caller,
        in transaction: Transaction
    ) throws {
        let now = transaction.now
        let alert = try openAlert(about: journey, of: owner.id, in: transaction)
        journey.end(at: now)
        try transaction.save(journey, of: owner.id)
        let name = journey.name
        func text(endsAlert: Bool) -> NotificationText {
            .journeyEnded(
                name: owner.displayName, journey: name, pressedAt: moment, receivedAt: now,
                endsAlert: endsAlert)
        }
        if let alert {
            _ = try alertLifecycle.end(
                alert, owner: owner, by: caller, saying: text(endsAlert: true), in: transaction)
        }
        try announce(
            journey, of: owner, doneBy: caller, text(endsAlert: false), besides: alert,
            in: transaction)
    }

    // MARK: After a restore

    /// Takes up what a device knows of a journey that the restore of a backup may have lost, or
    /// whose later return or end it may have lost. Changes nothing without such a restore. An ended
    /// journey stays ended, also one that had ended before the backup. Throws `invalidArgument` for
    /// a value outside its limits.
    /// - Parameters:
    ///   - startedAt: the start, by the server that took it.
    ///   - endedAt: the end, by the device's clock; nil if the device knows of none.
    public func resend(
        _ draft: JourneyDraft, startedAt: Date, endedAt: Date?, of caller: Caller
    ) async throws -> UserProfile {
        let name = try JourneyRules.name(draft.name)
        let note = try JourneyRules.note(draft.note)
        try JourneyRules.check(graceMinutes: draft.graceMinutes)
        return try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            let now = transaction.now
            guard let owner = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            guard draft.expectedReturn > startedAt,
                draft.expectedReturn <= now.adding(JourneyRules.longest)
            else {
                throw CommandError.invalidArgument(
                    field: "expectedReturn", RefusalWords.journeyReturn.detail)
            }
            let restoration = try transaction.serverState().restoration
            if let restoration, now < restoration.end, startedAt < restoration.restoredAt {
                var journey = Journey(
                    id: draft.id, name: name, note: note, startedAt: startedAt,
                    expectedReturn: draft.expectedReturn, graceMinutes: draft.graceMinutes,
                    responders: draft.responders, tellsResponders: draft.tellsResponders)
                journey.endedAt = endedAt.map { min(max($0, startedAt), now) }
                try takeUp(
                    journey, of: owner, by: caller, incompleteSince: restoration.incompleteSince,
                    in: transaction)
            }
            return try profiles.profile(of: owner.id, in: transaction)
        }
    }

    /// - Parameter incompleteSince: see `Restoration`.
    private func takeUp(
        _ known: Journey, of owner: UserRow, by caller: Caller, incompleteSince: Date,
        in transaction: Transaction
    ) throws {
        let now = transaction.now
        let last = try transaction.journey(of: owner.id)
        if var last, last.id == known.id {
            guard last.isRunning else { return }
            if let endedAt = known.endedAt {
                try finish(&last, of: owner, pressedAt: endedAt, by: caller, in: transaction)
            } else if known.expectedReturn > last.expectedReturn {
                try move(
                    &last, of: owner, until: known.expectedReturn, pressedAt: nil, by: caller,
                    in: transaction)
            } else {
                return
            }
            return try transaction.supersedeJourneyReminders(of: owner.id)
        }
        // The backup has every journey that ran when it was made, so this one had ended.
        guard known.startedAt >= incompleteSince else { return }
        if var last {
            // A person is on one journey at a time, so the older one has ended.
            guard last.startedAt < known.startedAt else { return }
            if last.isRunning {
                try finish(
                    &last, of: owner, pressedAt: known.startedAt, by: caller, in: transaction)
                try transaction.supersedeJourneyReminders(of: owner.id)
            }
        }
        var journey = known
        if journey.isRunning {
            // The restore may have lost a chosen responder, too. Without any, all are alerted.
            let accepted = try transaction.responderIDs(of: owner.id)
            let chosen = journey.responders?.filter(accepted.contains)
            journey.responders = chosen?.isEmpty == true ? nil : chosen
            if chosen?.isEmpty == true { journey.tellsResponders = false }
            journey.setReminders(at: now)
        } else {
            // The row stays, so that no other device can bring the journey back (`Retention`).
            (journey.note, journey.responders) = ("", nil)
        }
        try transaction.save(journey, of: owner.id)
        try publish(journey, of: owner.id, in: transaction)
    }

    private func change(
        _ id: JourneyID, of caller: Caller, _ pressedAt: Date, _ sentAt: Date?,
        _ change: @escaping @Sendable (inout Journey, UserRow, Date, Transaction) throws -> Void
    ) async throws -> UserProfile {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard var journey = try transaction.journey(of: caller.userID), journey.id == id,
                let owner = try transaction.user(caller.userID)
            else { throw CommandError.noSuchJourney }
            if journey.isRunning {
                let now = transaction.now
                // A clock that is wrong must not cost an arrival.
                let moment = try? CheckInRules.moment(
                    pressedAt, sentAt: sentAt, receivedAt: now,
                    clockGap: clock?.knownError ?? .zero)
                let before = journey
                try change(&journey, owner, max(moment ?? now, journey.startedAt), transaction)
                if journey != before {
                    try transaction.supersedeJourneyReminders(of: caller.userID)
                }
                transaction.noteStaleDevices(of: caller.userID, besides: caller.sessionID)
            }
            return try profiles.profile(of: caller.userID, in: transaction)
        }
    }

    private func openAlert(
        about journey: Journey, of user: UserID, in connection: any SQLConnection
    ) throws -> AlertRow? {
        try journey.alert.flatMap { try connection.alert($0, of: user) }
            .flatMap { $0.isOpen ? $0 : nil }
    }

    // MARK: News

    /// Tells the chosen responders if they know of the journey. Also tells the responders who were
    /// told of an earlier alert about the journey. Ignores muting, because somebody else may hold
    /// the phone.
    /// - Parameter ended: the alert that has just ended; nil if none has. Its readers and the
    ///   chosen responders aren't told again.
    private func announce(
        _ journey: Journey, of owner: UserRow, doneBy caller: Caller, _ text: NotificationText,
        besides ended: AlertRow? = nil, in transaction: Transaction
    ) throws {
        let chosen = try publish(journey, of: owner.id, in: transaction)
        var told = journey.tellsResponders && ended == nil ? chosen : []
        let readers = try ended.map { Set(try transaction.reach(of: $0).keys) } ?? []
        for alert in try transaction.journeyAlerts(of: owner.id, since: journey.startedAt)
        where alert.id != ended?.id {
            let reach = try transaction.reach(of: alert)
            let known = readers.union(told.map(\.id))
            told += try transaction.audience(of: alert).filter {
                $0.isAccepted && reach[$0.id] != nil && !known.contains($0.id)
            }
        }
        guard !told.isEmpty else { return }
        var notice = Notice(text: text, about: owner.id, cannotBeMuted: true)
        notice.superseded = .journey(journey.name, name: owner.displayName)
        try notifier.notify(told, notice, in: transaction)
    }

    /// Makes the pages of the person and of the chosen responders load the journey again. Returns
    /// these responders.
    @discardableResult
    func publish(
        _ journey: Journey, of user: UserID, in transaction: Transaction
    ) throws -> [Recipient] {
        try transaction.append(.profileChanged, to: user)
        let chosen = try transaction.responders(of: user).filter { responder in
            responder.isAccepted && journey.responders?.contains(responder.id) ?? true
        }
        guard journey.tellsResponders else { return chosen }
        let event = try EncodedEvent(.contactChanged(.init(contactID: user)))
        for responder in chosen { try transaction.append(event, to: responder.id) }
        return chosen
    }
}
