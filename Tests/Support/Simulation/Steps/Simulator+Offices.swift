import Domain
import Foundation
import SafetyNetwork

/// What administrators look up, and what they must not see (product.md, "Administrators").
extension Simulator {
    // MARK: Search

    /// Looks for people, page by page.
    func findPeople(_ person: Int, _ search: Step.Search, length: Int, page: Int) async {
        guard let number = try? phoneNumber(of: person) else { return }
        let typed = search.typed(name(person), number.text, length)
        var found: [AdminPerson] = []
        var last: String?
        // Guests take a place on a page, and are not shown.
        for round in 0...(3 * options.people) {
            let after = last
            let answer = await reach("a search for people") {
                try await $0.administration.people(typed, after: after, limit: page)
            }
            if case .refused(let error) = answer {
                note("search", "the search for \"\(typed ?? "")\" was refused: \(error)")
            }
            guard let part = answer.value else { return }
            if part.people.count > page { note("search", "a page of \(page) people has more") }
            found += part.people
            last = part.next
            if last == nil { break }
            if round == 3 * options.people {
                return note("search", "the search for \"\(typed ?? "")\" has no end")
            }
        }
        let expected = truth.accounts.indices.filter { isFound($0, search, typed ?? "") }
        let ids = expected.compactMap { truth.accounts[$0]?.caller.userID }
        if found.map(\.id).sorted() != ids.sorted() {
            note(
                "search",
                "the search for \"\(typed ?? "")\" finds "
                    + "\(found.map(\.name).joined(separator: ", ")), and must find "
                    + expected.map(name).joined(separator: ", "))
        }
        let keys = found.map { search.isNumber ? $0.phoneNumber.text : $0.name.lowercased() }
        if keys != keys.sorted() { note("search", "the people found are in no order") }
        for one in found {
            if let shown = identities[one.id] { check(one, of: shown) }
        }
        if hasNotes(found) { note("search", "the list of people has notes") }
        if !found.isEmpty { sights.insert("search: found") }
    }

    private func isFound(_ person: Int, _ search: Step.Search, _ typed: String) -> Bool {
        guard truth.accounts[person] != nil, let number = try? phoneNumber(of: person) else {
            return false
        }
        guard search.isNumber else {
            return name(person).lowercased().hasPrefix(Step.Search.plain(typed))
        }
        let digits = typed.hasPrefix("00") ? String(typed.dropFirst(2)) : typed
        return number.text.dropFirst().hasPrefix(digits.filter(\.isNumber))
    }

    /// Looks at a person. Somebody without an account must not be found.
    func showPerson(_ person: Int, byID: Bool) async {
        guard let number = try? phoneNumber(of: person) else { return }
        let account = truth.accounts[person]
        let id = truth.userID(of: person)?.description
        guard let typed = byID ? id : number.text else { return }
        let answer = await reach("a look at \(name(person))") {
            try await $0.administration.person(typed)
        }
        switch answer {
        case .refused(let error): if account != nil { refused("a look", person, error) }
        case .unreachable: break
        case .answered(let details):
            guard let account, details.person.id == account.caller.userID else {
                return note("search", "\(name(person)) has no account, and is shown")
            }
            check(details.person, of: person)
            check(details, account, of: person)
            sights.insert("person: shown")
        }
    }

    /// Compares what the list shows of a person.
    private func check(_ shown: AdminPerson, of person: Int) {
        guard let account = truth.accounts[person] else { return }
        var wrong: [String] = []
        if shown.name != name(person) { wrong.append("the name") }
        if shown.phoneNumber.text != (try? phoneNumber(of: person))?.text {
            wrong.append("the number")
        }
        if (shown.lockedAt != nil) != account.isLocked { wrong.append("the lock") }
        if !account.mayHaveCounted(from: shown.lastCheckIn) { wrong.append("the last check-in") }
        if let deadline = account.deadline, account.receiptError == .zero, isClockSound,
            shown.deadline != deadline
        {
            wrong.append("the deadline")
        }
        if truth.stops[person] != nil, shown.channels.contains(.sms) {
            wrong.append("the text messages")
        }
        let hasCalled = truth.alarms.contains {
            $0.owner == person && $0.kind != .missedCheckIn && !mayHaveEnded($0)
        }
        if hasCalled, shown.status != .alertActive { wrong.append("the status") }
        guard !wrong.isEmpty else { return }
        let words = wrong.joined(separator: " and ")
        note("search", "administrators see \(words) of \(name(person)) wrong")
    }

