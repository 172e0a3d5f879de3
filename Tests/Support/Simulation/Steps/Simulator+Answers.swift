import Domain
import Foundation
import SafetyNetwork

/// Answers to alerts by text message, on the page of a link, and in a call.
extension Simulator {
    // MARK: In the app

    /// Lets a responder say "I can't".
    func refuse(_ person: Int, of owner: Int) async {
        guard let alarm = alarm(of: owner),
            let record = await respond(
                person, alarm, { try await $0.responding.declineAlert(alarm.id, by: $1) })
        else { return }
        let isOn = record.acknowledgement?.responderId == userID(person)
        declined(person, alarm, isStillOnIt: isOn)
    }

    /// Opens the alert in the app, with its history and ledger.
    func look(_ person: Int, at owner: Int) async {
        guard let alarm = alarm(of: owner), person != owner else { return }
        hearing.acts[person] = now
        let isTold =
            truth.listeners[Edge(responder: person, owner: owner)] != nil
            && alarm.concerns(person)
        guard
            let record = await ask(
                person,
                { network, caller in
                    try await network.climbing.markAlertOpened(alarm.id, by: caller)
                    return try await network.alerts.alert(alarm.id, visibleTo: caller)
                }
            ).value
        else { return }
        if !isTold {
            note("stranger", "\(name(person)) opened the alert of \(name(owner))")
        } else if record.acknowledgement?.name != alarm.acknowledgedBy.map(name) {
            note(
                "acknowledgement",
                "\(name(person)) opened the alert of \(name(owner)), and the answer says "
                    + "\(record.acknowledgement?.name ?? "nobody") is on it")
        }
    }

    private func userID(_ person: Int) -> String? {
        truth.accounts[person]?.caller.userID.description
    }

    // MARK: By text message

    /// Sends a text message to the server. The sender needs no account.
    func text(_ person: Int, _ words: Step.Words) async {
        guard !truth.isCorrespondent(person), let number = try? phoneNumber(of: person) else {
            return
        }
        hearing.acts[person] = now
        if words.meaning == .start, world.outside.startTexts(to: person) {
            truth.starts[person] = now
        }
        if words.meaning == .declines {
            // The reply tells which alert it is about.
            for alarm in truth.alarms { truth.change(alarm.id) { $0.refused.insert(person) } }
        }
        let answer = await reach("a text message of \(name(person))") {
            try await $0.textAnswers.receiveText(words.rawValue, from: number)
        }
        guard case .answered(let reply) = answer else { return }
        trace.add(reply ?? "no reply")
        if [.takesOn, .declines].contains(words.meaning),
            reply?.contains("Answer an alert with 1") == true
        {
            note("texts", "\(name(person)) answered by SMS, and was told how to answer")
        }
        switch words.meaning {
        case .stop: stopTexts(to: person)
        case .start:
            let isConfirmed = reply?.hasPrefix(TextReply.started.text) == true
            startTexts(to: person, isConfirmed: isConfirmed)
        case .takesOn, .isFine:
            guard await !checkedInByText(person, reply) else { return }
            if reply == nil { await learn(person) } else { await heard(reply, person, .takesOn) }
        case .declines where reply == nil: await learn(person)
        case .declines: await heard(reply, person, words.meaning)
        case .unclear: break
        }
    }

    /// Records that the server has stored a STOP. Those who rely on the person must be told.
    func stopTexts(to person: Int) {
        // Without an account, the server stores a STOP only for guests.
        guard truth.userID(of: person) != nil, truth.stops[person] == nil else { return }
        for edge in truth.relations(ofResponder: person) where truth.accounts[edge.owner] != nil {
            owe("\(name(person)) has stopped text messages", to: edge.owner)
            excuse("\(name(person)) gets text messages again", to: edge.owner)
        }
        truth.stops[person] = now
        hearing.forgive { place, _ in place.endpoint == .sms(person) }
    }

    /// - Parameter isConfirmed: whether the reply says that the server had stored the STOP.
    private func startTexts(to person: Int, isConfirmed: Bool) {
        for edge in truth.relations(ofResponder: person)
        where isConfirmed && truth.accounts[edge.owner] != nil {
            owe("\(name(person)) gets text messages again", to: edge.owner)
            excuse("\(name(person)) has stopped text messages", to: edge.owner)
        }
        guard truth.stops.removeValue(forKey: person) != nil else { return }
        truth.starts[person] = now
    }

