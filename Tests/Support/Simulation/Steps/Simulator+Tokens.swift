import Cryptography
import Domain
import Foundation
import SafetyNetwork

/// The administrators' tokens, and commands that the server must refuse (product.md, "Sign-up" and
/// "Administrators").
extension Simulator {
    /// For the difference between the server's clock and the true time.
    private static let tolerance: Duration = .seconds(2)

    /// Whether a token has ended; nil if a wrong clock may have moved its end.
    private func isOver(_ ticket: Truth.Ticket) -> Bool? {
        if ticket.isRevoked || ticket.used >= ticket.uses { return true }
        guard isSure(since: ticket.madeAt),
            abs(now.since(ticket.end).milliseconds) > Self.tolerance.milliseconds
        else { return nil }
        return now > ticket.end
    }

    private func record(of token: Hearing.TokenLink) -> Truth.Ticket? {
        truth.tickets.first { $0.id == token.id }
    }

    private func change(_ id: SignUpTokenID, _ body: (inout Truth.Ticket) -> Void) {
        guard let index = truth.tickets.firstIndex(where: { $0.id == id }) else { return }
        body(&truth.tickets[index])
    }

    // MARK: One number

    /// Checks a sign-in by a token for the person's number, and counts it.
    func checkUse(of token: Hearing.TokenLink, by person: Int) {
        if let account = truth.accounts[person], account.caller.userID != token.user {
            note("token", "\(name(person)) used a token from before the present account")
        }
        if let ticket = record(of: token), !token.isUsed, isOver(ticket) == true {
            note("token", "\(name(person)) used a token that has ended")
        }
        change(token.id) { $0.used += 1 }
    }

    /// Checks that a refused token has ended, or was made for another account.
    func checkRefusal(of token: Hearing.TokenLink, by person: Int, _ error: CommandError) {
        if case .rateLimited = error { return }
        guard let ticket = record(of: token), let over = isOver(ticket) else { return }
        guard !over else {
            sights.insert("token: ended")
            return
        }
        guard let user = token.user, user == truth.accounts[person]?.caller.userID else { return }
        note("token", "\(name(person))'s token was refused: \(error)")
    }

    /// Ends a token. A later use of it must be refused.
    func revokeToken(_ person: Int) async {
        let own = hearing.tokens[person]
        guard let token = own ?? hearing.groupToken, let before = record(of: token) else { return }
        let reason = newReason()
        let answer = await reach("the end of a token") {
            try await $0.administration.revoke(
                token.id.description, reason: reason, by: Self.administrator)
        }
        switch answer {
        case .unreachable: break
        case .refused(let error):
            let user = truth.accounts[person]?.caller.userID
            // A new account or the clean-up may have ended it.
            let mayBeGone = (own != nil && (user == nil || token.user != user)) || now > before.end
            if !before.isRevoked, !mayBeGone {
                note("token", "\(name(person))'s token can't be ended: \(error)")
            }
        case .answered:
            if before.isRevoked { note("token", "\(name(person))'s token was ended twice") }
            change(token.id) { $0.isRevoked = true }
            truth.log.append(reason)
            sights.insert("token: revoked")
            if own != nil, truth.accounts[person] != nil {
                truth.accounts[person]?.acts.append(reason)
            }
        }
    }

    /// Compares the list of tokens: those for the person, and those for groups.
    func listTokens(_ person: Int) async {
        guard let server, let number = try? phoneNumber(of: person) else { return }
        let answer = await reach("the list of tokens") { try await $0.signUpTokens.list() }
        guard let tokens = answer.value else { return }
        let serverNow = server.clock.now()
        for ticket in truth.tickets where ticket.number == nil || ticket.number == number {
            guard let token = tokens.first(where: { $0.id == ticket.id }) else {
                if ticket.number == nil, now < ticket.end, isSure(since: ticket.madeAt) {
                    note("token", "a token for \(ticket.uses) accounts is not listed")
                }
                continue
            }
            let shown = AdminToken(token, at: serverNow)
            if shown.used != ticket.used || shown.uses != ticket.uses
                || shown.phoneNumber != ticket.number || shown.isUsable && isOver(ticket) == true
            {
                note(
                    "token",
                    "a token that was used \(ticket.used) times of \(ticket.uses) is shown with "
                        + "\(shown.used) of \(shown.uses)\(shown.isUsable ? ", usable" : "")")
            }
            if ticket.number == nil, isOver(ticket) == false, !shown.isUsable {
                note("token", "a token for \(ticket.uses) accounts has ended early")
            }
        }
        sights.insert("token: listed")
    }

