import Domain
import Foundation
import Persistence

/// Corrects times that a wrong clock recorded. This happens after a step of the server's time,
/// before the deadline monitor acts on those times.
public struct ClockCorrections: Commands {
    public let core: Core
    let scheduleNews: ScheduleNews
    let journeys: Journeys

    private static let page = 2_000
    /// People per transaction. A small number, so that check-ins wait only briefly.
    private static let batch = 50

    /// Returns true if there was a correction. Its last transaction also stores the clock's state,
    /// so that the next process doesn't apply it again.
    @discardableResult
    public func applyClockCorrections() async throws -> Bool {
        // Reading the clock detects a correction.
        _ = now()
        var isCorrected = false
        while let correction = clock?.correction {
            try await correctSchedules(correction)
            try await correctAlerts(correction)
            try await correctEndedAlerts(correction)
            try await correctJourneys(correction)
            try await database.write(about: .serverState) { transaction in
                guard try !isApplied(correction, in: transaction) else { return }
                try forwardFirstDeadlines(correction, in: transaction)
                try forwardAlerts(correction, in: transaction)
                try forwardEndedAlerts(correction, in: transaction)
                try transaction.correctMoments(by: correction)
                try transaction.putAlarmsFirst(dueBefore: transaction.now)
                try correctState(correction, in: transaction)
            }
            if clock?.settle(correction) == true { core.environment.noteCorrection(correction) }
            isCorrected = true
        }
        return isCorrected
    }

    /// Returns true if another server that started at the same time has applied the correction,
    /// or if this server has applied it, but lost the answer to its commit. Moving times forward
    /// twice would be wrong.
    private func isApplied(
        _ correction: ClockCorrection, in transaction: Transaction
    ) throws -> Bool {
        guard database.isShared, correction.by > .zero,
            let stored = try transaction.serverState().clock
        else { return false }
        return stored.since > correction.until
    }

    private func forwardFirstDeadlines(
        _ correction: ClockCorrection, in transaction: Transaction
    ) throws {
        guard correction.by > .zero else { return }
        let people = try transaction.peopleWithFirstDeadline(
            from: correction.since, to: correction.until)
        for user in people {
            guard let memory = try transaction.scheduleMemory(of: user) else { continue }
            let forwarded = memory.forwardingStart(by: correction, at: transaction.now)
            guard forwarded != memory else { continue }
            try replace(
                memory, by: forwarded, of: user,
                telling: { try transaction.responderIDs(of: user) }, in: transaction)
        }
    }

    /// Saves a corrected schedule. If screens show the change, makes them load the schedule again.
    private func replace(
        _ memory: ScheduleMemory, by corrected: ScheduleMemory, of user: UserID,
        telling responders: () throws -> [UserID], in transaction: Transaction
    ) throws {
        try save(
            memory.nextDueAt, in: transaction,
            {
                try transaction.save(corrected, of: user)
                guard corrected.schedule.looksDifferent(from: memory.schedule) else { return }
                try scheduleNews.publishCorrection(
                    of: user, to: try responders(), in: transaction)
            },
            orPostpone: { try transaction.postponeSchedule(of: user, until: $0) })
    }

    private func forwardAlerts(
        _ correction: ClockCorrection, in transaction: Transaction
    ) throws {
        guard correction.by > .zero else { return }
        var last: UserID?
        repeat {
            let page = try transaction.openAlerts(after: last, limit: Self.batch)
            last = page.count < Self.batch ? nil : page.last?.userID
            // As in `correctAlerts`, reads all open alerts of the page's users.
            let users = Set(page.map(\.userID)).sorted()
            for alert in try users.flatMap({ try transaction.openAlerts(of: $0) }) {
                let forwarded = alert.forwarded(by: correction, at: transaction.now)
                guard forwarded != alert else { continue }
                try save(
                    alert.nextDue, in: transaction,
                    {
                        try transaction.saveStart(of: forwarded)
                        try transaction.forwardActions(of: alert, by: correction)
                        try transaction.update(forwarded)
                    },
                    orPostpone: { try transaction.postponeAlert(alert, until: $0) })
            }
        } while last != nil
    }

    private func correctSchedules(_ correction: ClockCorrection) async throws {
        var last: UserID?
        repeat {
            let page = try await database.read { [last] in
                try $0.scheduleMemories(after: last, limit: Self.page)
            }
            last = page.count < Self.page ? nil : page.last?.user
            let now = now()
            let users = page.filter { $0.memory.corrected(by: correction, at: now) != $0.memory }
                .map(\.user)
            for start in stride(from: 0, to: users.count, by: Self.batch) {
                let batch = users[start..<min(start + Self.batch, users.count)]
                try await database.write(about: Subjects(Array(batch), isRepeatable: true)) {
                    transaction in
                    let now = transaction.now
                    let responders = try transaction.responderIDs(of: Array(batch))
                    for user in batch {
                        // Reads the row again, because a check-in may have arrived.
                        guard let memory = try transaction.scheduleMemory(of: user) else {
                            continue
                        }
                        let corrected = memory.corrected(by: correction, at: now)
                        guard corrected != memory else { continue }
                        try replace(
                            memory, by: corrected, of: user,
                            telling: { responders[user] ?? [] }, in: transaction)
                    }
                }
            }
        } while last != nil
    }

