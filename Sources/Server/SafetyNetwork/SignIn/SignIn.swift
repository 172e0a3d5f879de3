import Cryptography
import Domain
import Foundation
import Persistence

/// The tokens of a session. The server stores only their hashes.
public struct IssuedTokens: Sendable {
    public var accessToken: Token
    public var refreshToken: Token
    public var accessExpiresAt: Date
    public var refreshExpiresAt: Date
    public var isNewUser: Bool
    public var caller: Caller
}

extension IssuedTokens {
    var hashes: TokenHashes {
        TokenHashes(
            access: accessToken.hash, refresh: refreshToken.hash, family: refreshToken.familyHash,
            accessExpiresAt: accessExpiresAt, refreshExpiresAt: refreshExpiresAt)
    }
}

public struct SignIn: Commands {
    public let core: Core
    let accountNews: AccountNews
    let codes: Codes
    let signUpTokens: SignUpTokens
    let webSessions: WebSessions
    let signInLocks: SignInLocks
    let recovery: Recovery
    let passkeys: Passkeys

    /// Exchanges a number and a code for a session. The first sign-in creates the account. Throws
    /// `unauthenticated` for a wrong or expired code, and `invalidArgument` if the sign-in lock
    /// holds the code back.
    public func signIn(
        _ number: PhoneNumber, code: String, deviceName: String, by asker: CodeAsker = CodeAsker()
    ) async throws -> IssuedTokens {
        let isCanary = options.canaryNumbers.contains(number)
        let code = try isCanary ? SignInRules.canaryCode(code) : SignInRules.code(code)
        let deviceName = try SignInRules.deviceName(deviceName)
        let outcome = try await write(about: number) { transaction -> Outcome in
            if let known = try repeated(number, code, by: asker, in: transaction) {
                return Outcome(result: .success(known))
            }
            switch try codes.take(code: code, for: number, by: asker, in: transaction) {
            case .failure(let refusal): return Outcome(result: .failure(refusal))
            case .success(let row):
                if let known = try transaction.user(phoneNumber: number),
                    let hold = try signInLocks.hold(
                        known, deviceName, by: asker, in: transaction)
                {
                    return Outcome(result: .failure(hold.refusal), toldNumber: hold.toldNumber)
                }
                let result = try begin(
                    number, deviceName, by: asker, proof: code, in: transaction
                ) { known in
                    let isGuest = known?.guestSince != nil
                    guard known == nil || isGuest else { return nil }
                    return try signUpTokens.admit(
                        number, with: row, isGuest: isGuest, in: transaction)
                }
                return Outcome(result: result)
            }
        }
        if let number = outcome.toldNumber { sendText(number, NotificationText.signInWaitBegan) }
        return try outcome.result.get()
    }

    /// Exchanges a number and the operator's token for it for a session, without a code. Throws
    /// `invalidArgument` for a token that can't be used, and `rateLimited` after many of them.
    public func signIn(
        _ number: PhoneNumber, token: String, deviceName: String,
        by asker: CodeAsker = CodeAsker()
    ) async throws -> IssuedTokens {
        let deviceName = try SignInRules.deviceName(deviceName)
        let outcome = try await write(about: number) { transaction -> Outcome in
            if let known = try repeated(number, token, by: asker, in: transaction) {
                return Outcome(result: .success(known))
            }
            if let wait = try codes.waitForGuess(by: asker, in: transaction) {
                return Outcome(result: .failure(.rateLimited(retryAfter: wait)))
            }
            do {
                var toldNumber: PhoneNumber?
                let result = try begin(
                    number, deviceName, by: asker, proof: token, in: transaction
                ) { known in
                    // The link proves no more than a code does. It stays unused during the wait.
                    if let known,
                        try signUpTokens.usable(token, for: number, in: transaction)
                            .phoneNumber != nil,
                        let hold = try signInLocks.hold(
                            known, deviceName, by: asker, in: transaction)
                    {
                        toldNumber = hold.toldNumber
                        return hold.refusal
                    }
                    return try signUpTokens.use(
                        token, for: number, isNew: known == nil || known?.guestSince != nil,
                        in: transaction)
                }
                return Outcome(result: result, toldNumber: toldNumber)
            } catch let refusal as CommandError {
                try codes.countGuess(of: number, by: asker, in: transaction)
                return Outcome(result: .failure(refusal))
            }
        }
        if let number = outcome.toldNumber { sendText(number, NotificationText.signInWaitBegan) }
        return try outcome.result.get()
    }

