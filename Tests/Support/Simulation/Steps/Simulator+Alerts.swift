import Domain
import Foundation
import SafetyNetwork

extension Simulator {
    func end(_ person: Int) async {
        guard let alarm = truth.alarm(of: person, .manual) else { return }
        await end(alarm.id, of: person)
    }

    private func end(_ id: AlertID, of person: Int) async {
        let answer = await ask(person, .endAlert) { try await $0.alerts.endAlert(id, by: $1) }
        guard let record = answer.value, !record.isActive else { return }
        checkTold(record, of: person)
        handled[person] = now
        phones[person].openAlert = nil
        finish(id)
    }

    func finish(_ id: AlertID) {
        hearing.over[id] = now
        if let alarm = truth.alarms.first(where: { $0.id == id }) {
            hearing.lastEnd[alarm.owner] = now
        }
        truth.alarms.removeAll { $0.id == id }
    }

    /// Simulates a storm: raises an alert every six seconds and ends each after three.
    func raiseAgain(_ person: Int, times: Int) async {
        guard times > 0 else { return }
        await raise(person, answerLost: false)
        agenda.add(.endAgain(person, times: times), at: now.adding(.seconds(3)))
    }

    func endAgain(_ person: Int, times: Int) async {
        if let id = phones[person].openAlert { await end(id, of: person) }
        agenda.add(.raiseAgain(person, times: times - 1), at: now.adding(.seconds(3)))
    }

    func acknowledge(_ person: Int, of owner: Int) async {
        guard let server, let alarm = alarm(of: owner) else { return }
        guard
            let record = await respond(
                person, alarm, { try await $0.responding.acknowledgeAlert(alarm.id, by: $1) })
        else { return }
        let serverNow = server.clock.now()
        let isAsked = hearing.questions[alarm.id].map { $0 >= alarm.acknowledgedAt ?? $0 } ?? false
        let isNew = alarm.acknowledgedBy == nil
        if isNew || alarm.acknowledgedBy == person, isNew || isAsked {
            truth.change(alarm.id) {
                $0.acknowledgedBy = person
                $0.acknowledgedAt = max(serverNow, now)
            }
            hearing.answered[Edge(responder: person, owner: owner)] = now
        }
        guard let expected = truth.alarms.first(where: { $0.id == alarm.id }),
            let by = expected.acknowledgedBy
        else { return }
        let time = isNew ? serverNow : nil
        if record.acknowledgement?.name != name(by)
            || (time ?? record.acknowledgement?.time) != record.acknowledgement?.time
        {
            note(
                "acknowledgement",
                "\(name(by)) took on the alert of \(name(owner)) at \(serverNow), "
                    + "and the answer says "
                    + "\(record.acknowledgement.map { "\($0.name), \($0.time)" } ?? "nobody")")
        }
    }

    /// Performs a responder's action on an alert. Returns nil if the server refused the action or
    /// should have.
    func respond(
        _ person: Int, _ alarm: Alarm,
        _ command: (SafetyNetwork, Caller) async throws -> AlertRecord
    ) async -> AlertRecord? {
        // Only responders may act, and the owner may resume the repeats.
        let isTold =
            person == alarm.owner
            || truth.listeners[Edge(responder: person, owner: alarm.owner)] != nil
                && alarm.concerns(person)
        hearing.acts[person] = now
        guard let record = await ask(person, command).value else { return nil }
        guard isTold else {
            note(
                "stranger",
                "\(name(person)) acted on the alert of \(name(alarm.owner)) and is no responder")
            return nil
        }
        return record
    }

    /// Returns the owner's manual alert, else the missed check-in, else the one about a journey.
    func alarm(of owner: Int) -> Alarm? {
        truth.alarm(of: owner, .manual) ?? truth.alarm(of: owner, .missedCheckIn)
            ?? truth.alarm(of: owner, .journey)
    }

    func withdraw(_ person: Int, from owner: Int) async {
        guard let server, let alarm = alarm(of: owner),
            let record = await respond(
                person, alarm,
                { try await $0.responding.withdrawAcknowledgement(of: alarm.id, by: $1) })
        else { return }
        truth.change(alarm.id) { $0.refused.insert(person) }
        guard alarm.acknowledgedBy == person else { return }
        let serverNow = server.clock.now()
        truth.change(alarm.id) { $0.withdraw(person, at: max(serverNow, now)) }
        if truth.roles[Edge(responder: person, owner: owner)] != nil {
            checkReport(record, of: alarm)
        }
        if let still = record.acknowledgement {
            note("acknowledgement", "\(name(person)) withdrew, and \(still.name) is still on it")
        }
    }

    /// Checks that the answer to a withdrawal names the report that remains.
    private func checkReport(_ record: AlertRecord, of alarm: Alarm) {
        guard let left = truth.alarms.first(where: { $0.id == alarm.id }),
            record.report?.name != left.reportedBy.map(name)
        else { return }
        note(
            "acknowledgement",
            "after a withdrawal, the answer names the report of "
                + "\(record.report?.name ?? "nobody") and not of "
                + "\(left.reportedBy.map(name) ?? "nobody")")
    }

