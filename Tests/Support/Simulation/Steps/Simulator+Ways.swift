import Cryptography
import Domain
import Foundation
import SafetyNetwork

/// Ways into an account: codes, a person's own change of the number, sessions, and who may sign up
/// (product.md, "Sign-in" and "Sign-up").
extension Simulator {
    /// For the difference between the server's clock and the true time.
    private static let tolerance: Duration = .seconds(2)
    /// No person has a number of this index.
    private static let strangers = 900

    // MARK: Codes

    /// Asks for a code. With a key, the person's own device asks.
    private func askForCode(
        _ person: Int, _ number: PhoneNumber, from address: String, deviceKey: DeviceKey? = nil
    ) async -> Answer<Truth.SentCode> {
        let answer = await reach("a request for a code to \(name(person))") {
            try await $0.codes.requestCode(
                for: number, from: address, deviceKey: deviceKey
            ).requestID
        }
        switch answer {
        case .refused(let error): return .refused(error)
        case .unreachable: return .unreachable
        case .answered(let request):
            noteCode(to: number, of: person, isOwn: deviceKey != nil)
            guard let text = world.notes.code(for: number) else { return .unreachable }
            return .answered(
                Truth.SentCode(number: number, text: text, request: request, sentAt: now))
        }
    }

    /// Records that the server has answered a request for a code.
    func noteCode(to number: PhoneNumber, of person: Int, isOwn: Bool) {
        let recent = (truth.codesAsked[person] ?? []).filter { now.since($0.at) < .days(1) }
        truth.codesAsked[person] = recent + [Truth.CodeAsk(number: number, at: now, isOwn: isOwn)]
    }

    private func enter(
        _ code: String, _ person: Int, at number: PhoneNumber, by asker: CodeAsker
    ) async -> Answer<IssuedTokens> {
        await reach("a code of \(name(person))") {
            try await $0.signIn.signIn(number, code: code, deviceName: "Tablet", by: asker)
        }
    }

    /// Enters wrong codes for one request, then its right code, then the code of another request.
    func guessCode(_ person: Int, tries: Int) async {
        guard let account = truth.accounts[person], isOnline(person),
            server?.disk.condition == .fine, let number = try? phoneNumber(of: person)
        else { return }
        let (home, key) = (Self.home(of: person), Self.deviceKey(of: account))
        let first = await askForCode(person, number, from: home, deviceKey: key)
        let second = await askForCode(person, number, from: newAddress())
        guard let own = first.value, let code = second.value else { return }
        let hadSession = await hasSession(person)
        let asker = CodeAsker(requestID: code.request)
        for _ in 0..<tries {
            let answer = await enter(Self.wrong(code.text), person, at: number, by: asker)
            guard answer.value != nil else { continue }
            note("code", "a wrong code opened \(name(person))'s account")
        }
        let answer = await enter(code.text, person, at: number, by: asker)
        if case .unreachable = answer { return }
        guard tries >= Truth.SentCode.tries else {
            expectSignIn(answer, person, "code", hadSession: hadSession)
            for used in [code, own] {
                let again = await enter(
                    used.text, person, at: number, by: CodeAsker(requestID: used.request))
                guard again.value != nil else { continue }
                note("code", "a code of \(name(person)) signed in after the use of another")
            }
            return
        }
        if answer.value == nil {
            sights.insert("code: used up")
        } else {
            note("code", "a code of \(name(person)) signed in after \(tries) wrong ones")
        }
        // The number gets no message about the wait of a known device.
        guard account.perhapsKnownNumber != number || isSignInLocked(person) == false
        else { return }
        // A stranger's attempts don't count for the person's own request.
        let mine = await enter(
            own.text, person, at: number, by: CodeAsker(address: home, deviceKey: key))
        expectSignIn(mine, person, "code", hadSession: hadSession)
        guard mine.value != nil else { return }
        truth.accounts[person]?.knownNumber = number
        truth.accounts[person]?.perhapsKnownNumber = number
    }

    /// Expects that a right code or passkey signs in, unless the sign-in lock holds it back.
    func expectSignIn(
        _ answer: Answer<IssuedTokens>, _ person: Int, _ invariant: String, hadSession: Bool
    ) {
        switch answer {
        case .answered(let tokens):
            letIn(person)
            enterAccount(tokens, person, hadSession: hadSession)
        case .refused(let error):
            guard !holdBack(person, error) else { return }
            note(invariant, "\(name(person)) could not sign in by a right one: \(error)")
        case .unreachable: break
        }
    }