    /// Exchanges a number and a recovery code for a session, despite the sign-in lock. Throws
    /// `invalidArgument` for a wrong code and for an unknown number, and `rateLimited`.
    public func signIn(
        _ number: PhoneNumber, recoveryCode: String, deviceName: String,
        by asker: CodeAsker = CodeAsker()
    ) async throws -> IssuedTokens {
        let code = try RecoveryCodeRules.characters(typed: recoveryCode)
        let deviceName = try SignInRules.deviceName(deviceName)
        let names = codes.namesOfAttempt(for: number, by: asker)
        let result = try await write(about: number, names: names) {
            transaction -> Result<IssuedTokens, CommandError> in
            if let known = try repeated(number, code, by: asker, in: transaction) {
                return .success(known)
            }
            if let refusal = try codes.countAttempt(for: number, by: asker, in: transaction) {
                return .failure(refusal)
            }
            let result = try begin(
                number, deviceName, by: asker, proof: code, in: transaction
            ) { known in
                guard let known, known.guestSince == nil,
                    try recovery.take(code, of: known.id, in: transaction)
                else { return Recovery.wrongCode }
                return nil
            }
            if case .success(let tokens) = result {
                try recovery.announceUse(by: tokens.caller, in: transaction)
            }
            return result
        }
        return try result.get()
    }

    /// Exchanges the use of a passkey for a session, despite the sign-in lock. Throws
    /// `invalidArgument` with the reason, and `rateLimited` after many sign-ins to the account.
    public func signIn(
        _ assertion: PasskeyAssertion, deviceName: String, by asker: CodeAsker = CodeAsker()
    ) async throws -> IssuedTokens {
        let deviceName = try SignInRules.deviceName(deviceName)
        let use = try await passkeys.check(assertion)
        let result = try await write(about: use.number) { transaction in
            try begin(use.number, deviceName, by: asker, in: transaction) { known in
                // The number may have moved to another account in the meantime.
                guard known?.id == use.userID else { return CommandError.sessionOver }
                let begun = try transaction.sessionTimes(
                    of: use.userID, since: transaction.now.adding(.zero - .hours(1)),
                    limit: SignInRules.sessionsPerHour)
                if let wait = SignInRules.wait(afterSessions: begun, at: transaction.now) {
                    return .rateLimited(retryAfter: wait)
                }
                return try passkeys.take(use, in: transaction)
            }
        }
        return try result.get()
    }

    private struct Outcome: Sendable {
        var result: Result<IssuedTokens, CommandError>
        /// The number that gets a text message about the wait.
        var toldNumber: PhoneNumber?
    }

    /// Runs `body` with locks on the number, its owner, its inviters and other names. `body`
    /// returns an error instead of throwing it if its changes, such as a counted attempt, must be
    /// kept.
    private func write<Value: Sendable>(
        about number: PhoneNumber, names: [String] = [],
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await database.write(
            about: Subjects(names: [number.text] + names) {
                // The lock on an inviter makes the accounts of their code count one by one.
                try [$0.owner(ofNumber: number)].compactMap(\.self)
                    + $0.inviters(ofCodesTo: number)
            }, body)
    }

    /// Returns the session that a client has begun by the same request, because the answer was
    /// lost. Otherwise a lost answer would cost another wait of the sign-in lock, or a recovery
    /// code. Returns nil for another request, and once the session has renewed its tokens or the
    /// access token has expired.
    private func repeated(
        _ number: PhoneNumber, _ proof: String, by asker: CodeAsker, in transaction: Transaction
    ) throws -> IssuedTokens? {
        guard let attempt = asker.attempt else { return nil }
        let known = key.signInTokens(number: number.text, proof: proof, attempt: attempt)
        guard let session = try transaction.session(refreshHash: known.refresh.hash),
            try session.caller.userID == transaction.owner(ofNumber: number),
            transaction.now < session.accessExpiresAt
        else { return nil }
        return IssuedTokens(
            accessToken: known.access, refreshToken: known.refresh,
            accessExpiresAt: session.accessExpiresAt, refreshExpiresAt: session.refreshExpiresAt,
            isNewUser: false, caller: session.caller)
    }

