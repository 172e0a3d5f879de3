import Domain
import Foundation
import SafetyNetwork

/// The sign-in lock, recovery codes, and the sign-ins that they let in or hold back (product.md,
/// "Sign-in").
extension Simulator {
    /// For the difference between the server's clock and the true time.
    private static let tolerance: Duration = .seconds(2)
    private typealias Lock = Truth.SignInLock

    /// Whether the server has counted right since a time.
    func isSure(since time: Date) -> Bool {
        let changed = max(moments.clockWrongUntil, truth.restore?.at ?? .distantPast)
        return isClockSound && !moments.startedWrong && changed < time
    }

    /// Whether the sign-in lock is on; nil if a wrong clock may have moved its end.
    func isSignInLocked(_ person: Int) -> Bool? {
        guard let lock = truth.accounts[person]?.signInLock else { return false }
        guard let off = lock.turnedOffAt else { return true }
        let end = off.adding(Lock.week)
        if now < off.adding(.hours(1)), isClockSound { return true }
        guard isSure(since: off), !isNear(end) else { return nil }
        return now < end
    }

    private func isNear(_ time: Date) -> Bool {
        abs(now.since(time).milliseconds) <= Self.tolerance.milliseconds
    }

    /// Expects that the person is told at once.
    func owe(_ title: String, to person: Int) {
        hearing.owed.append(Hearing.Owed(person: person, title: title))
    }

    /// Expects this news no longer. Newer news may have replaced it.
    func excuse(_ title: String, to person: Int) {
        hearing.owed.removeAll { $0.person == person && $0.title == title }
    }

    // MARK: Signing in

    /// Uses another session from now on. The old one stays.
    func adopt(_ tokens: IssuedTokens, _ person: Int) {
        if tokens.caller.userID != truth.accounts[person]?.caller.userID {
            note("signedIn", "\(name(person)) signed in again and is somebody else")
        }
        truth.accounts[person]?.caller = tokens.caller
        // A sign-in ends the wait, and leaves a stop in force.
        if truth.accounts[person]?.signInLock?.wait?.stoppedAt == nil {
            truth.accounts[person]?.signInLock?.wait = nil
        }
        keep(tokens, person)
    }

    /// Records the tokens of the person's session.
    func keep(_ tokens: IssuedTokens, _ person: Int) {
        truth.accounts[person]?.refreshToken = tokens.refreshToken
        truth.accounts[person]?.refreshedAt = now
        truth.accounts[person]?.accessToken = Truth.AccessToken(
            token: tokens.accessToken, since: now)
    }

    /// Whether a person without a session could sign in now.
    func canSignIn(_ person: Int) -> Bool {
        isSignInLocked(person) == false || truth.accounts[person]?.recovery.unused.isEmpty == false
    }

    /// Signs in by a code. Returns nil if the sign-in lock holds the code back.
    func signInByCode(_ person: Int, deviceName: String) async throws -> IssuedTokens? {
        guard let server else { return nil }
        let number = try phoneNumber(of: person)
        let network = server.network
        do {
            try await network.codes.requestCode(for: number, from: "address of \(number)")
            guard let code = world.notes.code(for: number) else { return nil }
            let tokens = try await network.signIn.signIn(
                number, code: code, deviceName: deviceName)
            letIn(person)
            return tokens
        } catch let error as CommandError {
            if case .rateLimited = error { return nil }
            guard holdBack(person, error) else { throw error }
            return nil
        }
    }

    /// Checks that a code or a token signs in without the lock, or after its wait.
    func letIn(_ person: Int) {
        guard let lock = truth.accounts[person]?.signInLock else { return }
        truth.accounts[person]?.signInLock?.wait = nil
        guard isSignInLocked(person) == true else { return }
        guard let wait = lock.wait, wait.stoppedAt == nil else {
            if let stop = lock.wait?.stoppedAt, !isSure(since: stop) { return }
            return note("signInWait", "\(name(person))'s code signed in without a wait")
        }
        guard isSure(since: wait.begunAt) else { return }
        sights.insert("sign-in: after its wait")
        let isEarly = now < wait.end && !isNear(wait.end)
        if isEarly || now > wait.expiry && !isNear(wait.expiry) {
            note(
                "signInWait",
                "\(name(person))'s code signed in \(Invariant.span(now, since: wait.begunAt)) "
                    + "after the wait began")
        }
    }

    /// Records that the lock holds a code or a token back. Returns false for another refusal.
    func holdBack(_ person: Int, _ error: CommandError) -> Bool {
        guard case .invalidArgument(_, _, let reason?) = error,
            [.signInWaits, .signInStopped].contains(reason)
        else { return false }
        guard let lock = truth.accounts[person]?.signInLock, isSignInLocked(person) != false else {
            note("signInWait", "\(name(person))'s code waits, and the sign-in lock is off")
            return true
        }
        sights.insert(reason == .signInWaits ? "sign-in: waits" : "sign-in: stopped")
        if reason == .signInStopped {
            checkStop(lock.wait, person)
        } else if let wait = lock.wait, goesOn(wait, person) {
            return true
        } else {
            beginWait(person, after: lock.wait)
        }
        return true
    }