    // MARK: Groups

    /// Makes a token that opens several accounts.
    func makeGroupToken(uses: Int, days: Int) async {
        let reason = newReason()
        let answer = await reach("a token for \(uses) accounts") {
            try await $0.administration.invite(
                nil, uses: uses, days: days, note: "Village", reason: reason,
                by: Self.administrator)
        }
        if case .refused(let error) = answer {
            note("token", "a token for \(uses) accounts was refused: \(error)")
        }
        guard let made = answer.value else { return }
        truth.log.append(reason)
        hearing.groupToken = Hearing.TokenLink(
            text: made.link.absoluteString, id: made.id, user: nil)
        truth.tickets.append(
            Truth.Ticket(id: made.id, number: nil, uses: uses, days: days, madeAt: now))
    }

    /// Signs up by a code that the last token for groups lets out.
    func joinByToken(_ person: Int) async throws {
        guard let server, server.disk.condition == .fine, isOnline(person),
            truth.accounts[person] == nil, let token = hearing.groupToken,
            let ticket = record(of: token), let number = try? phoneNumber(of: person)
        else { return }
        let address = "address of \(number)"
        let request = await reach("a code by a token") {
            try await $0.codes.requestCode(
                for: number, from: address, with: SignUpInvitation(token: token.text))
        }
        switch request {
        case .unreachable, .refused(.rateLimited): return
        case .refused(let error):
            if isOver(ticket) == false { note("token", "a token is refused: \(error)") }
            if isOver(ticket) == true { sights.insert("token: ended") }
            return
        case .answered(let reply):
            if isOver(ticket) == true || !reply.needsCode {
                return note("token", "\(name(person)) gets a code by a token that has ended")
            }
        }
        guard let code = world.notes.code(for: number) else { return }
        let answer = await reach("\(name(person))'s sign-up by a token") {
            try await $0.signIn.signIn(number, code: code, deviceName: "Phone")
        }
        guard let tokens = answer.value else { return }
        change(token.id) { $0.used += 1 }
        sights.insert("token: opened an account")
        try await welcome(person, tokens, server.network)
    }

    // MARK: Wrong commands

    /// What wrong commands need.
    private struct Facts: Sendable {
        var number: PhoneNumber
        var reason: String
        /// The number of another account, and one without an account.
        var taken: String?
        var free: String
        var unusedCode: String?
        var usedCode: String?
        var unknown: String
        var key: Int64
        var nextKey: Data
        var formerKey: Data?
        var serverNow: Date
        var file: AccountExport?
    }

    /// Gives a command that must be refused. The log and the rows show later that it did nothing.
    func give(_ misuse: Step.Misuse, about person: Int) async {
        guard let server, let account = truth.accounts[person],
            let number = try? phoneNumber(of: person),
            let free = try? Phone.number(Self.unusedIndex, of: person)
        else { return }
        let other = (person + 1) % options.people
        let isTaken = other != person && truth.accounts[other] != nil
        let former = World.key(truth.keyNumber - 1)
        let facts = Facts(
            number: number, reason: newReason(),
            taken: isTaken ? (try? phoneNumber(of: other))?.text : nil, free: free.text,
            unusedCode: account.recovery.unused.last, usedCode: account.recovery.used.last,
            unknown: SignUpTokenID(world.makeID()).description, key: server.key.fingerprint,
            nextKey: World.key(truth.keyNumber + 1),
            formerKey: server.key.isFormer(former) ? former : nil, serverNow: server.clock.now(),
            file: exports[person]?.file)
        let answer = await reach("a wrong command about \(name(person))") {
            try await Self.give(misuse, facts, $0)
        }
        switch answer {
        case .answered(true):
            note("administration", "a wrong command about \(name(person)) was accepted: \(misuse)")
        case .refused: sights.insert("wrong command: refused")
        case .answered(false), .unreachable: break
        }
    }

