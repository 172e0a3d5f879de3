import Domain
import Foundation
import SafetyNetwork

/// What an app shows of other people: contacts, requests, invitations, blocks, pings and drills.
extension Simulator {
    // MARK: Contacts

    func browseContacts(_ person: Int) async {
        guard let contacts = await ask(person, { try await $0.contacts.contacts(of: $1) }).value
        else { return }
        let listed = contacts.compactMap { identities[$0.id] }.sorted()
        let expected = truth.accounts.indices.filter { other in
            other != person
                && (truth.consent(Edge(responder: other, owner: person)) != .absent
                    || truth.consent(Edge(responder: person, owner: other)) != .absent)
        }
        if listed != expected {
            misread(
                person,
                "sees the contacts \(listed.map(name)), and has \(expected.map(name))")
        }
        for contact in contacts {
            guard let other = identities[contact.id] else { continue }
            checkRoles(contact, of: other, by: person)
            checkSecrets(contact, of: other, by: person)
            checkReach(contact, of: other, by: person)
            if let watch = contact.watch { checkWatch(watch, of: other, by: person) }
        }
        checkProtection(contacts, of: person)
    }

    private func checkRoles(_ contact: ContactData, of other: Int, by person: Int) {
        for role in ContactRole.allCases {
            let edge =
                role == .responder
                ? Edge(responder: other, owner: person) : Edge(responder: person, owner: other)
            let isInForce = role == .responder ? contact.isResponder : contact.isDependent
            let request = contact.request(role).map { $0.isMine ? person : other }
            let shown: Truth.Consent =
                isInForce ? .inForce : request.map { .requested(by: $0) } ?? .absent
            let known = truth.consent(edge)
            if shown != known {
                misread(
                    person, "sees \(name(other)) as \(role.rawValue): \(shown), not \(known)")
            }
            let isWanted = known == .inForce || known == .requested(by: person)
            if contact.isWanted(role) != isWanted
                || contact.isConsidered(role) != (known != .absent)
            {
                misread(person, "is shown the wrong switch for \(name(other))'s role")
            }
        }
        let mayHear = truth.listeners[Edge(responder: person, owner: other)] != nil
        if contact.showsAlerts != mayHear {
            misread(
                person,
                "\(mayHear ? "hears" : "doesn't hear") \(name(other))'s alerts, "
                    + "and the contact says otherwise")
        }
        var copy = contact
        copy.relation = contact.relation
        if copy != contact { misread(person, "loses something of the contact \(name(other))") }
    }

    /// Checks what only connected people, or only responders, may see.
    private func checkSecrets(_ contact: ContactData, of other: Int, by person: Int) {
        if contact.name != name(other) {
            misread(person, "sees \(name(other)) under the name \(contact.name)")
        }
        let watches = truth.roles[Edge(responder: person, owner: other)] != nil
        let isHelped = truth.roles[Edge(responder: other, owner: person)] != nil
        let number = try? phoneNumber(of: other)
        if !watches, !isHelped, contact.phoneNumber != nil || contact.profilePictureURL != nil {
            pries(person, "sees the number of \(name(other)), to whom nothing connects them")
        }
        if watches || isHelped, let account = truth.accounts[other], account.move == nil,
            contact.phoneNumber != number || contact.isByMail
        {
            misread(person, "sees a wrong number of \(name(other))")
        }
        if !watches, contact.watch != nil || contact.hearsPings != nil {
            pries(person, "sees the check-ins of \(name(other)), and is no responder")
        }
        if !isHelped, contact.reachability != nil {
            pries(person, "sees how to reach \(name(other)), who is no responder")
        }
        if watches, contact.watch == nil {
            misread(person, "watches over \(name(other)), and sees nothing of them")
        }
    }