    /// Checks a code that is refused because a session has stopped the wait.
    private func checkStop(_ wait: Lock.Wait?, _ person: Int) {
        let end = wait?.stoppedAt?.adding(Lock.week + Self.tolerance)
        guard isSure(since: wait?.begunAt ?? now), end.map({ now > $0 }) ?? true else { return }
        note("signInWait", "\(name(person))'s code is refused, and no stop is in force")
    }

    /// Returns whether a code that waits belongs to this wait.
    private func goesOn(_ wait: Lock.Wait, _ person: Int) -> Bool {
        guard wait.stoppedAt == nil else { return false }
        guard isSure(since: wait.begunAt) else { return true }
        if now > wait.end, !isNear(wait.end), now < wait.expiry, !isNear(wait.expiry) {
            note("signInWait", "\(name(person))'s code still waits after 7 days")
        }
        return now < wait.expiry
    }

    /// Records that a wait has begun. The sessions and the number must be told.
    private func beginWait(_ person: Int, after last: Lock.Wait?) {
        if let stop = last?.stoppedAt, isSure(since: stop), !isNear(stop.adding(Lock.week)),
            now < stop.adding(Lock.week)
        {
            note("signInWait", "\(name(person))'s code waits again soon after a stop")
        }
        let isCertain = last.map { isSure(since: $0.begunAt) && !isNear($0.expiry) } ?? true
        truth.accounts[person]?.signInLock?.wait = Lock.Wait(begunAt: now)
        guard isCertain else { return }
        owe("Somebody has a code for your account", to: person)
        expectText("Somebody entered a LifeSignal code", to: person)
    }

    /// Expects a text message to the person's number. Budgets may stop it.
    func expectText(_ beginning: String, to person: Int) {
        guard truth.stops[person] == nil, !world.hasBudgets,
            let number = try? phoneNumber(of: person)
        else { return }
        let text = world.notes.takeText(to: number) ?? "nothing"
        guard !text.hasPrefix(beginning) else { return }
        note("accountNews", "\(name(person))'s number got \"\(text)\", not \"\(beginning)…\"")
    }

    /// Enters a code that somebody has read from the person's text messages.
    func enterCode(_ person: Int) async throws {
        guard truth.accounts[person]?.signInLock != nil, server?.disk.condition == .fine,
            let tokens = try await signInByCode(person, deviceName: "Stranger phone")
        else { return }
        _ = await ask(person) { try await $0.signIn.endSession(tokens.caller.sessionID, of: $1) }
    }

    /// Stops the wait on any of the person's devices.
    func stopWait(_ person: Int) async {
        guard let wait = truth.accounts[person]?.signInLock?.wait else { return }
        let isLocked = isSignInLocked(person)
        let luck = luck(person, 53, below: 1_000)
        let answer = await ask(person) { network, caller in
            let device = try await Self.device(luck, of: caller, network)
            return try await network.signInLocks.stopWait(of: device)
        }
        let canBeStopped = wait.stoppedAt == nil && isSure(since: wait.begunAt)
        switch answer {
        case .answered(let security):
            if wait.stoppedAt != nil || security.wait != nil {
                note("signInWait", "\(name(person)) stopped a sign-in, and another waits")
            }
            truth.accounts[person]?.signInLock?.wait?.stoppedAt = now
            owe("The waiting sign-in was stopped", to: person)
        case .refused(let error):
            if isLocked == true, canBeStopped, now < wait.expiry, !isNear(wait.expiry) {
                note("signInWait", "\(name(person)) could not stop a sign-in: \(error)")
            }
        case .unreachable: break
        }
    }

    /// Returns one of a person's devices.
    static func device(
        _ luck: Int, of caller: Caller, _ network: SafetyNetwork
    ) async throws -> Caller {
        let sessions = try await network.signIn.sessions(of: caller)
        guard !sessions.isEmpty else { return caller }
        return Caller(userID: caller.userID, sessionID: sessions[luck % sessions.count].id)
    }

    // MARK: The lock

    func lockSignIn(_ person: Int) async {
        guard let account = truth.accounts[person] else { return }
        let wasLocked = isSignInLocked(person)
        let answer = await ask(person) { try await $0.signInLocks.turnOn(of: $1) }
        guard let security = answer.value else { return }
        var lock = account.signInLock ?? Lock()
        if account.signInLock == nil || lock.turnedOffAt != nil {
            owe("The sign-in lock was turned on", to: person)
        }
        lock.turnedOffAt = nil
        if wasLocked == false { lock.wait = nil }
        if wasLocked == nil, security.wait == nil, lock.wait?.stoppedAt == nil { lock.wait = nil }
        truth.accounts[person]?.signInLock = lock
        check(security, of: person)
    }

