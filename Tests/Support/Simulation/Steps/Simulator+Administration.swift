import Cryptography
import Domain
import Foundation
import SafetyNetwork

/// What administrators do by `lifesignal admin`, and what the persons concerned see of it
/// (product.md, "Administrators"). Administrators are on the server's machine, so no device's
/// connection matters.
extension Simulator {
    /// The name of the administrator in the log.
    static let administrator = "root"

    /// Returns the number that names a person in a command, and a reason that no other act has.
    func command(about person: Int) -> (number: String, reason: String)? {
        guard truth.accounts[person] != nil, let number = try? phoneNumber(of: person) else {
            return nil
        }
        return (number.text, newReason())
    }

    /// Returns a reason that no other act has.
    func newReason() -> String {
        lastAct += 1
        return "Reason \(lastAct)"
    }

    /// Records an act that the person can read and is told of.
    func enter(_ reason: String, about person: Int, telling title: String) {
        truth.log.append(reason)
        truth.accounts[person]?.acts.append(reason)
        owe(title, to: person)
    }

    /// Reports a command that must not have been refused.
    func refused(_ what: String, _ person: Int, _ error: CommandError) {
        note("administration", "\(what) of \(name(person)) was refused: \(error)")
    }

    // MARK: Locks and deletion

    func lock(_ person: Int) async {
        guard let (number, reason) = command(about: person) else { return }
        let wasLocked = truth.accounts[person]?.isLocked ?? false
        let answer = await reach("the lock of \(name(person))") {
            try await $0.administration.lock(number, reason: reason, by: Self.administrator)
        }
        switch answer {
        case .answered where wasLocked:
            note("administration", "\(name(person))'s account was locked twice")
        case .answered:
            truth.accounts[person]?.isLocked = true
            enter(reason, about: person, telling: "Your account was locked")
        case .refused(let error): if !wasLocked { refused("the lock", person, error) }
        case .unreachable: break
        }
    }

    func unlock(_ person: Int) async {
        guard let (number, reason) = command(about: person) else { return }
        let wasLocked = truth.accounts[person]?.isLocked ?? false
        let answer = await reach("the unlocking of \(name(person))") {
            try await $0.administration.unlock(number, reason: reason, by: Self.administrator)
        }
        switch answer {
        case .answered:
            truth.accounts[person]?.isLocked = false
            releaseMove(of: person)
            enter(reason, about: person, telling: "Your account was unlocked")
        case .refused(let error): if wasLocked { refused("the unlocking", person, error) }
        case .unreachable: break
        }
    }

    func deleteByAdministrator(_ person: Int) async {
        guard let (number, reason) = command(about: person) else { return }
        truth.deletedAt = now
        let answer = await reach("the deletion of \(name(person))") {
            try await $0.administration.delete(number, reason: reason, by: Self.administrator)
        }
        guard answer.value != nil else { return }
        counts.deletions += 1
        sights.insert("deleted by an administrator")
        truth.log.append(reason)
        forget(person)
        let log = await reach("the log") {
            try await $0.administration.log(about: nil, limit: AdminRules.pageLimits.upperBound)
        }
        guard let entries = log.value?.entries else { return }
        let entry = entries.first { $0.act.reason == reason }
        if entry == nil || entry?.person != nil {
            note("acts", "the log has the deletion of \(name(person)) wrong")
        }
    }

    // MARK: Numbers

    /// Moves a person to a free number, unless somebody blocks the present one.
    func move(_ person: Int, byCode: Bool) async {
        guard let account = truth.accounts[person],
            !truth.blocks.keys.contains(where: { $0.blocked == person }),
            let new = try? Phone.number(truth.numbers[person, default: 0] + 1, of: person),
            let (number, reason) = command(about: person)
        else { return }
        let code = byCode ? account.recovery.unused.last : nil
        guard !byCode || code != nil else { return }
        let answer = await reach("the move of \(name(person))") {
            try await $0.numberMoves.move(
                number, to: new.text, reason: reason, recoveryCode: code,
                by: Self.administrator)
        }
        switch answer {
        case .answered:
            begin(account.move, person, code, reason)
            await checkNewNumber(of: person)
        case .refused(let error):
            let waits = account.move.map { !$0.isOwn } ?? false
            let isExpected = code == nil ? waits : isTooNew(error, account.recovery)
            if !isExpected { refused("the move", person, error) }
        case .unreachable: break
        }
    }

    private func begin(_ last: Truth.Move?, _ person: Int, _ code: String?, _ reason: String) {
        let wait = code == nil ? Truth.Move.wait : .zero
        let index = truth.numbers[person, default: 0] + 1
        truth.accounts[person]?.move = Truth.Move(
            index: index, begunAt: now, dueAt: now.adding(wait))
        if let code {
            truth.accounts[person]?.recovery.use(code)
            sights.insert("move: by a recovery code")
            enter(reason, about: person, telling: "A recovery code was used")
            owe("Your phone number was changed", to: person)
            expectText("Your LifeSignal account moved to another number", to: person)
        } else {
            if last?.isOwn == false { note("move", "\(name(person))'s number is moved twice") }
            enter(reason, about: person, telling: "Your phone number will change")
            expectText("LifeSignal moves your account to another number", to: person)
            // The loop finds it within a minute.
            let delay: Duration = .seconds(luck(person, 59, below: 60))
            chores.plan(.moves, at: now.adding(wait + delay))
        }
    }