    /// Uses a new session. The other sessions must be told.
    func enterAccount(_ tokens: IssuedTokens, _ person: Int, hadSession: Bool) {
        if hadSession { owe("New sign-in to your account", to: person) }
        adopt(tokens, person)
    }

    /// Whether the person has a session, which must be told of another one.
    func hasSession(_ person: Int) async -> Bool {
        let sessions = await ask(person, { try await $0.signIn.sessions(of: $1) }).value
        return sessions?.isEmpty == false
    }

    /// Asks for a code that the person enters later.
    func keepCode(_ person: Int) async {
        guard truth.accounts[person] != nil, isOnline(person),
            let number = try? phoneNumber(of: person)
        else { return }
        let answer = await askForCode(person, number, from: newAddress())
        guard let code = answer.value else { return }
        truth.keptCodes[person] = code
    }

    /// Enters the code that was kept, if the number is still the same.
    func enterKeptCode(_ person: Int) async {
        guard let code = truth.keptCodes[person], truth.accounts[person] != nil,
            isOnline(person), server?.disk.condition == .fine,
            let number = try? phoneNumber(of: person), number == code.number
        else { return }
        truth.keptCodes[person] = nil
        let hadSession = await hasSession(person)
        let isOld = now.since(code.sentAt) > Truth.SentCode.lifetime + Self.tolerance
        let answer = await enter(
            code.text, person, at: number, by: CodeAsker(requestID: code.request))
        var isTaken = false
        switch answer {
        case .answered(let tokens):
            isTaken = true
            letIn(person)
            enterAccount(tokens, person, hadSession: hadSession)
        case .refused(let error): isTaken = holdBack(person, error)
        case .unreachable: return
        }
        guard isOld else { return }
        if !isTaken { sights.insert("code: too old") }
        guard isTaken, isSure(since: code.sentAt) else { return }
        note(
            "code",
            "a code of \(name(person)) was taken \(Invariant.span(now, since: code.sentAt)) "
                + "after it was sent")
    }

    // MARK: Limits of codes

    /// Asks for codes again and again from one address, and then on the person's own device.
    func floodCodes(_ person: Int, times: Int) async {
        guard world.hasCodeLimits, let account = truth.accounts[person],
            server?.disk.condition == .fine, let number = try? phoneNumber(of: person)
        else { return }
        let address = newAddress()
        var sent = 0
        for _ in 0..<times {
            let answer = await askForCode(person, number, from: address)
            if answer.value != nil { sent += 1 }
            if case .refused = answer { sights.insert("codes: refused") }
        }
        if sent > Truth.CodeAsk.perRequester {
            note("codes", "one address got \(sent) codes for \(name(person)) at once")
        }
        checkLimits(of: person, number)
        guard account.knownNumber == number, !world.hasBudgets, isOnline(person),
            isSure(since: now.adding(.days(-3))),
            ownCodes(of: person, within: .hours(1) + Self.tolerance) < Truth.CodeAsk.reserved,
            ownCodes(of: person, within: .days(1)) < Truth.CodeAsk.ownPerDay
        else { return }
        let answer = await askForCode(
            person, number, from: Self.home(of: person), deviceKey: Self.deviceKey(of: account))
        if case .refused(let error) = answer {
            note("codes", "strangers have used up the codes of \(name(person)): \(error)")
        }
    }

    private func checkLimits(of person: Int, _ number: PhoneNumber) {
        guard isSure(since: now.adding(.days(-1))) else { return }
        let asks = (truth.codesAsked[person] ?? []).filter { $0.number == number && !$0.isOwn }
        let ages = asks.map { now.since($0.at) }
        let inHour = ages.count(where: { $0 < .hours(1) - Self.tolerance })
        let inDay = ages.count(where: { $0 < .hours(24) - Self.tolerance })
        guard inHour > Truth.CodeAsk.perHour || inDay > Truth.CodeAsk.perDay else { return }
        note(
            "codes",
            "strangers got \(inHour) codes for \(name(person)) in an hour, \(inDay) in a day")
    }

    private func ownCodes(of person: Int, within span: Duration) -> Int {
        (truth.codesAsked[person] ?? []).count(where: { $0.isOwn && now.since($0.at) < span })
    }

    // MARK: The number

