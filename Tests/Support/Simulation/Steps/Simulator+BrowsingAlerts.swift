import Domain
import Foundation
import SafetyNetwork

/// What an app shows of alerts: the lists, and one alert with its history and ledger.
extension Simulator {
    private func readAlerts(_ person: Int, onlyOpen: Bool) async -> [AlertRecord]? {
        await readPages(
            person, limit: 2 + luck(person, 137, below: 30),
            { try await $0.alerts.alerts(visibleTo: $1, onlyOpen: onlyOpen, page: $2) },
            { (record: AlertRecord) in
                AlertID(record.id).map { Page.Cursor(time: record.startTime, id: $0.uuid) }
            })
    }

    func browseAlerts(_ person: Int) async {
        guard let user = truth.accounts[person]?.caller.userID,
            let all = await readAlerts(person, onlyOpen: false),
            let open = await readAlerts(person, onlyOpen: true)
        else { return }
        if open != all.filter(\.isActive) {
            misread(person, "sees other alerts among the open ones than in the history")
        }
        for (newer, older) in zip(all, all.dropFirst())
        where (newer.startTime, newer.id) <= (older.startTime, older.id) {
            misread(person, "sees an older alert before a newer one")
        }
        for record in all { checkListed(record, by: person) }
        checkOpen(open, of: person, user)
        let summary = AlertSummary(all)
        if summary.open != open.count || summary.total != all.count
            || summary.manual + summary.missedCheckIns + summary.journeys != all.count
            || summary.responses.count > 30
        {
            misread(person, "sees wrong totals of \(all.count) alerts")
        }
        for record in open.prefix(3) + all.filter({ !$0.isActive }).prefix(1) {
            await openDetails(of: record, person)
        }
        await openForeign(person)
    }

    /// Checks that exactly the open alerts are listed that the person is told of.
    private func checkOpen(_ open: [AlertRecord], of person: Int, _ user: UserID) {
        let ids = Set(open.map(\.id))
        for alarm in truth.alarms where !mayHaveEnded(alarm) {
            let edge = Edge(responder: person, owner: alarm.owner)
            // Who was chosen for a journey may have left and come back.
            let isChosen =
                alarm.chosen == nil || alarm.isWide
                || truth.restore == nil && hearing.told[alarm.id]?[person] != nil
            let isTold = alarm.owner == person || truth.listeners[edge] != nil && isChosen
            if isTold, !ids.contains(alarm.id.description) {
                misread(person, "does not see the open alert of \(name(alarm.owner))")
            }
        }
        let own = truth.alarms.filter { $0.owner == person && !mayHaveEnded($0) }
        let shown = AlertRules.mostUrgent(of: user, among: open)
        let isManual = own.contains { $0.kind == .manual }
        if isManual && shown?.kind != .manual || !own.isEmpty && shown == nil {
            misread(person, "does not see the own alert first")
        }
    }

    private func owner(of record: AlertRecord) -> Int? {
        UserID(record.userId).flatMap { identities[$0] }
    }

    private func alarm(of record: AlertRecord) -> Alarm? {
        truth.alarms.first { $0.id.description == record.id }
    }

    /// Checks what lists show of an alert.
    private func checkListed(_ record: AlertRecord, by person: Int) {
        guard let owner = owner(of: record) else {
            return pries(person, "sees an alert of nobody they know")
        }
        if record != record.withoutDetails {
            misread(person, "sees the details of \(name(owner))'s alert in a list")
        }
        if record.isActive != (record.endTime == nil) {
            misread(person, "sees an alert of \(name(owner)) that is over and goes on")
        }
        if let alarm = alarm(of: record) { check(record, against: alarm, by: person) }
        let pause = record.isActive ? record.report?.time.adding(.hours(12)) : nil
        if record.pausedUntil != pause {
            misread(person, "sees a wrong pause of the repeats of \(name(owner))'s alert")
        }
        guard owner != person else { return checkOwn(record, of: person) }
        if record.ending != nil || record.refusals != nil {
            pries(person, "sees what only \(name(owner)) may see of the alert")
        }
        guard let since = truth.listeners[Edge(responder: person, owner: owner)] else {
            return pries(person, "sees an alert of \(name(owner))")
        }
        if let end = record.endTime, areTimesUntouched, end.adding(.seconds(2)) < since {
            pries(person, "sees an alert of \(name(owner)) from before they were asked")
        }
    }