    private func check(
        _ details: AdminPersonDetails, _ account: Truth.Account, of person: Int
    ) {
        let responders = truth.roles.keys.filter { $0.owner == person }.count
        if details.responders != responders || details.reachableResponders > responders {
            note(
                "search",
                "administrators see \(details.responders) responders of \(name(person)), not "
                    + "\(responders)")
        }
        if details.sessions < 1 { note("search", "\(name(person)) is shown without a session") }
        let move = account.move.flatMap { try? Phone.number($0.index, of: person) }
        if details.move?.phoneNumber.text != move?.text {
            note("search", "administrators see another move of \(name(person))")
        }
        if details.acts.map(\.reason).sorted() != account.acts.sorted() {
            note("search", "administrators see other acts about \(name(person))")
        }
        for alarm in truth.alarms where alarm.owner == person && !mayHaveEnded(alarm) {
            guard !details.openAlerts.contains(alarm.id) else { continue }
            note("search", "administrators see no open alert of \(name(person))")
        }
        if hasNotes(details) { note("search", "administrators see a note of \(name(person))") }
    }

    /// Whether something shown contains an emergency note or the note of a journey.
    private func hasNotes(_ shown: some Encodable) -> Bool {
        guard let json = try? WireJSON.encoder().encode(shown) else { return false }
        let text = String(decoding: json, as: UTF8.self)
        // The beginning of every emergency note.
        return text.contains("\"Note ") || text.contains(Truth.Journey.note)
    }

    // MARK: Alerts

    /// Looks at a person's open alert.
    func showAlert(_ person: Int) async {
        guard let alarm = truth.alarms.first(where: { $0.owner == person }) else { return }
        let answer = await reach("a look at the alert of \(name(person))") {
            try await $0.administration.alert(alarm.id.description)
        }
        switch answer {
        case .refused(let error):
            if !mayHaveEnded(alarm) { refused("a look at the alert", person, error) }
        case .unreachable: break
        case .answered(let record):
            sights.insert("alert: shown")
            if AlertID(record.id) != alarm.id || record.kind != alarm.kind {
                note("search", "administrators see another alert than that of \(name(person))")
            }
            if record.note != nil || record.journey != nil || hasNotes(record) {
                note("search", "administrators see where \(name(person)) goes")
            }
        }
    }

    /// Asks the server what is stuck, and compares the answer with the truth about one person.
    func showStuck(_ person: Int) async {
        guard let server else { return }
        let answer = await reach("a look at what is stuck") {
            try await $0.administration.stuck()
        }
        if case .refused(let error) = answer {
            note("administration", "a look at what is stuck was refused: \(error)")
        }
        guard let stuck = answer.value else { return }
        let latest = server.clock.now().adding(.zero - AdminRules.patience)
        if stuck.alerts.contains(where: { $0.startedAt > latest })
            || stuck.queues.contains(where: { $0.oldestDue > latest })
        {
            note("administration", "what is stuck is younger than a minute")
        }
        if stuck.next != nil { note("administration", "not all people were examined") }
        for id in stuck.people where identities[id].flatMap({ truth.accounts[$0] }) == nil {
            note("administration", "somebody without an account is stuck")
        }
        guard let account = truth.accounts[person] else { return }
        let isListed = stuck.people.contains(account.caller.userID)
        let hasDeadline =
            account.deadline.map { $0 > server.clock.now() } ?? false
            && !account.isPaused(at: server.clock.now()) && account.receiptError == .zero
            && truth.alarm(of: person, .missedCheckIn) == nil
        let hasResponders = truth.roles.keys.contains { $0.owner == person }
        if hasDeadline, !hasResponders, !isListed, isClockSound {
            note("administration", "\(name(person)) has no responder, and is not stuck")
        }
        if isListed { sights.insert("stuck: a person") }
        checkUnheard(stuck, of: person)
    }