    /// Checks how a responder can be reached: everybody has a phone, which calls and, before a
    /// STOP, text messages reach. A guest's STOP ends both.
    private func checkReach(_ contact: ContactData, of other: Int, by person: Int) {
        let account = truth.accounts[other]
        if (contact.isGuest == true) != (account == nil) {
            misread(person, "does not see whether \(name(other)) has an account")
        }
        if let reach = contact.reachability {
            let hasStopped = truth.stops[other] != nil
            if account != nil, reach.state == .unreachable {
                misread(person, "sees that nothing reaches \(name(other)), who has a phone")
            }
            if account == nil, hasStopped, reach.state != .unreachable {
                misread(person, "sees that a message reaches \(name(other)), who has sent STOP")
            }
            if hasStopped, reach.hasStoppedTexts != true {
                misread(person, "does not see that \(name(other)) has sent STOP")
            }
            let words = reach.words ?? ""
            if words.contains("stopped text messages") != (reach.hasStoppedTexts == true)
                || words.contains("an’t be reached") != (reach.state == .unreachable)
            {
                misread(person, "reads of \(name(other)): \"\(words)\"")
            }
            if reach.state == .proven, reach.channel == nil || reach.provenOn == nil {
                misread(person, "sees no proof that messages reach \(name(other))")
            }
        } else if contact.isResponder {
            misread(person, "does not see how to reach \(name(other))")
        }
        guard contact.isDependent, let account else { return }
        let isDeaf = account.isMuted || account.endpoints.isEmpty && account.endings.isEmpty
        if isDeaf, contact.hearsPings != false {
            misread(person, "is told that a device of \(name(other)) announces pings")
        }
    }

    /// Checks what a responder sees of a dependent.
    private func checkWatch(
        _ watch: ContactData.WatchedState, of other: Int, by person: Int
    ) {
        guard let account = truth.accounts[other], let serverNow = server?.clock.now() else {
            return misread(person, "watches over \(name(other)), who has no account")
        }
        if watch.emergencyNote != account.reading.note {
            misread(person, "sees another emergency note of \(name(other))")
        }
        if .seconds(watch.checkInIntervalSeconds) != account.interval
            || (watch.plan ?? .interval).kind != account.plan.kind
            || (watch.plan?.sleep != nil) != account.plan.hasSleep
        {
            misread(person, "sees another schedule of \(name(other))")
        }
        let end = account.isPaused(at: serverNow) ? account.pause?.until : nil
        if watch.pausedUntil != end, !isNearEnd(of: account, serverNow) {
            misread(person, "sees another pause of \(name(other))")
        }
        if account.receiptError == .zero, isTimeSure, !brokenPeople.contains(other) {
            let mayDiffer = account.deadline == nil && account.plan != .none
            if watch.lastCheckInTime != account.lastCheckIn
                || !mayDiffer && watch.nextCheckInTime != account.deadline
            {
                misread(person, "sees another check-in or deadline of \(name(other))")
            }
        }
        if watch.timeZone == Step.Zone.nowhere.rawValue {
            misread(person, "sees \(name(other)) in a zone that doesn't exist")
        }
        checkStatus(watch.status, of: other, as: person)
        if let deadline = watch.nextCheckInTime, deadline < serverNow,
            watch.status(at: serverNow) == .active
        {
            misread(person, "sees that \(name(other)), whose deadline has passed, is fine")
        }
    }

    private func isNearEnd(of account: Truth.Account, _ serverNow: Date) -> Bool {
        account.pause.map { abs($0.until.since(serverNow).milliseconds) < 2_000 } ?? false
    }

    /// Checks a status against the open alerts that the reader may see.
    func checkStatus(_ status: UserStatus, of other: Int, as person: Int) {
        let alarms = truth.alarms.filter { alarm in
            alarm.owner == other && (other == person || alarm.concerns(person))
                && !mayHaveEnded(alarm)
        }
        let isUrgent = alarms.contains { $0.kind != .missedCheckIn }
        if isUrgent, status != .alertActive {
            misread(person, "sees \(name(other)) as \(status.rawValue) during an alert")
        } else if !alarms.isEmpty, status == .active {
            misread(person, "sees \(name(other)) as active, who missed a check-in")
        }
        let mayBeUrgent = truth.alarms.contains { alarm in
            alarm.owner == other && alarm.kind != .missedCheckIn
                && (other == person || alarm.concerns(person)
                    || hearing.told[alarm.id]?[person] != nil)
        }
        if status == .alertActive, !mayBeUrgent {
            misread(person, "sees an alert of \(name(other)), who has none")
        }
    }

