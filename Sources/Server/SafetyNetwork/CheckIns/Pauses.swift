import Domain
import Foundation
import Persistence

/// A time without deadlines that a person has chosen (product.md, "Pause").
public struct Pauses: Commands {
    public let core: Core
    let pings: Pings
    let profiles: Profiles
    let scheduleNews: ScheduleNews

    /// The shortest time between the beginnings of two pauses.
    static let betweenPauses: Duration = .minutes(5)

    /// Begins a pause, which is a check-in, or changes its end. Throws `invalidArgument` for an end
    /// in the past or too far ahead, for a new pause during an open alert, and for a press that is
    /// older than the pause's last change or confirmation.
    /// - Parameters:
    ///   - pressedAt: the press, by the device's clock. It answers no newer pings. Nil from clients
    ///     of older versions, whose presses count as pressed now.
    ///   - sentAt: see `CheckInRules.moment`.
    ///   - key: idempotency key. A repeat changes nothing and gets the present state.
    public func pause(
        until end: Date, pressedAt: Date? = nil, sentAt: Date? = nil, of caller: Caller,
        key: UUID? = nil
    ) async throws -> UserProfile {
        let press = Press(pressedAt, sentAt: sentAt, field: "until")
        return try await change(of: caller, "pause", key, press) { schedule, transaction in
            let now = transaction.now
            try CheckInPause.check(until: end, at: now)
            if schedule.isPaused(at: now) {
                guard schedule.pause?.until != end else { return nil }
                try refuseOlder(press, of: caller.userID, in: transaction)
                schedule.pause(until: end, at: now)
                return .pauseChanged(until: end)
            }
            try refuseOlder(press, of: caller.userID, in: transaction)
            try refuseDuringAlert(of: caller.userID, in: transaction)
            // Each pause is told to all responders. A script could otherwise use up the limit of
            // news, and hold back others.
            if let began = schedule.pause?.began, now.since(began) < Self.betweenPauses {
                throw CommandError.rateLimited(
                    retryAfter: Self.betweenPauses - now.since(began))
            }
            schedule.forgetFuture(after: now)
            schedule.pause(until: end, at: now)
            try transaction.insert(
                CheckInRecord(
                    id: newID(), occurredAt: now, receivedAt: now,
                    nextCheckInTime: schedule.deadline), of: caller.userID)
            try pings.answerPings(
                to: caller.userID, checkedInAt: moment(of: press, at: now), in: transaction)
            return .pauseBegan(until: end)
        }
    }

    /// Ends the pause. Without one, it records only the press. Throws `invalidArgument` for a
    /// press that is older than the pause's last change or confirmation. The parameters are as in
    /// `pause`.
    public func endPause(
        pressedAt: Date? = nil, sentAt: Date? = nil, of caller: Caller, key: UUID? = nil
    ) async throws -> UserProfile {
        let press = Press(pressedAt, sentAt: sentAt, field: "pressedAt")
        return try await change(of: caller, "endPause", key, press) { schedule, transaction in
            guard schedule.isPaused(at: transaction.now) else { return nil }
            try refuseOlder(press, of: caller.userID, in: transaction)
            schedule.endPause(at: transaction.now)
            return .pauseEnded(hasDeadlines: schedule.deadline != nil)
        }
    }

    // MARK: Presses

    /// A press by its device's clock.
    private struct Press: Sendable {
        let pressedAt: Date?
        let sentAt: Date?
        /// The field that a refusal names.
        let field: String

        init(_ pressedAt: Date?, sentAt: Date?, field: String) {
            self.pressedAt = pressedAt
            self.sentAt = sentAt
            self.field = field
        }
    }

    /// Returns the press by the server's time; nil if the request had none.
    private func moment(of press: Press, at now: Date) -> Date? {
        press.pressedAt.map {
            AlertRules.moment(
                raisedAt: $0, sentAt: press.sentAt, receivedAt: now,
                clockGap: clock?.knownError ?? .zero)
        }
    }

    /// Returns the latest time that the press can have; nil if the request had none.
    private func latestMoment(of press: Press, at now: Date) -> Date? {
        guard let pressedAt = press.pressedAt, let read = moment(of: press, at: now) else {
            return nil
        }
        return Journeys.latestTime(
            of: read, pressedAt: pressedAt, sentAt: press.sentAt, at: now)
    }

    /// Refuses a press that waited on its device while another device changed the pause. The
    /// newest press counts. A change in the future is from before a correction of the clock.
    private func refuseOlder(
        _ press: Press, of user: UserID, in transaction: Transaction
    ) throws {
        let now = transaction.now
        guard let moment = latestMoment(of: press, at: now),
            let last = try transaction.newestRequest(RequestKeyRow.pausePress, of: user)?.time,
            moment < last, last <= now
        else { return }
        throw CommandError.invalidArgument(
            field: press.field, RefusalWords.pauseChangedSince.detail, reason: .pauseChanged)
    }

    /// Records the time of the press by its device's clock. `latestMoment` adds the duration of the
    /// request. With that time, a press on another device meanwhile would count as older.
    private func note(_ press: Press, of user: UserID, in transaction: Transaction) throws {
        let now = transaction.now
        try transaction.insert(
            RequestKeyRow(request: RequestKeyRow.pausePress), key: core.environment.makeID(),
            of: user, at: moment(of: press, at: now) ?? now)
    }

    private func refuseDuringAlert(of user: UserID, in transaction: Transaction) throws {
        for kind in AlertKind.allCases where try transaction.openAlert(kind, of: user) != nil {
            throw CommandError.invalidArgument(
                field: "until", RefusalWords.pauseDuringAlert.detail, reason: .alertOpen)
        }
    }

    /// - Parameter change: changes the schedule, and returns the news; nil if nothing changed.
    private func change(
        of caller: Caller, _ operation: String, _ key: UUID?, _ press: Press,
        _ change: @escaping @Sendable (inout CheckInSchedule, Transaction) throws -> ScheduleChange?
    ) async throws -> UserProfile {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard var schedule = try transaction.schedule(of: caller.userID) else {
                throw CommandError.noSuchUser
            }
            if try !isRepeat(operation, key, of: caller, in: transaction) {
                let news = try change(&schedule, transaction)
                // A press that confirms the present state also outdates older ones.
                try note(press, of: caller.userID, in: transaction)
                if let news {
                    let isCheckIn = schedule.lastCheckIn == transaction.now
                    try transaction.save(
                        schedule, of: caller.userID, heardAt: isCheckIn ? transaction.now : nil)
                    try transaction.supersedeReminders(of: caller.userID)
                    try scheduleNews.announce(news, doneBy: caller, in: transaction)
                }
            }
            return try profiles.profile(of: caller.userID, in: transaction)
        }
    }
}