    /// Checks that an alert without a reached responder is stuck.
    private func checkUnheard(_ stuck: AdminStuck, of person: Int) {
        guard isClockSound, truth.responders(of: person).isEmpty else { return }
        for alarm in truth.alarms where alarm.owner == person && !mayHaveEnded(alarm) {
            let others = (hearing.reachedPeople[alarm.id] ?? []).subtracting([person])
            guard others.isEmpty, now.since(alarm.noticedAt) > .minutes(2),
                !stuck.alerts.contains(where: { $0.id == alarm.id })
            else { continue }
            note("administration", "nobody has heard of \(name(person))'s alert: it is not stuck")
        }
    }

    // MARK: The log

    /// Reads the whole log, and the acts about a person.
    func readLog(_ person: Int) async {
        let limit = AdminRules.pageLimits.upperBound
        let answer = await reach("the log") {
            try await $0.administration.log(about: nil, limit: limit)
        }
        guard let entries = answer.value?.entries else { return }
        let reasons = entries.map(\.act.reason)
        if truth.log.count <= limit, reasons.sorted() != truth.log.sorted() {
            let wrong = Set(reasons).symmetricDifference(truth.log).sorted()
            note("log", "the log differs in \(wrong.joined(separator: ", "))")
        }
        for entry in entries {
            guard let one = entry.person.flatMap({ identities[$0] }), let id = entry.person else {
                continue
            }
            let account = truth.accounts[one]
            if account?.caller.userID != id || account?.acts.contains(entry.act.reason) != true {
                note("log", "the log has \(name(one)) with \"\(entry.act.reason)\"")
            }
        }
        sights.insert("log: read")
        guard let account = truth.accounts[person], let number = try? phoneNumber(of: person)
        else { return }
        let own = await reach("the log about \(name(person))") {
            try await $0.administration.log(about: number.text, limit: limit)
        }
        guard let acts = own.value?.entries else { return }
        if acts.map(\.act.reason).sorted() != account.acts.sorted()
            || acts.contains(where: { $0.person != account.caller.userID })
        {
            note("log", "the log about \(name(person)) has other acts")
        }
    }

    // MARK: Tests

    /// Sends a test message to all devices of a person, as `lifesignal admin test push` does.
    func testPerson(_ person: Int) async {
        guard let account = truth.accounts[person], let number = try? phoneNumber(of: person)
        else { return }
        let reason = newReason()
        let entry = await reach("an entry in the log") {
            try await $0.administration.record(.test, reason: reason, by: Self.administrator)
        }
        guard entry.value != nil else { return }
        truth.log.append(reason)
        let answer = await reach("a test of \(name(person))") {
            try await $0.administration.testPush(to: number.text, pause: .zero)
        }
        if case .refused(let error) = answer { refused("a test", person, error) }
        guard let words = answer.value?.message else { return }
        let known = account.endpoints.keys.sorted()
        guard !words.hasPrefix("No message was sent") else {
            // Endpoints that have failed for long are removed, and their owners are told.
            if known.count > account.removalsTold, !account.isMuted,
                now.since(account.refreshedAt) < .days(89)
            {
                note("administration", "\(name(person)) has a device, and no test was sent")
            }
            return
        }
        sights.insert("person: tested")
        owe(Self.test, to: person)
        guard phones[person].openUntil <= now else { return }
        for number in known {
            hearing.onTheWay.append(
                Hearing.OnTheWay(
                    endpoint: Endpoint(person: person, number: number), title: Self.test,
                    madeAt: now))
        }
    }

    private static let test = "Test: messages arrive here"
}

extension Step.Search {
    /// Whether a number is searched.
    var isNumber: Bool {
        switch self {
        case .name, .capitals, .accent: false
        case .number, .zeros, .digits, .everyone: true
        }
    }

    private static let acute: Unicode.Scalar = "\u{301}"

    /// Returns a text without the accents of `typed`.
    static func plain(_ typed: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: typed.unicodeScalars.filter { $0 != acute })
        return String(scalars).lowercased()
    }

    /// Returns what an administrator types; nil for nothing.
    func typed(_ name: String, _ number: String, _ length: Int) -> String? {
        let digits = String(number.dropFirst().prefix(length))
        switch self {
        case .name: return String(name.prefix(length))
        case .capitals: return name.prefix(length).uppercased()
        case .accent:
            let beginning = String(name.prefix(1)) + String(Character(Self.acute))
            return beginning + String(name.prefix(length).dropFirst())
        case .number: return "+\(digits.prefix(1)) \(digits.dropFirst())"
        case .zeros: return "00" + digits
        case .digits: return digits
        case .everyone: return nil
        }
    }
}
