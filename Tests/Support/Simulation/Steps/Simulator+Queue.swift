import Domain
import Foundation
import SafetyNetwork

/// A device and its queue. It retries check-ins and alerts until they are answered.
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
        switch await ask(person, { try await $0.checkIns.checkIn(id, occurredAt: moment, by: $1) })
        {
        case .unreachable: return false
        case .refused(.rateLimited): return false
        case .refused: return true
        case .answered(let record):
            enter(record, id, of: person)
            if let first = phones[person].answers[id], first != record {
                note("sameAnswer", "\(name(person))'s check-in got \(record) after \(first)")
            }
            phones[person].answers = [id: record]
            return keeps(item, of: person)
        }
    }

    private func send(_ id: AlertID, of person: Int, _ item: Phone.Queued) async -> Bool {
        switch await ask(person, { try await $0.alerts.raiseAlert(id, by: $1) }) {
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
    private func keeps(_ item: Phone.Queued, of person: Int) -> Bool {
        guard item.losesAnswer else { return true }
        phones[person].queue[0].losesAnswer = false
        return false
    }

    private func enter(_ record: CheckInRecord, _ id: CheckInID, of person: Int) {
        guard let server, truth.accounts[person]?.checkIns.insert(id).inserted == true else {
            return
        }
        truth.accounts[person]?.heardAt = now
        guard let account = truth.accounts[person], let deadline = record.nextCheckInTime else {
            return
        }
        // Until the machine's clock is right, the server's clock drifts by up to 5 %.
        let drift = max(0, moments.clockWrongUntil.since(now).milliseconds) / 20
        let error = abs(server.clock.now().since(now).milliseconds) + drift
        // The deadline in the response shows which check-in the server counts from.
        let counted = deadline.adding(.zero - account.interval)
        if let last = account.lastCheckIn, !account.mayHaveCounted(from: counted),
            counted != record.occurredAt || record.occurredAt < last,
            account.receiptError == .zero
        {
            note("durable", "\(name(person))'s deadline counts from \(counted), not from \(last)")
        }
        guard counted == record.occurredAt, counted != account.lastCheckIn else { return }
        truth.accounts[person]?.lastCheckIn = counted
        truth.accounts[person]?.receiptError = .milliseconds(error)
        truth.accounts[person]?.deadlineSince = now
        hearing.checkedIn[person] = now
        handled[person] = now
    }
}