    private func checkProtection(_ contacts: [ContactData], of person: Int) {
        let hasAccepted = truth.roles.keys.contains { $0.owner == person }
        let hasAsked = truth.requests.contains { $0.key.owner == person && $0.value == person }
        let expected: Protection = hasAccepted ? .accepted : hasAsked ? .asked : .nobody
        if Protection(of: contacts) != expected {
            misread(person, "is shown as protected: \(Protection(of: contacts)), not \(expected)")
        }
        let responders = contacts.filter(\.isResponder)
        if let one = responders.first {
            let withoutAll: Protection = hasAsked ? .asked : .nobody
            let left: Protection = responders.count == 1 ? withoutAll : .accepted
            if Protection.without(one, among: contacts) != left {
                misread(person, "is not warned before the removal of the last responder")
            }
        }
        let unreachable = responders.filter { $0.reachability?.state == .unreachable }
        if case .unreachable = Audience(of: contacts), unreachable.count < responders.count {
            misread(person, "is told that nobody can be reached")
        }
        if case .proven = Audience(of: contacts), !unreachable.isEmpty {
            misread(person, "is told that all can be reached")
        }
        let order = responders.sorted { $0.isCalledBefore($1) }.map { $0.position ?? .max }
        if order != order.sorted() { misread(person, "sees the responders in a wrong order") }
    }

    // MARK: Invitations and blocks

    func browseInvitations(_ person: Int) async {
        guard
            let list = await ask(person, { try await $0.invitations.invitations(of: $1) }).value
        else { return }
        let ids = Set(list.map(\.id))
        let expected = truth.invited.keys.filter { $0.owner == person }
            .sorted { $0.responder < $1.responder }
        for edge in expected where truth.invited[edge].map(ids.contains) == false {
            misread(person, "does not see the invitation of \(name(edge.responder))")
        }
        if ids.count != list.count { misread(person, "sees an invitation twice") }
        for invitation in list {
            if invitation.recipient.isEmpty {
                misread(person, "sees an invitation to nobody")
            }
            let mayUndo = invitation.state == .declined && invitation.contactID != nil
            if (invitation.undoEnd != nil) != mayUndo {
                misread(person, "sees until when an invitation can be undone, wrongly")
            }
            guard invitation.state == .accepted,
                let other = invitation.contactID.flatMap({ identities[$0] })
            else { continue }
            if truth.roles[Edge(responder: other, owner: person)] == nil {
                misread(person, "sees that \(name(other)) has accepted, who is no responder")
            }
        }
    }

    func browseBlocks(_ person: Int) async {
        guard let list = await ask(person, { try await $0.blocks.blocks(of: $1) }).value
        else { return }
        let expected = truth.blocks.keys.filter { $0.blocker == person }.map(\.blocked).sorted()
        let listed = list.compactMap { identities[$0.id] }.sorted()
        if listed != expected {
            misread(person, "sees that \(listed.map(name)) are blocked, not \(expected.map(name))")
        }
        for block in list {
            guard let other = identities[block.id] else { continue }
            let hasLeft = truth.userID(of: other) != block.id
            if ![name(other), Blocks.formerContact].contains(block.name),
                !hasLeft || block.name != "Someone who has left"
            {
                misread(person, "sees \(block.name) blocked in place of \(name(other))")
            }
        }
    }

    // MARK: Pings

    /// Answers all pings.
    func answerPings(_ person: Int) async {
        truth.accounts[person]?.reading.answeredPingsAt = now
        await ask(person) { _ = try await $0.pings.respondToAll(by: $1) }
    }

    private func readPings(_ person: Int) async -> [PingRecord]? {
        await readPages(
            person, limit: 3 + luck(person, 131, below: 20),
            { try await $0.pings.pings(of: $1, page: $2) },
            { (ping: PingRecord) in Page.Cursor(time: ping.createdAt, id: ping.id.uuid) })
    }

