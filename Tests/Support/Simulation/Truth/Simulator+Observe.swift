import Domain
import Foundation
import Persistence
import SafetyNetwork

/// The observer: reads what was reported and sent, and checks the invariants.
extension Simulator {
    /// Processes the news from commits and channels since the last call.
    func digest() {
        let notes = world.notes.take()
        if notes.hasNews { hasNews = true }
        if notes.hasStaleDevices { chores.plan(.devices, at: now.adding(.seconds(1))) }
        if notes.changesReach { chores.plan(.reach, at: now.adding(.seconds(1))) }
        // The news that people are owed of a STOP may be among the events.
        for person in world.outside.takeStops() { stopTexts(to: person) }
        if notes.hasWritten, world.documents != nil {
            chores.plan(.copies, at: now.adding(.seconds(30)))
        }
        for event in notes.events {
            if let id = event.notificationID { hearing.note(id, of: event.userID) }
            made(event)
        }
        for arrival in world.outside.takeArrivals() { arrived(arrival) }
        for place in world.outside.takeRefused() { hearing.forgive { own, _ in own == place } }
        for endpoint in world.outside.takeWakes() { woken(endpoint) }
        for endpoint in world.outside.takeEnded() {
            let id = truth.accounts[endpoint.person]?.endpoints.removeValue(forKey: endpoint.number)
            if let id { truth.accounts[endpoint.person]?.endings[endpoint.number] = id }
        }
        // Carriers omit most of their reports.
        for report in world.outside.takeReports()
        where report.isHasty || report.outcome != nil || report.isReceipt
            || luck(report.delivery.hashed, below: 4) == 0
        {
            let pause = 1 + luck(report.delivery.hashed, below: 30)
            agenda.add(
                report.isHasty ? .checkReport(report) : .report(report),
                at: now.adding(.seconds(pause)))
        }
    }

    private func made(_ event: StoredEvent) {
        guard let person = identities[event.userID],
            case .notification(let item)? = try? UserEvent(kind: event.kind, data: event.data)
        else { return }
        trace.add("\(person) \(item.title)")
        shelve(item, event, for: person)
        sights.insert(Sights.title(item.title))
        guard
            let meaning = Meaning.read(item, people: truth.accounts.count, reader: person)
        else {
            return note("words", "\"\(item.title)\" about an alert")
        }
        learnOfAccount(item, person)
        checkMoment(item, meaning, for: person)
        checkChosen(item, meaning, to: person)
        hearing.made(item, meaning: meaning, for: person, at: now)
        if meaning == .reminder { reminded(person, item) }
        if meaning == .lastCall { calledLast(person, item, .message) }
        if meaning == .lastCallByPhone { calledLast(person, item, .call) }
        if case .schedule(let news, let owner) = meaning { learned(person, news, of: owner) }
        if case .returnReminder(let isLast) = meaning {
            remindedOfReturn(person, item, isLast: isLast)
        }
        if meaning.alarm != nil { lookAtLadder() }
        checkTold(item, to: person)
        noteRelease(item, meaning)
        checkBlocks(of: person, item)
        let removals = [
            "Your webhook was removed", "A browser gets no more messages",
            "An app gets no more messages",
        ]
        if removals.contains(item.title) {
            truth.accounts[person]?.removalsTold += 1
        }
        let about = item.aboutUserID.flatMap { identities[$0] }
        // An alert about a journey reaches those who were not chosen a quarter of an hour later.
        let alarm = truth.alarms.first { $0.id == item.alertID }
        let time: Duration = alarm?.wasChosen(person) ?? true ? .minutes(3) : .minutes(20)
        if item.body.contains("could not tell you"), now.since(lastOutage) > time,
            !(about.map(brokenPeople.contains) ?? false)
        {
            note(
                "downtime", "\(name(person)) was told \"\(item.body)\", and no server was down")
        }
        guard phones[person].openUntil > now else { return }
        if let alert = item.alertID { hearing.reachedPeople[alert, default: []].insert(person) }
        streamed.append((event.userID, item.id))
        checkReader(person, meaning, item, nil)
    }

    /// Records what a message says has ended: all that responders do, or only the pause after a
    /// report.
    private func noteRelease(_ item: NotificationItem, _ meaning: Meaning) {
        guard let alert = item.alertID else { return }
        let time = max(item.createdAt, now)
        if item.title.hasSuffix("’s alert is still on")
            || item.body.contains("reported no longer counts, because")
        {
            truth.change(alert) { $0.endReport(at: time) }
        } else if case .lapsed = meaning {
            truth.change(alert) { $0.release(at: time) }
        }
    }

    /// Checks that no notification after a block is about the other person.
    private func checkBlocks(of person: Int, _ item: NotificationItem) {
        guard let other = item.aboutUserID.flatMap({ identities[$0] }) else { return }
        for (blocker, blocked) in [(person, other), (other, person)] {
            let block = truth.blocks[Truth.Block(blocker: blocker, blocked: blocked)]
            guard let block, block.at < item.createdAt else { continue }
            note(
                "blocked",
                "\(name(person)) was told \"\(item.title)\", and \(name(blocker)) blocked "
                    + "\(name(blocked))")
        }
    }

