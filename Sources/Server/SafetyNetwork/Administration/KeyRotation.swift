import Cryptography
import Domain
import Foundation
import Persistence

/// Replaces the server's key while servers run (Docs/operations.md, "A new key"). The former keys
/// stay accepted until `forget`.
public struct KeyRotation: Commands {
    public let core: Core
    let administration: Administration

    private static let page = 200
    /// How long the operator has to bring the new key to the other servers of a database. Until
    /// then they can't read what it encrypts.
    static let patience: Duration = .minutes(10)

    static let wrongFile = CommandError.invalidArgument(
        field: "keyFile", "This is not the server's key. Give the --key-file of serve.")
    public static let keyIsInEnvironment = """
        The server's key is in LIFESIGNAL_KEY, where nothing can replace it. Write it to a file \
        (printf %s "$LIFESIGNAL_KEY" | base64 -d > KEYFILE) and start the server with --key-file.
        """
    private static let failure = CommandError.unavailable(
        "The secrets could not be encrypted with the new key. Nothing was changed.")

    private static let noFormerKeys = CommandError.notFound("The server has no former keys.")

    private static let otherCommand = CommandError.unavailable(
        "Another command has just changed the keys. Try again.")

    /// What ends with the former keys.
    public static let forgotten = """
        Signatures by the old secrets of webhooks, links in old messages, recovery codes from \
        before the last rotation, remembered devices, blocks of deleted numbers and the memory of \
        invitations sent
        """

    /// True if other servers of the database have a key that this one doesn't have.
    public var isBehind: Bool { key.isBehind }

    /// Takes the key that another server of the database has rotated to.
    public func follow() async throws { try await askForKey() }

    /// Reads the former keys without starting a server. Throws `WrongKey`.
    public func load() async throws {
        let (known, sealed) = try await database.read {
            (try $0.serverState().keyFingerprint, try $0.sealed(.formerKeys))
        }
        guard known == nil || known == key.fingerprint || options.acceptsNewKey else {
            throw WrongKey()
        }
        if let sealed { key.takeFormerKeys(sealed) }
    }

    /// Makes a key the current one. Idempotent. Throws `invalidArgument` or `unavailable`.
    /// - Parameters:
    ///   - new: the bytes of the new key, which are in a file already.
    ///   - old: the fingerprint of the key that it replaces.
    public func rotate(
        to new: Data, from old: Int64, reason: String, by administrator: String
    ) async throws -> AdminDone {
        let reason = try AdminRules.reason(reason)
        guard !options.isKeyInEnvironment else {
            throw CommandError.invalidArgument(field: "keyFile", Self.keyIsInEnvironment)
        }
        let present = key.snapshot
        guard let next = present.followed(by: new) else {
            throw CommandError.invalidArgument(
                field: "key", "A key has at least \(ServerKey.length) bytes.")
        }
        guard next.fingerprint != present.fingerprint else {
            return AdminDone(message: "The server has this key already.")
        }
        guard old == present.fingerprint else { throw Self.wrongFile }
        guard !present.isFormer(new) else {
            throw CommandError.invalidArgument(
                field: "key", "This key was in use before. Delete KEYFILE.next, and try again.")
        }
        guard present.formerKeys < ServerKey.mostFormerKeys else {
            throw CommandError.invalidArgument(
                field: "key",
                "There are \(ServerKey.mostFormerKeys) former keys. Run keys forget first.")
        }
        try await database.write(about: .serverState) { [random] transaction in
            let state = try transaction.serverState()
            let known = state.keyFingerprint
            // The commit of an earlier try was not answered.
            guard known != next.fingerprint else { return }
            guard known == nil || known == old else { throw Self.wrongFile }
            // Otherwise, the new key would bring back keys that another command has forgotten.
            guard state.formerKeys ?? 0 == Int64(present.formerKeys) else {
                throw Self.otherCommand
            }
            for secret in [ServerSecret.pushKey, .formerPushKey] {
                // Both have the name of the first.
                guard let sealed = try transaction.sealed(secret),
                    let renewed = next.resealed(
                        sealed, name: ServerSecret.pushKey.rawValue, random: random)
                else { continue }
                try transaction.save(renewed, as: secret)
            }
            guard let formerKeys = next.sealedFormerKeys(random: random) else {
                throw Self.failure
            }
            try transaction.save(formerKeys, as: .formerKeys)
            try transaction.updateServerState { state in
                state.keyFingerprint = next.fingerprint
                state.formerKeys = Int64(next.formerKeys)
                state.keyRotatedAt = transaction.now
            }
            try administration.record(
                .rotateKey, reason, about: nil, by: administrator, in: transaction)
        }
        key.adopt(next, inPlaceOf: present)
        return AdminDone(
            message: """
                The server has the new key. The former one is accepted until lifesignal admin \
                keys forget. Make a backup: older ones need the former key.
                """)
    }

