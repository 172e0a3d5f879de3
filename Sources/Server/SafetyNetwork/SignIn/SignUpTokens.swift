import Cryptography
import Domain
import Foundation
import Persistence

/// The token or inviter's code that a new account needs on a server without open sign-up.
public struct SignUpInvitation: Sendable {
    /// The secret of an operator's token.
    public var token: String?
    /// The code of a person with an account.
    public var inviterCode: QRCodeID?

    public init(token: String? = nil, inviterCode: QRCodeID? = nil) {
        self.token = token
        self.inviterCode = inviterCode
    }
}

/// Who may open an account, and the operator's tokens for it (product.md, "Sign-up").
public struct SignUpTokens: Commands {
    public let core: Core

    private static let names = ["sign-up tokens"]
    private static let locked = Subjects(names: names)

    // MARK: The operator

    /// Makes a token. The secret can't be shown again, because the server stores only its hash.
    /// Throws `invalidArgument` for a value outside of the limits.
    /// - Parameters:
    ///   - lifetime: the time until the token expires.
    ///   - number: the number that the token signs in once, without a code; nil for a token that
    ///     opens accounts.
    ///   - record: writes the log, in the same transaction.
    public func make(
        uses: Int = 1, expires lifetime: Duration = SignUpRules.standardLifetime,
        note: String = "", number: PhoneNumber? = nil,
        record: @escaping @Sendable (Transaction) throws -> Void = { _ in }
    ) async throws -> (id: SignUpTokenID, secret: Token) {
        let uses = try SignUpRules.uses(uses)
        let note = try SignUpRules.note(note)
        guard number == nil || uses == 1 else {
            throw CommandError.invalidArgument(
                field: "uses", "A token for a phone number has one use.")
        }
        let secret = random.token()
        let id: SignUpTokenID = newID()
        let subjects = Subjects(names: Self.names + [number?.text].compactMap(\.self)) {
            connection in
            guard let number else { return [] }
            return try [connection.owner(ofNumber: number)].compactMap(\.self)
        }
        try await database.write(about: subjects) { transaction in
            let now = transaction.now
            try transaction.insert(
                SignUpToken(
                    id: id, note: note, phoneNumber: number, uses: uses, createdAt: now,
                    expiresAt: try SignUpRules.expiry(after: lifetime, from: now)),
                hash: secret.hash)
            try record(transaction)
        }
        return (id, secret)
    }

    /// Returns all tokens, the newest first. Expired ones are listed for 30 more days.
    public func list() async throws -> [SignUpToken] {
        try await database.read { try $0.signUpTokens() }
    }

    /// Ends a token. Accounts that it opened stay. Throws `notFound`, also for a token that was
    /// revoked before.
    /// - Parameter record: writes the log, in the same transaction.
    public func revoke(
        _ id: SignUpTokenID, record: @escaping @Sendable (Transaction) throws -> Void = { _ in }
    ) async throws {
        try await database.write(about: Self.locked) { transaction in
            guard try transaction.revokeSignUpToken(id) else {
                throw CommandError.notFound("There is no such token.")
            }
            try record(transaction)
        }
    }

    /// Returns the link that a token's holder opens.
    public func link(for secret: Token) -> URL {
        SignUpRules.link(for: secret.text, server: options.publicURL)
    }

    /// Makes the token for the first account, and revokes the one of an earlier start. Returns nil
    /// if somebody has an account, or if no token is needed.
    public func makeFirst() async throws -> Token? {
        let secret = random.token()
        let id: SignUpTokenID = newID()
        return try await database.write(about: Self.locked) { transaction in
            guard try mode(in: transaction) == .invited, try !transaction.hasPeople() else {
                return nil
            }
            let earlier = try transaction.signUpTokens().filter {
                $0.note == SignUpRules.firstNote && $0.revokedAt == nil
            }
            for token in earlier { _ = try transaction.revokeSignUpToken(token.id) }
            let now = transaction.now
            try transaction.insert(
                SignUpToken(
                    id: id, note: SignUpRules.firstNote, uses: 1, createdAt: now,
                    expiresAt: now.adding(SignUpRules.standardLifetime)),
                hash: secret.hash)
            return secret
        }
    }

    /// Returns what the sign-in page shows.
    public func signInOptions() async throws -> SignInOptions {
        SignInOptions(
            signUp: try await database.read { try mode(in: $0) }, sendsCodes: options.sendsCodes,
            operatorContact: options.operatorContact,
            limitsCountries: options.signUpPolicy.countries == nil ? nil : true)
    }

    // MARK: Admission

    /// Returns the mode that the operator has set, or else the database's own.
    func mode(in connection: any SQLConnection) throws -> SignUpMode {
        if let mode = options.signUpPolicy.mode { return mode }
        return try connection.serverState().signUp ?? .open
    }