    /// Checks that a search by the new number finds no person before its time.
    private func checkNewNumber(of person: Int) async {
        guard let move = truth.accounts[person]?.move, move.dueAt > now,
            let new = try? Phone.number(move.index, of: person)
        else { return }
        let found = await reach("a search by number") {
            try await $0.administration.person(new.text)
        }
        if found.value != nil, isSure(since: move.begunAt), now < move.dueAt.adding(.seconds(-2)) {
            note("move", "\(name(person)) has the new number already")
        }
    }

    /// A change of a locked account waits for the end of the lock.
    private func releaseMove(of person: Int) {
        guard let move = truth.accounts[person]?.move else { return }
        truth.accounts[person]?.move?.dueAt = max(move.dueAt, now)
        // The loop finds it within a minute.
        let delay: Duration = .seconds(luck(person, 89, below: 60))
        chores.plan(.moves, at: max(move.dueAt, now).adding(delay))
    }

    /// Whether a change of the number waits on the server; nil if the server can't be asked.
    func hasMove(_ person: Int) async -> Bool? {
        await ask(person) { try await $0.profiles.profile(of: $1) }.value.map {
            $0.numberMove != nil
        }
    }

    /// Records that the end of a session has stopped the change that the session began.
    /// - Parameter hadMove: `hasMove` before the end.
    func checkMove(of person: Int, hadMove: Bool?) async {
        guard hadMove == true, await hasMove(person) == false,
            let move = truth.accounts[person]?.move
        else { return }
        truth.accounts[person]?.move = nil
        owe("Your phone number stays", to: person)
        if !move.isOwn {
            note("move", "the end of a session stopped an administrator's move of \(name(person))")
        }
    }

    /// Stops the change on any of the person's devices.
    func stopMove(_ person: Int) async {
        guard let move = truth.accounts[person]?.move else { return }
        let luck = luck(person, 61, below: 1_000)
        let answer = await ask(person) { network, caller in
            let device = try await Self.device(luck, of: caller, network)
            return try await network.numberMoves.stop(of: device)
        }
        switch answer {
        case .answered(let profile):
            truth.accounts[person]?.move = nil
            owe("Your phone number stays", to: person)
            if profile.numberMove != nil {
                note("move", "\(name(person)) stopped the change of the number, and it goes on")
            }
        case .refused(let error):
            if isSure(since: move.begunAt) {
                note("move", "\(name(person)) could not stop the change of the number: \(error)")
            }
        case .unreachable: break
        }
    }

    /// Records the end of a change, from its message.
    func heardOfNumber(_ person: Int, _ item: NotificationItem) {
        let isChanged = item.title == "Your phone number was changed"
        guard isChanged || item.title == "Your phone number stays" else { return }
        let move = truth.accounts[person]?.move
        truth.accounts[person]?.move = nil
        guard let move else {
            // The person has stopped it.
            if !isChanged { return }
            return note("move", "\(name(person))'s number has changed, and no change was waiting")
        }
        guard isChanged else {
            return note("move", "\(name(person))'s number stays, and nobody has stopped the change")
        }
        if isSure(since: move.begunAt), now < move.dueAt.adding(.seconds(-2)) {
            note(
                "move",
                "\(name(person))'s number changed \(Invariant.span(now, since: move.begunAt)) "
                    + "after the command")
        }
        truth.numbers[person] = move.index
        truth.numberSince[person] = now
        if truth.stops.removeValue(forKey: person) != nil { truth.starts[person] = now }
        // They went to the former number.
        hearing.invitations = hearing.invitations.filter { $0.key.responder != person }
        hearing.tokens[person] = nil
    }

    // MARK: Announcements

    func announce(maintenance: Bool) async {
        guard let server else { return }
        let reason = newReason()
        let text = "News \(lastAct): the server moves"
        let serverNow = server.clock.now()
        let period =
            maintenance
            ? Maintenance(from: serverNow.adding(.hours(5)), until: serverNow.adding(.hours(6)))
            : nil
        let answer = await reach("an announcement") {
            try await $0.announcements.announce(
                text, maintenance: period, reason: reason, by: Self.administrator)
        }
        guard answer.value != nil else { return }
        truth.log.append(reason)
        var people: [Int: UserID] = [:]
        for (person, account) in truth.accounts.enumerated() {
            people[person] = account?.caller.userID
        }
        truth.announcements.append(
            Truth.Announcement(text: text, madeAt: now, people: people))
        chores.plan(.announcements, at: now.adding(.seconds(luck(67, below: 5))))
    }