    /// The end of the last outage during which messages could not be sent.
    private var lastOutage: Date {
        let start = moments.downtime > .seconds(30) ? moments.runningSince : .distantPast
        let wrong = [moments.clockWrongUntil, moments.diskFullUntil].max() ?? .distantPast
        return max(start, wrong)
    }

    private func arrived(_ arrival: Outside.Arrival) {
        counts.heard += 1
        trace.add("\(arrival.endpoint) \(arrival.item.title)")
        trace.add(arrival.at.milliseconds)
        guard
            let meaning = Meaning.read(
                arrival.item, people: truth.accounts.count, reader: arrival.endpoint.person)
        else { return }
        let about = arrival.item.aboutUserID.flatMap { identities[$0] }
        if world.hasBudgets { hearing.count(arrival, about: about) }
        checkAccountNews(arrival)
        checkNumber(of: arrival)
        checkArrival(arrival, meaning)
        if arrival.endpoint.isCall { return rang(arrival, meaning) }
        if let wrong = hearing.heard(arrival, meaning, about: about) { note("order", wrong) }
        guard !arrival.isDropped else { return }
        checkReader(arrival.endpoint.person, meaning, arrival.item, arrival.endpoint)
        checkStop(arrival)
        guard arrival.endpoint.isSMS, let alert = arrival.item.alertID else { return }
        let place = Hearing.Place(endpoint: arrival.endpoint, alert: alert)
        let reader = arrival.endpoint.person
        let changes = (meaning.alarm ?? meaning.ended).flatMap {
            hearing.changes[Edge(responder: reader, owner: $0)]
        }
        if let count = changes?.count, count > 10 {
            note("storm", "\(name(reader)) got \(count) SMS about alerts within ten minutes")
        }
        if let count = hearing.news[place]?.count, count > 12 {
            note("storm", "\(name(reader)) got \(count) SMS about one alert within ten minutes")
        }
    }

    /// Checks that the reader may get the message. An attempt in progress may arrive just after a
    /// responder has left.
    func checkReader(
        _ reader: Int, _ meaning: Meaning, _ item: NotificationItem, _ place: Endpoint?
    ) {
        guard let owner = meaning.alarm, owner != reader else { return }
        let edge = Edge(responder: reader, owner: owner)
        guard now.since(hearing.left[edge] ?? .distantPast) > .minutes(1),
            now.since(truth.restore?.at ?? .distantPast) > .minutes(2)
        else { return }
        if truth.listeners[edge] == nil {
            note("stranger", "\(name(reader)) heard \"\(item.title)\" and is no responder")
        } else if let place, place.isSMS || place.isMail, truth.roles[edge] == nil {
            note("consent", "\(place) got \"\(item.title)\", and the reader has not accepted")
        }
    }

    // MARK: Checking

    func check() async throws {
        guard violation == nil else { return }
        guard let server,
            hasNews || now >= lastCheck.adding(.hours(1)) || isAwaited || !incidents.isEmpty
        else {
            return report(incidents)
        }
        hasNews = false
        lastCheck = now
        counts.checks += 1
        if counts.checks.isMultiple(of: 32) { try await checkDurability() }
        let open = try await openAlerts(server)
        widenAlarms()
        checkClockWarning(server)
        let observation = await observation(server, open)
        report(incidents)
        for invariant in invariants where violation == nil {
            if let text = invariant.check?(observation) { fail(invariant.name, text) }
        }
        reconcile(open)
        report(incidents)
    }

    /// Whether a deadline that the server may have missed has just passed.
    private var isAwaited: Bool {
        truth.accounts.contains { account in
            [account?.deadline, account?.journey?.deadline].compactMap(\.self)
                .contains { now > $0 && now <= $0.adding(.seconds(2)) }
        }
    }

    func report(_ found: [Incident]) {
        incidents = []
        for incident in found
        where violation == nil && !options.skipped.contains(incident.invariant) {
            fail(incident.invariant, incident.text)
        }
    }

    private func fail(_ invariant: String, _ text: String) {
        violation = Violation(
            invariant: invariant, text: text, at: now.since(world.time.start).milliseconds)
    }

    private func openAlerts(_ server: Server) async throws -> [Observation.OpenAlert] {
        let people = identities
        return try await server.disk.read { connection in
            try connection.query(
                """
                SELECT user_id, id, kind, started_at, escalation_from, next_due_at, reported_at
                FROM alerts
                WHERE ended_at IS NULL ORDER BY started_at, id
                """, []
            ) { row in
                guard let owner = people[try row["user_id"]],
                    let kind = AlertKind(rawValue: try row["kind"])
                else { return nil }
                return Observation.OpenAlert(
                    id: try row["id"], owner: owner, kind: kind, startedAt: try row["started_at"],
                    escalationFrom: try row["escalation_from"],
                    hasReport: (try row["reported_at"] as Date?) != nil,
                    nextDue: try row["next_due_at"])
            }.compactMap(\.self)
        }
    }