    /// Saves a corrected row. A row that can't be saved must not stop the corrections. The wrong
    /// time may have postponed it for days; `postpone` lets the deadline monitor look in a minute.
    /// - Parameter due: when the monitor would look at the row.
    private func save(
        _ due: Date?, in transaction: Transaction, _ save: () throws -> Void,
        orPostpone postpone: (Date) throws -> Void
    ) throws {
        guard try transaction.isolated(save) != nil else { return }
        let again = transaction.now.adding(DeadlineMonitor.postponement)
        guard let due, due > again else { return }
        _ = try transaction.isolated { try postpone(again) }
    }

    private func correctAlerts(_ correction: ClockCorrection) async throws {
        guard correction.by < .zero else { return }
        var last: UserID?
        repeat {
            let page = try await database.read { [last] in
                try $0.openAlerts(after: last, limit: Self.batch)
            }
            // The page's last user may have a second alert that isn't on this page. Therefore all
            // open alerts of the page's users are read below.
            last = page.count < Self.batch ? nil : page.last?.userID
            let users = Set(page.map(\.userID))
            try await database.write(about: Subjects(Array(users), isRepeatable: true)) {
                transaction in
                for alert in try users.flatMap({ try transaction.openAlerts(of: $0) }) {
                    try correct(alert, by: correction, in: transaction)
                }
            }
        } while last != nil
    }

    private func correct(
        _ alert: AlertRow, by correction: ClockCorrection, in transaction: Transaction
    ) throws {
        _ = try transaction.isolated {
            try transaction.correctActions(of: alert, by: correction)
        }
        let corrected = alert.corrected(by: correction, at: transaction.now)
        let due = try transaction.nextDue(ofAlert: alert)
        guard corrected != alert || due != corrected.nextDue else { return }
        try save(
            [due, alert.nextCallAt].compactMap(\.self).max(), in: transaction,
            {
                try transaction.saveStart(of: corrected)
                try transaction.update(corrected)
            },
            orPostpone: { again in
                try transaction.postponeAlert(alert, until: again)
                guard alert.callDue != nil else { return }
                var later = alert
                later.nextCallAt = again
                try transaction.saveNextCall(of: later)
            })
    }

    /// Corrects alerts that ended while the time was ahead. They need nothing more.
    private func correctEndedAlerts(_ correction: ClockCorrection) async throws {
        guard correction.by < .zero else { return }
        let begin = now().adding(.milliseconds(1))
        let people = try await database.read {
            try $0.peopleWithEndedAlerts(from: begin, to: .distantFuture)
        }
        for start in stride(from: 0, to: people.count, by: Self.batch) {
            let batch = Array(people[start..<min(start + Self.batch, people.count)])
            try await database.write(about: Subjects(batch, isRepeatable: true)) { transaction in
                for user in batch {
                    try replaceEndedAlerts(
                        of: user, from: begin, to: .distantFuture, in: transaction
                    ) {
                        try transaction.correctActions(of: $0, by: correction)
                        return $0.corrected(by: correction, at: transaction.now)
                    }
                }
            }
        }
    }

    /// Moves forward alerts that ended while the time was behind. Not idempotent.
    private func forwardEndedAlerts(
        _ correction: ClockCorrection, in transaction: Transaction
    ) throws {
        guard correction.by > .zero else { return }
        let (since, until) = (correction.since, correction.until)
        for user in try transaction.peopleWithEndedAlerts(from: since, to: until) {
            try replaceEndedAlerts(of: user, from: since, to: until, in: transaction) {
                try transaction.forwardActions(of: $0, by: correction)
                return $0.forwarded(by: correction, at: transaction.now)
            }
        }
    }

    private func replaceEndedAlerts(
        of user: UserID, from begin: Date, to end: Date, in transaction: Transaction,
        _ correct: (AlertRow) throws -> AlertRow
    ) throws {
        for alert in try transaction.endedAlerts(of: user, from: begin, to: end) {
            // A row that can't be saved must not stop the corrections.
            _ = try transaction.isolated {
                let corrected = try correct(alert)
                try transaction.saveStart(of: corrected)
                try transaction.update(corrected)
            }
        }
    }

    private func correctJourneys(_ correction: ClockCorrection) async throws {
        guard correction.by < .zero else { return }
        var last: UserID?
        repeat {
            let page = try await database.read { [last] in
                try $0.peopleOnJourneys(after: last, limit: Self.batch)
            }
            last = page.count < Self.batch ? nil : page.last
            guard !page.isEmpty else { return }
            try await database.write(about: Subjects(page, isRepeatable: true)) { transaction in
                for user in page {
                    try save(
                        try transaction.nextDue(ofJourneyOf: user), in: transaction,
                        { try correctJourney(of: user, by: correction, in: transaction) },
                        orPostpone: { try transaction.postponeJourney(of: user, until: $0) })
                }
            }
        } while last != nil
    }

