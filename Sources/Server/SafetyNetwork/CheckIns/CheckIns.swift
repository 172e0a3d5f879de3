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
        let request = PendingCheckIn(
            id: id, occurredAt: occurredAt, sentAt: sentAt, caller: caller)
        // SQLite's engine runs all waiting writes in one transaction.
        guard database.isShared else { return try await store(request) }
        return try await checkInGroups.store(request) {
            await store($0)
        } alone: {
            try await store($0)
        }
    }

    /// - Parameter source: returns the name of the source that checks in. Runs in the check-in's
    ///   transaction.
    func checkIn(
        _ id: CheckInID, occurredAt: Date, by caller: Caller,
        from source: @escaping @Sendable (Transaction) throws -> String?
    ) async throws -> CheckInRecord {
        try await store(
            PendingCheckIn(id: id, occurredAt: occurredAt, sentAt: nil, caller: caller),
            from: source)
    }

    // MARK: Storing

    private func store(
        _ request: PendingCheckIn,
        from source: @escaping @Sendable (Transaction) throws -> String? = { _ in nil }
    ) async throws -> CheckInRecord {
        try await database.write(about: Subjects([request.user], isRepeatable: true)) {
            transaction in
            let state = try transaction.checkInState(request.id, of: request.user)
            if let stored = try known(request, state, in: transaction) { return stored }
            let name = try source(transaction)
            let new = try change(request, state, from: name, in: transaction)
            try save([new], in: transaction)
            return new.record
        }
    }

    /// Stores check-ins of different people in one transaction. Returns nil for a check-in that
    /// must be stored alone: of a person who is locked by another transaction, who is unknown, or
    /// who has an alert to end or a ping to answer. Returns nil for all if one of the check-ins
    /// makes the transaction fail.
    func store(_ requests: [PendingCheckIn]) async -> [Result<CheckInRecord, any Error>?] {
        do {
            let results = try await database.write(about: .someRequests) { transaction in
                let free = try transaction.tryLock(requests.map(\.user))
                return try store(requests.filter { free.contains($0.user) }, in: transaction)
            }
            return requests.map { results[$0.user] }
        } catch let error as DatabaseError where error.isOfTheDisk && error != .conflict {
            // One alone would fail, too.
            return requests.map { _ in .failure(error) }
        } catch {
            return requests.map { _ in nil }
        }
    }

    private func store(
        _ requests: [PendingCheckIn], in transaction: Transaction
    ) throws -> [UserID: Result<CheckInRecord, any Error>] {
        let states = try transaction.checkInStates(requests.map { ($0.user, $0.id) })
        var results: [UserID: Result<CheckInRecord, any Error>] = [:]
        var changes: [Change] = []
        for request in requests {
            let state = states[request.user]
            // Ends and answers change rows that writes of other people change, too. In one
            // transaction, those of several people could lead to deadlocks.
            guard state?.hasMissedAlert != true, state?.hasPings != true else { continue }
            do {
                if let stored = try known(request, state, in: transaction) {
                    results[request.user] = .success(stored)
                } else {
                    let new = try change(request, state, from: nil, in: transaction)
                    changes.append(new)
                    results[request.user] = .success(new.record)
                }
            } catch let error as CommandError {
                results[request.user] = .failure(error)
            }
        }
        try save(changes, in: transaction)
        return results
    }

    /// Returns a repeated check-in as it was stored.
    private func known(
        _ request: PendingCheckIn, _ state: CheckInState?, in transaction: Transaction
    ) throws -> CheckInRecord? {
        guard state?.isKnown == true else { return nil }
        return try transaction.checkIn(request.id, of: request.user)
    }

    /// What a new check-in changes.
    private struct Change {
        var caller: Caller
        var record: CheckInRecord
        var state: CheckInState
        /// The schedule before the check-in, and after it.
        var old, new: CheckInSchedule
        var isNewest: Bool
        var missedAlert: AlertRow?

        var user: UserID { caller.userID }
    }

    /// Decides without writing anything. Throws `CommandError`.
    private func change(
        _ request: PendingCheckIn, _ state: CheckInState?, from source: String?,
        in transaction: Transaction
    ) throws -> Change {
        let now = transaction.now
        let moment = try CheckInRules.moment(
            request.occurredAt, sentAt: request.sentAt, receivedAt: now,
            clockGap: clock?.knownError ?? .zero)
        guard let state else { throw CommandError.noSuchUser }
        var schedule = state.memory.schedule
        schedule.forgetFuture(after: now)
        try limitCheckIn(
            at: moment, after: schedule.lastCheckIn, of: request.user, at: now, request.limiterEntry
        )
        let old = schedule
        let isNewest = schedule.checkIn(at: moment)
        let record = CheckInRecord(
            id: request.id, occurredAt: moment, receivedAt: now,
            nextCheckInTime: schedule.deadline,
            opensAt: schedule.opening(afterCheckInAt: moment, before: old), source: source)
        let missed =
            isNewest && state.hasMissedAlert
            ? try transaction.openAlert(.missedCheckIn, of: request.user) : nil
        // A new deadline that has also passed is missed as well. An open alert covers it.
        let isFine = !schedule.isMissed(at: now)
        // A check-in before a window may end an alert about its deadline, which a wrong clock
        // opened early. The deadline must alarm again.
        if isFine { schedule.hasOpenedAlert = false }
        if !isFine, missed != nil { schedule.hasOpenedAlert = true }
        return Change(
            caller: request.caller, record: record, state: state, old: old, new: schedule,
            isNewest: isNewest, missedAlert: missed)
    }

    private func save(_ changes: [Change], in transaction: Transaction) throws {
        let now = transaction.now
        let newest = changes.filter(\.isNewest)
        try transaction.insert(changes.map { ($0.user, $0.record) })
        try transaction.save(newest.map { ($0.user, $0.new) }, heardAt: now)
        let watched = newest.filter(\.state.hasResponders).map(\.user)
        let responders = try watched.isEmpty ? [:] : transaction.responderIDs(of: watched)
        let reminded = newest.filter {
            $0.old.hasReminded && $0.record.nextCheckInTime != $0.old.deadline
        }
        if !reminded.isEmpty {
            try transaction.supersedeReminders(ofCheckedIn: reminded.map(\.user))
        }
        for change in changes {
            if change.isNewest {
                try announce(change, to: responders[change.user] ?? [], in: transaction)
            } else {
                try transaction.noteHeard(change.user)
            }
        }
    }

    /// Tells the person's devices and responders, and ends what the newest check-in answers.
    private func announce(
        _ change: Change, to responders: [UserID], in transaction: Transaction
    ) throws {
        let (user, record, now) = (change.user, change.record, transaction.now)
        let isFine = !change.new.isMissed(at: now)
        if !isFine, change.missedAlert == nil, let deadline = record.nextCheckInTime,
            let due = change.state.memory.nextDueAt
        {
            try keepGrace(until: due, of: user, missing: deadline, in: transaction)
        }
        transaction.noteStaleDevices(of: user, besides: change.caller.sessionID)

        let summary = try EncodedEvent(
            .checkIn(
                .init(
                    userID: user, lastCheckInTime: record.occurredAt,
                    nextCheckInTime: record.nextCheckInTime)))
        for watcher in [user] + responders { try transaction.append(summary, to: watcher) }
        if isFine, let missed = change.missedAlert, let owner = try transaction.user(user) {
            let text = NotificationText.checkedIn(
                name: owner.displayName, occurredAt: record.occurredAt, receivedAt: now)
            _ = try alertLifecycle.end(
                missed, owner: owner, by: change.caller, saying: text, in: transaction)
        }
        if isFine, change.state.hasPings {
            try pings.answerPings(to: user, checkedInAt: record.occurredAt, in: transaction)
        }
    }

    /// Keeps the grace after an outage. Devices send queued check-ins oldest first. After one whose
    /// deadline has passed, a newer one may still arrive in time.
    /// - Parameters:
    ///   - due: when the schedule was due before this check-in.
    ///   - askedAt: when the person was asked about this deadline after a restore.
    private func keepGrace(
        until due: Date, of user: UserID, missing deadline: Date, askedAt: Date? = nil,
        in transaction: Transaction
    ) throws {
        guard let outage = try transaction.serverState().outage,
            outage.explains(deadline)
                || askedAt.map({ outage.explains(questionAt: $0) }) ?? false
        else { return }
        let end = min(due, outage.graceEnd)
        // A time after the deadline, even a past one, also shows that no server could tell anyone.
        if end > deadline { try transaction.postponeSchedule(of: user, until: end) }
    }

    /// Keeps the grace if a change of the settings leaves the missed deadline where it was.
    /// - Parameter before: the schedule before the change.
    private func keepGrace(
        of user: UserID, _ before: ScheduleMemory, changedTo schedule: CheckInSchedule,
        in transaction: Transaction
    ) throws {
        guard let deadline = schedule.deadline, deadline == before.schedule.deadline,
            schedule.isMissed(at: transaction.now), !schedule.hasOpenedAlert,
            let due = before.nextDueAt
        else { return }
        try keepGrace(
            until: due, of: user, missing: deadline, askedAt: before.askedAt, in: transaction)
    }

    public func checkIns(of caller: Caller, page: Page) async throws -> [CheckInRecord] {
        try await database.read { try $0.checkIns(of: caller.userID, page: page) }
    }

    /// Updates the schedule and the reminders. A new interval counts from the last check-in; a
    /// deadline in the past counts as missed at once. Tells the accepted responders if the person
    /// can be silent for longer than before, or if deadlines come later. Tells them again if a
    /// later change undoes that.
    /// - Parameter key: idempotency key. A repeat changes nothing and gets the present state.
    public func updateSettings(_ settings: CheckInSettings, of caller: Caller, key: UUID? = nil)
        async throws -> UserProfile
    {
        if options.canaryNumbers.isEmpty { try options.intervalLimits.check(settings) }
        return try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard let memory = try transaction.scheduleMemory(of: caller.userID) else {
                throw CommandError.noSuchUser
            }
            var schedule = memory.schedule
            try intervalLimits(of: caller, in: transaction).check(settings)
            let isRepeat = try isRepeat("updateCheckInSettings", key, of: caller, in: transaction)
            if !isRepeat, schedule.settings != settings {
                let before = schedule
                let now = transaction.now
                schedule.apply(settings, at: now)
                // During a grace, a change must not erase a missed deadline, so the device tries
                // again later. A shorter interval keeps the deadline missed.
                let isUnhandled = before.isMissed(at: now) && !before.hasOpenedAlert
                if isUnhandled, !settings.hasSameDeadlines(as: before.settings),
                    settings.plan != .interval || !schedule.isMissed(at: now)
                {
                    throw CommandError.unavailable(
                        "Your deadline has passed. Check in, or try again in a few minutes.")
                }
                if !isUnhandled { try cover(&schedule, of: caller.userID, in: transaction) }
                try transaction.save(schedule, of: caller.userID)
                try keepGrace(of: caller.userID, memory, changedTo: schedule, in: transaction)
                if before.hasReminded, schedule.deadline != before.deadline {
                    try transaction.supersedeReminders(of: caller.userID)
                }
                try scheduleNews.announce(
                    ScheduleChange(from: before, to: schedule, at: now),
                    else: ScheduleChange.undoing(before, by: schedule, at: now),
                    doneBy: caller, in: transaction)
                // A choice before the first check-in is part of the onboarding, and no news.
                if before.lastCheckIn != nil {
                    try scheduleNews.announce(
                        settings.lastCall, after: before.settings.lastCall, doneBy: caller,
                        in: transaction)
                }
            }
            return try profiles.profile(of: caller.userID, in: transaction)
        }
    }

    /// Marks a new deadline that has already passed as covered by the open alert. Otherwise the
    /// alert would restart, as after another missed check-in.
    private func cover(
        _ schedule: inout CheckInSchedule, of user: UserID, in transaction: Transaction
    ) throws {
        guard schedule.isMissed(at: transaction.now),
            try transaction.openAlert(.missedCheckIn, of: user) != nil
        else { return }
        schedule.hasOpenedAlert = true
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