    /// Moves the account to another number by the code that was sent there.
    func changeNumber(_ person: Int, _ change: Step.NumberChange) async {
        // The record of a block names no number.
        guard let account = truth.accounts[person], isOnline(person),
            server?.disk.condition == .fine,
            !truth.blocks.keys.contains(where: { $0.blocked == person }),
            let old = try? phoneNumber(of: person), let new = number(for: change, of: person)
        else { return }
        let (caller, address) = (account.caller, newAddress())
        let isLocked = isSignInLocked(person)
        let asked = await reach("a code for another number of \(name(person))") {
            try await $0.codes.requestNumberCode(for: new, from: address, of: caller)
        }
        guard let request = asked.value, let sent = world.notes.code(for: new) else { return }
        let code = change == .wrongCode ? Self.wrong(sent) : sent
        var former: Truth.SentCode?
        if change == .right, isLocked == false {
            former = await askForCode(person, old, from: newAddress()).value
        }
        let asker = CodeAsker(requestID: request)
        let answer: Answer<UserProfile>
        if change == .right {
            answer = await ask(person, .changePhoneNumber) {
                try await $0.phoneNumberChange.changePhoneNumber(
                    to: new, code: code, by: asker, of: $1)
            }
        } else {
            answer = await reach("a change of \(name(person))'s number") {
                try await $0.phoneNumberChange.changePhoneNumber(
                    to: new, code: code, by: asker, of: caller)
            }
        }
        switch answer {
        case .answered where change != .right:
            note("number", "\(name(person)) took a number by \(change)")
        case .answered(let profile):
            if profile.numberMove != nil {
                beginOwnMove(person, account, isLocked: isLocked)
            } else {
                changedNumber(person, to: new, isLocked: isLocked, profile)
                if let former { await enterFormer(former, person, account) }
            }
        case .refused(let error):
            if change == .right, error != .accountLocked {
                note("number", "\(name(person)) could not change the number: \(error)")
            }
        case .unreachable: break
        }
    }

    /// Returns the number that the person wants; nil if all others lack an account.
    private func number(for change: Step.NumberChange, of person: Int) -> PhoneNumber? {
        guard change == .taken else {
            return try? Phone.number(truth.numbers[person, default: 0] + 1, of: person)
        }
        let others = (1..<options.people).map { (person + $0) % options.people }
        let other = others.first { truth.accounts[$0] != nil }
        return other.flatMap { try? phoneNumber(of: $0) }
    }

    private func beginOwnMove(_ person: Int, _ account: Truth.Account, isLocked: Bool?) {
        if isLocked == false {
            note("number", "\(name(person))'s number waits, and the sign-in lock is off")
        }
        // The change to this number waits already.
        guard account.move == nil else { return }
        let wait = Truth.SignInLock.week
        let index = truth.numbers[person, default: 0] + 1
        truth.accounts[person]?.move = Truth.Move(
            index: index, begunAt: now, dueAt: now.adding(wait), isOwn: true)
        owe("Your phone number will change", to: person)
        expectText("Your LifeSignal account moves to another number in 7 days", to: person)
        chores.plan(.moves, at: now.adding(wait + .seconds(luck(person, 83, below: 60))))
        sights.insert("number: waits")
    }

    /// Expects that the old number, the sessions and the contacts are told.
    private func changedNumber(
        _ person: Int, to new: PhoneNumber, isLocked: Bool?, _ profile: UserProfile
    ) {
        if isLocked == true {
            note("number", "\(name(person))'s number changed at once, despite the sign-in lock")
        }
        if profile.phoneNumber != new {
            note("number", "\(name(person)) changed the number, and the answer has another")
        }
        let index = truth.numbers[person, default: 0] + 1
        // The message about it ends this. A change that waited has ended.
        truth.accounts[person]?.move = Truth.Move(index: index, begunAt: now, dueAt: now)
        owe("Your phone number was changed", to: person)
        expectText("Your LifeSignal account moved to another number", to: person)
        var contacts: Set<Int> = []
        for edge in truth.roles.keys {
            if edge.owner == person { contacts.insert(edge.responder) }
            if edge.responder == person { contacts.insert(edge.owner) }
        }
        for contact in contacts.sorted() where truth.accounts[contact] != nil {
            owe("\(name(person)) has a new phone number", to: contact)
        }
        sights.insert("number: changed by its person")
    }

    /// Enters a code of the former number. It may only open a new account, which leaves at once.
    private func enterFormer(
        _ code: Truth.SentCode, _ person: Int, _ account: Truth.Account
    ) async {
        let answer = await enter(
            code.text, person, at: code.number, by: CodeAsker(requestID: code.request))
        guard let stranger = answer.value?.caller else { return }
        if stranger.userID == account.caller.userID {
            return note("number", "a code of the former number opened \(name(person))'s account")
        }
        let address = newAddress()
        let asked = await reach("a code to leave") {
            try await $0.codes.requestDeletionCode(from: address, of: stranger)
        }
        guard let request = asked.value, let sent = world.notes.code(for: code.number) else {
            return
        }
        truth.deletedAt = now
        _ = await reach("the end of a new account") {
            try await $0.accountDeletion.deleteAccount(
                of: stranger, code: sent, requestID: request)
        }
    }