    private func correctJourney(
        of user: UserID, by correction: ClockCorrection, in transaction: Transaction
    ) throws {
        // Reads the row under its lock, because the person may have arrived.
        guard let journey = try transaction.journey(of: user), journey.isRunning else { return }
        let now = transaction.now
        let corrected = journey.corrected(by: correction, at: now)
        let due = try transaction.nextDue(ofJourneyOf: user)
        // A grace that the wrong time granted would hide the return until that time.
        let latest = now.adding(Outage.grace)
        let isPostponedTooFar = due != corrected.nextDue && (due ?? now) > latest
        guard corrected != journey || isPostponedTooFar else { return }
        try transaction.save(corrected, of: user)
        if corrected.startedAt != journey.startedAt {
            transaction.noteStaleDevices(of: user, besides: nil)
            try journeys.publish(corrected, of: user, in: transaction)
        }
        if let due, !isPostponedTooFar, let next = corrected.nextDue, next < due {
            try transaction.postponeJourney(of: user, until: due)
        }
    }

    /// Corrects the server's own records. If the server has just started, its recorded start is
    /// wrong, so the outage is measured with the corrected start.
    private func correctState(_ correction: ClockCorrection, in transaction: Transaction) throws {
        let now = transaction.now
        var isNewOutage = false
        let state = try transaction.updateServerState { state in
            state.clock = clock?.memory(after: correction) ?? state.clock
            state.lastSignOfLife = correction.corrected(state.lastSignOfLife, at: now)
            if let outage = state.outage, outage.to > now { state.outage = nil }
            if let restoration = state.restoration {
                state.restoration?.restoredAt = correction.corrected(
                    restoration.restoredAt, at: now)
            }
            guard let wrongStart = state.startedAt else { return }
            let start = min(wrongStart.adding(correction.by), now)
            guard correction.until.since(wrongStart) < Outage.grace else { return }
            state.startedAt = start
            guard let last = state.lastSignOfLife,
                let outage = Outage(from: last, to: start, after: nil)
            else { return }
            state.outage = outage
            isNewOutage = true
        }
        if isNewOutage, let outage = state.outage, now < outage.graceEnd {
            try transaction.grantGrace(after: outage)
        }
    }
}

extension CheckInSchedule {
    /// Returns true if screens show another deadline, check-in or pause than for the other
    /// schedule.
    fileprivate func looksDifferent(from other: CheckInSchedule) -> Bool {
        deadline != other.deadline || lastCheckIn != other.lastCheckIn || pause != other.pause
    }
}

extension AlertRow {
    /// Returns the alert with corrected times.
    func corrected(by correction: ClockCorrection, at now: Date) -> AlertRow {
        var new = self
        new.startedAt = correction.corrected(startedAt, at: now)
        new.receivedAt = correction.corrected(receivedAt, at: now)
        // A start that is already past isn't corrected.
        new.endedAt = correction.corrected(endedAt, at: now).map { max($0, new.startedAt) }
        new.escalationFrom = correction.corrected(escalationFrom, at: now)
        new.acknowledgedAt = correction.corrected(acknowledgedAt, at: now)
        new.askedAt = correction.corrected(askedAt, at: now)
        new.reportedAt = correction.corrected(reportedAt, at: now)
        new.refusedAt = correction.corrected(refusedAt, at: now)
        new.nextCallAt = correction.corrected(nextCallAt, at: now)
        // While the time was wrong, repeats were counted that aren't due yet. Uncounts them, so
        // that the next repeat isn't skipped.
        var last = new.escalation
        last.attention = .none
        while last.repeats > 1 {
            last.repeats -= 1
            guard last.nextDue > now else { break }
            new.repeats = last.repeats
        }
        return new
    }

    /// Returns the alert with the times moved forward that the server recorded while its time was
    /// behind. The start stays if it came from a device's right clock.
    func forwarded(by correction: ClockCorrection, at now: Date) -> AlertRow {
        guard correction.by > .zero else { return self }
        var new = self
        if correction.covers(startedAt, receivedAt: receivedAt) {
            new.startedAt = min(startedAt.adding(correction.by), now)
        }
        new.receivedAt = correction.forwarded(receivedAt, at: now)
        new.endedAt = correction.forwarded(endedAt, at: now)
        new.escalationFrom = correction.forwarded(escalationFrom, at: now)
        new.acknowledgedAt = correction.forwarded(acknowledgedAt, at: now)
        new.askedAt = correction.forwarded(askedAt, at: now)
        new.reportedAt = correction.forwarded(reportedAt, at: now)
        new.refusedAt = correction.forwarded(refusedAt, at: now)
        new.nextCallAt = correction.forwarded(nextCallAt, at: now)
        return new
    }
}
