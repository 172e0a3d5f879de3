import Domain
import Foundation
import Persistence

/// Check-ins and their schedule (product.md, "Check-in").
public struct CheckIns: Commands {
    public let core: Core
    let pings: Pings
    let profiles: Profiles
    let scheduleNews: ScheduleNews
    let alertLifecycle: AlertLifecycle

    /// Stores a check-in ("I am fine"). Idempotent: a repeated id gets the same answer. Throws
    /// `invalidArgument` for a moment in the future.
    /// - Parameter sentAt: when the device sent the check-in, by the device's clock.
    public func checkIn(
        _ id: CheckInID, occurredAt: Date, sentAt: Date? = nil, by caller: Caller
    ) async throws -> CheckInRecord {
        try await checkIn(id, occurredAt: occurredAt, sentAt: sentAt, by: caller) { _ in nil }
    }

    /// - Parameter source: returns the name of the source that checks in; nil for the person. Runs
    ///   in the check-in's transaction.
    func checkIn(
        _ id: CheckInID, occurredAt: Date, sentAt: Date? = nil, by caller: Caller,
        from source: @escaping @Sendable (Transaction) throws -> String?
    ) async throws -> CheckInRecord {
        let request = CheckInLimiter.Request()
        return try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            let user = caller.userID
            let state = try transaction.checkInState(id, of: user)
            if state?.isKnown == true, let known = try transaction.checkIn(id, of: user) {
                return known
            }
            let sourceName = try source(transaction)
            let now = transaction.now
            let moment = try CheckInRules.moment(
                occurredAt, sentAt: sentAt, receivedAt: now, clockGap: clock?.knownError ?? .zero)
            guard let state else { throw CommandError.noSuchUser }
            var schedule = state.memory.schedule
            schedule.forgetFuture(after: now)
            try limitCheckIn(at: moment, after: schedule.lastCheckIn, of: user, at: now, request)
            let old = schedule
            let isNewest = schedule.checkIn(at: moment)
            let deadline = schedule.deadline
            let record = CheckInRecord(
                id: id, occurredAt: moment, receivedAt: now, nextCheckInTime: deadline,
                opensAt: schedule.opening(afterCheckInAt: moment, before: old),
                source: sourceName)
            try transaction.insert(record, of: user)
            guard isNewest else {
                try transaction.noteHeard(user)
                return record
            }

            // A new deadline that has also passed is missed as well. An open alert covers it.
            let isFine = !schedule.isMissed(at: now)
            // A check-in before a window may end an alert about its deadline, which a wrong clock
            // opened early. The deadline must alarm again.
            if isFine { schedule.hasOpenedAlert = false }
            let missed =
                state.hasMissedAlert ? try transaction.openAlert(.missedCheckIn, of: user) : nil
            if !isFine, missed != nil { schedule.hasOpenedAlert = true }
            try transaction.save(schedule, of: user, heardAt: now)
            if !isFine, missed == nil, let deadline, let due = state.memory.nextDueAt {
                try keepGrace(until: due, of: user, missing: deadline, in: transaction)
            }
            if old.hasReminded, deadline != old.deadline {
                try transaction.supersedeReminders(of: user)
            }
            transaction.noteStaleDevices(of: user, besides: caller.sessionID)

            let summary = try EncodedEvent(
                .checkIn(.init(userID: user, lastCheckInTime: moment, nextCheckInTime: deadline)))
            let responders = state.hasResponders ? try transaction.responderIDs(of: user) : []
            for watcher in [user] + responders { try transaction.append(summary, to: watcher) }
            if isFine, let missed, let owner = try transaction.user(user) {
                let text = NotificationText.checkedIn(
                    name: owner.displayName, occurredAt: moment, receivedAt: now)
                _ = try alertLifecycle.end(
                    missed, owner: owner, by: caller, saying: text, in: transaction)
            }
            // An old check-in doesn't answer a new ping.
            if isFine, state.hasPings { try pings.answerPings(to: user, in: transaction) }
            return record
        }
    }

    /// Keeps the grace after an outage. Devices send queued check-ins oldest first. After one whose
    /// deadline has passed, a newer one may still arrive in time.
    /// - Parameter due: when the schedule was due before this check-in.
    private func keepGrace(
        until due: Date, of user: UserID, missing deadline: Date, in transaction: Transaction
    ) throws {
        guard let outage = try transaction.serverState().outage, outage.explains(deadline) else {
            return
        }
        let end = min(due, outage.graceEnd)
        if end > transaction.now { try transaction.postponeSchedule(of: user, until: end) }
    }

    public func checkIns(of caller: Caller, page: Page) async throws -> [CheckInRecord] {
        try await database.read { try $0.checkIns(of: caller.userID, page: page) }
    }

    /// Updates the schedule and the reminders. A new interval counts from the last check-in; a
    /// deadline in the past counts as missed at once. Tells the accepted responders if the person
    /// can be silent for longer than before.
    /// - Parameter key: idempotency key. A repeat changes nothing and gets the present state.
    public func updateSettings(_ settings: CheckInSettings, of caller: Caller, key: UUID? = nil)
        async throws -> UserProfile
    {
        if options.canaryNumbers.isEmpty { try options.intervalLimits.check(settings) }
        return try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard var schedule = try transaction.schedule(of: caller.userID) else {
                throw CommandError.noSuchUser
            }
            try intervalLimits(of: caller, in: transaction).check(settings)
            let isRepeat = try isRepeat("updateCheckInSettings", key, of: caller, in: transaction)
            if !isRepeat, schedule.settings != settings {
                let before = schedule
                // During a grace, a change must not erase the deadline. The device tries again.
                if settings.plan != .interval, schedule.isMissed(at: transaction.now),
                    !schedule.hasOpenedAlert
                {
                    throw CommandError.unavailable(
                        "Your deadline has passed. Check in, or try again in a few minutes.")
                }
                schedule.apply(settings, at: transaction.now)
                try transaction.save(schedule, of: caller.userID)
                if before.hasReminded, schedule.deadline != before.deadline {
                    try transaction.supersedeReminders(of: caller.userID)
                }
                let old = before.settings
                let isLonger = settings.allowsLongerSilence(than: old)
                try scheduleNews.announce(
                    isLonger
                        ? .longerSilence(settings.longestSilence, before: old.longestSilence) : nil,
                    doneBy: caller, in: transaction)
            }
            return try profiles.profile(of: caller.userID, in: transaction)
        }
    }

    /// Returns the caller's limits. The operator's canary, a test account, may check in every few
    /// seconds.
    private func intervalLimits(
        of caller: Caller, in transaction: Transaction
    ) throws -> IntervalLimits {
        guard !options.canaryNumbers.isEmpty, let user = try transaction.user(caller.userID),
            let number = user.phoneNumber, options.canaryNumbers.contains(number)
        else { return options.intervalLimits }
        return .demonstration
    }

    // MARK: Limits

    /// Throws `rateLimited` for too many check-ins. Call this in the transaction that stores the
    /// check-in.
    func limitCheckIn(
        at moment: Date, after last: Date?, of user: UserID, at now: Date,
        _ request: CheckInLimiter.Request
    ) throws(CommandError) {
        try checkInLimiter.take(moment, after: last, by: user, at: now, request)
    }

    /// Checks in a user although the user or their network address exceeds a request limit. Accepts
    /// a check-in more than ten seconds newer than the last one, and refuses others. A refusal
    /// needs no database look-up. A thousand requests a second cause about six look-ups a minute.
    /// - Parameter refusal: the error of the request limit.
    public func checkIn(
        _ id: CheckInID, occurredAt: Date, sentAt: Date? = nil, by caller: Caller,
        unlessRefused refusal: CommandError
    ) async throws -> CheckInRecord {
        let (user, now) = (caller.userID, now())
        let moment = try CheckInRules.moment(
            occurredAt, sentAt: sentAt, receivedAt: now, clockGap: clock?.knownError ?? .zero)
        guard checkInLimiter.mayBeExempt(moment, of: user, at: now) else { throw refusal }
        let last = try await database.readUrgently { try $0.schedule(of: user)?.lastCheckIn }
        guard checkInLimiter.claim(moment, after: last, of: user, at: now) else { throw refusal }
        do {
            return try await checkIn(
                id, occurredAt: occurredAt, sentAt: sentAt, by: caller)
        } catch {
            checkInLimiter.giveBack(moment, of: user)
            throw error
        }
    }
}