    /// Checks that text messages and calls go to the present number. An attempt in progress may
    /// go to the former one.
    func checkNumber(of arrival: Outside.Arrival) {
        let person = arrival.endpoint.person
        guard let number = arrival.number, truth.accounts[person] != nil,
            let since = truth.numberSince[person], now.since(since) > .minutes(1),
            now.since(truth.restore?.at ?? .distantPast) > .minutes(2),
            let present = try? phoneNumber(of: person), number != present.text
        else { return }
        note("number", "\"\(arrival.item.title)\" went to a former number of \(name(person))")
    }

    // MARK: Sessions

    /// Uses the access token, which lives 15 minutes.
    func useSession(_ person: Int) async {
        guard let account = truth.accounts[person], isOnline(person),
            let token = account.accessToken
        else { return }
        let age = now.since(token.since)
        let isCertain = isSure(since: token.since)
        // The second look-up is answered from memory.
        for _ in 1...2 {
            let answer = await reach("the access token of \(name(person))") {
                try await $0.signIn.authenticate(token.token)
            }
            switch answer {
            case .answered(let caller):
                if caller != account.caller {
                    note("session", "the access token of \(name(person)) is somebody else's")
                }
                guard isCertain, age > Truth.AccessToken.lifetime + Self.tolerance else { continue }
                let span = Invariant.span(now, since: token.since)
                note("session", "\(name(person))'s access token still works after \(span)")
            case .refused(let error):
                if age > Truth.AccessToken.lifetime { sights.insert("access token: too old") }
                guard isCertain, age < Truth.AccessToken.lifetime - Self.tolerance else { continue }
                note("session", "\(name(person))'s access token was refused: \(error)")
            case .unreachable: break
            }
        }
    }

    /// Signs in on another device, and ends that session.
    func endNewSession(_ person: Int) async throws {
        guard truth.accounts[person] != nil, isOnline(person),
            server?.disk.condition == .fine,
            let tokens = try await signInByCode(person, deviceName: "Stranger phone")
        else { return }
        let session = tokens.caller.sessionID
        let before = await reach("a new access token") {
            try await $0.signIn.authenticate(tokens.accessToken)
        }
        if case .refused(let error) = before {
            note("session", "\(name(person))'s new access token was refused: \(error)")
        }
        let end = await ask(person) { try await $0.signIn.endSession(session, of: $1) }
        guard end.value != nil else { return }
        sights.insert("session: ended")
        await expectEnded(tokens, of: person)
    }

    /// Lets two devices use one refresh token, which ends its session.
    func copyToken(_ person: Int) async throws {
        guard truth.accounts[person] != nil, isOnline(person),
            server?.disk.condition == .fine,
            let tokens = try await signInByCode(person, deviceName: "Stranger phone")
        else { return }
        let (session, attempt) = (tokens.caller.sessionID, world.makeID())
        var renewed: [IssuedTokens] = []
        // The first answer may be lost.
        for _ in 1...2 {
            let answer = await reach("a refresh") {
                try await $0.signIn.refresh(tokens.refreshToken, attempt: attempt)
            }
            if case .refused(let error) = answer {
                note("session", "\(name(person))'s refresh was refused: \(error)")
            }
            guard let new = answer.value else { return }
            renewed.append(new)
        }
        if renewed[0].refreshToken != renewed[1].refreshToken
            || renewed[0].accessToken != renewed[1].accessToken
        {
            note("session", "\(name(person)) got other tokens for the same refresh")
        }
        let successor = renewed[1].refreshToken
        let next = await reach("a refresh") { try await $0.signIn.refresh(successor) }
        guard let last = next.value else { return }
        let reuse = await reach("a copied token") {
            try await $0.signIn.refresh(tokens.refreshToken)
        }
        switch reuse {
        case .answered:
            // After a restore, an old token may belong to a session that the backup lacks.
            if truth.restore.map({ now.since($0.at) > .days(8) }) ?? true {
                note("session", "\(name(person))'s used refresh token signed in again")
            }
            _ = await ask(person) { try await $0.signIn.endSession(session, of: $1) }
        case .refused:
            owe("A session was ended", to: person)
            await expectEnded(last, of: person)
        case .unreachable: break
        }
    }