    /// No step moves a person so often.
    private static let unusedIndex = 900

    /// Returns false if the command is impossible now.
    private static func give(
        _ misuse: Step.Misuse, _ facts: Facts, _ network: SafetyNetwork
    ) async throws -> Bool {
        let desk = network.administration
        let (number, reason, by) = (facts.number.text, facts.reason, administrator)
        switch misuse {
        case .noReason: _ = try await desk.lock(number, reason: " ", by: by)
        case .longReason:
            let long = String(repeating: "a", count: AdminRules.reasonLength.upperBound + 1)
            _ = try await desk.delete(number, reason: long, by: by)
        case .takenNumber:
            guard let taken = facts.taken else { return false }
            _ = try await network.numberMoves.move(number, to: taken, reason: reason, by: by)
        case .takenNumberByCode:
            guard let taken = facts.taken, let code = facts.unusedCode else { return false }
            _ = try await network.numberMoves.move(
                number, to: taken, reason: reason, recoveryCode: code, by: by)
        case .usedCode:
            guard let code = facts.usedCode else { return false }
            _ = try await network.numberMoves.move(
                number, to: facts.free, reason: reason, recoveryCode: code, by: by)
        case .noUses:
            _ = try await desk.invite(nil, uses: 0, days: 7, note: "", reason: reason, by: by)
        case .twoUses:
            _ = try await desk.invite(
                facts.number, uses: 2, days: 7, note: "", reason: reason, by: by)
        case .longLife:
            _ = try await desk.invite(
                facts.number, uses: 1, days: 366, note: "", reason: reason, by: by)
        case .longNote:
            let long = String(repeating: "a", count: SignUpRules.noteLength.upperBound + 1)
            _ = try await desk.invite(nil, uses: 1, days: 7, note: long, reason: reason, by: by)
        case .unknownToken: _ = try await desk.revoke(facts.unknown, reason: reason, by: by)
        case .noToken: _ = try await desk.revoke("token", reason: reason, by: by)
        case .emptyPage: _ = try await desk.people(nil, limit: 0)
        case .hugeLog:
            _ = try await desk.log(about: nil, limit: AdminRules.pageLimits.upperBound + 1)
        case .wrongCursor: _ = try await desk.people("+1", after: "x")
        case .nationalNumber: _ = try await desk.people("0151")
        case .unknownAlert: _ = try await desk.alert(facts.unknown)
        case .noAlert: _ = try await desk.alert("alert")
        case .unknownID: _ = try await desk.person(facts.unknown)
        case .unknownNumber: _ = try await desk.person(facts.free)
        case .wrongStart: _ = try await desk.stuck(after: "x")
        case .longNews:
            let long = String(repeating: "a", count: AdminRules.announcementLength.upperBound + 1)
            _ = try await network.announcements.announce(
                long, maintenance: nil, reason: reason, by: by)
        case .pastMaintenance:
            let past = Maintenance(
                from: facts.serverNow.adding(.hours(-2)), until: facts.serverNow.adding(.hours(-1)))
            _ = try await network.announcements.announce(
                "The server rests", maintenance: past, reason: reason, by: by)
        case .otherKey:
            _ = try await network.keyRotation.rotate(
                to: facts.nextKey, from: facts.key &+ 1, reason: reason, by: by)
        case .shortKey:
            _ = try await network.keyRotation.rotate(
                to: facts.nextKey.prefix(8), from: facts.key, reason: reason, by: by)
        case .formerKey:
            guard let key = facts.formerKey else { return false }
            _ = try await network.keyRotation.rotate(
                to: key, from: facts.key, reason: reason, by: by)
        case .wrongInterval:
            guard var file = facts.file else { return false }
            file.profile.settings.intervalSeconds = 1
            _ = try await network.personTransfers.importPerson(file, reason: reason, by: by)
        }
        return true
    }
}