    private func check(_ record: AlertRecord, against alarm: Alarm, by person: Int) {
        let owner = name(alarm.owner)
        if record.kind != alarm.kind || areTimesUntouched && record.startTime != alarm.startedAt {
            misread(person, "sees another start or kind of \(owner)'s alert")
        }
        if !mayHaveEnded(alarm), !record.isActive {
            misread(person, "sees the alert of \(owner) as over")
        }
        guard record.isActive else { return }
        if record.acknowledgement?.name != alarm.acknowledgedBy.map(name) {
            misread(
                person,
                "sees that \(record.acknowledgement?.name ?? "nobody") is on \(owner)'s alert, "
                    + "not \(alarm.acknowledgedBy.map(name) ?? "nobody")")
        }
        // Only responders who have accepted see what others reported.
        let edge = Edge(responder: person, owner: alarm.owner)
        let seesReport = person == alarm.owner || truth.roles[edge] != nil
        let reporter = seesReport ? alarm.reportedBy.map(name) : nil
        let reported = seesReport ? alarm.report?.action : nil
        if record.report?.name != reporter || record.report?.kind != reported {
            misread(person, "sees another report on \(owner)'s alert")
        }
        guard let report = record.report, let kind = report.kind.report else { return }
        // The messages are those of `Sights.all`.
        for about in [owner, nil] {
            let words = AlertWords.reported(kind, by: report.name, about: about)
            if !Sights.all.contains(Sights.title(words)) {
                misread(person, "reads the report \"\(words)\"")
            }
        }
    }

    /// Checks what only the owner sees in lists.
    private func checkOwn(_ record: AlertRecord, of person: Int) {
        for refusal in record.refusals ?? [] {
            let other = UserID(refusal.responderId).flatMap { identities[$0] }
            guard refusal.kind.isRefusal, let other else {
                misread(person, "sees a refusal of nobody they know")
                continue
            }
            if truth.listeners[Edge(responder: other, owner: person)] == nil {
                misread(person, "sees that \(name(other)) can't come, who is no responder")
            }
        }
        let hasRefusals = record.refusals?.isEmpty == false
        if hasRefusals, !record.isActive || record.acknowledgement != nil {
            misread(person, "sees refusals of an alert that needs nobody")
        }
        if record.isRefusedByAll == true, !hasRefusals {
            misread(person, "sees that all refused, and nobody did")
        }
        guard let ending = record.ending else { return }
        if record.isActive { misread(person, "sees which device ended an open alert") }
        let device = ending.deviceName
        let place = device.isEmpty ? "another device" : "“\(device)”"
        if AlertWords.place(ending) != "on \(place)" {
            misread(person, "reads that the alert ended \(AlertWords.place(ending))")
        }
        let names = truth.responders(of: person).map(name)
        let words = AlertWords.ended(told: names)
        if (words == nil) != names.isEmpty || words?.hasSuffix("being told.") == false
            || names.contains(where: { words?.contains($0) != true })
        {
            misread(person, "reads \"\(words ?? "")\" at the end of an alert")
        }
    }

    // MARK: One alert

    private func openDetails(of listed: AlertRecord, _ person: Int) async {
        guard let id = AlertID(listed.id), let owner = owner(of: listed),
            let user = truth.accounts[person]?.caller.userID,
            let record = await ask(
                person, { try await $0.alerts.alert(id, visibleTo: $1) }
            ).value
        else { return }
        if record.withoutDetails != listed || listed.keepingDetails(of: record) != record {
            misread(person, "sees another alert of \(name(owner)) in the list")
        }
        if record.history.map(\.time) != record.history.map(\.time).sorted() {
            misread(person, "sees the history of \(name(owner))'s alert in a wrong order")
        }
        for action in record.history {
            let isByText = action.channel == .sms
            if (action.means == "by text message") != isByText {
                misread(person, "reads that \(action.name) answered \(action.means ?? "here")")
            }
        }
        for entry in record.ledger { checkLedger(entry, for: person) }
        let hasAccepted = truth.roles[Edge(responder: person, owner: owner)] != nil
        checkNote(record, of: owner, by: person, mayRead: owner == person || hasAccepted)
        if owner == person {
            checkLedger(of: record, for: person)
        } else {
            checkPrivacy(of: record, of: owner, by: person, user, hasAccepted: hasAccepted)
        }
    }

    private func checkNote(
        _ record: AlertRecord, of owner: Int, by person: Int, mayRead: Bool
    ) {
        guard let text = record.note else {
            let journey = truth.accounts[owner]?.journey
            if mayRead, record.kind == .journey, record.isActive, journey?.isRunning == true,
                alarm(of: record) != nil
            {
                misread(person, "does not see the note of \(name(owner))'s journey")
            }
            return
        }
        if !mayRead { pries(person, "sees the note of \(name(owner))'s journey") }
        if record.kind != .journey || text != Truth.Journey.note {
            misread(person, "sees a wrong note with the alert of \(name(owner))")
        }
    }

