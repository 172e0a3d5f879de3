import Cryptography
import Domain
import Foundation
import Persistence

/// Passkeys, which sign in without a code and despite the sign-in lock (product.md, "Sign-in").
public struct Passkeys: Commands {
    public let core: Core
    let notifier: Notifier
    let accountNews: AccountNews

    private static let noSuchPasskey = CommandError.notFound("There is no such passkey.")

    // MARK: Making

    /// Returns what a device needs to make a passkey.
    public func requestForNewPasskey(of caller: Caller) async throws -> PasskeyRequest {
        let (user, passkeys) = try await database.read { connection in
            (try connection.user(caller.userID), try connection.passkeys(of: caller.userID))
        }
        guard let user else { throw CommandError.noSuchUser }
        return PasskeyRequest(
            challenge: challenge(.registration(user.id.uuid)), site: site,
            account: PasskeyRequest.Account(
                handle: Base64URL.encode(Self.handle(of: user.id)),
                name: user.phoneNumber?.text ?? user.displayName,
                otherPasskeys: passkeys.map { Base64URL.encode($0.credentialID) }))
    }

    public func passkeys(of caller: Caller) async throws -> [Passkey] {
        try await database.read { try $0.passkeys(of: caller.userID).map(\.passkey) }
    }

    /// Adds a passkey, and tells all sessions. Throws `invalidArgument` with the reason.
    public func add(
        _ registration: PasskeyRegistration, name: String, of caller: Caller
    ) async throws -> Passkey {
        let name = try PasskeyRules.name(name)
        let challenge = try await self.challenge(
            in: registration.clientDataJSON, "webauthn.create",
            .registration(caller.userID.uuid))
        guard let attestation = Base64URL.decode(registration.attestationObject),
            let data = AuthenticatorData(attestation: attestation),
            let credential = data.credential, PasskeyKey(cose: credential.key) != nil
        else { throw Self.refusal(.passkeyInvalid) }
        try check(data)
        let id: PasskeyID = newID()
        return try await database.write(about: Subjects([caller.userID])) { transaction in
            guard let user = try transaction.user(caller.userID), user.guestSince == nil else {
                throw CommandError.noSuchUser
            }
            try checkSession(of: caller, in: transaction)
            guard try transaction.passkeys(of: user.id).count < PasskeyRules.limit else {
                throw Self.refusal(.passkeysFull)
            }
            guard try transaction.passkey(credential.id, of: user.id) == nil else {
                throw CommandError.alreadyExists("This passkey was added before.")
            }
            try use(challenge, in: transaction)
            let passkey = Passkey(id: id, name: name, createdAt: transaction.now)
            try transaction.insert(
                PasskeyRow(
                    passkey: passkey, credentialID: credential.id, publicKey: credential.key,
                    counter: data.counter),
                of: user.id)
            try accountNews.announce(
                .passkeyAdded(name: name), doneBy: caller, isOncePerWindow: false, in: transaction)
            return passkey
        }
    }

    /// Renames a passkey, and tells all sessions: somebody with the unlocked phone could swap the
    /// names, so that the owner removes the wrong passkey. Throws `notFound`.
    public func rename(_ id: PasskeyID, to name: String, of caller: Caller) async throws -> Passkey
    {
        let name = try PasskeyRules.name(name)
        return try await database.write(about: Subjects([caller.userID])) { transaction in
            try checkSession(of: caller, in: transaction)
            var passkey = try storedPasskey(id, of: caller, in: transaction)
            guard passkey.name != name else { return passkey }
            _ = try transaction.renamePasskey(id, to: name, of: caller.userID)
            try accountNews.announce(
                .passkeyRenamed(from: passkey.name, to: name), doneBy: caller,
                isOncePerWindow: false, in: transaction)
            passkey.name = name
            return passkey
        }
    }