    /// Reads the reply to an answer, which names the person who needs help.
    private func heard(_ reply: String?, _ person: Int, _ meaning: Step.Words.Meaning) async {
        let owner = reply.flatMap { reply in
            (0..<options.people).first { owner in
                ["and \(name(owner)) is being told.", "is helping \(name(owner)) already"]
                    .contains { reply.contains($0) }
                    || reply.contains("that you can't help \(name(owner))")
            }
        }
        guard let owner else { return expectNothingOpen(for: person, reply) }
        let alarms = truth.alarms.filter { $0.owner == owner }
        guard let alarm = newest(alarms, to: person) else {
            return note(
                "texts",
                "\(name(person)) answered by SMS, and the reply is about \(name(owner)), "
                    + "who has no alert open")
        }
        if truth.listeners[Edge(responder: person, owner: owner)] == nil {
            note("stranger", "\(name(person)) answered the alert of \(name(owner)) by SMS")
        }
        if alarms.count > 1 {
            await learn(person)
        } else if meaning == .takesOn {
            tookOn(person, alarm, isTheirs: reply?.contains("You are on it") == true)
        } else {
            declined(person, alarm, isStillOnIt: false)
        }
    }

    /// Looks at the alerts that an answer may be about. After a STOP, no reply names one.
    private func learn(_ person: Int) async {
        for alarm in truth.alarms
        where truth.listeners[Edge(responder: person, owner: alarm.owner)] != nil {
            guard let owner = truth.accounts[alarm.owner]?.caller,
                let record = await reach(
                    "a look at an alert", { try await $0.alerts.alert(alarm.id, visibleTo: owner) }
                ).value, record.isActive
            else { continue }
            let by = record.acknowledgement.flatMap { taken in
                truth.accounts.firstIndex {
                    $0?.caller.userID.description == taken.responderId
                } ?? person
            }
            if by == person, alarm.acknowledgedBy == nil || alarm.acknowledgedBy == person {
                // The acknowledgement has the time of the first answer. The history has later
                // confirmations.
                let last = record.history.last { [.acknowledged, .confirmed].contains($0.kind) }
                let known = by == nil ? nil : last?.time ?? record.acknowledgement?.time
                let behind = server.map { max(.zero, now.since($0.clock.now())) } ?? .zero
                let time = known?.adding(behind)
                truth.change(alarm.id) { ($0.acknowledgedBy, $0.acknowledgedAt) = (by, time) }
            } else if by == nil {
                let reporter = record.report?.responderId
                declined(
                    person, alarm, isStillOnIt: reporter != nil && reporter == userID(person))
            }
        }
    }

    /// Returns the alert that an SMS answer is about.
    private func newest(_ alarms: [Alarm], to person: Int) -> Alarm? {
        func time(_ alarm: Alarm) -> Date {
            hearing.texted[Hearing.Place(endpoint: .sms(person), alert: alarm.id)] ?? .distantPast
        }
        return alarms.max { (time($0), $0.startedAt) < (time($1), $1.startedAt) }
    }

    /// Checks that an answer to an SMS about an open alert takes effect.
    private func expectNothingOpen(for person: Int, _ reply: String?) {
        let isStopped = truth.stops[person] != nil
        guard let reply, reply.contains("no open question"), !isStopped else { return }
        for alarm in truth.alarms where alarm.owner != person {
            let place = Hearing.Place(endpoint: .sms(person), alert: alarm.id)
            let edge = Edge(responder: person, owner: alarm.owner)
            guard let heard = hearing.texted[place], now.since(heard) < .days(3),
                let since = truth.roles[edge], since < heard,
                max(truth.restore?.at ?? .distantPast, truth.starts[person] ?? .distantPast)
                    < heard,
                world.outside.lastTrouble(.sms(person)) ?? .distantPast < heard.adding(.hours(-1))
            else { continue }
            note(
                "texts",
                "\(name(person)) answered the SMS about \(name(alarm.owner)), and was told that "
                    + "nobody waits for it")
        }
    }

    // MARK: By a link

    /// Presses a button on the page behind an alert message's link.
    func press(_ person: Int, _ button: Step.Button, of owner: Int, byMail: Bool) async {
        let link = Hearing.Link(page: .alert, reader: person, owner: owner, isByMail: byMail)
        guard let secret = hearing.links[link], let alert = secret.alert, person != owner
        else { return }
        let edge = Edge(responder: person, owner: owner)
        let own = truth.alarms.filter { $0.owner == owner }
        let alarm =
            own.first { $0.id == alert } ?? own.max { $0.startedAt < $1.startedAt }
        let answer = await reach("a press of \(name(person))") { network in
            guard let press = button.answer else {
                return try await network.guestAlerts.guestAlert(by: secret.text)
            }
            return try await network.guestAlerts.answerAlert(by: secret.text, press)
        }
        guard case .answered(let page) = answer else { return }
        if button != .look { hearing.acts[person] = now }
        if button == .stop || button == .undo {
            truth.gone[person] = nil
            return await syncGuest(person, of: owner)
        }
        guard let page else {
            if let alarm, alarm.id == alert, truth.roles[edge] ?? now < alarm.noticedAt,
                !mayHaveMoved(person, since: alarm.noticedAt, isByMail: byMail)
            {
                note("texts", "\(name(person))'s link to the alert of \(name(owner)) leads nowhere")
            }
            return
        }
        guard let alarm, !page.isOver else { return }
        if truth.listeners[edge] == nil {
            note("stranger", "\(name(person)) saw the alert of \(name(owner)) by a link")
        }
        switch button {
        case .look:
            let expected = alarm.acknowledgedBy.map { $0 == person ? "you" : name($0) }
            if page.helperName != expected {
                note(
                    "acknowledgement",
                    "the page of \(name(owner))'s alert tells \(name(person)) that "
                        + "\(page.helperName ?? "nobody") is on it")
            }
        case .onIt: tookOn(person, alarm, isTheirs: page.helper == .you)
        case .cannot: declined(person, alarm, isStillOnIt: page.helper == .you)
        case .stop, .undo: break
        case .again:
            guard alarm.report != nil, page.report == nil, truth.roles[edge] != nil,
                let server
            else { return }
            let serverNow = server.clock.now()
            truth.change(alarm.id) { $0.lift(by: person, at: max(serverNow, now)) }
        }
    }

