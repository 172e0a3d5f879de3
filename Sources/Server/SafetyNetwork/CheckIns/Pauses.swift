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
    /// in the past or too far ahead, and for a new pause during an open alert.
    /// - Parameters:
    ///   - pressedAt: the press, by the device's clock. It answers no newer pings. Nil from clients
    ///     of older versions.
    ///   - sentAt: see `CheckInRules.moment`.
    ///   - key: idempotency key. A repeat changes nothing and gets the present state.
    public func pause(
        until end: Date, pressedAt: Date? = nil, sentAt: Date? = nil, of caller: Caller,
        key: UUID? = nil
    ) async throws -> UserProfile {
        try await change(of: caller, "pause", key) { schedule, transaction in
            let now = transaction.now
            try CheckInPause.check(until: end, at: now)
            if schedule.isPaused(at: now) {
                guard schedule.pause?.until != end else { return nil }
                schedule.pause(until: end, at: now)
                return .pauseChanged(until: end)
            }
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
            let pressed = pressedAt.map {
                AlertRules.moment(
                    raisedAt: $0, sentAt: sentAt, receivedAt: now,
                    clockGap: clock?.knownError ?? .zero)
            }
            try pings.answerPings(
                to: caller.userID, checkedInAt: pressed, in: transaction)
            return .pauseBegan(until: end)
        }
    }

    /// Ends the pause. Does nothing without one.
    public func endPause(of caller: Caller, key: UUID? = nil) async throws -> UserProfile {
        try await change(of: caller, "endPause", key) { schedule, transaction in
            guard schedule.isPaused(at: transaction.now) else { return nil }
            schedule.endPause(at: transaction.now)
            return .pauseEnded(hasDeadlines: schedule.deadline != nil)
        }
    }

    private func refuseDuringAlert(of user: UserID, in transaction: Transaction) throws {
        for kind in AlertKind.allCases where try transaction.openAlert(kind, of: user) != nil {
            throw CommandError.invalidArgument(
                field: "until", RefusalWords.pauseDuringAlert.detail, reason: .alertOpen)
        }
    }

    /// - Parameter change: changes the schedule, and returns the news; nil if nothing changed.
    private func change(
        of caller: Caller, _ operation: String, _ key: UUID?,
        _ change: @escaping @Sendable (inout CheckInSchedule, Transaction) throws -> ScheduleChange?
    ) async throws -> UserProfile {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard var schedule = try transaction.schedule(of: caller.userID) else {
                throw CommandError.noSuchUser
            }
            if try !isRepeat(operation, key, of: caller, in: transaction),
                let news = try change(&schedule, transaction)
            {
                let isCheckIn = schedule.lastCheckIn == transaction.now
                try transaction.save(
                    schedule, of: caller.userID, heardAt: isCheckIn ? transaction.now : nil)
                try transaction.supersedeReminders(of: caller.userID)
                try scheduleNews.announce(news, doneBy: caller, in: transaction)
            }
            return try profiles.profile(of: caller.userID, in: transaction)
        }
    }
}