    /// Begins a session, and opens the account of a new number.
    /// - Parameters:
    ///   - proof: the code or token; nil for a passkey.
    ///   - admit: returns the refusal for the number's owner, who is nil for a new number.
    private func begin(
        _ number: PhoneNumber, _ deviceName: String, by asker: CodeAsker, proof: String? = nil,
        in transaction: Transaction, admit: (UserRow?) throws -> CommandError?
    ) throws -> Result<IssuedTokens, CommandError> {
        let known = try transaction.user(phoneNumber: number)
        if let refusal = try admit(known) { return .failure(refusal) }
        let now = transaction.now
        let user = known?.id ?? newID()
        if known == nil {
            try transaction.insertUser(user, phoneNumber: number)
            try transaction.setQRCode(newID(), of: user)
        }
        let isGuest = known?.guestSince != nil
        if isGuest { try transaction.setGuest(since: nil, user) }
        if known == nil || isGuest {
            try transaction.revokeSignUpTokens(for: [number.text])
            // The limits outlast an earlier account of the number.
            try transaction.moveCharges(
                of: UserID(key.limitsID(ofNumber: number.text)), to: user,
                since: now.adding(.zero - InvitationRules.window))
        }
        if let device = asker.deviceKey.map({ key.hash(deviceKey: $0.uuid) }) {
            try transaction.remember(device: device, of: user, limit: SignInRules.knownDevices)
        }
        var tokens = issueTokens(
            to: Caller(userID: user, sessionID: newID()), isNewUser: known == nil || isGuest,
            at: now)
        if let proof, let attempt = asker.attempt {
            let own = key.signInTokens(number: number.text, proof: proof, attempt: attempt)
            // An earlier session of the same request keeps its tokens.
            if try transaction.session(familyHash: own.refresh.familyHash) == nil {
                (tokens.accessToken, tokens.refreshToken) = (own.access, own.refresh)
            }
        }
        try transaction.insertSession(tokens.caller, deviceName: deviceName, tokens.hashes)
        if !tokens.isNewUser {
            try endUnusedSessions(beside: tokens.caller, in: transaction)
            try signInLocks.endWait(of: user, in: transaction)
            try accountNews.announce(
                .signedIn(device: deviceName, at: now), doneBy: tokens.caller,
                isOncePerWindow: false, in: transaction)
        }
        return .success(tokens)
    }

    /// Ends the sessions beyond the limit that were unused for longest, at most ten at once, and
    /// announces it.
    private func endUnusedSessions(beside caller: Caller, in transaction: Transaction) throws {
        let surplus = try transaction.otherSessions(
            than: caller, beyond: SignInRules.sessions - 1, limit: 10)
        for session in surplus { _ = try transaction.deleteSession(session) }
        guard !surplus.isEmpty else { return }
        try accountNews.announce(.deviceSignedOut, doneBy: caller, in: transaction)
    }

    /// - Parameter family: the family of the previous refresh token; nil for a new family.
    func issueTokens(to caller: Caller, family: Data? = nil, isNewUser: Bool = false, at now: Date)
        -> IssuedTokens
    {
        IssuedTokens(
            accessToken: random.token(), refreshToken: random.refreshToken(family: family),
            accessExpiresAt: now.adding(SignInRules.accessTokenLifetime),
            refreshExpiresAt: now.adding(SignInRules.refreshTokenLifetime), isNewUser: isNewUser,
            caller: caller)
    }

    /// Exchanges a refresh token for new tokens. The old token stays valid until its successor is
    /// used, because the response may be lost. A later use of the old token ends the session: two
    /// devices have the token, so one may have stolen it.
    /// - Parameter attempt: the client's id of this renewal. A repeated or late attempt gets the
    ///   same tokens and invalidates none.
    public func refresh(_ token: Token, attempt: UUID? = nil) async throws -> IssuedTokens {
        let hash = token.hash
        let outcome: Result<IssuedTokens, CommandError> = try await database.write(
            about: Subjects([]) {
                try $0.owners(ofRefreshHash: hash, family: token.familyHash)
                    + [$0.session(webSecretHash: hash)?.caller.userID].compactMap(\.self)
            }
        ) { transaction in
            let now = transaction.now
            if let session = try transaction.session(webSecretHash: hash) {
                return try webSessions.renewWebSession(session, token, in: transaction)
            }
            guard
                let session = try transaction.session(refreshHash: hash)
                    ?? transaction.session(previousRefreshHash: hash)
                    ?? lostSession(of: token, in: transaction)
            else {
                let reused =
                    try transaction.sessionOfUsedRefreshToken(hash)
                    ?? transaction.session(familyHash: token.familyHash)?.caller
                if let reused, try transaction.deleteSession(reused) {
                    try accountNews.announceReuse(by: reused, in: transaction)
                    try accountNews.stopNumberMove(begunBy: reused, in: transaction)
                    try accountNews.keepLock(turnedOffBy: reused, in: transaction)
                }
                return .failure(CommandError.sessionOver)
            }
            guard now < session.refreshExpiresAt else { return .failure(CommandError.sessionOver) }
            // A token from before families existed gets a family derived from the token. A second
            // use gives the same family.
            let isNamed = session.familyHash == token.familyHash
            let family = isNamed ? token.family : key.refreshTokenFamily(after: hash)
            var tokens = issueTokens(to: session.caller, family: family, at: now)
            if let attempt, isNamed {
                let renewed = key.renewedTokens(after: token, attempt: attempt)
                (tokens.accessToken, tokens.refreshToken) = (renewed.access, renewed.refresh)
            }
            if session.familyHash == nil {
                try transaction.rememberUsedRefreshToken(hash, of: session.caller)
            }
            try transaction.rotateSession(session.caller, shown: hash, to: tokens.hashes)
            return .success(tokens)
        }
        return try outcome.get()
    }