    func browsePings(_ person: Int) async {
        guard let user = truth.accounts[person]?.caller.userID,
            let list = await readPings(person)
        else { return }
        for (newer, older) in zip(list, list.dropFirst())
        where (newer.createdAt, newer.id) <= (older.createdAt, older.id) {
            misread(person, "sees an older ping before a newer one")
        }
        for ping in list where ping.responderID != user && ping.dependentID != user {
            pries(person, "sees a ping between others")
        }
        let pending = list.filter { $0.state == .pending }
        for ping in pending { checkPending(ping, seenBy: person) }
        if Set(pending.map { [$0.responderID, $0.dependentID] }).count != pending.count {
            misread(person, "sees two pending pings of one pair")
        }
        let edges = truth.pings.keys.filter { $0.responder == person || $0.owner == person }
            .sorted { ($0.owner, $0.responder) < ($1.owner, $1.responder) }
        for edge in edges { await checkPing(edge, in: list, of: person) }
        await compare(pending, withContactsOf: person, user)
        await answerOne(of: pending, to: person, user)
    }

    private func checkPending(_ ping: PingRecord, seenBy person: Int) {
        guard let responder = identities[ping.responderID],
            let owner = identities[ping.dependentID]
        else { return }
        if truth.roles[Edge(responder: responder, owner: owner)] == nil {
            misread(
                person,
                "sees a pending ping of \(name(responder)), who is no responder of "
                    + name(owner))
        }
        guard let serverNow = server?.clock.now(), isTimeSure, brokenPeople.isEmpty,
            now.since(max(moments.runningSince, moments.diskFullUntil)) > .minutes(2)
        else { return }
        if serverNow.since(ping.createdAt) > Duration.hours(24) + .minutes(1) {
            misread(person, "sees a ping that is pending for more than a day")
        }
    }

    /// Checks the newest ping of a pair: it is there, and what settled it has happened.
    private func checkPing(_ edge: Edge, in list: [PingRecord], of person: Int) async {
        await learnCheckIns(of: edge.owner)
        guard let known = truth.pings[edge], let account = truth.accounts[edge.owner] else {
            return
        }
        guard let ping = list.first(where: { $0.id == known.id }) else {
            return misread(
                person, "does not see the ping of \(name(edge.responder)) to \(name(edge.owner))")
        }
        if identities[ping.responderID] != edge.responder
            || identities[ping.dependentID] != edge.owner
            || (ping.state == .pending) != (ping.settledAt == nil)
        {
            misread(person, "sees a ping of the wrong people, or with a wrong end")
        }
        let acted = max(
            account.heardAt ?? .distantPast, account.reading.answeredPingsAt ?? .distantPast)
        switch ping.state {
        case .answered:
            if acted < known.madeAt {
                misread(person, "sees that \(name(edge.owner)) answered a ping, who did nothing")
            }
        case .expired:
            guard isTimeSure, now.since(moments.clockWrongUntil) > .days(2) else { return }
            let settled = ping.settledAt ?? ping.createdAt
            if settled.since(ping.createdAt) < Duration.hours(24) - .seconds(1) {
                misread(person, "sees a ping that expired within a day")
            }
        case .pending:
            guard areTimesUntouched, !brokenPeople.contains(edge.owner),
                account.receiptError == .zero, let heard = account.heardAt, heard > known.madeAt,
                let last = account.lastCheckIn, last > ping.createdAt,
                abs(heard.since(last).milliseconds) < 120_000,
                account.deadline.map({ $0 > heard.adding(.minutes(2)) }) ?? true
            else { return }
            misread(
                person,
                "sees a pending ping to \(name(edge.owner)), who has checked in since")
        case .cleared: break
        }
    }