    private func observation(
        _ server: Server, _ open: [Observation.OpenAlert]
    ) async -> Observation {
        var status: [Int: UserStatus] = [:]
        for alert in open where alert.kind == .missedCheckIn {
            guard let caller = truth.accounts[alert.owner]?.caller else { continue }
            status[alert.owner] = try? await server.network.profiles.profile(of: caller).status
        }
        watchClock()
        noteClock()
        let isSound =
            !moments.isMisled && now >= moments.diskFullUntil
            && now >= moments.clockWrongUntil.adding(.seconds(60))
        let outside = world.outside
        return Observation(
            now: now, serverNow: server.clock.now(), lastPass: lastPass ?? .distantPast,
            runningSince: moments.runningSince,
            soundSince: isSound
                ? max(moments.diskFullUntil, moments.clockWrongUntil.adding(.seconds(60))) : nil,
            downtime: moments.downtime,
            startedWrong: moments.startedWrong,
            clockWrong: moments.clockWrongFor > .zero
                ? (moments.clockWrongUntil, moments.clockWrongFor) : nil,
            truth: truth, hearing: hearing, open: open, status: status, broken: brokenPeople,
            hasBudgets: world.hasBudgets, hasTotalBudget: world.hasTotalBudget,
            lastTrouble: { outside.lastTrouble($0) }, clockBound: clockWatch.bound,
            sureAtStart: clockWatch.sure, startedAhead: clockWatch.startedAhead)
    }

    /// Adopts the rows' open alerts. Reports an alert that ended without an act of its owner.
    private func reconcile(_ open: [Observation.OpenAlert]) {
        for alarm in truth.alarms where !open.contains(where: { $0.id == alarm.id }) {
            if !mayHaveEnded(alarm) {
                note(
                    "end",
                    "\(name(alarm.owner))'s alert ended, and \(name(alarm.owner)) did nothing"
                )
            }
            trace.add("over \(alarm.owner)")
            finish(alarm.id)
        }
        for alert in open where alert.kind == .missedCheckIn {
            let plan = truth.accounts[alert.owner]?.plan
            if plan?.isTimes == true { sights.insert("window: missed") }
            if plan?.hasSleep == true { sights.insert("sleep hours: missed") }
        }
        for alert in open {
            guard truth.alarms.contains(where: { $0.id == alert.id }) else {
                begin(alert)
                continue
            }
            truth.change(alert.id) { alarm in
                // Another missed deadline ends a report whose author has refused since.
                if alarm.escalationFrom != alert.escalationFrom, !alert.hasReport,
                    alarm.acknowledgedBy == nil, let reporter = alarm.reportedBy,
                    alarm.refused.contains(reporter)
                {
                    alarm.endReport(at: now)
                }
                alarm.escalationFrom = alert.escalationFrom
            }
        }
    }

    /// Returns whether the owner has done what ends this alert. A check-in ends no journey.
    func mayHaveEnded(_ alarm: Alarm) -> Bool {
        let acts = alarm.kind == .journey ? handledJourneys : handled
        return acts[alarm.owner] ?? .distantPast >= alarm.noticedAt
    }

    private func begin(_ alert: Observation.OpenAlert) {
        let account = truth.accounts[alert.owner]
        if alert.kind == .manual, account?.raises.contains(alert.id) != true {
            note("cause", "\(name(alert.owner)) has an alert open and raised none")
        }
        truth.alarms.append(
            Alarm(
                id: alert.id, owner: alert.owner, kind: alert.kind, startedAt: alert.startedAt,
                escalationFrom: alert.escalationFrom, noticedAt: now, deadline: account?.deadline,
                chosen: alert.kind == .journey ? account?.journey?.chosen : nil))
        if alert.kind == .journey { truth.accounts[alert.owner]?.journey?.hadAlert = true }
        hearing.owners[alert.id] = alert.owner
        counts.alerts += 1
        lookAtLadder()
        agenda.add(.check, at: now.adding(Invariant.timeForAnAlert + .milliseconds(1)))
        trace.add("open \(alert.owner)")
        trace.add(alert.startedAt.milliseconds)
    }

    /// Plans the checks of an alarm's round.
    private func lookAtLadder() {
        for time in Invariant.ladderTimes where ladderLooks.insert(now.adding(time)).inserted {
            agenda.add(.check, at: now.adding(time + .milliseconds(1)))
        }
    }
}

extension ID {
    /// A number that is the same in each run, unlike `hashValue`.
    fileprivate var hashed: Int { Int(uuid.uuid.14) << 8 | Int(uuid.uuid.15) }
}

extension Meaning {
    var ended: Int? { if case .isOver(let owner) = self { owner } else { nil } }
}