    /// Checks what a responder sees of the others: their names and acts, and no channel.
    private func checkPrivacy(
        of record: AlertRecord, of owner: Int, by person: Int, _ user: UserID, hasAccepted: Bool
    ) {
        let own = user.description
        for entry in record.ledger where entry.recipientId != own {
            pries(person, "sees by which channel \(entry.name) was told")
        }
        for action in record.history where action.responderId != own {
            if !hasAccepted { pries(person, "sees the acts of others, and has not accepted") }
            if UserID(action.responderId).map({ identities[$0] != nil }) ?? true {
                pries(person, "sees the account of \(action.name)")
            }
        }
        if let id = record.acknowledgement?.responderId, id != own,
            UserID(id).map({ identities[$0] != nil }) ?? true
        {
            pries(person, "sees the account of who is on the alert of \(name(owner))")
        }
        if !hasAccepted, !record.othersTold.isEmpty {
            pries(person, "sees who was told of \(name(owner))'s alert, and has not accepted")
        }
        if record.othersTold.contains(name(owner)) {
            misread(person, "sees that \(name(owner)) was told of the own alert")
        }
        if hasAccepted, record.isRefusedByAll == true,
            !record.history.contains(where: \.kind.isRefusal)
        {
            misread(person, "sees that all refused to come to \(name(owner)), and nobody did")
        }
    }

    /// Checks the owner's ledger: only responders, present or former, and the owner are in it.
    private func checkLedger(of record: AlertRecord, for person: Int) {
        if !record.othersTold.isEmpty {
            misread(person, "sees the names of those who were told twice")
        }
        guard truth.restore == nil else { return }
        for entry in record.ledger {
            guard let other = UserID(entry.recipientId).flatMap({ identities[$0] }),
                other != person
            else { continue }
            let edge = Edge(responder: other, owner: person)
            if truth.listeners[edge] == nil, hearing.left[edge] == nil {
                misread(person, "sees that \(name(other)) was told, who is no responder")
            }
        }
    }

    private func checkLedger(_ entry: AlertRecord.LedgerEntry, for person: Int) {
        let reason = entry.reason.flatMap { DeliveryReason(description: $0) }
        if let reason, reason.description != entry.reason {
            misread(person, "reads the reason \(entry.reason ?? "") as \(reason)")
        }
        if [.failed, .givenUp].contains(entry.state), entry.reason == nil {
            misread(person, "reads no reason for \"\(entry.words)\"")
        }
        if entry.state == .superseded, !entry.isPerhapsSent,
            !entry.words.contains(" not needed")
        {
            misread(person, "reads \"\(entry.words)\" of a message that was not needed")
        }
        if entry.channel == .sms, entry.state == .accepted, entry.words != "SMS sent" {
            misread(person, "reads \"\(entry.words)\" of an SMS that was sent")
        }
        if entry.channel == .voice, entry.state == .failed, reason?.kind == .noAnswer,
            entry.words != "call: no answer"
        {
            misread(person, "reads \"\(entry.words)\" of a call without an answer")
        }
        let isDelivered = [.accepted, .received, .seen, .acknowledged].contains(entry.state)
        if isDelivered, entry.words.contains("not delivered") {
            misread(person, "reads \"\(entry.words)\" of a message that arrived")
        }
        if entry.happenedAt < entry.time, areTimesUntouched {
            misread(person, "reads of a message that changed before it was made")
        }
    }

    /// Tries to open an alert of a person who doesn't tell the reader of alerts.
    private func openForeign(_ person: Int) async {
        let foreign = truth.alarms.first { alarm in
            alarm.owner != person
                && truth.listeners[Edge(responder: person, owner: alarm.owner)] == nil
        }
        guard let foreign else { return }
        let answer = await ask(person) { try await $0.alerts.alert(foreign.id, visibleTo: $1) }
        switch answer {
        case .answered: pries(person, "opened the alert of \(name(foreign.owner))")
        case .refused(.notFound), .unreachable: break
        case .refused(let error):
            pries(person, "learns of the alert of \(name(foreign.owner)): \(error)")
        }
        let act = await ask(person) { try await $0.alerts.endAlert(foreign.id, by: $1) }
        if act.value != nil { pries(person, "ended the alert of \(name(foreign.owner))") }
    }
}