    func report(_ person: Int, _ report: AlertReport, on owner: Int) async {
        guard let server, let alarm = alarm(of: owner),
            let record = await respond(
                person, alarm, { try await $0.responding.report(report, on: alarm.id, by: $1) })
        else { return }
        let serverNow = server.clock.now()
        if record.report?.name != name(person) || record.report?.kind != report.action {
            note(
                "acknowledgement",
                "\(name(person)) reported \(report), and the answer says "
                    + "\(record.report.map { "\($0.name), \($0.kind)" } ?? "nothing")")
        }
        truth.change(alarm.id) { alarm in
            guard alarm.report != report || alarm.reportedBy != person else { return }
            (alarm.report, alarm.reportedBy, alarm.reportedAt) = (
                report, person, max(serverNow, now)
            )
        }
    }

    func resume(_ person: Int, on owner: Int) async {
        guard let server, let alarm = alarm(of: owner),
            let record = await respond(
                person, alarm, { try await $0.responding.resumeRepeats(of: alarm.id, by: $1) })
        else { return }
        if let still = record.report {
            note("acknowledgement", "the repeats go on, and \(still.name)'s report holds")
        }
        guard alarm.report != nil else { return }
        let serverNow = server.clock.now()
        truth.change(alarm.id) { $0.lift(by: person, at: max(serverNow, now)) }
    }

    func ping(_ person: Int, _ other: Int) async {
        guard let dependent = truth.accounts[other]?.caller.userID else { return }
        let id = PingID(world.makeID())
        let answer = await ask(person, .ping) {
            try await $0.pings.ping(id, dependent: dependent, by: $1)
        }
        guard let record = answer.value else { return }
        let edge = Edge(responder: person, owner: other)
        truth.pings[edge] = Truth.Ping(id: record.id, madeAt: now)
        if truth.roles[edge] == nil {
            note("stranger", "\(name(person)) pinged \(name(other)) and is no responder")
        }
    }

    func enter(_ report: Outside.Report) async throws {
        if report.isLastCall, let person = identities[report.user] {
            return await answerLastCall(report, person)
        }
        guard let server else { return }
        let subject = await server.enter(report)
        guard let subject, let person = identities[report.user],
            let alarm = truth.alarms.first(where: { $0.id == report.alert })
        else { return }
        trace.add("\(person) \(subject)")
        switch report.outcome {
        // Who presses 1 too late hears in the call who is on it.
        case .takesOn, .comesLate, .declines: hearing.acts[person] = now
        case .unanswered, nil: break
        }
        let isOn = if case .isYours = subject { true } else { false }
        if report.outcome == .declines {
            // The server refuses an "I can't" from a person who has changed their answer too often.
            declined(person, alarm, isStillOnIt: isOn)
        } else if case .otherAlert = subject {
            // The call was about an ended alert, so the key changed nothing.
        } else if ![.isOver, .noLongerAsked].contains(subject) {
            tookOn(person, alarm, isTheirs: isOn)
        }
    }

    func checkReport(_ report: Outside.Report) async throws {
        guard let server, moments.runningSince < now.adding(.minutes(-1)),
            moments.diskFullUntil < now.adding(.minutes(-1))
        else { return }
        let state = try await server.disk.read { connection in
            try connection.value(
                "SELECT state FROM deliveries WHERE user_id = $1 AND id = $2",
                [.id(report.user), .id(report.delivery)]) as String?
        }
        if state == DeliveryState.accepted.rawValue {
            note(
                "report",
                "the carrier said \(report.state.rawValue) before it answered, "
                    + "and the ledger says accepted"
            )
        }
    }
}

extension Alarm {
    /// Clears the acknowledgement and the report.
    /// - Parameter by: the person who isn't told; nil if everyone is told.
    mutating func release(by person: Int? = nil, at time: Date) {
        (acknowledgedBy, acknowledgedAt) = (nil, nil)
        (report, reportedBy, reportedAt) = (nil, nil, nil)
        noteRelease(by: person, at: time)
    }

    /// Clears the report that a person has lifted. Its author's acknowledgement ends as well.
    mutating func lift(by person: Int, at time: Date) {
        guard let acknowledgedBy, acknowledgedBy != reportedBy else {
            return release(by: person, at: time)
        }
        endReport(by: person, at: time)
    }

    /// Clears this person's acknowledgement and report. Those of another person stay.
    /// - Parameter isAuthor: true if the person withdrew; false if the person's role ended.
    mutating func withdraw(_ person: Int, isAuthor: Bool = true, at time: Date) {
        if acknowledgedBy == person { (acknowledgedBy, acknowledgedAt) = (nil, nil) }
        if reportedBy == person { (report, reportedBy, reportedAt) = (nil, nil, nil) }
        noteRelease(by: isAuthor ? person : nil, at: time)
    }

    /// Clears the report. An acknowledgement stays.
    /// - Parameter by: the person who has lifted the report, and isn't told; nil after its pause.
    mutating func endReport(by person: Int? = nil, at time: Date) {
        (report, reportedBy, reportedAt) = (nil, nil, nil)
        noteRelease(by: person, at: time)
    }

    private mutating func noteRelease(by person: Int?, at time: Date) {
        // Messages about the same release come later and must keep its author.
        if released?.at != time { released = (person, time) }
    }
}