    public func remove(_ id: PasskeyID, of caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID])) { transaction in
            try checkSession(of: caller, in: transaction)
            let name = try storedPasskey(id, of: caller, in: transaction).name
            _ = try transaction.deletePasskey(id, of: caller.userID)
            try accountNews.announce(
                .passkeyRemoved(name: name), doneBy: caller, isOncePerWindow: false,
                in: transaction)
        }
    }

    private func storedPasskey(
        _ id: PasskeyID, of caller: Caller, in connection: any SQLConnection
    ) throws -> Passkey {
        let row = try connection.passkeys(of: caller.userID).first { $0.passkey.id == id }
        guard let row else { throw Self.noSuchPasskey }
        return row.passkey
    }

    // MARK: Use

    /// Returns what a device needs to sign in by a passkey.
    public func requestForSignIn() -> PasskeyRequest {
        PasskeyRequest(challenge: challenge(.signIn), site: site)
    }

    /// A use of a passkey whose signature is right.
    struct Use: Sendable {
        var userID: UserID
        var number: PhoneNumber
        var credentialID: Data
        var counter: UInt32
        var challenge: PasskeyChallenge
    }

    /// Checks everything except what needs a transaction, so that forged uses lock nothing. Throws
    /// `invalidArgument` with the reason.
    func check(_ assertion: PasskeyAssertion) async throws -> Use {
        let challenge = try await self.challenge(
            in: assertion.clientDataJSON, "webauthn.get", .signIn)
        guard let client = Base64URL.decode(assertion.clientDataJSON),
            let bytes = Base64URL.decode(assertion.authenticatorData),
            let signature = Base64URL.decode(assertion.signature),
            let credential = Base64URL.decode(assertion.credentialID),
            let data = AuthenticatorData(bytes), data.credential == nil
        else { throw Self.refusal(.passkeyInvalid) }
        try check(data)
        guard
            let id = Base64URL.decode(assertion.userHandle)
                .flatMap({ Self.user(withHandle: $0) })
        else { throw Self.refusal(.passkeyUnknown) }
        let (user, row) = try await database.read { connection in
            (try connection.user(id), try connection.passkey(credential, of: id))
        }
        guard let row, let number = user?.phoneNumber, user?.guestSince == nil else {
            throw Self.refusal(.passkeyUnknown)
        }
        guard let key = PasskeyKey(cose: row.publicKey),
            key.isValid(signature, of: bytes + Digest.sha256(client))
        else { throw Self.refusal(.passkeyInvalid) }
        return Use(
            userID: id, number: number, credentialID: credential, counter: data.counter,
            challenge: challenge)
    }

    /// Uses up the challenge and notes the counter. Returns the refusal of a copied passkey, of
    /// which the person is told. Throws `invalidArgument` for a passkey that is gone.
    func take(_ use: Use, in transaction: Transaction) throws -> CommandError? {
        guard let user = try transaction.user(use.userID),
            let row = try transaction.passkey(use.credentialID, of: use.userID)
        else { throw Self.refusal(.passkeyUnknown) }
        try self.use(use.challenge, in: transaction)
        guard PasskeyRules.isPlausible(counter: use.counter, after: row.counter) else {
            try notifier.notify(
                Recipient(user).whateverIsMuted,
                Notice(text: .passkeyCopied, cannotBeMuted: true), in: transaction)
            return Self.refusal(.passkeyCopied)
        }
        try transaction.usePasskey(row.passkey.id, counter: use.counter, of: use.userID)
        return nil
    }

    // MARK: Checks

    /// The part of the browser's data that matters here (WebAuthn, section 5.8.1).
    private struct ClientData: Decodable {
        var type: String
        var challenge: String
        var origin: String
        var crossOrigin: Bool?
    }

    /// Returns the challenge in a browser's data, which must be of this site and in time.
    private func challenge(
        in clientDataJSON: String, _ type: String, _ purpose: PasskeyChallenge.Purpose
    ) async throws -> PasskeyChallenge {
        guard let bytes = Base64URL.decode(clientDataJSON),
            let client = try? JSONDecoder().decode(ClientData.self, from: bytes),
            client.type == type
        else { throw Self.refusal(.passkeyInvalid) }
        guard origins.contains(client.origin), client.crossOrigin != true else {
            throw Self.refusal(.passkeyOtherSite)
        }
        let challenge = try await verified {
            PasskeyChallenge(client.challenge, purpose, key: key)
        }
        guard let challenge, now().milliseconds < challenge.expiresAt.milliseconds
        else { throw Self.refusal(.passkeyTooLate) }
        return challenge
    }

    private func check(_ data: AuthenticatorData) throws {
        guard data.siteHash == Digest.sha256(Data(site.utf8)) else {
            throw Self.refusal(.passkeyOtherSite)
        }
        guard data.isUserVerified else { throw Self.refusal(.passkeyUnverified) }
    }

    private func use(_ challenge: PasskeyChallenge, in transaction: Transaction) throws {
        guard
            try transaction.usePasskeyChallenge(
                hash: challenge.hash, expiresAt: challenge.expiresAt)
        else { throw Self.refusal(.passkeyTooLate) }
    }

    private func challenge(_ purpose: PasskeyChallenge.Purpose) -> String {
        PasskeyChallenge(
            expiresAt: now().adding(PasskeyRules.challengeLifetime), random: random
        ).text(purpose, key: key)
    }

    /// The host name that passkeys belong to.
    private var site: String { options.publicURL.host()?.lowercased() ?? "localhost" }

    /// The pages that may use passkeys. Browsers also require that a page's host is `site` or one
    /// of its subdomains.
    private var origins: [String] {
        ([options.publicURL] + options.otherURLs).map(Self.origin)
    }

    /// Returns an address's origin as browsers write it, without a default port.
    private static func origin(of url: URL) -> String {
        let scheme = url.scheme?.lowercased() ?? "https"
        let isDefault = url.port == nil || url.port == (scheme == "http" ? 80 : 443)
        return "\(scheme)://\(url.host()?.lowercased() ?? "localhost")"
            + (isDefault ? "" : ":\(url.port ?? 0)")
    }

    private static func handle(of user: UserID) -> Data {
        withUnsafeBytes(of: user.uuid.uuid) { Data($0) }
    }

    private static func user(withHandle bytes: Data) -> UserID? {
        guard bytes.count == 16 else { return nil }
        return bytes.withUnsafeBytes { UserID(UUID(uuid: $0.loadUnaligned(as: uuid_t.self))) }
    }

    private static func refusal(_ reason: InvalidInputReason) -> CommandError {
        .invalidArgument(
            field: "passkey", RefusalWords.signInSecurity[reason]?.detail ?? "", reason: reason)
    }
}