    /// Says what `forget` would end. Throws `notFound` without former keys.
    public func losses() throws -> AdminDone {
        guard key.formerKeys > 0 else { throw Self.noFormerKeys }
        return AdminDone(message: "\(Self.forgotten) end.")
    }

    /// Ends the former keys. Throws `notFound` without any, and `unavailable` until `renew` is
    /// done.
    public func forget(reason: String, by administrator: String) async throws -> AdminDone {
        let reason = try AdminRules.reason(reason)
        guard key.formerKeys > 0 else { throw Self.noFormerKeys }
        let alone = key.withoutFormerKeys
        try await database.write(about: .serverState) { transaction in
            let state = try transaction.serverState()
            guard state.keyFingerprint == alone.fingerprint else { throw Self.wrongFile }
            guard state.keyRotatedAt == nil else {
                throw CommandError.unavailable(
                    "Values of the former key are still being renewed. Try again in some minutes.")
            }
            guard state.formerKeys != nil else { return }
            try transaction.delete(.formerKeys)
            try transaction.deleteRecoveryCodes(without: alone.recoveryCodeMark)
            try transaction.updateServerState { $0.formerKeys = nil }
            try administration.record(
                .forgetKeys, reason, about: nil, by: administrator, in: transaction)
        }
        key.adopt(alone, inPlaceOf: alone)
        return AdminDone(
            message: "Forgotten. \(Self.forgotten) have ended. Tell people to make new codes.")
    }

    // MARK: The rows

    /// Re-encrypts and re-hashes values of former keys, page by page. Starts over after a crash.
    public func renew() async throws {
        guard key.formerKeys > 0, !key.isBehind,
            let start = try await database.read({ try $0.serverState().keyRotatedAt })
        else { return }
        // A clock that was put back must not postpone it.
        guard !database.isShared || !(start..<start.adding(Self.patience)).contains(now())
        else { return }
        try await renewTokens()
        for table in PushAddressRow.Table.allCases { try await renewAddresses(in: table) }
        try await renewBlocks()
        let fingerprint = key.fingerprint
        _ = try await database.write(about: .serverState) { transaction in
            try transaction.updateServerState { state in
                // Another rotation may have begun.
                if state.keyFingerprint == fingerprint, state.keyRotatedAt == start {
                    state.keyRotatedAt = nil
                }
            }
        }
    }

    private func renewTokens() async throws {
        try await pages { connection, place -> [SealedTokenRow] in
            try connection.sealedTokens(after: place, limit: Self.page)
        } renew: { [key, random] row, transaction in
            let new = key.resealed(
                webhookToken: row.sealed, user: row.place.user.uuid, endpoint: row.place.id,
                random: random)
            if let new { try transaction.renew(row, as: new) }
        }
    }

    private func renewAddresses(in table: PushAddressRow.Table) async throws {
        try await pages { connection, place -> [PushAddressRow] in
            try connection.pushAddresses(in: table, after: place, limit: Self.page)
        } renew: { [key] row, transaction in
            let new = key.hash(pushAddress: row.address)
            if new != row.hash { try transaction.renew(row, in: table, as: new) }
        }
    }

    /// The number of a deleted account isn't known, so its blocks keep the hash of a former key.
    private func renewBlocks() async throws {
        try await pages { connection, place -> [BlockHashRow] in
            try connection.blockHashes(after: place, limit: Self.page)
        } renew: { [key] row, transaction in
            guard let blocked = try transaction.user(UserID(row.place.id)) else { return }
            let hashes = key.hashes(blockedNumber: blocked.textToBlock)
            // Another number was blocked than the person has now.
            guard hashes.dropFirst().contains(row.hash) else { return }
            try transaction.renew(row, as: hashes[0])
        }
    }

    private func pages<Row: PlacedRow>(
        read: @escaping @Sendable (any SQLConnection, RowPlace) throws -> [Row],
        renew: @escaping @Sendable (Row, Transaction) throws -> Void
    ) async throws {
        var last: RowPlace? = .start
        while let after = last {
            try Task.checkCancellation()
            let rows = try await database.read { try read($0, after) }
            let people = Array(Set(rows.map(\.place.user)))
            if !people.isEmpty {
                try await database.write(about: Subjects(people, isRepeatable: true)) {
                    transaction in
                    for row in rows { try renew(row, transaction) }
                }
            }
            last = rows.count == Self.page ? rows.last?.place : nil
        }
    }
}