    func unlockSignIn(_ person: Int, byCode: Bool) async {
        guard let account = truth.accounts[person], var lock = account.signInLock else { return }
        let code = byCode ? account.recovery.unused.last : nil
        guard !byCode || code != nil else { return }
        let wasLocked = isSignInLocked(person)
        let answer = await ask(person) {
            try await $0.signInLocks.turnOff(recoveryCode: code, of: $1)
        }
        if case .refused(let error) = answer, !isTooNew(error, account.recovery) {
            note("recovery", "\(name(person))'s recovery code was refused: \(error)")
        }
        guard let security = answer.value, wasLocked != false else { return }
        guard let code else {
            if wasLocked == true, lock.turnedOffAt == nil {
                owe("The sign-in lock was turned off", to: person)
            }
            lock.turnedOffAt = lock.turnedOffAt ?? now
            truth.accounts[person]?.signInLock = lock
            return check(security, of: person)
        }
        guard security.recoveryCodes < account.recovery.unused.count else { return }
        truth.accounts[person]?.recovery.use(code)
        truth.accounts[person]?.signInLock = nil
        for title in ["A recovery code was used", "The sign-in lock was turned off"] {
            owe(title, to: person)
        }
        sights.insert("sign-in lock: off by a recovery code")
        let recovery = account.recovery
        if let made = recovery.madeAt, recovery.isAgeKnown, isSure(since: made),
            now < made.adding(Lock.week), !isNear(made.adding(Lock.week))
        {
            note("recovery", "\(name(person)) turned the sign-in lock off by too new a code")
        }
        check(security, of: person)
    }

    /// Returns whether codes were made without an old one, which excuses this refusal.
    func isTooNew(_ error: CommandError, _ recovery: Truth.RecoveryCodes) -> Bool {
        guard case .invalidArgument(_, _, .recoveryCodeTooNew?) = error else { return false }
        return recovery.madeAt != nil
    }

    /// Whether new codes certainly need an old one while the lock is on.
    func isProtected(_ recovery: Truth.RecoveryCodes) -> Bool {
        guard let made = recovery.madeAt, recovery.isAgeKnown, isSure(since: made) else {
            return false
        }
        let end = made.adding(Lock.week)
        return now > end && !isNear(end)
    }

    /// Compares what the settings show.
    func check(_ security: SignInSecurity, of person: Int) {
        guard let account = truth.accounts[person] else { return }
        if security.recoveryCodes != account.recovery.unused.count {
            note(
                "recovery",
                "\(name(person)) has \(account.recovery.unused.count) recovery codes, and the "
                    + "settings show \(security.recoveryCodes)")
        }
        guard let isLocked = isSignInLocked(person) else { return }
        if security.isLocked != isLocked {
            note(
                "signInWait",
                "\(name(person))'s sign-in lock is \(security.isLocked ? "on" : "off"), "
                    + "and must be \(isLocked ? "on" : "off")")
        }
        guard isLocked, let wait = account.signInLock?.wait, isSure(since: wait.begunAt),
            let shown = security.wait
        else { return }
        if wait.stoppedAt != nil || shown.endsAt < wait.end.adding(.zero - Self.tolerance) {
            note("signInWait", "the settings show \(name(person)) a sign-in that waits too short")
        }
    }

    // MARK: Recovery codes

    func makeCodes(_ person: Int) async {
        guard let account = truth.accounts[person] else { return }
        let isLocked = isSignInLocked(person)
        let old = account.recovery.unused.first
        let answer = await ask(person) { try await $0.recovery.makeCodes(old: old, of: $1) }
        if case .refused(let error) = answer {
            note("recovery", "\(name(person)) could not make recovery codes: \(error)")
        }
        guard let codes = answer.value?.codes else { return }
        replaceCodes(codes, isLocked: isLocked, old: old, person)
    }

    /// Records new recovery codes.
    /// - Parameter old: the code that was given for them.
    func replaceCodes(_ codes: [String], isLocked: Bool?, old: String?, _ person: Int) {
        guard var recovery = truth.accounts[person]?.recovery else { return }
        recovery.used += recovery.unused
        (recovery.unused, recovery.keyNumber) = (codes, truth.keyNumber)
        if isLocked != true || old == nil {
            (recovery.madeAt, recovery.isAgeKnown) = (now, isLocked != nil || old == nil)
        }
        truth.accounts[person]?.recovery = recovery
        owe("You have new recovery codes", to: person)
    }

    func useCode(_ person: Int, isUsed: Bool) async {
        guard let recovery = truth.accounts[person]?.recovery, isOnline(person),
            server?.disk.condition == .fine, let number = try? phoneNumber(of: person),
            let code = isUsed ? recovery.used.last : recovery.unused.last
        else { return }
        let answer = await reach("a recovery code of \(name(person))") {
            try await $0.signIn.signIn(number, recoveryCode: code, deviceName: "Tablet")
        }
        switch answer {
        case .answered(let tokens):
            if isUsed { note("recovery", "\(name(person)) signed in by a used recovery code") }
            adopt(tokens, person)
            if !isUsed { truth.accounts[person]?.recovery.use(code) }
            owe("A recovery code was used", to: person)
            sights.insert("recovery code: used")
        case .refused(.rateLimited): break
        case .refused(let error):
            if isUsed {
                sights.insert("recovery code: used before")
            } else {
                note("recovery", "\(name(person))'s recovery code was refused: \(error)")
            }
        case .unreachable: break
        }
    }
}