    /// Checks that a person hears each announcement once.
    func heardAnnouncement(_ person: Int, _ item: NotificationItem) {
        guard item.title == Truth.Announcement.title,
            !item.body.hasPrefix(AdminRules.restoredWords)
        else { return }
        let index = truth.announcements.firstIndex { item.body.hasPrefix($0.text) }
        guard let index, truth.accounts[person] != nil else {
            return note("announcement", "\(name(person)) was told \"\(item.body)\" for no reason")
        }
        if !truth.announcements[index].told.insert(person).inserted,
            truth.announcements[index].people[person] == truth.accounts[person]?.caller.userID
        {
            note("announcement", "\(name(person)) was told \"\(item.body)\" twice")
        }
    }

    // MARK: Tokens

    func makeToken(_ person: Int) async {
        guard let number = try? phoneNumber(of: person) else { return }
        let reason = newReason()
        let answer = await reach("a token for \(name(person))") {
            try await $0.administration.invite(
                number, uses: 1, days: 7, note: "", reason: reason, by: Self.administrator)
        }
        guard let made = answer.value else { return }
        let user = truth.accounts[person]?.caller.userID
        hearing.tokens[person] = Hearing.TokenLink(
            text: made.link.absoluteString, id: made.id, user: user)
        truth.tickets.append(
            Truth.Ticket(id: made.id, number: number, uses: 1, days: 7, madeAt: now))
        guard user != nil else { return truth.log.append(reason) }
        enter(reason, about: person, telling: "A link signs in to your account")
    }

    /// Signs in, or signs up, by the last token for the number.
    func useToken(_ person: Int) async throws {
        guard let server, let token = hearing.tokens[person], isOnline(person),
            server.disk.condition == .fine
        else { return }
        let number = try phoneNumber(of: person)
        let answer = await reach("a token of \(name(person))") {
            try await $0.signIn.signIn(number, token: token.text, deviceName: "Tablet")
        }
        switch answer {
        case .answered(let tokens):
            if token.isUsed { note("token", "\(name(person)) used a token twice") }
            checkUse(of: token, by: person)
            sights.insert("token: used")
            if truth.accounts[person] == nil {
                try await welcome(person, tokens, server.network)
            } else {
                letIn(person)
                adopt(tokens, person)
            }
            hearing.tokens[person]?.isUsed = true
        case .refused(let error):
            if token.isUsed { sights.insert("token: used before") }
            if !holdBack(person, error) { checkRefusal(of: token, by: person, error) }
        case .unreachable: break
        }
    }

    // MARK: The server's key

    func rotateKey() async {
        guard let server else { return }
        let reason = newReason()
        let old = server.key.fingerprint
        let new = World.key(truth.keyNumber + 1)
        let mayRotate = server.key.formerKeys < ServerKey.mostFormerKeys
        let answer = await reach("a new key") {
            try await $0.keyRotation.rotate(
                to: new, from: old, reason: reason, by: Self.administrator)
        }
        switch answer {
        case .answered:
            truth.keyNumber += 1
            truth.log.append(reason)
            sights.insert("key: replaced")
            chores.plan(.keys, at: now.adding(.seconds(luck(71, below: 5))))
        case .refused(let error):
            if mayRotate { note("administration", "a new key was refused: \(error)") }
        case .unreachable: break
        }
    }

    /// Ends the former keys, unless they are needed to know the number of a deleted account that
    /// somebody has blocked.
    func forgetKeys() async {
        let isNeeded = truth.blocks.contains { truth.userID(of: $0.key.blocked) != $0.value.user }
        guard !isNeeded else { return }
        let reason = newReason()
        let answer = await reach("the end of the former keys") {
            try await $0.keyRotation.forget(reason: reason, by: Self.administrator)
        }
        guard answer.value != nil else { return }
        sights.insert("key: former ones ended")
        truth.log.append(reason)
        hearing.forgetLinks()
        truth.forgetMessagesToMailboxes()
        for person in truth.accounts.indices {
            guard let recovery = truth.accounts[person]?.recovery,
                recovery.keyNumber != truth.keyNumber
            else { continue }
            truth.accounts[person]?.recovery.used += recovery.unused
            truth.accounts[person]?.recovery.unused = []
        }
    }

    // MARK: Settings

    /// Compares what the settings show: the acts of administrators, and the sign-in lock.
    func readActs(_ person: Int) async {
        guard let expected = truth.accounts[person]?.acts,
            let acts = await ask(person, { try await $0.administration.acts(about: $1) }).value
        else { return }
        if acts.map(\.reason).sorted() != expected.sorted() {
            note(
                "acts",
                "\(name(person)) reads \(acts.count) acts of administrators, not "
                    + "\(expected.count)")
        }
        if !acts.isEmpty { sights.insert("acts: read") }
        await checkNewNumber(of: person)
        guard let security = await ask(person, { try await $0.signInLocks.security(of: $1) }).value
        else { return }
        check(security, of: person)
    }
}