    /// Returns the session of a token issued after the backup that replaced the database. Works
    /// once per session, so that a stolen token is noticed afterwards.
    private func lostSession(of token: Token, in transaction: Transaction) throws -> SessionRow? {
        guard let restoration = try transaction.serverState().restoration,
            transaction.now < restoration.end,
            let session = try transaction.session(familyHash: token.familyHash),
            session.lastUsedAt < restoration.restoredAt
        else { return nil }
        return session
    }

    /// Returns the caller of an access token. Throws `unauthenticated`.
    public func authenticate(_ token: Token) async throws -> Caller {
        let hash = token.hash
        let session: SessionRow
        if let known = callers.session(hash, at: now()) {
            session = known
        } else {
            let generation = callers.generation
            let lookedUpAt = now()
            guard let found = try await database.readCaller({ try $0.session(bearer: hash) })
            else { throw CommandError.sessionOver }
            callers.remember(found, hash: hash, generation: generation, at: lookedUpAt)
            session = found
        }
        guard now() < session.accessExpiresAt else {
            throw CommandError.unauthenticated("The access token has expired. Refresh it.")
        }
        return session.caller
    }

    public func sessions(of caller: Caller) async throws -> [Session] {
        try await database.read { try $0.sessions(of: caller) }
    }

    /// Ends one of the caller's sessions. A change of the number and an end of the sign-in lock
    /// that another session began end with that session, even if it has signed itself out before.
    /// The remaining devices and e-mail announce the end. The ended session's device counts as
    /// unknown from then on. The caller's own sign-out leaves all three as they are. Throws
    /// `notFound` if there is neither the session nor one of them.
    public func endSession(_ id: SessionID, of caller: Caller) async throws {
        let session = Caller(userID: caller.userID, sessionID: id)
        let ended = try await database.write(about: Subjects([caller.userID])) { transaction in
            // The owner has ended the session of a device that may not be theirs.
            if id != caller.sessionID { try transaction.forgetDevice(of: session) }
            let isEnded = try transaction.deleteSession(session)
            guard id != caller.sessionID else { return isEnded }
            let isStopped = try accountNews.stopNumberMove(begunBy: session, in: transaction)
            let isKept = try accountNews.keepLock(turnedOffBy: session, in: transaction)
            if isEnded {
                try accountNews.announce(.deviceSignedOut, doneBy: caller, in: transaction)
            }
            return isEnded || isStopped || isKept
        }
        guard ended else { throw CommandError.notFound("There is no such session.") }
    }
}

/// Signs in devices whose network address exceeds its request limit. The process runs one look-up
/// at a time. A flood of invented tokens therefore occupies at most one database reader.
extension SignIn {
    /// Throws `unauthenticated`, or `refusal` when too many look-ups wait.
    public func authenticate(_ token: Token, unlessRefused refusal: CommandError) async throws
        -> Caller
    {
        if callers.session(token.hash, at: now()) != nil { return try await authenticate(token) }
        guard lookUps.waitingCount < Core.mostLookUps else { throw refusal }
        return try await lookUps.run {
            guard try await database.read({ try $0.session(bearer: token.hash) }) != nil else {
                throw CommandError.sessionOver
            }
            return try await authenticate(token)
        }
    }

    /// Returns new tokens for a session that got none in the last minute. Otherwise throws
    /// `refusal`.
    public func refresh(
        _ token: Token, attempt: UUID? = nil, unlessRefused refusal: CommandError
    ) async throws -> IssuedTokens {
        guard lookUps.waitingCount < Core.mostLookUps else { throw refusal }
        return try await lookUps.run {
            let hash = token.hash
            let session = try await database.read {
                try $0.session(refreshHash: hash) ?? $0.session(previousRefreshHash: hash)
                    ?? $0.session(webSecretHash: hash)
            }
            guard let session, now().since(session.lastUsedAt) >= Self.pauseBetweenRefreshes else {
                throw refusal
            }
            return try await refresh(token, attempt: attempt)
        }
    }

    private static let pauseBetweenRefreshes: Duration = .minutes(1)
}
