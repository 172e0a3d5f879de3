import Domain
import Foundation
import Persistence
import Secrets

/// The tokens of a session, shown once.
public struct IssuedTokens: Sendable {
    public var accessToken: Token
    public var refreshToken: Token
    public var accessExpiresAt: Date
    public var isNewUser: Bool
    public var caller: Caller
}

extension SafetyNetwork {
    /// Sends a code. Known and unknown numbers get the same answer. Throws `rateLimited`.
    public func requestCode(for number: PhoneNumber, from address: String) async throws {
        let code = options.testNumbers[number] ?? random.code()
        let id = makeID()
        let addressHash = key.hash(address: address)
        try await database.write { transaction in
            let now = now()
            let window = now.adding(.zero - SignInRules.codeWindow)
            let waits = [
                SignInRules.wait(sent: try transaction.codeTimes(phoneNumber: number, since: window), limit: options.codesPerNumber, at: now),
                SignInRules.wait(sent: try transaction.codeTimes(addressHash: addressHash, since: window), limit: options.codesPerAddress, at: now),
            ].compactMap(\.self)
            if let wait = waits.max() { throw CommandError.rateLimited(retryAfter: wait) }
            let row = CodeRow(
                id: id, hash: key.hash(code: code, id: id), expiresAt: now.adding(SignInRules.codeLifetime),
                triesLeft: SignInRules.triesPerCode
            )
            try transaction.insertCode(row, phoneNumber: number, addressHash: addressHash, at: now)
        }
        if options.testNumbers[number] == nil { sendCode(number, code) }
    }

    /// Number and code for a session. The first sign-in of a number makes the account.
    /// Throws `unauthenticated` for a wrong or expired code.
    public func signIn(_ number: PhoneNumber, code: String, deviceName: String) async throws -> IssuedTokens {
        let code = try SignInRules.code(code)
        let deviceName = try SignInRules.deviceName(deviceName)
        let outcome: Result<IssuedTokens, CommandError> = try await database.write { transaction in
            let now = now()
            // Not thrown: a thrown error would take the counted try back.
            if let refusal = try use(code: code, for: number, at: now, in: transaction) { return .failure(refusal) }
            let known = try transaction.user(phoneNumber: number)?.id
            let user = known ?? newID()
            if known == nil {
                try transaction.insertUser(user, phoneNumber: number, at: now)
                try transaction.setQRCode(newID(), of: user, at: now)
            }
            let caller = Caller(userID: user, sessionID: newID())
            let tokens = IssuedTokens(
                accessToken: random.token(), refreshToken: random.token(),
                accessExpiresAt: now.adding(SignInRules.accessTokenLifetime), isNewUser: known == nil, caller: caller
            )
            try transaction.insertSession(
                caller, deviceName: deviceName, accessHash: tokens.accessToken.hash, refreshHash: tokens.refreshToken.hash,
                accessExpiresAt: tokens.accessExpiresAt, refreshExpiresAt: now.adding(SignInRules.refreshTokenLifetime), at: now
            )
            return .success(tokens)
        }
        return try outcome.get()
    }

    /// Counts a try against the newest code of the number; nil when the code was right, which uses it up.
    func use(code: String, for number: PhoneNumber, at now: Date, in transaction: Transaction) throws -> CommandError? {
        guard let row = try transaction.newestCode(for: number), SignInRules.isUsable(expiresAt: row.expiresAt, triesLeft: row.triesLeft, at: now)
        else { return .unauthenticated("That code has expired. Ask for a new one.") }
        let isRight = Digest.areEqual(row.hash, key.hash(code: code, id: row.id))
        try transaction.setTries(isRight ? 0 : row.triesLeft - 1, of: row.id)
        return isRight ? nil : .unauthenticated("That code is not right. Check the message and try again.")
    }

    /// New tokens for a refresh token, which is worthless afterwards. Using one twice ends the whole session: one of the two
    /// who had it has stolen it.
    public func refresh(_ token: Token) async throws -> IssuedTokens {
        let hash = token.hash
        let outcome: Result<IssuedTokens, CommandError> = try await database.write { transaction in
            let now = now()
            guard let session = try transaction.session(refreshHash: hash) else {
                if let stolen = try transaction.sessionOfUsedRefreshToken(hash) { _ = try transaction.deleteSession(stolen) }
                return .failure(Self.sessionOver)
            }
            guard now < session.refreshExpiresAt else { return .failure(Self.sessionOver) }
            let tokens = IssuedTokens(
                accessToken: random.token(), refreshToken: random.token(),
                accessExpiresAt: now.adding(SignInRules.accessTokenLifetime), isNewUser: false, caller: session.caller
            )
            try transaction.rotateSession(
                session.caller, oldRefreshHash: hash, accessHash: tokens.accessToken.hash, refreshHash: tokens.refreshToken.hash,
                accessExpiresAt: tokens.accessExpiresAt, refreshExpiresAt: now.adding(SignInRules.refreshTokenLifetime), at: now
            )
            return .success(tokens)
        }
        return try outcome.get()
    }

    /// Who an access token belongs to. Throws `unauthenticated`.
    public func authenticate(_ token: Token) async throws -> Caller {
        let hash = token.hash
        let session: SessionRow
        if let known = callers.session(hash) {
            session = known
        } else {
            let generation = callers.generation
            guard let found = try await database.read({ try $0.session(accessHash: hash) }) else { throw Self.sessionOver }
            callers.remember(found, hash: hash, generation: generation)
            session = found
        }
        guard now() < session.accessExpiresAt else { throw CommandError.unauthenticated("The access token has expired. Refresh it.") }
        return session.caller
    }

    public func sessions(of caller: Caller) async throws -> [Session] {
        try await database.read { try $0.sessions(of: caller) }
    }

    /// Ends one of the caller's sessions. Throws `notFound`.
    public func endSession(_ id: SessionID, of caller: Caller) async throws {
        let ended = try await database.write { try $0.deleteSession(Caller(userID: caller.userID, sessionID: id)) }
        guard ended else { throw CommandError.notFound("There is no such session.") }
    }

    public static let sessionOver = CommandError.unauthenticated("This session is over. Please sign in again.")
}