    /// Returns whether the person's number or address may have changed since the alarm. Links that
    /// went there before are invalid.
    private func mayHaveMoved(_ person: Int, since time: Date, isByMail: Bool) -> Bool {
        guard let account = truth.accounts[person] else { return false }
        let changedAt = isByMail ? hearing.added[.mail(person)] : truth.numberSince[person]
        // The server's clock may have been wrong.
        if let changedAt, changedAt > time.adding(.days(-1)) { return true }
        guard isByMail else { return account.move != nil }
        // The server removes an address that has failed for a week.
        let trouble = world.outside.lastTrouble(.mail(person)) ?? .distantPast
        return account.mail == nil || trouble > time.adding(.days(-8))
    }

    // MARK: What must be true then

    /// Records that a responder has taken an alert on.
    /// - Parameter isTheirs: whether the answer says that this responder is on it.
    func tookOn(_ person: Int, _ alarm: Alarm, isTheirs: Bool) {
        guard let server else { return }
        let serverNow = server.clock.now()
        let isAsked = hearing.questions[alarm.id].map { $0 >= alarm.acknowledgedAt ?? $0 } ?? false
        let isNew = alarm.acknowledgedBy == nil
        if isTheirs != (isNew || alarm.acknowledgedBy == person) {
            note(
                "acknowledgement",
                "\(name(person)) answered the alert of \(name(alarm.owner)), which "
                    + "\(alarm.acknowledgedBy.map(name) ?? "nobody") had taken on, and is "
                    + (isTheirs ? "on it" : "not on it"))
        }
        guard isTheirs, isNew || isAsked else { return }
        truth.change(alarm.id) {
            $0.acknowledgedBy = person
            $0.acknowledgedAt = max(serverNow, now)
        }
        hearing.answered[Edge(responder: person, owner: alarm.owner)] = now
    }

    func declined(_ person: Int, _ alarm: Alarm, isStillOnIt: Bool) {
        truth.change(alarm.id) { $0.refused.insert(person) }
        let isWithThem = alarm.report == .withThem && alarm.reportedBy == person
        guard let server, alarm.acknowledgedBy == person || isWithThem, !isStillOnIt
        else { return }
        let serverNow = server.clock.now()
        truth.change(alarm.id) { $0.withdraw(person, at: max(serverNow, now)) }
    }

    /// Checks that no text message arrives after a STOP, except from an attempt in progress.
    func checkStop(_ arrival: Outside.Arrival) {
        let person = arrival.endpoint.person
        guard arrival.endpoint.isSMS, let stop = truth.stops[person],
            now.since(stop) > .minutes(1),
            now.since(truth.restore?.at ?? .distantPast) > .minutes(2)
        else { return }
        note("texts", "\(name(person)) got \"\(arrival.item.title)\" by SMS after a STOP")
    }
}

extension Simulator {
    /// Sends a request without a session. It comes from a phone or a mail program, so the person's
    /// device may be offline.
    func reach<Value: Sendable>(
        _ what: String, _ command: (SafetyNetwork) async throws -> Value
    ) async -> Answer<Value> {
        guard let server else { return .unreachable }
        do {
            return .answered(try await command(server.network))
        } catch let error as CommandError {
            return .refused(error)
        } catch {
            if server.disk.condition == .fine, brokenPeople.isEmpty {
                note("unexpected", "\(what) failed: \(error)")
            }
            return .unreachable
        }
    }
}

extension GuestAlert {
    /// The page's name for the person who is on it; nil if the alert is unattended.
    fileprivate var helperName: String? {
        switch helper {
        case .nobody: nil
        case .you: "you"
        case .another(let name): name
        }
    }
}

extension Step.Button {
    fileprivate var answer: GuestAnswer? {
        switch self {
        case .look: nil
        case .onIt: .onIt
        case .cannot: .cannot
        case .again: .again
        case .stop: .stop
        case .undo: .undo
        }
    }
}