    /// Returns the usable token with a secret. Throws `invalidArgument` with the reason why there
    /// is none. The answer is the same for numbers with and without an account.
    func usable(
        _ secret: String, for number: PhoneNumber, in connection: any SQLConnection
    ) throws -> SignUpToken {
        guard let secret = SignUpRules.secret(in: secret).flatMap({ Token($0) }),
            let token = try connection.signUpToken(hash: secret.hash)
        else { throw Self.refusal(.tokenUnknown) }
        if let own = token.phoneNumber, own != number { throw Self.refusal(.tokenOtherNumber) }
        if let refusal = Self.refusal(of: token, at: connection.now) { throw refusal }
        let isClosed = try mode(in: connection) == .closed
        guard token.phoneNumber != nil || !isClosed else { throw Self.refusal(.signUpClosed) }
        return token
    }

    /// Returns whether a number without an account may get a sign-in code.
    /// - Parameter isGuest: whether the number's owner has accepted an invitation.
    func mayGetCode(
        _ number: PhoneNumber, like row: CodeRow, isGuest: Bool, in transaction: Transaction
    ) throws -> Bool {
        switch try mode(in: transaction) {
        case .open: return true
        case .closed: return false
        case .invited:
            guard !isGuest, row.tokenID == nil else { return true }
            if try isInvited(number, in: transaction) { return true }
            return try row.inviterID.map { try mayInvite($0, in: transaction) } ?? false
        }
    }

    /// Admits a new account, and counts the use of its token or code. Returns the refusal.
    func admit(
        _ number: PhoneNumber, with row: CodeRow, isGuest: Bool, in transaction: Transaction
    ) throws -> CommandError? {
        let mode = try mode(in: transaction)
        // The operator has named the test numbers.
        if options.testNumbers[number] != nil, row.tokenID == nil { return nil }
        guard mode != .closed else { return Self.refusal(.signUpClosed) }
        if let id = row.tokenID {
            if try transaction.useSignUpToken(id) || mode == .open { return nil }
            return try Self.refusal(of: transaction.signUpToken(id), at: transaction.now)
        }
        guard mode == .invited, !isGuest, try !isInvited(number, in: transaction) else {
            return nil
        }
        guard let inviter = row.inviterID, try mayInvite(inviter, in: transaction) else {
            return Self.refusal(.tokenNeeded)
        }
        try transaction.insertInvitedSignUp(newID(), by: inviter)
        return nil
    }

    /// Returns whether a token signs in without a code: it was made for a number, or opens the
    /// first account of a server that sends no codes.
    func needsNoCode(
        _ token: SignUpToken, in connection: any SQLConnection
    ) throws -> Bool {
        if token.phoneNumber != nil { return true }
        guard !options.sendsCodes, token.note == SignUpRules.firstNote else { return false }
        return try !connection.hasPeople()
    }

    /// Uses up the token that signs in a number without a code. Returns the refusal.
    func use(
        _ secret: String, for number: PhoneNumber, isNew: Bool, in transaction: Transaction
    ) throws -> CommandError? {
        let token = try usable(secret, for: number, in: transaction)
        guard try needsNoCode(token, in: transaction) else {
            return .invalidArgument(
                field: "code", RefusalWords.codeLength.message, reason: .codeNeeded)
        }
        if isNew, try mode(in: transaction) == .closed { return Self.refusal(.signUpClosed) }
        guard try transaction.useSignUpToken(token.id) else { return Self.refusal(.tokenUsedUp) }
        return nil
    }

    /// Returns whether a person with an account has invited this number, and may still get a "yes".
    /// A lock stops invitations from before it, too.
    private func isInvited(_ number: PhoneNumber, in connection: any SQLConnection) throws -> Bool {
        let left = try departures(from: .number(number), in: connection).max() ?? .distantPast
        return try connection.pendingInvitations(to: number).contains { invitation in
            guard invitation.time > left,
                InvitationRules.canBeAccepted(since: invitation.time, at: connection.now)
            else { return false }
            return try connection.user(invitation.owner)?.lockedAt == nil
        }
    }

    private func mayInvite(_ inviter: UserID, in connection: any SQLConnection) throws -> Bool {
        guard let user = try connection.user(inviter), user.guestSince == nil,
            user.lockedAt == nil
        else { return false }
        let since = connection.now.adding(.zero - SignUpRules.codeWindow)
        return try connection.invitedSignUps(by: inviter, since: since) < SignUpRules.perCode
    }

    static func refusal(_ reason: InvalidInputReason) -> CommandError {
        .invalidArgument(
            field: "token", RefusalWords.signUp[reason]?.detail ?? "", reason: reason)
    }

    /// Returns why a token can't be used; nil for a usable one.
    private static func refusal(of token: SignUpToken?, at now: Date) -> CommandError? {
        switch token?.state(at: now) {
        case .usable: nil
        case .usedUp: refusal(.tokenUsedUp)
        case .expired: refusal(.tokenExpired)
        case .revoked: refusal(.tokenRevoked)
        case nil: refusal(.tokenUnknown)
        }
    }
}