    /// Compares the list with the contacts, which show the same pings.
    private func compare(
        _ pending: [PingRecord], withContactsOf person: Int, _ user: UserID
    ) async {
        guard let contacts = await ask(person, { try await $0.contacts.contacts(of: $1) }).value
        else { return }
        for contact in contacts {
            let sent = pending.first { $0.dependentID == contact.id && $0.responderID == user }
            let got = pending.contains { $0.responderID == contact.id && $0.dependentID == user }
            if contact.pingedAt != sent?.createdAt || contact.hasPendingPing != got {
                misread(person, "sees other pings with \(contact.name) than in the list")
            }
        }
    }

    /// Answers one ping, which only the pinged person can.
    private func answerOne(of pending: [PingRecord], to person: Int, _ user: UserID) async {
        if let sent = pending.first(where: { $0.responderID == user }) {
            let answer = await ask(person) { try await $0.pings.respond(to: sent.id, by: $1) }
            if answer.value != nil { pries(person, "answered a ping to another") }
        }
        guard let got = pending.first(where: { $0.dependentID == user }) else { return }
        truth.accounts[person]?.reading.answeredPingsAt = now
        let answer = await ask(person) { try await $0.pings.respond(to: got.id, by: $1) }
        guard let answered = answer.value else { return }
        sights.insert("shelf: one ping answered")
        guard let list = await readPings(person) else { return }
        let shown = list.first { $0.id == got.id }
        if shown != answered || answered.state == .pending {
            misread(person, "answered a ping, and sees it as \(shown?.state.rawValue ?? "gone")")
        }
    }

    // MARK: Drills

    func browseDrills(_ person: Int) async {
        guard let overview = await ask(person, { try await $0.drills.drills(of: $1) }).value
        else { return }
        if let own = overview.own { checkOwn(own, of: person) }
        if let known = truth.drills[person], overview.own?.id != known.id, isTimeSure,
            let serverNow = server?.clock.now(), serverNow.since(known.at) < .days(29)
        {
            misread(person, "does not see the last drill")
        }
        for question in overview.asked {
            guard let owner = identities[question.ownerID] else { continue }
            let isAsked = truth.roles[Edge(responder: person, owner: owner)] != nil
            if !isAsked { pries(person, "is asked in the drill of \(name(owner))") }
            if truth.drills[owner]?.id != question.id || question.name != name(owner) {
                misread(person, "is asked in a drill that \(name(owner)) has not started")
            }
        }
    }

    private func checkOwn(_ drill: DrillRecord, of person: Int) {
        let done = drill.answers.count { $0.answeredAt != nil }
        let all = drill.answers.count { $0.isAsked != false || $0.answeredAt != nil }
        let beginning = all == 0 ? "No responder was asked." : "\(done) of \(all) "
        if !drill.summary.hasPrefix(beginning)
            || (drill.endWords == nil) != drill.isRunning
        {
            misread(person, "reads of the drill: \"\(drill.summary)\"")
        }
        if drill.end == .everyoneAnswered, done < all {
            misread(person, "reads that everyone has answered the drill")
        }
        for answer in drill.answers {
            let words = drill.words(for: answer)
            if (words == nil) != (answer.answeredAt == nil) {
                misread(person, "reads \"\(words ?? "")\" of \(answer.name) in the drill")
            }
            guard drill.isRunning, let other = identities[answer.personID],
                truth.roles[Edge(responder: other, owner: person)] == nil
            else { continue }
            misread(person, "sees \(answer.name) in the drill, who is no responder")
        }
        guard drill.isRunning else { return }
        if truth.alarms.contains(where: { $0.owner == person && !mayHaveEnded($0) }) {
            misread(person, "sees a drill that goes on during an alert")
        }
        guard isTimeSure, brokenPeople.isEmpty, let serverNow = server?.clock.now(),
            now.since(max(moments.runningSince, moments.diskFullUntil)) > .minutes(2)
        else { return }
        if serverNow.since(drill.startedAt) > .minutes(11) {
            misread(person, "sees a drill that runs for more than ten minutes")
        }
    }
}

extension Truth.Plan {
    /// The product's name for this kind of schedule.
    var kind: CheckInPlan.Kind {
        switch self {
        case .interval, .intervalWithSleep: .interval
        case .times: .times
        case .none: .none
        }
    }
}