    /// Expects that a session's tokens are worth nothing.
    private func expectEnded(_ tokens: IssuedTokens, of person: Int) async {
        let access = await reach("an ended session") {
            try await $0.signIn.authenticate(tokens.accessToken)
        }
        let refresh = await reach("the refresh of an ended session") {
            try await $0.signIn.refresh(tokens.refreshToken)
        }
        guard access.value != nil || refresh.value != nil else { return }
        note("session", "an ended session of \(name(person)) goes on")
    }

    // MARK: Recovery codes

    /// Makes recovery codes twice by one request, because the first answer may be lost.
    func repeatCodes(_ person: Int, isUsed: Bool) async {
        guard let account = truth.accounts[person], isOnline(person),
            server?.disk.condition == .fine
        else { return }
        let (isLocked, old) = (isSignInLocked(person), account.recovery.unused.first)
        if isLocked == true, old != nil, isProtected(account.recovery) {
            let wrong: [String?] = [nil, "0000-0000-0000-0000"]
            for code in wrong {
                let answer = await ask(person) {
                    try await $0.recovery.makeCodes(old: code, of: $1)
                }
                guard answer.value != nil else { continue }
                return note("recovery", "\(name(person)) made recovery codes without an old one")
            }
        }
        let request = world.makeID()
        let first = await ask(person) {
            try await $0.recovery.makeCodes(old: old, of: $1, request: request)
        }
        if case .refused(let error) = first {
            note("recovery", "\(name(person)) could not make recovery codes: \(error)")
        }
        guard let codes = first.value?.codes else { return }
        replaceCodes(codes, isLocked: isLocked, old: old, person)
        let second = await ask(person) {
            try await $0.recovery.makeCodes(of: $1, request: request)
        }
        if case .refused(let error) = second {
            note("recovery", "\(name(person)) did not get the recovery codes again: \(error)")
        }
        if let again = second.value?.codes, again != codes {
            note("recovery", "\(name(person)) got other recovery codes for the same request")
        }
        guard isUsed, second.value != nil else { return }
        await useCode(person, isUsed: false)
        guard truth.accounts[person]?.recovery.unused.count == codes.count - 1 else { return }
        let third = await ask(person) {
            try await $0.recovery.makeCodes(of: $1, request: request)
        }
        guard third.value != nil else { return }
        note("recovery", "\(name(person)) got recovery codes again after the use of one")
    }

    // MARK: Signing up

    /// Limits who may sign up, for a moment. Strangers get no code; the person signs in as usual.
    func limitSignUp(_ person: Int, _ admission: Step.Admission) async {
        guard let server, truth.accounts[person] != nil, isOnline(person),
            server.disk.condition == .fine, let number = try? phoneNumber(of: person),
            let stranger = try? Phone.number(Self.strangers, of: person),
            let abroad = try? PhoneNumber("+493012345678")
        else { return }
        server.signUpPolicy.change(
            to: SignUpPolicy(
                mode: admission.mode,
                countries: admission == .abroad ? [CallingCode(of: abroad)] : nil,
                includesCountriesOfPeople: false))
        defer { server.signUpPolicy.change(to: Server.openSignUp) }
        let address = newAddress()
        let asked = await reach("a stranger's request for a code") {
            try await $0.codes.requestCode(for: stranger, from: address)
        }
        if asked.value != nil { sights.insert("sign-up: \(admission)") }
        if world.notes.code(for: stranger) != nil {
            note("signUp", "a stranger got a code, and sign-up is \(admission)")
        }
        let answer = await askForCode(person, number, from: newAddress())
        guard let code = answer.value else { return }
        let hadSession = await hasSession(person)
        let entered = await enter(
            code.text, person, at: number, by: CodeAsker(requestID: code.request))
        expectSignIn(entered, person, "signUp", hadSession: hadSession)
    }

    // MARK: Devices and addresses

    private static func deviceKey(of account: Truth.Account) -> DeviceKey {
        DeviceKey(account.caller.userID.uuid)
    }

    private static func home(of person: Int) -> String {
        "10.8.\(person / 250).\(person % 250 + 1)"
    }

    /// Returns an unused address.
    private func newAddress() -> String {
        lastAddress += 1
        return lastAddress.isMultiple(of: 2)
            ? "198.51.\(lastAddress / 250 % 250).\(lastAddress % 250 + 1)"
            : "2001:db8:\(String(lastAddress % 60_000, radix: 16))::1"
    }

    private static func wrong(_ code: String) -> String {
        code == "000000" ? "000001" : "000000"
    }
}

extension Step.Admission {
    fileprivate var mode: SignUpMode {
        switch self {
        case .invited: .invited
        case .closed: .closed
        case .abroad: .open
        }
    }
}
