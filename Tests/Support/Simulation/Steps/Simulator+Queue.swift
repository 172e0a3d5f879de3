import Domain
import Foundation
import SafetyNetwork

/// A device and its queue. It retries what it has queued until it is answered.
extension Simulator {
    func goOffline(_ person: Int, _ seconds: Int) {
        phones[person].offlineUntil = now.adding(.seconds(seconds))
        agenda.add(.flush(person), at: phones[person].offlineUntil)
    }

    func checkIn(_ person: Int, answerLost: Bool) async {
        guard truth.accounts[person] != nil else { return }
        let moment = now.adding(phones[person].clockError)
        let item = Phone.Queued(
            kind: .checkIn(CheckInID(world.makeID()), at: moment), losesAnswer: answerLost)
        phones[person].lastCheckIn = item
        phones[person].add(item)
        await flush(person)
    }

    func repeatCheckIn(_ person: Int) async {
        guard let last = phones[person].lastCheckIn, phones[person].queue.isEmpty else { return }
        phones[person].add(last)
        await flush(person)
    }

    func raise(_ person: Int, answerLost: Bool) async {
        guard truth.accounts[person] != nil else { return }
        phones[person].add(
            Phone.Queued(kind: .raise(AlertID(world.makeID())), losesAnswer: answerLost))
        await flush(person)
    }

    /// Resends the last check-in and the open alert after a restore.
    func resend(_ person: Int) async {
        guard truth.accounts[person] != nil else { return }
        if let open = phones[person].openAlert {
            phones[person].add(Phone.Queued(kind: .raise(open), losesAnswer: false))
        }
        if let last = phones[person].lastCheckIn { phones[person].add(last) }
        await flush(person)
    }

    func retry(_ person: Int) {
        let pause = min(300, 2 << min(phones[person].failures, 7)) + luck(person, below: 4)
        agenda.add(.flush(person), at: now.adding(.seconds(pause)))
    }

    func flush(_ person: Int) async {
        while let item = phones[person].queue.first {
            guard phones[person].offlineUntil <= now else { return }
            guard let server else { return }
            let isDone =
                switch item.kind {
                case .checkIn(let id, let moment): await send(id, moment, of: person, item)
                case .raise(let id): await send(id, of: person, item)
                case .extendJourney(let id, let until, let press):
                    await send(later: until, id, pressedAt: press, of: person, item)
                case .endJourney(let id, let press):
                    await send(arrival: id, pressedAt: press, of: person, item)
                }
            guard isDone else {
                if server.disk.condition == .fine || self.server === server { retry(person) }
                phones[person].failures += 1
                return
            }
            phones[person].failures = 0
            if !phones[person].queue.isEmpty { phones[person].queue.removeFirst() }
        }
    }

    /// Sends a check-in. Returns whether it was answered.
    private func send(_ id: CheckInID, _ moment: Date, of person: Int, _ item: Phone.Queued) async
        -> Bool
    {
        let answer = await ask(person, .checkIn) {
            try await $0.checkIns.checkIn(id, occurredAt: moment, by: $1)
        }
        switch answer {
        case .unreachable: return false
        case .refused(.rateLimited): return false
        case .refused: return true
        case .answered(let record):
            await enter(record, id, of: person)
            if let first = phones[person].answers[id], first != record {
                note("sameAnswer", "\(name(person))'s check-in got \(record) after \(first)")
            }
            phones[person].answers = [id: record]
            return keeps(item, of: person)
        }
    }

    private func send(_ id: AlertID, of person: Int, _ item: Phone.Queued) async -> Bool {
        switch await ask(person, .raiseAlert, { try await $0.alerts.raiseAlert(id, by: $1) }) {
        case .unreachable: return false
        case .refused: return true
        case .answered(let record):
            guard let raised = AlertID(record.id) else { return true }
            truth.accounts[person]?.raises.insert(raised)
            phones[person].openAlert = record.isActive ? raised : nil
            return keeps(item, of: person)
        }
    }

    /// Returns whether the response arrives. After a lost response, the device retries.
    func keeps(_ item: Phone.Queued, of person: Int) -> Bool {
        guard item.losesAnswer else { return true }
        phones[person].queue[0].losesAnswer = false
        return false
    }

    func enter(_ record: CheckInRecord, _ id: CheckInID, of person: Int) async {
        guard let server, truth.accounts[person]?.checkIns.insert(id).inserted == true else {
            return
        }
        truth.accounts[person]?.reading.moments[id] = record.occurredAt
        truth.accounts[person]?.heardAt = now
        guard let account = truth.accounts[person], moves(record, account, person) else { return }
        let error = error(of: server)
        let wasUnsure = account.isUnsure
        truth.accounts[person]?.lastCheckIn = record.occurredAt
        truth.accounts[person]?.receiptError = error
        handled[person] = now
        if wasUnsure { await adoptSchedule(of: person) }
        let deadline = truth.accounts[person]?.deadline
        let isOutside = record.opensAt != nil
        if isOutside { sights.insert("window: check-in outside") }
        if !wasUnsure, error == .zero {
            checkAnswer(record, before: account, person)
        }
        guard deadline != account.deadline else { return }
        truth.accounts[person]?.deadlineSince = now
        hearing.checkedIn[person] = now
    }

    /// Returns whether the server counts from this check-in. With an interval, the deadline in the
    /// response shows which check-in it counts from.
    private func moves(
        _ record: CheckInRecord, _ account: Truth.Account, _ person: Int
    ) -> Bool {
        guard account.plan == .interval, account.first == nil,
            let deadline = record.nextCheckInTime
        else { return account.lastCheckIn.map { record.occurredAt > $0 } ?? true }
        let counted = deadline.adding(.zero - account.interval)
        if let last = account.lastCheckIn, !account.mayHaveCounted(from: counted),
            counted != record.occurredAt || record.occurredAt < last,
            account.receiptError == .zero
        {
            note("durable", "\(name(person))'s deadline counts from \(counted), not from \(last)")
        }
        return counted == record.occurredAt && counted != account.lastCheckIn
    }

    /// Checks the deadline in the answer, and whether it says that the check-in came too early.
    private func checkAnswer(
        _ record: CheckInRecord, before: Truth.Account, _ person: Int
    ) {
        guard let after = truth.accounts[person] else { return }
        if record.nextCheckInTime != after.deadline {
            note(
                "window",
                "\(name(person)) checked in, and the answer says that the next deadline is "
                    + "\(Self.text(record.nextCheckInTime)), not \(Self.text(after.deadline))")
        }
        guard case .times(let times) = after.plan, before.lastCheckIn != nil else { return }
        let moment = record.occurredAt
        let isEarly =
            !times.hasWindow(at: moment) && after.opening.map { $0 > moment } ?? false
            && (before.opening != nil || before.deadline.map { $0 <= moment } ?? true)
        if record.opensAt != (isEarly ? after.opening : nil) {
            note(
                "window",
                "\(name(person)) checked in, and the answer says that the window opens "
                    + "\(Self.text(record.opensAt)), not "
                    + Self.text(isEarly ? after.opening : nil))
        }
    }

    private static func text(_ date: Date?) -> String { date.map { "\($0)" } ?? "never" }
}
